// DuelFace: what tells at a glance that two tickets may not play yet; DuelFaces: those of all that wait, by pool slot.
//
// Most of those that stand near a ticket are refused by a rule that a few numbers show: an attribute that must agree
// for ever, regions, tiers, shelter. Held together in one place they are found without reading a ticket's traits.
//
// Shape:   WaitAtLeast never says more than RuleBook::Meet, so whom it lets pass must still be asked of the book.
// Cost:    a few nanoseconds, and a cache line or two.
// Threads: none.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "matching/rule_book.h"
#include "pool/pool.h"

namespace evenmatch {

struct alignas(64) DuelFace {
  static constexpr size_t kRegionSteps = 4;

  uint64_t arrival = 0;  // 0: nobody's
  Micros queued_at = 0;
  const Traits* traits = nullptr;
  // Regions in which the ticket plays from the first steps on; what comes later counts with the last of these.
  std::array<uint64_t, kRegionSteps> regions{};
  uint32_t alike = 0;  // equal for all that agree in what must be equal for ever
  uint16_t tier_group = 0;
  bool sheltered = false;
};

class DuelFaces {
 public:
  explicit DuelFaces(const RuleBook& book);

  // That of a ticket, made when it is new.
  const DuelFace& Get(Pool::Slot slot, const Waiter& waiter) {
    if (slot >= faces_.size()) faces_.resize(slot + slot / 2 + 64);
    DuelFace& face = faces_[slot];
    if (face.arrival != waiter.entry->arrival) Make(waiter, &face);
    return face;
  }
  // The same where it is known to be there, else null.
  const DuelFace* Find(Pool::Slot slot, uint64_t arrival) const {
    return slot < faces_.size() && faces_[slot].arrival == arrival ? &faces_[slot] : nullptr;
  }

  void Prefetch(Pool::Slot slot) const {
    if (slot < faces_.size()) __builtin_prefetch(&faces_[slot]);
  }

  // Of one that looks as if it may play now; traits that are gone by now are called for in vain.
  void PrefetchTraits(const DuelFace& mine, Pool::Slot slot) const {
    if (slot >= faces_.size()) return;
    const DuelFace& face = faces_[slot];
    if (face.alike != mine.alike || (steps_ > 0 && (face.regions[0] & mine.regions[0]) == 0)) return;
    const char* traits = reinterpret_cast<const char*>(face.traits);
    for (size_t line = 0; line < sizeof(Traits) && traits != nullptr; line += 64) __builtin_prefetch(traits + line);
  }

  Micros WaitAtLeast(const DuelFace& a, const DuelFace& b) const {
    if (a.alike != b.alike) return kNever;
    Micros wait = 0;
    if (steps_ > 0) {
      size_t step = 0;
      while (step < steps_ && (a.regions[step] & b.regions[step]) == 0) ++step;
      if (step == steps_) return kNever;
      wait = step_after_[step];
    }
    if (a.tier_group != b.tier_group) {
      const uint16_t lower = std::min(a.tier_group, b.tier_group), higher = std::max(a.tier_group, b.tier_group);
      if (isolated_[lower] || isolated_[higher]) return kNever;
      wait = std::max(wait, higher - lower == 1 ? neighbours_after_ : all_after_);
    }
    if (a.sheltered != b.sheltered) wait = std::max(wait, own_pool_for_);
    return wait;
  }

 private:
  void Make(const Waiter& waiter, DuelFace* face) const;

  const QueueRules& rules_;
  size_t steps_ = 0;
  std::array<Micros, DuelFace::kRegionSteps> step_after_{};
  std::vector<bool> isolated_;
  Micros neighbours_after_ = 0, all_after_ = 0, own_pool_for_ = 0;
  std::vector<DuelFace> faces_;
};

}  // namespace evenmatch
