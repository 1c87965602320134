// TicketTable: the tickets of a pool group, waiting and ended, by handle and by id.
//
// Shape:   a slab of compact records and an index of their ids. What only a waiting or only an ended ticket needs
//          shares one place in the record.
// Cost:    Find, Add, Remove O(1).
// Errors:  adding an id that is there is a bug of the caller (CHECK).
// Threads: none.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/hash_index.h"
#include "base/slab.h"
#include "base/slot_list.h"
#include "model/event.h"
#include "model/ticket.h"
#include "model/units.h"

namespace evenmatch {

struct TicketRecord {
  struct Waiting {
    uint32_t place;     // its slot in the pool of its queue, or with several queues its entry of GroupState::places
    uint32_t watch;     // its entry of GroupState::watches, kNoSlot: nobody watches and presence does not matter
    uint32_t deadline;  // its place in the heap of deadlines
  };
  struct Ended {
    SlotLinks retained;  // in the order in which tickets will be forgotten; once its players are free
    uint32_t match;      // its slot in the match table; kNoSlot: not matched
  };

  TicketRecord() : waiting{kNoSlot, kNoSlot, kNoSlot} {}

  std::shared_ptr<const Ticket> ticket;
  Micros queued_at = 0;
  Micros ended_at = 0;    // 0 while it waits
  uint32_t sequence = 0;  // of its last numbered event
  uint32_t session = kNoSlot;
  // Of the session's tickets, until it is acknowledged; from then on of the acknowledged ones that may be evicted.
  SlotLinks links;
  union {
    Waiting waiting;
    Ended ended;
  };
  TicketState state = TicketState::kWaiting;
  Reason reason = Reason::kNone;  // why it ended
  bool acknowledged = false;      // by all its players
  bool released = false;          // ended, and its players are free

  // The number of its kQueued. A ticket has this and one final event, so the record is all the history there is.
  uint32_t queued_sequence() const { return IsFinal(state) ? sequence - 1 : sequence; }
  Micros expires_at() const { return queued_at + ticket->timeout; }
  EventKind present_kind() const;  // kQueued, or that of its final event
};

class TicketTable {
 public:
  TicketTable() : ids_(this) {}
  TicketTable(const TicketTable&) = delete;
  TicketTable& operator=(const TicketTable&) = delete;

  uint32_t Find(const HashedText& ticket_id) const { return ids_.Find(ticket_id); }  // a slot, or kNoSlot
  uint64_t Add(TicketRecord record);
  void Remove(uint32_t slot);
  // Fetches the ticket of `slot` and the record after it in forgetting, for the next Remove.
  void Prefetch(uint32_t slot) const;

  TicketRecord& operator[](uint32_t slot) { return records_[slot]; }
  const TicketRecord& operator[](uint32_t slot) const { return records_[slot]; }
  TicketRecord* Find(uint64_t handle) { return records_.Find(handle); }
  const TicketRecord* Find(uint64_t handle) const { return records_.Find(handle); }
  const Slab<TicketRecord>& records() const { return records_; }
  size_t size() const { return records_.size(); }

  std::string_view KeyOf(uint32_t slot) const { return records_[slot].ticket->ticket_id; }

 private:
  Slab<TicketRecord> records_;
  TextIndex<TicketTable> ids_;
};

}  // namespace evenmatch
