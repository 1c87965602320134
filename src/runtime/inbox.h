// Inbox: hands items from many threads to one, in order, bounded by what they weigh.
//
// Shape:   a vector under a mutex; the consumer swaps it for its own empty one. What it has taken still weighs until it
//          says Release, so depth() is everything that nobody has dealt with yet.
// Cost:    Push is one lock for a whole item, however much it weighs, and wakes the consumer only when it sleeps;
//          Take is one lock for everything there is.
// Errors:  Push refuses when full and after Close; it never blocks.
// Threads: Push, Close, depth from any; Take and Release from the consumer, whose Waker is given.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/waker.h"

namespace evenmatch {

enum class PushResult { kTaken, kFull, kClosed };

template <typename T>
class Inbox {
 public:
  static constexpr size_t kUnbounded = std::numeric_limits<size_t>::max();

  Inbox(size_t capacity, Waker* waker) : capacity_(capacity), waker_(waker) {}

  // Moves from `item` when it is taken and leaves it alone when not. An empty inbox takes any one item, so that nothing
  // is refused for ever. `always` passes over the bound, not over Close: for what undoes something already admitted.
  PushResult Push(T&& item, size_t weight, bool always = false) {
    {
      std::lock_guard lock(mutex_);
      if (closed_) return PushResult::kClosed;
      const size_t depth = depth_.load(std::memory_order_relaxed);
      if (!always && depth > 0 && (depth >= capacity_ || weight > capacity_ - depth)) return PushResult::kFull;
      items_.push_back(std::move(item));
      depth_.fetch_add(weight, std::memory_order_relaxed);
    }
    waker_->Wake();
    return PushResult::kTaken;
  }

  // Swaps everything there is into `items`, which must be empty.
  void Take(std::vector<T>* items) {
    std::lock_guard lock(mutex_);
    items_.swap(*items);
  }

  void Release(size_t weight) { depth_.fetch_sub(weight, std::memory_order_relaxed); }

  // What was taken before stays and can be Taken.
  void Close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
  }

  size_t depth() const { return depth_.load(std::memory_order_relaxed); }

 private:
  const size_t capacity_;
  Waker* const waker_;
  std::mutex mutex_;
  std::vector<T> items_;
  bool closed_ = false;
  std::atomic<size_t> depth_ = 0;
};

}  // namespace evenmatch
