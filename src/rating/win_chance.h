// Win chance from the Elo expectation: 1 / (1 + 10^(-gap / 400)) (Elo, The Rating of Chessplayers, 1978, sect. 1.4),
// and from Glicko's, which draws it towards one half the less certain the ratings are: the gap counts times g(RD) = 1 /
// sqrt(1 + 3 (ln 10 / 400)^2 RD^2 / pi^2), where RD is the root of the sum of both sides' squared deviations (Glickman,
// "Parameter estimation in large dynamic paired comparison experiments", Applied Statistics 48, 1999).
//
// Units:  gap (own value - other's) and deviation in milli-points, result in basis points.
// Domain: any gap; symmetric: WinChance(g) + WinChance(-g) == kCertain, WinChance(0) == kCertain / 2. Deviations at
//         least 0; those above kMaxDeviation count as that. Without deviation both forms agree.
// Cost:   a table look-up, with deviation two. The tables are made once, with doubles, and hold whole points; between
//         them straight lines err by less than a hundredth of a basis point. From 3'000 points on the stronger side
//         counts as certain.
#pragma once

#include <cstdint>

#include "model/units.h"

namespace evenmatch {

inline constexpr MilliPoints kMaxDeviation = 15'000 * kPoint;

BasisPoints WinChance(MilliPoints gap);
BasisPoints WinChance(MilliPoints gap, MilliPoints deviation);

// The deviation of the difference, or of the sum, of two values that vary by themselves.
MilliPoints DeviationOfBoth(MilliPoints a, MilliPoints b);
// The root, rounded down, of a sum of squared deviations (at least 0), at most kMaxDeviation.
MilliPoints DeviationOf(int64_t squares);

}  // namespace evenmatch
