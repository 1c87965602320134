// Bell: rings once, and threads can wait for it.
//
// Threads: any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace evenmatch {

class Bell {
 public:
  void Ring() {
    const std::lock_guard lock(mutex_);
    rung_ = true;
    bell_.notify_all();
  }
  // Whether it rang.
  bool WaitFor(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return bell_.wait_for(lock, time, [this] { return rung_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable bell_;
  bool rung_ = false;
};

}  // namespace evenmatch
