// Traits: what the rules of a queue see of a waiting ticket beyond its pool entry; TraitTable: those of all that wait.
//
// Shape:   made once at the door by RuleBook, with every name turned into a number, and constant while the ticket
//          waits. Kept by pool slot, in a table of their own, so that queues whose windows decide everything pay
//          nothing for them: there the table is empty (RuleBook::plain).
// Units:   as in PoolEntry; latencies in milliseconds.
// Cost:    Add, Remove, Find O(1).
// Threads: none.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "base/check.h"
#include "model/rule.h"
#include "model/units.h"
#include "pool/pool.h"

namespace evenmatch {

struct Traits {
  // One region of RegionRules::regions, in its order.
  struct Region {
    Micros from = 0;          // the wait from which on the ticket plays there; kNever: never
    int32_t latency_ms = -1;  // of its worst player; -1: not known
  };
  // An attribute as its rule compares it.
  struct Attribute {
    bool present = false;
    int64_t number = 0;           // kEqual: the same number for the same value; kDistance: in thousandths
    std::vector<uint64_t> texts;  // kOverlap: sorted digests
  };
  // A player's wishes: bit r is RoleRules::roles[r].
  struct Wishes {
    uint64_t roles = 0;                         // any of these; all bits when he named none
    absl::InlinedVector<uint8_t, 4> preferred;  // most wanted first
  };

  MilliPoints deviation = 0;  // of the ticket's value: the root of the mean square of its players', over their number
  MilliPoints widening = 0;   // what the deviation adds to the window
  MilliPoints ease = 0;       // StreakRules: how much further down it reaches, and by how much less it counts
  bool sheltered = false;
  uint16_t tier_group = 0;   // the highest of its players
  int32_t preference = 0;    // by how much it likes another queue of the ticket better
  Rule never = Rule::kNone;  // for which no relaxation ever lets it play (see RuleBook::CannotPlay)
  absl::InlinedVector<Region, 4> regions;
  std::vector<Attribute> attributes;
  absl::InlinedVector<Wishes, 1> wishes;  // by player

  // Digests of player ids, sorted; `filter` has a bit for each of them, to rule most pairs out at once.
  struct People {
    uint64_t filter = 0;
    absl::InlinedVector<uint64_t, 1> digests;
  };
  People players, blocked, avoided, recent;
};

// Whether the two have somebody in common.
bool Meet(const Traits::People& a, const Traits::People& b);

class TraitTable {
 public:
  void Add(Pool::Slot slot, std::unique_ptr<const Traits> traits) {
    if (slot >= traits_.size()) traits_.resize(slot + slot / 2 + 64);
    CHECK(traits_[slot] == nullptr);
    traits_[slot] = std::move(traits);
  }
  void Remove(Pool::Slot slot) {
    if (slot < traits_.size()) traits_[slot].reset();
  }

  // Null in a queue that keeps none.
  const Traits* Find(Pool::Slot slot) const { return slot < traits_.size() ? traits_[slot].get() : nullptr; }

 private:
  std::vector<std::unique_ptr<const Traits>> traits_;
};

}  // namespace evenmatch
