#include "sim/arrivals.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/distributions.h"

namespace evenmatch {

Arrivals::Arrivals(const ArrivalRules& rules, uint64_t seed) : rules_(rules), random_(seed) {
  highest_ = std::max(rules.rate, rules.peak);
  // Not tight where bursts do not overlap, which costs time and changes nothing.
  for (const ArrivalRules::Burst& burst : rules.bursts) highest_ *= std::max(burst.factor, 1.0);
}

double Arrivals::RateAt(Micros at) const {
  double rate = rules_.rate;
  if (rules_.peak > rate) {
    const double phase = 2 * std::numbers::pi * static_cast<double>(at) / static_cast<double>(rules_.period);
    rate += (rules_.peak - rate) * (1 - std::cos(phase)) / 2;
  }
  for (const ArrivalRules::Burst& burst : rules_.bursts) {
    if (at >= burst.from && at - burst.from < burst.span) rate *= burst.factor;
  }
  return rate;
}

std::optional<Micros> Arrivals::Next() {
  if (!rules_.trace.empty()) {
    if (traced_ == rules_.trace.size()) return std::nullopt;
    return rules_.trace[traced_++];
  }
  const bool steady = rules_.peak <= rules_.rate && rules_.bursts.empty();
  do {
    at_ += DrawExponential(kSecond / highest_, random_);
  } while (!steady && random_.Unit() * highest_ >= RateAt(static_cast<Micros>(at_)));
  return static_cast<Micros>(at_);
}

}  // namespace evenmatch
