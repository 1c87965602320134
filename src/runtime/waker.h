// Waker: lets one thread sleep until others have something for it.
//
// Cost:    Wake is one atomic exchange unless the thread sleeps; a sleeping thread costs a lock and a notification.
// Threads: Wake from any; Sleep from the one thread it belongs to.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "model/units.h"

namespace evenmatch {

class Waker {
 public:
  void Wake() {
    if (pending_.exchange(true)) return;  // somebody woke it already and it has not looked since
    if (!sleeping_.load()) return;
    // Under the lock, so that it cannot fall between the sleeper's last look and its sleep.
    std::lock_guard lock(mutex_);
    changed_.notify_one();
  }

  // Until Wake, at most for `limit` (kNever: without limit). A Wake since the last Sleep returns at once. Whatever
  // was published before a Wake is visible after the Sleep it ended.
  void Sleep(Micros limit) {
    if (!pending_.load() && limit > 0) {
      std::unique_lock lock(mutex_);
      // Both sides write their own flag and then read the other's (sequentially consistent), so one of them sees.
      sleeping_.store(true);
      const auto woken = [this] { return pending_.load(); };
      if (limit == kNever) {
        changed_.wait(lock, woken);
      } else {
        changed_.wait_for(lock, std::chrono::microseconds(limit), woken);
      }
      sleeping_.store(false);
    }
    pending_.exchange(false);
  }

 private:
  std::atomic<bool> pending_ = false;
  std::atomic<bool> sleeping_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace evenmatch
