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

// The step reached after `wait`: an index into rules.steps; for linear windows 0 while growing and 1 at the widest.
int StageAt(const WindowRules& rules, Micros wait);

// The wait at which the next stage begins; kNever after the last.
Micros NextStageAfter(const WindowRules& rules, Micros wait);

// Whether the window has grown to its widest. A window that never grows has no such moment: its tickets are all alike.
bool PastLastStage(const WindowRules& rules, Micros wait);

}  // namespace evenmatch
