// Win chance from the Elo expectation: 1 / (1 + 10^(-gap / 400)) (Elo, The Rating of Chessplayers, 1978, sect. 1.4).
//
// Units:  gap in milli-points (own value - other's), result in basis points.
// Domain: any gap; symmetric: WinChance(g) + WinChance(-g) == kCertain, WinChance(0) == kCertain / 2.
// Cost:   a table look-up; the table is made once with doubles and holds whole points, between which it interpolates.
#pragma once

#include "model/units.h"

namespace evenmatch {

BasisPoints WinChance(MilliPoints gap);

}  // namespace evenmatch
