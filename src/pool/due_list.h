// DueList: tickets by the time at which they must be looked at again, each at most once.
//
// Shape:   a heap (IndexedHeap), and beside it a line for tickets that come in order of (time, arrival) by themselves,
//          as new ones do: those are taken from its front without sorting. Home is the same as for the heap.
// Cost:    Append O(1) in order, else O(log n); Set and Remove O(log n); Next O(1); Take O(1) a ticket from the line,
//          O(log n) from the heap. Who leaves the line early leaves a hole; holes never outnumber the rest by more than
//          a constant.
// Errors:  none; appending twice is a bug of the caller (CHECK).
// Threads: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/check.h"
#include "model/units.h"
#include "pool/indexed_heap.h"

namespace evenmatch {

template <typename Home>
class DueList {
 public:
  static constexpr uint32_t kNowhere = IndexedHeap<Micros, Home>::kNowhere;

  explicit DueList(Home home) : home_(home), heap_(home) {}

  // For a ticket that is not on the list.
  void Append(uint32_t id, Micros at) {
    if (!line_.empty() && !IsBefore(line_.back(), {at, id})) return heap_.Push(id, at);
    uint32_t& place = home_.Place(id);
    CHECK_EQ(place, kNowhere);
    place = kInLine | ((front_ + static_cast<uint32_t>(line_.size())) & kNumber);
    line_.push_back({at, id});
  }

  // Puts the ticket on the list or gives it another time.
  void Set(uint32_t id, Micros at) {
    if (StandsInLine(id)) LeaveLine(id);
    heap_.Set(id, at);
  }

  // Takes the ticket off the list if it is there.
  void Remove(uint32_t id) {
    if (StandsInLine(id)) {
      LeaveLine(id);
    } else if (heap_.Contains(id)) {
      heap_.Remove(id);
    }
  }

  Micros Next() const {
    const Micros in_heap = heap_.empty() ? kNever : heap_.top_key();
    return line_.empty() || in_heap < line_.front().at ? in_heap : line_.front().at;
  }

  // Appends every ticket due at or before `now` in order of time, equal times as Home says, and takes it off the list.
  void Take(Micros now, std::vector<uint32_t>* due) {
    for (;;) {
      const bool has_line = !line_.empty() && line_.front().at <= now;
      const bool has_heap = !heap_.empty() && heap_.top_key() <= now;
      if (has_line && (!has_heap || IsBefore(line_.front(), {heap_.top_key(), heap_.top()}))) {
        due->push_back(line_.front().id);
        home_.Place(line_.front().id) = kNowhere;
        line_.pop_front();
        ++front_;
        DropFrontHoles();
      } else if (has_heap) {
        due->push_back(heap_.Pop());
      } else {
        return;
      }
    }
  }

  size_t bytes() const { return heap_.bytes() + line_.size() * sizeof(Waiter); }

 private:
  // In the line a ticket's place is this bit and its number, which goes on counting as the front moves, round and
  // round. The bit between them stays clear, so that no place looks like kNowhere.
  static constexpr uint32_t kInLine = 0x80000000;
  static constexpr uint32_t kNumber = 0x3fffffff;
  static constexpr size_t kFewHoles = 64;

  struct __attribute__((packed, aligned(4))) Waiter {
    Micros at;
    uint32_t id;  // kNowhere for a hole
  };

  bool IsBefore(const Waiter& a, const Waiter& b) const {
    return a.at != b.at ? a.at < b.at : a.id != kNowhere && home_.Before(a.id, b.id);
  }

  bool StandsInLine(uint32_t id) const {
    const uint32_t place = home_.Place(id);
    return place != kNowhere && (place & kInLine) != 0;
  }

  void LeaveLine(uint32_t id) {
    uint32_t& place = home_.Place(id);
    Waiter& waiter = line_[(place - front_) & kNumber];
    CHECK_EQ(waiter.id, id);
    waiter.id = kNowhere;
    place = kNowhere;
    ++holes_;
    DropFrontHoles();
    if (holes_ > line_.size() / 2 + kFewHoles) CloseUp();
  }

  // The front is never a hole, so Next and Take need not look further.
  void DropFrontHoles() {
    while (!line_.empty() && line_.front().id == kNowhere) {
      line_.pop_front();
      ++front_;
      --holes_;
    }
  }

  void CloseUp() {
    std::erase_if(line_, [](const Waiter& waiter) { return waiter.id == kNowhere; });
    holes_ = 0;
    for (size_t i = 0; i < line_.size(); ++i) {
      home_.Place(line_[i].id) = kInLine | ((front_ + static_cast<uint32_t>(i)) & kNumber);
    }
  }

  Home home_;
  IndexedHeap<Micros, Home> heap_;
  std::deque<Waiter> line_;
  size_t holes_ = 0;
  uint32_t front_ = kNumber - 99;  // number of the first in line; the way round comes early, where tests pass
};

}  // namespace evenmatch
