// Farewells: when streams end that have told all they had to tell.
//
// To end a stream costs about as much as to write an event to it, and nobody waits for it. So when many are told their
// final event at once (a tick that matched thousands), their ends wait until all are told.
//
// Shape:   a burst is more than kBurst final events within kWindow. What has waited through a burst leaves when a
//          window passes without one, or after kLongest.
// Threads: any; Leave is called by Turn and on_first by Wait, outside the lock.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "model/units.h"

namespace evenmatch {

class Farewells {
 public:
  static constexpr size_t kBurst = 64;
  static constexpr Micros kWindow = 20 * kMillisecond;
  static constexpr Micros kLongest = 5 * kSecond;

  class Guest {
   public:
    virtual void Leave() = 0;

   protected:
    ~Guest() = default;
  };

  // `on_first`: a guest has come and there was none.
  explicit Farewells(std::function<void()> on_first) : on_first_(std::move(on_first)) {}

  // A stream tells its final event now: whether its end should wait.
  bool InBurst(Micros now);
  // It is told; Leave comes later.
  void Wait(Guest* guest, Micros now);
  // Lets go whom it is time for; gives whether others go on waiting, and then the next turn is due in about kWindow.
  bool Turn(Micros now);

 private:
  // Begins a new window when it is time.
  void Roll(Micros now);

  const std::function<void()> on_first_;
  std::mutex mutex_;
  Micros window_start_ = 0;
  size_t told_ = 0;  // in this window
  bool burst_ = false;
  Micros waiting_since_ = 0;
  std::vector<Guest*> guests_;
};

}  // namespace evenmatch
