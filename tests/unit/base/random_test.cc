#include "base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include "base/hash.h"

namespace evenmatch {
namespace {

TEST(RandomTest, SameSeedGivesTheSameNumbersForEver) {
  // Worlds in tests are named by their seed, so the generator may never change.
  Random random(1);
  EXPECT_EQ(random.Next(), 0xb3f2af6d0fc710c5u);
  EXPECT_EQ(random.Next(), 0x853b559647364ceau);
}

TEST(RandomTest, BelowReachesEveryValueAndNoOther) {
  Random random(2);
  std::array<int, 7> seen{};
  for (int i = 0; i < 7'000; ++i) ++seen.at(random.Below(7));
  for (int count : seen) EXPECT_NEAR(count, 1'000, 150);
}

TEST(RandomTest, BetweenIncludesBothEnds) {
  Random random(3);
  bool low = false, high = false;
  for (int i = 0; i < 1'000; ++i) {
    const int64_t value = random.Between(-2, 2);
    ASSERT_TRUE(value >= -2 && value <= 2);
    low |= value == -2;
    high |= value == 2;
  }
  EXPECT_TRUE(low && high);
}

TEST(HashTest, LengthAndOrderMatter) {
  EXPECT_NE(Hash64(""), Hash64(std::string_view("\0", 1)));
  EXPECT_NE(Hash64("ab"), Hash64("ba"));
  EXPECT_NE(Hash64("12345678a"), Hash64("12345678b"));
  EXPECT_NE(Hash64("a", 1), Hash64("a", 2));
}

}  // namespace
}  // namespace evenmatch
