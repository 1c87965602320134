#include "matching/quality.h"

#include <algorithm>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "rating/win_chance.h"

namespace evenmatch {

Quality DuelQuality(MilliPoints gap, MilliPoints stricter_window) {
  return static_cast<Quality>(Closeness<kBestQuality>(gap, stricter_window));
}

Quality TeamQuality(Quality worst_pair, std::span<const BasisPoints> win_chance) {
  const auto [lowest, highest] = std::minmax_element(win_chance.begin(), win_chance.end());
  const BasisPoints evenness = kCertain - (*highest - *lowest);
  return (worst_pair + evenness) / 2;
}

void TeamWinChances(std::span<const int64_t> team_sums, int32_t team_size, std::span<BasisPoints> win_chance) {
  const int64_t teams = static_cast<int64_t>(team_sums.size());
  if (teams == 2) {
    // The difference of the sums, not of rounded means: the same gap from both sides.
    win_chance[0] = WinChance(static_cast<MilliPoints>((team_sums[0] - team_sums[1]) / team_size));
    win_chance[1] = kCertain - win_chance[0];
    return;
  }
  const int64_t games = teams * (teams - 1) / 2;  // the expectations of all sides of all pairs add up to these
  absl::InlinedVector<std::pair<int64_t, int64_t>, 8> by_remainder;  // (minus remainder, team)
  int64_t given = 0;
  for (int64_t team = 0; team < teams; ++team) {
    int64_t expected = 0;
    for (int64_t other = 0; other < teams; ++other) {
      if (other == team) continue;
      expected += WinChance(static_cast<MilliPoints>((team_sums[team] - team_sums[other]) / team_size));
    }
    win_chance[team] = static_cast<BasisPoints>(expected / games);
    given += win_chance[team];
    by_remainder.emplace_back(-(expected % games), team);
  }
  std::sort(by_remainder.begin(), by_remainder.end());
  for (int64_t i = 0; i < kCertain - given; ++i) ++win_chance[by_remainder[i].second];
}

}  // namespace evenmatch
