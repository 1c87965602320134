// Clock: the only source of time. Wall clock read once at the start, advanced by the monotonic clock from then on, so a
// change of the system's time moves no wait, window or timeout.
//
// Threads: any.
#pragma once

#include <chrono>

#include "model/units.h"

namespace evenmatch {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Micros Now() = 0;
};

class SystemClock final : public Clock {
 public:
  Micros Now() override { return wall_start_ + Since(std::chrono::steady_clock::now() - steady_start_); }

 private:
  template <typename Duration>
  static Micros Since(Duration duration) {
    return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
  }

  const std::chrono::steady_clock::time_point steady_start_ = std::chrono::steady_clock::now();
  const Micros wall_start_ = Since(std::chrono::system_clock::now().time_since_epoch());
};

}  // namespace evenmatch
