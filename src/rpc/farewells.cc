#include "rpc/farewells.h"

namespace evenmatch {

void Farewells::Roll(Micros now) {
  if (now - window_start_ < kWindow) return;
  // After a longer pause the last window has nothing to say about now.
  burst_ = told_ > kBurst && now - window_start_ < 2 * kWindow;
  told_ = 0;
  window_start_ = now;
}

bool Farewells::InBurst(Micros now) {
  std::lock_guard lock(mutex_);
  Roll(now);
  if (++told_ > kBurst) burst_ = true;
  return burst_;
}

void Farewells::Wait(Guest* guest, Micros now) {
  {
    std::lock_guard lock(mutex_);
    guests_.push_back(guest);
    if (guests_.size() > 1) return;
    waiting_since_ = now;
  }
  on_first_();
}

bool Farewells::Turn(Micros now) {
  std::vector<Guest*> leaving;
  {
    std::lock_guard lock(mutex_);
    Roll(now);
    if (guests_.empty()) return false;
    if (burst_ && now - waiting_since_ < kLongest) return true;
    leaving.swap(guests_);
  }
  for (Guest* guest : leaving) guest->Leave();
  return false;
}

}  // namespace evenmatch
