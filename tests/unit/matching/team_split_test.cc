#include "matching/team_split.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/random.h"

namespace evenmatch {
namespace {

using Party = TeamSplit::Party;

int64_t DifferenceOfSums(const std::vector<Party>& parties, const std::vector<int32_t>& team, int32_t teams) {
  std::vector<int64_t> sums(static_cast<size_t>(teams));
  for (size_t i = 0; i < parties.size(); ++i) sums[team[i]] += int64_t{parties[i].value} * parties[i].heads;
  const auto [low, high] = std::minmax_element(sums.begin(), sums.end());
  return *high - *low;
}

std::vector<int64_t> Heads(const std::vector<Party>& parties, const std::vector<int32_t>& team, int32_t teams) {
  std::vector<int64_t> heads(static_cast<size_t>(teams));
  for (size_t i = 0; i < parties.size(); ++i) heads[team[i]] += parties[i].heads;
  return heads;
}

// The players' values of each team, in points, highest first.
std::vector<std::vector<int>> Rosters(const std::vector<Party>& parties, const std::vector<int32_t>& team, int teams) {
  std::vector<std::vector<int>> rosters(static_cast<size_t>(teams));
  for (size_t i = 0; i < parties.size(); ++i) {
    for (int32_t head = 0; head < parties[i].heads; ++head) rosters[team[i]].push_back(parties[i].value / kPoint);
  }
  for (auto& roster : rosters) std::sort(roster.rbegin(), roster.rend());
  std::sort(rosters.rbegin(), rosters.rend());
  return rosters;
}

std::vector<int32_t> Sizes(int32_t teams, int32_t team_size) {
  return std::vector<int32_t>(static_cast<size_t>(teams), team_size);
}

std::vector<Party> Solos(std::vector<int> points) {
  std::vector<Party> parties;
  for (const int value : points) parties.push_back({value * kPoint, 1});
  return parties;
}

TEST(TeamSplitTest, AmongEqualSumsTheSpreadsAreEqualToo) {
  const std::vector<Party> parties = Solos({2'000, 1'800, 1'800, 1'600, 1'600, 1'400, 1'400, 1'200});
  std::vector<int32_t> team{0, 0, 0, 0, 1, 1, 1, 1};
  TeamSplit().Split(parties, Sizes(2, 4), team);
  EXPECT_EQ(Rosters(parties, team, 2),
            (std::vector<std::vector<int>>{{2'000, 1'600, 1'400, 1'400}, {1'800, 1'800, 1'600, 1'200}}));
}

TEST(TeamSplitTest, PartyStaysTogether) {
  const std::vector<Party> parties{
      {1'500 * kPoint, 2}, {1'900 * kPoint, 1}, {1'500 * kPoint, 1}, {1'500 * kPoint, 1}, {1'100 * kPoint, 1}};
  std::vector<int32_t> team{0, 0, 1, 1, 1};
  TeamSplit().Split(parties, Sizes(2, 3), team);
  EXPECT_EQ(DifferenceOfSums(parties, team, 2), 0);
  EXPECT_EQ(Heads(parties, team, 2), (std::vector<int64_t>{3, 3}));
}

TEST(TeamSplitTest, TeamsAreNumberedByTheirFirstTicket) {
  const std::vector<Party> parties = Solos({1'000, 1'100, 1'200, 1'300});
  std::vector<int32_t> team{1, 1, 0, 0};
  TeamSplit().Split(parties, Sizes(2, 2), team);
  EXPECT_EQ(team, (std::vector<int32_t>{0, 1, 1, 0}));
  std::vector<int32_t> single{3, 2, 1, 0};
  TeamSplit().Split(parties, Sizes(4, 1), single);
  EXPECT_EQ(single, (std::vector<int32_t>{0, 1, 2, 3}));
}

// Every way, by counting in base `teams`.
int64_t LeastDifference(const std::vector<Party>& parties, int32_t teams, int32_t team_size) {
  int64_t least = std::numeric_limits<int64_t>::max();
  std::vector<int32_t> team(parties.size());
  while (true) {
    const std::vector<int64_t> heads = Heads(parties, team, teams);
    if (std::all_of(heads.begin(), heads.end(), [&](int64_t count) { return count == team_size; })) {
      least = std::min(least, DifferenceOfSums(parties, team, teams));
    }
    size_t digit = 0;
    while (digit < team.size() && ++team[digit] == teams) team[digit++] = 0;
    if (digit == team.size()) return least;
  }
}

// A way to fill the teams and the parties that do, in random order.
void RandomParties(Random& random, int32_t teams, int32_t team_size, std::vector<Party>* parties,
                   std::vector<int32_t>* team) {
  for (int32_t number = 0; number < teams; ++number) {
    for (int32_t left = team_size; left > 0;) {
      const int32_t heads = random.Percent(60) ? 1 : static_cast<int32_t>(random.Between(1, std::min(left, 5)));
      const size_t at = random.Below(parties->size() + 1);
      parties->insert(parties->begin() + static_cast<int64_t>(at),
                      {static_cast<MilliPoints>(random.Between(1'000, 2'000) * kPoint), heads});
      team->insert(team->begin() + static_cast<int64_t>(at), number);
      left -= heads;
    }
  }
}

TEST(TeamSplitTest, UpToTwelvePlayersNoWayIsMoreEven) {
  const std::vector<std::pair<int32_t, int32_t>> shapes{{2, 2}, {2, 3}, {2, 4}, {2, 5}, {2, 6}, {3, 2}, {3, 3}, {4, 2}};
  TeamSplit splitter;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const auto [teams, team_size] = shapes[random.Below(shapes.size())];
    std::vector<Party> parties;
    std::vector<int32_t> team;
    RandomParties(random, teams, team_size, &parties, &team);
    splitter.Split(parties, Sizes(teams, team_size), team);
    ASSERT_EQ(Heads(parties, team, teams), std::vector<int64_t>(static_cast<size_t>(teams), team_size));
    ASSERT_EQ(DifferenceOfSums(parties, team, teams), LeastDifference(parties, teams, team_size));
  }
}

TEST(TeamSplitTest, BeyondTwelvePlayersTwoTeamsAreNearlyAsEvenAsCanBe) {
  TeamSplit splitter;
  int64_t given = 0, split = 0, least = 0, games = 0;
  for (uint64_t seed = 1; games < 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const int32_t team_size = static_cast<int32_t>(random.Between(7, 9));
    std::vector<Party> parties;
    std::vector<int32_t> team;
    RandomParties(random, 2, team_size, &parties, &team);
    if (parties.size() > 14) continue;
    given += DifferenceOfSums(parties, team, 2) / team_size;
    splitter.Split(parties, Sizes(2, team_size), team);
    ASSERT_EQ(Heads(parties, team, 2), std::vector<int64_t>(2, team_size));
    split += DifferenceOfSums(parties, team, 2) / team_size;
    least += LeastDifference(parties, 2, team_size) / team_size;
    ++games;
  }
  std::printf("mean difference of two teams: given %.1f, split %.1f, least %.1f points\n", 1e-5 * given, 1e-5 * split,
              1e-5 * least);
  EXPECT_LT(split - least, given / 8);
}

TEST(TeamSplitTest, ManySolosBecomeEvenTeams) {
  TeamSplit splitter;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const int32_t teams = static_cast<int32_t>(random.Between(2, 8));
    const int32_t team_size = static_cast<int32_t>(random.Between(8, 32));
    std::vector<Party> parties;
    std::vector<int32_t> team;
    for (int32_t i = 0; i < teams * team_size; ++i) {
      parties.push_back({static_cast<MilliPoints>(random.Between(1'000, 2'000) * kPoint), 1});
      team.push_back(i % teams);
    }
    splitter.Split(parties, Sizes(teams, team_size), team);
    ASSERT_EQ(Heads(parties, team, teams), std::vector<int64_t>(static_cast<size_t>(teams), team_size));
    ASSERT_LE(DifferenceOfSums(parties, team, teams) / team_size, 5 * kPoint);
  }
}

// What a way is worth: how far means, then variances, then the largest parties of two teams are apart, by trying all.
using Worth = std::tuple<double, double, int32_t>;
Worth WorthOf(const std::vector<Party>& parties, const std::vector<int32_t>& team, const std::vector<int32_t>& sizes) {
  std::vector<double> mean(sizes.size()), variance(sizes.size());
  std::vector<int32_t> largest(sizes.size());
  for (size_t i = 0; i < parties.size(); ++i) {
    mean[team[i]] += 1.0 * parties[i].value * parties[i].heads / sizes[team[i]];
    largest[team[i]] = std::max(largest[team[i]], parties[i].heads);
  }
  for (size_t i = 0; i < parties.size(); ++i) {
    const double off = parties[i].value - mean[team[i]];
    variance[team[i]] += off * off * parties[i].heads / sizes[team[i]];
  }
  const auto range = [](const auto& of) {
    return *std::max_element(of.begin(), of.end()) - *std::min_element(of.begin(), of.end());
  };
  return {range(mean), range(variance), range(largest)};
}

TEST(TeamSplitTest, UpToTwelvePlayersEveryShapeIsSplitAsTheExhaustiveBest) {
  const std::vector<std::vector<int32_t>> shapes{{5, 5}, {6, 6}, {4, 4, 4}, {3, 3, 3, 3}, {2, 2, 2, 2},
                                                 {1, 4}, {4, 1}, {2, 3, 4}, {1, 1, 3},    {1, 2, 2}};
  TeamSplit splitter;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const std::vector<int32_t>& sizes = shapes[random.Below(shapes.size())];
    std::vector<Party> parties;
    std::vector<int32_t> team;
    const int64_t step = random.Percent(30) ? 200 : 1;  // coarse values make equal sums
    for (size_t number = 0; number < sizes.size(); ++number) {
      for (int32_t left = sizes[number]; left > 0;) {
        const int32_t heads = random.Percent(60) ? 1 : static_cast<int32_t>(random.Between(1, left));
        const size_t at = random.Below(parties.size() + 1);
        parties.insert(parties.begin() + static_cast<int64_t>(at),
                       {static_cast<MilliPoints>(random.Between(1'000, 2'000) / step * step * kPoint), heads});
        team.insert(team.begin() + static_cast<int64_t>(at), static_cast<int32_t>(number));
        left -= heads;
      }
    }
    splitter.Split(parties, sizes, team);
    std::vector<int32_t> room = sizes, way(parties.size());
    Worth best{1e18, 0, 0};
    const std::function<void(size_t)> place = [&](size_t party) {
      if (party == parties.size()) {
        const Worth worth = WorthOf(parties, way, sizes);
        const double scale = 1e-3;  // doubles that are equal but for rounding
        if (std::get<0>(worth) < std::get<0>(best) - scale) best = worth;
        if (std::get<0>(worth) > std::get<0>(best) + scale) return;
        const double variance = 1e-3 + 1e-9 * std::get<1>(best);
        if (std::get<1>(worth) < std::get<1>(best) - variance) best = worth;
        if (std::get<1>(worth) <= std::get<1>(best) + variance && std::get<2>(worth) < std::get<2>(best)) best = worth;
        return;
      }
      for (size_t number = 0; number < sizes.size(); ++number) {
        if (room[number] < parties[party].heads) continue;
        room[number] -= parties[party].heads;
        way[party] = static_cast<int32_t>(number);
        place(party + 1);
        room[number] += parties[party].heads;
      }
    };
    place(0);
    const Worth ours = WorthOf(parties, team, sizes);
    ASSERT_NEAR(std::get<0>(ours), std::get<0>(best), 1e-3);
    ASSERT_NEAR(std::get<1>(ours), std::get<1>(best), 1e-3 + 1e-9 * std::get<1>(best));
    ASSERT_EQ(std::get<2>(ours), std::get<2>(best));
  }
}

TEST(TeamSplitTest, TriosFaceEachOtherAmongEqualSpreads) {
  std::vector<Party> parties{{1'500 * kPoint, 3}, {1'500 * kPoint, 3}};
  for (int solos = 0; solos < 4; ++solos) parties.push_back({1'500 * kPoint, 1});
  std::vector<int32_t> team{0, 1, 0, 0, 1, 1};
  TeamSplit().Split(parties, Sizes(2, 5), team);
  EXPECT_NE(team[0], team[1]);
  std::vector<Party> pairs{{1'500 * kPoint, 2}, {1'500 * kPoint, 2}};
  for (int solos = 0; solos < 4; ++solos) pairs.push_back({1'500 * kPoint, 1});
  std::vector<int32_t> together{0, 0, 1, 1, 1, 1};
  TeamSplit().Split(pairs, Sizes(2, 4), together);
  EXPECT_NE(together[0], together[1]);
}

// Refuses that two given tickets sit together and charges for the first one's team.
struct Apart : TeamSplit::Judge {
  int64_t Cost(std::span<const int32_t> team, MilliPoints) override { return team[0] == team[1] ? kRefused : 7; }
  int64_t AtLeast(MilliPoints) const override { return 7; }
};

TEST(TeamSplitTest, NoWayIsTakenThatTheJudgeRefuses) {
  Apart judge;
  for (const int32_t team_size : {4, 8}) {
    std::vector<Party> parties = Solos({2'000, 1'000});
    for (int32_t i = 2; i < 2 * team_size; ++i) parties.push_back({1'500 * kPoint, 1});
    std::vector<int32_t> team(parties.size());
    for (size_t i = 0; i < team.size(); ++i) team[i] = static_cast<int32_t>(i % 2);
    TeamSplit().Split(parties, Sizes(2, team_size), team, &judge);
    EXPECT_NE(team[0], team[1]);
    TeamSplit().Split(parties, Sizes(2, team_size), team);
    if (team_size == 4) {
      EXPECT_EQ(team[0], team[1]);
    }
  }
}

TEST(TeamSplitTest, ExtremeValuesDoNotOverflow) {
  std::vector<Party> parties;
  std::vector<int32_t> team;
  for (int32_t i = 0; i < 128; ++i) {
    parties.push_back({i % 2 == 0 ? kMaxValue : -kMaxValue, 1});
    team.push_back(i % 2);
  }
  TeamSplit().Split(parties, Sizes(2, 64), team);
  EXPECT_EQ(DifferenceOfSums(parties, team, 2), 0);
  parties.resize(12);
  team.assign({0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
  TeamSplit().Split(parties, Sizes(2, 6), team);
  EXPECT_EQ(DifferenceOfSums(parties, team, 2), 0);
}

}  // namespace
}  // namespace evenmatch
