// Power mean of values, above the lowest of them: lowest + (mean of (value - lowest) ** power) ** (1 / power).
//
// Shape:  between the mean (power 1) and the maximum (power without bound), and rising with power. Counted from the
//         lowest, so that it does not depend on where the scale begins.
// Units:  milli-points, rounded down. Domain: 1..64 values within kMaxValue, power 1..16.
// Cost:   O(n log n) and some 30 steps of a search for the root. Only multiplications and additions of doubles in a
//         fixed order, so every compiler gives the same, whichever way the values are ordered.
// Source: the generalised mean (Hardy, Littlewood, Polya, Inequalities, 1934, chapter 2).
#pragma once

#include <cstdint>
#include <span>

#include "model/units.h"

namespace evenmatch {

MilliPoints PowerMean(std::span<const MilliPoints> values, int32_t power);

}  // namespace evenmatch
