#include "matching/quality.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "rating/win_chance.h"

namespace evenmatch {

int64_t TermCostOf(const QualityRules::Weight& weight, int64_t measure, MilliPoints stricter_window) {
  if (weight.weight == 0 || measure == 0) return 0;
  const int64_t most = int64_t{kBestQuality} * weight.weight;
  int64_t scale = weight.scale;
  if (scale == 0) {
    scale = std::min(stricter_window, kReferenceWidth);
    if (measure >= scale) return most / 1000;
  }
  int64_t product;
  if (!__builtin_mul_overflow(most, measure, &product)) return product / (1000 * scale);
  const __int128 cost = static_cast<__int128>(most) * measure / (static_cast<__int128>(1000) * scale);
  return static_cast<int64_t>(std::min<__int128>(cost, std::numeric_limits<int32_t>::max()));
}

Quality DuelQuality(MilliPoints gap, MilliPoints stricter_window) {
  return static_cast<Quality>(Closeness<kBestQuality>(gap, stricter_window));
}

void TeamWinChances(std::span<const int64_t> team_sums, std::span<const int32_t> team_sizes,
                    std::span<const MilliPoints> deviations, std::span<BasisPoints> win_chance) {
  const size_t teams = team_sums.size();
  // From the sums, not from rounded means: the same gap from both sides.
  const auto chance = [&](size_t a, size_t b) {
    const int64_t gap = team_sizes[a] == team_sizes[b] ? (team_sums[a] - team_sums[b]) / team_sizes[a]
                                                       : (team_sums[a] * team_sizes[b] - team_sums[b] * team_sizes[a]) /
                                                             (int64_t{team_sizes[a]} * team_sizes[b]);
    if (deviations.empty()) return WinChance(static_cast<MilliPoints>(gap));
    return WinChance(static_cast<MilliPoints>(gap), DeviationOfBoth(deviations[a], deviations[b]));
  };
  if (teams == 2) {
    win_chance[0] = chance(0, 1);
    win_chance[1] = kCertain - win_chance[0];
    return;
  }
  absl::InlinedVector<int64_t, 8> expected(teams);
  for (size_t a = 0; a < teams; ++a) {
    for (size_t b = a + 1; b < teams; ++b) {
      const BasisPoints of_a = chance(a, b);
      expected[a] += of_a;
      expected[b] += kCertain - of_a;
    }
  }
  const int64_t games = static_cast<int64_t>(teams * (teams - 1) / 2);  // expectations of all sides add up to these
  absl::InlinedVector<std::pair<int64_t, size_t>, 8> by_remainder;      // (minus remainder, team)
  int64_t given = 0;
  for (size_t team = 0; team < teams; ++team) {
    win_chance[team] = static_cast<BasisPoints>(expected[team] / games);
    given += win_chance[team];
    by_remainder.emplace_back(-(expected[team] % games), team);
  }
  std::sort(by_remainder.begin(), by_remainder.end());
  for (size_t i = 0; i < static_cast<size_t>(kCertain - given); ++i) ++win_chance[by_remainder[i].second];
}

}  // namespace evenmatch
