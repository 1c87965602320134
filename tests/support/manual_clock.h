// ManualClock: time that stands still until a test moves it.
#pragma once

#include <atomic>

#include "runtime/clock.h"

namespace evenmatch {

class ManualClock final : public Clock {
 public:
  explicit ManualClock(Micros now = 1'000'000 * kSecond) : now_(now) {}

  Micros Now() override { return now_.load(); }
  void Advance(Micros span) { now_.fetch_add(span); }

 private:
  std::atomic<Micros> now_;
};

}  // namespace evenmatch
