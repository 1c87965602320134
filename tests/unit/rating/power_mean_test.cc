#include "rating/power_mean.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/random.h"

namespace evenmatch {
namespace {

TEST(PowerMeanTest, OfPowerOneIsTheMean) {
  EXPECT_EQ(PowerMean(std::vector<MilliPoints>{1'000, 2'000, 6'000}, 1), 3'000);
  EXPECT_EQ(PowerMean(std::vector<MilliPoints>{-5'000}, 3), -5'000);
}

TEST(PowerMeanTest, CountsFromTheLowest) {
  // 0 and 1000 above the lowest: 1000 / sqrt(2) = 707.1
  EXPECT_EQ(PowerMean(std::vector<MilliPoints>{1'000'000, 2'000'000}, 2), 1'707'106);
  EXPECT_EQ(PowerMean(std::vector<MilliPoints>{-500'000, 500'000}, 2), 207'106);
}

TEST(PowerMeanTest, LiesBetweenMeanAndMaximumRisesWithPowerAndKnowsNoOrder) {
  Random random(11);
  for (int round = 0; round < 5'000; ++round) {
    SCOPED_TRACE(round);
    std::vector<MilliPoints> values(static_cast<size_t>(random.Between(1, 8)));
    const MilliPoints width = static_cast<MilliPoints>(random.Between(0, 2)) * 100'000 + 7;
    for (MilliPoints& value : values) value = static_cast<MilliPoints>(random.Between(-width, width) * 499);
    const int64_t sum = std::accumulate(values.begin(), values.end(), int64_t{0});
    const MilliPoints highest = *std::max_element(values.begin(), values.end());
    MilliPoints before = std::numeric_limits<MilliPoints>::min();
    for (int32_t power = 1; power <= 16; ++power) {
      const MilliPoints mean = PowerMean(values, power);
      ASSERT_GT((int64_t{mean} + 1) * static_cast<int64_t>(values.size()), sum);
      ASSERT_LE(mean, highest);
      ASSERT_GE(mean, before);
      before = mean;
      std::vector<MilliPoints> shuffled = values;
      std::rotate(shuffled.begin(), shuffled.begin() + static_cast<int64_t>(random.Below(values.size())),
                  shuffled.end());
      ASSERT_EQ(PowerMean(shuffled, power), mean);
    }
  }
}

}  // namespace
}  // namespace evenmatch
