// MatchTable: the matches of a pool group, live and ended, by id.
//
// Shape:   a slab of records and an index of their ids. A match that is forgotten leaves the index, but its record
//          stays as long as one of its tickets refers to it, so that a ticket can always tell its match.
// Cost:    O(1).
// Threads: none.
#pragma once

#include <cstdint>
#include <memory>

#include "base/hash_index.h"
#include "base/slab.h"
#include "base/slot_list.h"
#include "model/match.h"
#include "model/units.h"

namespace evenmatch {

struct MatchRecord {
  std::shared_ptr<const Match> match;
  Micros ended_at = 0;   // 0 while it lives
  SlotLinks links;       // of the queue's held matches while it lives, of the retained ones after
  uint32_t tickets = 0;  // tickets in the table that refer to it
  MatchState state = MatchState::kFormed;
  MatchEnd end = MatchEnd::kNone;
  bool known = true;  // not yet forgotten
};

class MatchTable {
 public:
  MatchTable() : ids_(this) {}
  MatchTable(const MatchTable&) = delete;
  MatchTable& operator=(const MatchTable&) = delete;

  uint32_t Find(const MatchId& id) const;  // a slot, or kNoSlot
  uint32_t Add(std::shared_ptr<const Match> match);
  // Takes it out of the index.
  void Forget(uint32_t slot);
  // Fetches the match of `slot` and the record after it in forgetting, for the next Forget.
  void Prefetch(uint32_t slot) const;
  // One ticket refers to it, or no longer does.
  void AddTicket(uint32_t slot) { ++records_[slot].tickets; }
  void RemoveTicket(uint32_t slot);

  MatchRecord& operator[](uint32_t slot) { return records_[slot]; }
  const MatchRecord& operator[](uint32_t slot) const { return records_[slot]; }
  const Slab<MatchRecord>& records() const { return records_; }
  size_t size() const { return ids_.size(); }  // known ones

  const MatchId& KeyOf(uint32_t slot) const { return records_[slot].match->id; }

 private:
  Slab<MatchRecord> records_;
  HashIndex<MatchTable, MatchId> ids_;
};

}  // namespace evenmatch
