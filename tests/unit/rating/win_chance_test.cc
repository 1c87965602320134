#include "rating/win_chance.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/hash.h"

namespace evenmatch {
namespace {

TEST(WinChanceTest, EqualSidesHaveEqualChances) { EXPECT_EQ(WinChance(0), kCertain / 2); }

TEST(WinChanceTest, FourHundredPointsAreTenToOne) {
  EXPECT_EQ(WinChance(400 * kPoint), 9'091);  // 10 / 11
  EXPECT_EQ(WinChance(-400 * kPoint), 909);
  EXPECT_EQ(WinChance(200 * kPoint), 7'597);  // Elo's table: 0.76
  EXPECT_EQ(WinChance(100 * kPoint), 6'401);  // 0.64
}

TEST(WinChanceTest, BothSidesTogetherAreCertain) {
  for (MilliPoints gap = -3'500 * kPoint; gap <= 3'500 * kPoint; gap += 777) {
    ASSERT_EQ(WinChance(gap) + WinChance(-gap), kCertain) << gap;
  }
}

TEST(WinChanceTest, StrongerIsNeverLessLikely) {
  for (MilliPoints gap = -3'500 * kPoint; gap <= 3'500 * kPoint; gap += 501) {
    ASSERT_LE(WinChance(gap), WinChance(gap + 501)) << gap;
  }
}

TEST(WinChanceTest, FollowsTheFormulaBetweenWholePoints) {
  for (MilliPoints gap = -2'000 * kPoint; gap <= 2'000 * kPoint; gap += 333) {
    const double exact = 10'000 / (1 + std::pow(10.0, -gap / 400'000.0));
    ASSERT_NEAR(WinChance(gap), exact, 0.51) << gap;
  }
}

TEST(WinChanceTest, EndsAtCertainty) {
  EXPECT_EQ(WinChance(3'000 * kPoint), kCertain);
  EXPECT_EQ(WinChance(2 * kMaxValue), kCertain);
  EXPECT_EQ(WinChance(-2 * kMaxValue), 0);
  EXPECT_EQ(WinChance(std::numeric_limits<MilliPoints>::min()), 0);
}

// One number over all chances: every compiler and build must give it.
TEST(WinChanceTest, IsTheSameInEveryBuild) {
  uint64_t digest = 0;
  for (MilliPoints gap = 0; gap <= 3'100 * kPoint; gap += 97) {
    digest = HashMix(digest, static_cast<uint64_t>(WinChance(gap)));
  }
  EXPECT_EQ(digest, 307432332729130853u);
}

TEST(WinChanceTest, UncertainRatingsDrawItTowardsOneHalf) {
  const auto exact = [](double gap, double deviation) {
    const double q = std::log(10.0) / 400, ratio = q * deviation / std::acos(-1.0);
    return 10'000 / (1 + std::pow(10.0, -gap / std::sqrt(1 + 3 * ratio * ratio) / 400));
  };
  for (MilliPoints gap = -1'500 * kPoint; gap <= 1'500 * kPoint; gap += 12'345) {
    for (MilliPoints deviation = 0; deviation <= 700 * kPoint; deviation += 23'456) {
      ASSERT_NEAR(WinChance(gap, deviation), exact(gap / 1e3, deviation / 1e3), 0.52) << gap << " " << deviation;
      ASSERT_EQ(WinChance(gap, deviation) + WinChance(-gap, deviation), kCertain);
    }
  }
  EXPECT_EQ(WinChance(200 * kPoint, 0), WinChance(200 * kPoint));
  EXPECT_EQ(WinChance(2 * kMaxValue, std::numeric_limits<MilliPoints>::max()), kCertain);
}

TEST(WinChanceTest, DeviationsAddAsSquares) {
  EXPECT_EQ(DeviationOfBoth(30 * kPoint, 40 * kPoint), 50 * kPoint);
  EXPECT_EQ(DeviationOfBoth(0, 0), 0);
  EXPECT_EQ(DeviationOfBoth(10'000 * kPoint, 10'000 * kPoint), 14'142'135);
  EXPECT_EQ(DeviationOf(99), 9);
  EXPECT_EQ(DeviationOf(std::numeric_limits<int64_t>::max()), kMaxDeviation);
}

}  // namespace
}  // namespace evenmatch
