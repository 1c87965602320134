// Win chance from the Elo expectation: 1 / (1 + 10^(-gap / 400)) (Elo, The Rating of Chessplayers, 1978, sect. 1.4).
//
// Units:  gap in milli-points (own value - other's), result in basis points.
// Domain: any gap; symmetric: WinChance(g) + WinChance(-g) == kCertain, WinChance(0) == kCertain / 2.
// Cost:   a table look-up. The table is made once, with doubles, and holds whole points; between them straight lines
//         err by less than a hundredth of a basis point. From 3'000 points on the stronger side counts as certain.
#pragma once

#include "model/units.h"

namespace evenmatch {

BasisPoints WinChance(MilliPoints gap);

}  // namespace evenmatch
