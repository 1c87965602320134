// Quality: how good a game is, in whole points 0..kBestQuality, the same whichever way its teams are numbered.
//
// Shape:  duel: kBestQuality * (1 - gap / window), the window being the stricter of the two; an equal opponent is worth
//         everything, one at the edge of the window nothing.
//         teams: half of it falls in the same way with the gap of the worst pair of its tickets, half with the highest
//         - lowest win chance of a team (QualityRules::Teams). An unlimited window, and any beyond kReferenceWidth, is
//         measured against kReferenceWidth, at which the Elo expectation leaves the weaker side less than a tenth of a
//         basis point.
//         terms:  what a queue counts and how much (QualityRules), each held against its scale: TermCostOf.
// Units:  milli-points, BasisPoints. Divisions round the loss down.
// Cost:   O(1); chances O(teams ** 2).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "model/quality_terms.h"
#include "model/queue_rules.h"
#include "model/units.h"

namespace evenmatch {

inline constexpr MilliPoints kReferenceWidth = 2'000 * kPoint;

// kBest - kBest * gap / window, at least 0: the formula above at any resolution. gap >= 0, window >= 0, kBest < 2
// ** 32.
template <int64_t kBest>
int64_t Closeness(MilliPoints gap, MilliPoints window) {
  const int64_t width = window < kReferenceWidth ? window : kReferenceWidth;
  if (gap >= width) return gap == 0 ? kBest : 0;
  return kBest - kBest * gap / width;
}

// By QualityTerm.
using Measures = std::array<int64_t, kQualityTerms>;

// What a term of this weight takes for its measure (>= 0), rounded down: kBestQuality * weight / 1000 * measure /
// scale. With scale 0 the measure is held against the stricter window as in Closeness, and at the edge all of the
// weight is gone.
int64_t TermCostOf(const QualityRules::Weight& weight, int64_t measure, MilliPoints stricter_window);

Quality DuelQuality(MilliPoints gap, MilliPoints stricter_window);

// The chance of each team against the field, from the sums of its players' values: the mean of its expectations against
// the means of every other team, scaled so that all together are kCertain (largest remainder, ties to the earlier
// team). For two teams this is the expectation itself: Elo's, or Glicko's where deviations of the teams' means are
// given.
void TeamWinChances(std::span<const int64_t> team_sums, std::span<const int32_t> team_sizes,
                    std::span<const MilliPoints> deviations, std::span<BasisPoints> win_chance);

}  // namespace evenmatch
