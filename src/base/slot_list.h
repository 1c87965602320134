// SlotList: a doubly linked list through records of a slab, first in, first out unless one leaves early.
//
// Shape:   the links stand in the records; `links(slot)` gives those of a record. A record is in one list by one pair
//          of links at most.
// Cost:    all O(1).
// Threads: none.
#pragma once

#include <cstdint>

#include "base/check.h"
#include "base/slab.h"

namespace evenmatch {

struct SlotLinks {
  uint32_t prev = kNoSlot;
  uint32_t next = kNoSlot;
};

class SlotList {
 public:
  bool empty() const { return head_ == kNoSlot; }
  uint32_t head() const { return head_; }

  template <typename Links>
  void PushBack(uint32_t slot, Links&& links) {
    links(slot) = SlotLinks{tail_, kNoSlot};
    (tail_ == kNoSlot ? head_ : links(tail_).next) = slot;
    tail_ = slot;
  }

  template <typename Links>
  void Remove(uint32_t slot, Links&& links) {
    SlotLinks& own = links(slot);
    CHECK(own.prev == kNoSlot ? head_ == slot : links(own.prev).next == slot);
    (own.prev == kNoSlot ? head_ : links(own.prev).next) = own.next;
    (own.next == kNoSlot ? tail_ : links(own.next).prev) = own.prev;
    own = SlotLinks{};
  }

 private:
  uint32_t head_ = kNoSlot;
  uint32_t tail_ = kNoSlot;
};

}  // namespace evenmatch
