#include "matching/team_packing.h"

#include <algorithm>
#include <functional>

#include "base/random.h"

namespace evenmatch {
namespace {

constexpr int32_t kLeftOut = TeamPacking::kLeftOut;
using Heads = std::vector<int32_t>;

TEST(TeamPackingTest, SolosFillInOrderOfPreference) {
  std::vector<int32_t> team;
  ASSERT_TRUE(TeamPacking().Pack(Heads{1, 1, 1, 1, 1, 1}, Heads{2, 2}, &team));
  EXPECT_EQ(std::count(team.begin(), team.begin() + 4, kLeftOut), 0);
  EXPECT_EQ(team[4], kLeftOut);
  EXPECT_EQ(team[5], kLeftOut);
}

TEST(TeamPackingTest, LoneSoloDoesNotBlockTwoPairs) {
  std::vector<int32_t> team;
  ASSERT_TRUE(TeamPacking().Pack(Heads{2, 1, 2}, Heads{2, 2}, &team));
  EXPECT_EQ(team, (Heads{0, kLeftOut, 1}));
}

TEST(TeamPackingTest, FirstTicketIsAlwaysPartOfIt) {
  std::vector<int32_t> team;
  EXPECT_FALSE(TeamPacking().Pack(Heads{1, 2, 2}, Heads{2, 2}, &team));
  ASSERT_TRUE(TeamPacking().Pack(Heads{1, 2, 2, 1}, Heads{2, 2}, &team));
  EXPECT_NE(team[0], kLeftOut);
  EXPECT_NE(team[3], kLeftOut);
}

TEST(TeamPackingTest, EnoughHeadsThatFillNoTeamAreRefused) {
  std::vector<int32_t> team;
  EXPECT_FALSE(TeamPacking().Pack(Heads{3, 3, 3, 3}, Heads{5, 5}, &team));
  EXPECT_FALSE(TeamPacking().Pack(Heads{64, 63, 63, 63}, Heads{64, 64}, &team));
}

TEST(TeamPackingTest, LargeTeamsAreFilled) {
  std::vector<int32_t> team;
  ASSERT_TRUE(TeamPacking().Pack(Heads{63, 63, 1, 1}, Heads{64, 64}, &team));
  ASSERT_TRUE(TeamPacking().Pack(Heads(64 * 64, 1), Heads(64, 64), &team));
}

TEST(TeamPackingTest, FindsAWayExactlyWhenThereIsOne) {
  TeamPacking packing;
  int ways = 0;
  for (uint64_t seed = 1; seed <= 3'000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const int32_t teams = static_cast<int32_t>(random.Between(2, 3));
    const int32_t team_size = static_cast<int32_t>(random.Between(1, 6));
    const int32_t smallest = static_cast<int32_t>(random.Between(1, team_size));
    Heads heads(static_cast<size_t>(random.Between(1, 9)));
    for (int32_t& count : heads) count = static_cast<int32_t>(random.Between(smallest, team_size));
    std::vector<int32_t> room(static_cast<size_t>(teams), team_size);
    const std::function<bool(size_t)> possible = [&](size_t ticket) {
      if (std::all_of(room.begin(), room.end(), [](int32_t left) { return left == 0; })) return true;
      if (ticket == heads.size()) return false;
      for (int32_t& left : room) {
        if (left < heads[ticket]) continue;
        left -= heads[ticket];
        const bool found = possible(ticket + 1);
        left += heads[ticket];
        if (found) return true;
      }
      return ticket != 0 && possible(ticket + 1);
    };
    std::vector<int32_t> team;
    const bool found = packing.Pack(heads, room, &team);
    ASSERT_EQ(found, possible(0));
    if (!found) continue;
    ++ways;
    std::vector<int32_t> filled(static_cast<size_t>(teams));
    for (size_t i = 0; i < heads.size(); ++i) {
      if (team[i] != kLeftOut) filled[team[i]] += heads[i];
    }
    ASSERT_EQ(filled, std::vector<int32_t>(static_cast<size_t>(teams), team_size));
    ASSERT_NE(team[0], kLeftOut);
  }
  EXPECT_GT(ways, 300);
}

TEST(TeamPackingTest, UnevenSidesAreFilledEach) {
  std::vector<int32_t> team;
  ASSERT_TRUE(TeamPacking().Pack(Heads{2, 2, 1}, Heads{1, 4}, &team));
  EXPECT_EQ(team, (Heads{1, 1, 0}));
  EXPECT_FALSE(TeamPacking().Pack(Heads{2, 3}, Heads{1, 4}, &team));
  ASSERT_TRUE(TeamPacking().Pack(Heads(5, 1), Heads{1, 4}, &team));
  EXPECT_EQ(std::count(team.begin(), team.end(), 0), 1);
}

// Refuses pairs of tickets.
struct Enemies : TeamPacking::Guard {
  std::vector<std::pair<size_t, size_t>> pairs;
  std::vector<size_t> in;
  bool Join(size_t ticket, int32_t) override {
    for (const auto& [a, b] : pairs) {
      for (const size_t other : in) {
        if ((a == ticket && b == other) || (b == ticket && a == other)) return false;
      }
    }
    in.push_back(ticket);
    return true;
  }
  void Leave(size_t, int32_t) override { in.pop_back(); }
  bool Complete() override { return true; }
};

TEST(TeamPackingTest, GuardKeepsTicketsApartAndTheFirstOnesAreStillPreferred) {
  Enemies enemies;
  enemies.pairs = {{0, 1}, {2, 3}};
  int steps = 1'000;
  std::vector<int32_t> team;
  ASSERT_TRUE(TeamPacking().Pack(Heads{1, 1, 1, 1, 1, 1}, Heads{2, 2}, 1, &enemies, &steps, &team));
  EXPECT_NE(team[0], kLeftOut);
  EXPECT_EQ(team[1], kLeftOut);
  EXPECT_NE(team[2], kLeftOut);
  EXPECT_EQ(team[3], kLeftOut);
  EXPECT_NE(team[4], kLeftOut);
  EXPECT_NE(team[5], kLeftOut);
  EXPECT_LT(steps, 1'000);
  enemies.in.clear();
  EXPECT_FALSE(TeamPacking().Pack(Heads{1, 1, 1, 1, 1}, Heads{2, 2}, 1, &enemies, &steps, &team));
}

}  // namespace
}  // namespace evenmatch
