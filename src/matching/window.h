// Windows: how far from its own value a ticket accepts others after a wait. Pure functions of the rules and the wait.
#pragma once

#include "model/queue_rules.h"
#include "model/units.h"

namespace evenmatch {

// The width accepted after `wait` (negative counts as 0). Never decreases with wait.
MilliPoints WindowAt(const WindowRules& rules, Micros wait);

// The shortest wait after which the width is at least `gap` (gap >= 0); kNever when it never is.
Micros WaitForWindow(const WindowRules& rules, MilliPoints gap);

// The step reached after `wait`: an index into rules.steps; for linear windows 0 while growing and 1 at `max`.
int StageAt(const WindowRules& rules, Micros wait);

// The wait at which the next stage begins; kNever after the last.
Micros NextStageAfter(const WindowRules& rules, Micros wait);

}  // namespace evenmatch
