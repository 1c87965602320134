// Arrivals: when tickets come.
//
// Shape:   a Poisson process whose rate may swing between two values, as day and night do, and be multiplied for a
//          while; drawn by thinning one of the highest rate (Lewis and Shedler, 1979). Or the times of a trace.
// Units:   Micros since the start.
// Cost:    a logarithm an arrival, and as many more as the highest rate exceeds the present one.
// Threads: none.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.h"
#include "model/units.h"

namespace evenmatch {

struct ArrivalRules {
  struct Burst {
    Micros from = 0, span = 0;
    double factor = 1;  // at least 0
  };
  double rate = 100;  // tickets a second; above 0
  double peak = 0;    // when above `rate`: the rate swings between the two along a sine, lowest at the start
  Micros period = 24 * kHour;
  std::vector<Burst> bursts;  // where they overlap, their factors multiply
  std::vector<Micros> trace;  // when not empty, just these times, which never fall
};

class Arrivals {
 public:
  Arrivals(const ArrivalRules& rules, uint64_t seed);  // `rules` outlive it

  // The next arrival, not before the last; nothing after the end of a trace.
  std::optional<Micros> Next();

  // Tickets a second at an instant.
  double RateAt(Micros at) const;

 private:
  const ArrivalRules& rules_;
  Random random_;
  double highest_ = 0;  // rate
  double at_ = 0;       // in microseconds, unrounded
  size_t traced_ = 0;
};

}  // namespace evenmatch
