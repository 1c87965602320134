// Windows: how far from its own value a ticket accepts others after a wait. Pure functions of the rules and the wait.
//
// Shape:  linear: min(max, base + growth_per_second * wait), the growth rounded down to whole milli-points; stepped:
//         the width of the last step begun. Every ticket of a queue has the same rules, so of two tickets the later
//         queued has the stricter window, and the two may meet from (its queued_at + WaitForWindow(gap)) on, for good.
// Units:  milli-points, Micros. Negative waits count as 0.
// Domain: any base, max >= 0; growth_per_second >= 0; steps as WindowRules says.
// Cost:   O(1), with steps O(steps).
#pragma once

#include "model/queue_rules.h"
#include "model/units.h"

namespace evenmatch {

// The width accepted after `wait`. Never decreases with wait.
MilliPoints WindowAt(const WindowRules& rules, Micros wait);

// The shortest wait after which the width is at least `gap` (gap >= 0); kNever when it never is.
Micros WaitForWindow(const WindowRules& rules, MilliPoints gap);

}  // namespace evenmatch
