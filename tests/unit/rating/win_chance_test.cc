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

}  // namespace
}  // namespace evenmatch
