#include "matching/role_assignment.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/random.h"

namespace evenmatch {
namespace {

using Player = RoleAssignment::Player;

constexpr uint8_t kTank = 0, kHeal = 1, kDps = 2;

RoleRules Composition(std::vector<int32_t> counts) {
  RoleRules rules;
  for (const int32_t count : counts) rules.roles.push_back({"role", count});
  return rules;
}

Traits::Wishes Wants(std::vector<uint8_t> roles) {
  Traits::Wishes wishes;
  for (const uint8_t role : roles) {
    wishes.roles |= uint64_t{1} << role;
    wishes.preferred.push_back(role);
  }
  if (roles.empty()) wishes.roles = ~uint64_t{0};
  return wishes;
}

// The roles given, -1 for nobody seated; a fill is the role + 100.
std::vector<int> Seats(const RoleRules& rules, const std::vector<Traits::Wishes>& wishes, bool may_fill) {
  RoleAssignment assignment(rules);
  std::vector<Player> players;
  for (const Traits::Wishes& of : wishes) players.push_back({&of, may_fill});
  std::vector<SeatRole> seats(players.size());
  if (!assignment.Assign(players, seats)) {
    EXPECT_EQ(assignment.Fills(players), RoleAssignment::kCannot);
    return {-1};
  }
  EXPECT_EQ(assignment.Fills(players),
            std::count_if(seats.begin(), seats.end(), [](const SeatRole& seat) { return seat.fill; }));
  std::vector<int> given;
  for (const SeatRole& seat : seats) given.push_back(seat.role + (seat.fill ? 100 : 0));
  return given;
}

TEST(RoleAssignmentTest, WhoAskedForAScarceRoleLeavesACommonOneToOthers) {
  EXPECT_EQ(Seats(Composition({1, 1, 1}), {Wants({kTank, kDps}), Wants({kTank}), Wants({kHeal, kDps})}, false),
            (std::vector<int>{kDps, kTank, kHeal}));
}

TEST(RoleAssignmentTest, NobodyGetsARoleThatHeDidNotAskForUnlessHeMayFill) {
  const std::vector<Traits::Wishes> team{Wants({kTank}), Wants({kDps}), Wants({kDps})};
  EXPECT_EQ(Seats(Composition({1, 1, 1}), team, false), std::vector<int>{-1});
  EXPECT_EQ(Seats(Composition({1, 1, 1}), team, true), (std::vector<int>{kTank, kDps, 100 + kHeal}));
}

TEST(RoleAssignmentTest, WhoNamedNoRoleTakesAnyAndIsNotFilledIn) {
  EXPECT_EQ(Seats(Composition({1, 1, 1}), {Wants({}), Wants({kDps}), Wants({kTank})}, false),
            (std::vector<int>{kHeal, kDps, kTank}));
}

TEST(RoleAssignmentTest, TheMostWantedRolesAreGivenOfEquallyManyFills) {
  EXPECT_EQ(Seats(Composition({1, 2}), {Wants({0, 1}), Wants({1, 0}), Wants({1})}, false), (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(Seats(Composition({1, 1}), {Wants({1, 0}), Wants({1, 0})}, false), (std::vector<int>{1, 0}));
}

TEST(RoleAssignmentTest, SmallerTeamLeavesSeatsEmpty) {
  EXPECT_EQ(Seats(Composition({1, 1, 3}), {Wants({kTank}), Wants({kDps})}, false), (std::vector<int>{kTank, kDps}));
  EXPECT_EQ(Seats(Composition({1, 1}), {Wants({0}), Wants({1}), Wants({})}, true), std::vector<int>{-1});
}

TEST(RoleAssignmentTest, SixtyFourPlayersAreSeatedEach) {
  std::vector<Traits::Wishes> team;
  for (uint8_t i = 0; i < 64; ++i) team.push_back(Wants({static_cast<uint8_t>(63 - i)}));
  const std::vector<int> seats = Seats(Composition(std::vector<int32_t>(64, 1)), team, false);
  for (int i = 0; i < 64; ++i) ASSERT_EQ(seats[static_cast<size_t>(i)], 63 - i);
}

// Of random teams every order of the seats is tried.
TEST(RoleAssignmentTest, NoAssignmentHasFewerFillsOrBetterLikedRoles) {
  int seated = 0, filled = 0;
  for (uint64_t seed = 1; seed <= 2'000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const RoleRules rules = Composition({1, static_cast<int32_t>(random.Between(1, 2)), 2});
    std::vector<uint8_t> seats;
    for (uint8_t role = 0; role < 3; ++role)
      seats.insert(seats.end(), static_cast<size_t>(rules.roles[role].count), role);
    std::vector<Traits::Wishes> wishes;
    std::vector<Player> players;
    for (size_t i = 0; i < seats.size(); ++i) {
      std::vector<uint8_t> roles{0, 1, 2};
      std::swap(roles[0], roles[random.Below(3)]);
      std::swap(roles[1], roles[1 + random.Below(2)]);
      roles.resize(random.Below(3));
      wishes.push_back(Wants(roles));
    }
    for (const Traits::Wishes& of : wishes) players.push_back({&of, random.Percent(40)});
    std::vector<size_t> order(seats.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::pair<int, int> best{1'000, 0};
    do {
      std::pair<int, int> measure{0, 0};
      for (size_t i = 0; i < order.size(); ++i) {
        const uint8_t role = seats[order[i]];
        const auto& preferred = wishes[i].preferred;
        if ((wishes[i].roles >> role & 1) == 0) {
          measure.first += players[i].may_fill ? 1 : 1'000;
        } else if (!preferred.empty()) {
          measure.second += static_cast<int>(std::find(preferred.begin(), preferred.end(), role) - preferred.begin());
        }
      }
      best = std::min(best, measure);
    } while (std::next_permutation(order.begin(), order.end()));
    RoleAssignment assignment(rules);
    std::vector<SeatRole> given(players.size());
    ASSERT_EQ(assignment.Fills(players), best.first >= 1'000 ? RoleAssignment::kCannot : best.first);
    ASSERT_EQ(assignment.Assign(players, given), best.first < 1'000);
    if (best.first >= 1'000) continue;
    ++seated;
    filled += best.first > 0;
    std::pair<int, int> measure{0, 0};
    std::vector<int32_t> taken(3);
    for (size_t i = 0; i < given.size(); ++i) {
      ++taken[given[i].role];
      const auto& preferred = wishes[i].preferred;
      measure.first += given[i].fill ? 1 : 0;
      ASSERT_EQ(given[i].fill, (wishes[i].roles >> given[i].role & 1) == 0);
      if (given[i].fill || preferred.empty()) continue;
      measure.second +=
          static_cast<int>(std::find(preferred.begin(), preferred.end(), given[i].role) - preferred.begin());
    }
    ASSERT_EQ(measure, best);
    for (size_t role = 0; role < 3; ++role) ASSERT_EQ(taken[role], rules.roles[role].count);
  }
  EXPECT_GT(seated, 1'000);
  EXPECT_GT(filled, 200);
}

}  // namespace
}  // namespace evenmatch
