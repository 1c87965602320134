#include "matching/quality.h"

#include <array>
#include <numeric>

#include "base/random.h"
#include "rating/win_chance.h"

namespace evenmatch {
namespace {

TEST(QualityTest, DuelFallsFromTheBestToNothingAtTheWindow) {
  EXPECT_EQ(DuelQuality(0, 100 * kPoint), 10'000);
  EXPECT_EQ(DuelQuality(25 * kPoint, 100 * kPoint), 7'500);
  EXPECT_EQ(DuelQuality(100 * kPoint, 100 * kPoint), 0);
  EXPECT_EQ(DuelQuality(0, 0), 10'000);
}

TEST(QualityTest, UnlimitedWindowIsMeasuredAgainstTheReferenceWidth) {
  EXPECT_EQ(DuelQuality(0, kUnlimitedWindow), 10'000);
  EXPECT_EQ(DuelQuality(1'000 * kPoint, kUnlimitedWindow), 5'000);
  EXPECT_EQ(DuelQuality(kMaxValue, kUnlimitedWindow), 0);
}

TEST(TeamWinChancesTest, TwoTeamsHaveTheEloExpectationOfTheirMeans) {
  std::array<BasisPoints, 2> chance;
  TeamWinChances(std::array<int64_t, 2>{5 * 1'600 * kPoint, 5 * 1'500 * kPoint}, std::array{5, 5}, {}, chance);
  EXPECT_EQ(chance[0], WinChance(100 * kPoint));
  EXPECT_EQ(chance[1], kCertain - chance[0]);
}

TEST(TeamWinChancesTest, EqualTeamsShareEvenly) {
  std::array<BasisPoints, 4> chance;
  TeamWinChances(std::array<int64_t, 4>{9, 9, 9, 9}, std::array{1, 1, 1, 1}, {}, chance);
  EXPECT_EQ(chance, (std::array<BasisPoints, 4>{2'500, 2'500, 2'500, 2'500}));
}

TEST(TeamWinChancesTest, ChancesOfAnyNumberOfTeamsAddUpToCertainty) {
  Random random(3);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<int64_t> sums(static_cast<size_t>(random.Between(2, 64)));
    const int32_t size = static_cast<int32_t>(random.Between(1, 64));
    for (int64_t& sum : sums) sum = random.Between(-3'000 * kPoint, 3'000 * kPoint) * size;
    std::vector<BasisPoints> chance(sums.size());
    TeamWinChances(sums, std::vector<int32_t>(sums.size(), size), {}, chance);
    ASSERT_EQ(std::accumulate(chance.begin(), chance.end(), 0), kCertain);
    for (size_t a = 0; a < sums.size(); ++a) {
      ASSERT_GE(chance[a], 0);
      for (size_t b = 0; b < sums.size(); ++b) {
        if (sums[a] > sums[b]) {
          ASSERT_GE(chance[a] + 1, chance[b]);
        }
      }
    }
  }
}

TEST(TeamWinChancesTest, UnevenSidesAreComparedByTheirMeans) {
  std::array<BasisPoints, 2> chance;
  TeamWinChances(std::array<int64_t, 2>{1'700 * kPoint, 4 * 1'500 * kPoint}, std::array{1, 4}, {}, chance);
  EXPECT_EQ(chance[0], WinChance(200 * kPoint));
}

TEST(TeamWinChancesTest, DeviationsOfBothTeamsDrawTheChanceTowardsOneHalf) {
  std::array<BasisPoints, 2> chance;
  TeamWinChances(std::array<int64_t, 2>{1'700 * kPoint, 1'500 * kPoint}, std::array{1, 1},
                 std::array<MilliPoints, 2>{300 * kPoint, 400 * kPoint}, chance);
  EXPECT_EQ(chance[0], WinChance(200 * kPoint, 500 * kPoint));
  EXPECT_LT(chance[0], WinChance(200 * kPoint));
}

}  // namespace
}  // namespace evenmatch
