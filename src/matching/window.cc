#include "matching/window.h"

#include <algorithm>

namespace evenmatch {
namespace {

// The wait at which a linear window is at its widest; kNever when it stays below `max` for ever.
Micros WaitForWidest(const WindowRules& rules) { return WaitForWindow(rules, rules.max); }

}  // namespace

MilliPoints WindowAt(const WindowRules& rules, Micros wait) {
  wait = std::max<Micros>(wait, 0);
  if (!rules.steps.empty()) {
    MilliPoints width = rules.steps.front().width;
    for (const WindowRules::Step& step : rules.steps) {
      if (step.after > wait) break;
      width = step.width;
    }
    return width;
  }
  if (rules.base >= rules.max) return rules.max;
  if (rules.growth_per_second <= 0) return rules.base;
  // Up to here growth * wait stays below (max - base) seconds, some 2 ** 51.
  if (wait >= WaitForWidest(rules)) return rules.max;
  return static_cast<MilliPoints>(rules.base + rules.growth_per_second * wait / kSecond);
}

Micros WaitForWindow(const WindowRules& rules, MilliPoints gap) {
  if (!rules.steps.empty()) {
    for (const WindowRules::Step& step : rules.steps) {
      if (step.width >= gap) return std::max<Micros>(step.after, 0);
    }
    return kNever;
  }
  if (gap > rules.max) return kNever;
  if (gap <= rules.base) return 0;
  if (rules.growth_per_second <= 0) return kNever;
  const int64_t missing = int64_t{gap} - rules.base;
  return (missing * kSecond + rules.growth_per_second - 1) / rules.growth_per_second;
}

}  // namespace evenmatch
