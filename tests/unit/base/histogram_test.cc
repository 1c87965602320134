#include "base/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"
#include "gtest/gtest.h"

namespace evenmatch {
namespace {

TEST(Histogram, EmptyIsZero) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.Percentile(99), 0u);
  EXPECT_EQ(histogram.mean(), 0);
}

TEST(Histogram, SmallValuesAreExact) {
  Histogram histogram;
  for (uint64_t value = 1; value <= 100; ++value) histogram.Add(value);
  EXPECT_EQ(histogram.Percentile(0), 1u);
  EXPECT_EQ(histogram.Percentile(1), 1u);
  EXPECT_EQ(histogram.Percentile(50), 50u);
  EXPECT_EQ(histogram.Percentile(99), 99u);
  EXPECT_EQ(histogram.Percentile(99.9), 100u);
  EXPECT_EQ(histogram.Percentile(100), 100u);
  EXPECT_DOUBLE_EQ(histogram.mean(), 50.5);
}

TEST(Histogram, PercentilesAreCloseToTheTrueOnes) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Histogram histogram;
    std::vector<uint64_t> values;
    const int count = static_cast<int>(random.Between(1, 3000));
    for (int i = 0; i < count; ++i) {
      values.push_back(random.Next() >> random.Below(64));
      histogram.Add(values.back());
    }
    std::sort(values.begin(), values.end());
    for (const double percent : {1.0, 10.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
      const auto rank = static_cast<size_t>(std::ceil(percent / 100 * count));
      const uint64_t truth = values[std::max<size_t>(rank, 1) - 1];
      const uint64_t told = histogram.Percentile(percent);
      EXPECT_GE(told, truth);
      EXPECT_LE(static_cast<double>(told), static_cast<double>(truth) * 1.0079) << percent;
    }
    EXPECT_EQ(histogram.max(), values.back());
  }
}

TEST(Histogram, CountsWithinARange) {
  Histogram histogram;
  EXPECT_EQ(histogram.CountWithin(0, 1'000'000), 0);
  for (uint64_t value = 0; value < 1'000; ++value) histogram.Add(value);
  EXPECT_EQ(histogram.CountWithin(0, 0), 1);
  EXPECT_EQ(histogram.CountWithin(10, 19), 10);
  EXPECT_EQ(histogram.CountWithin(0, 1'000'000), 1'000);
  EXPECT_NEAR(histogram.CountWithin(301, 700), 400, 2);  // borders within buckets
}

TEST(Histogram, TakesTheLargestValue) {
  Histogram histogram;
  histogram.Add(std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(histogram.Percentile(50), std::numeric_limits<uint64_t>::max());
}

TEST(Histogram, MergeIsAddingAll) {
  Histogram a, b, all;
  for (uint64_t i = 0; i < 1000; ++i) {
    (i % 3 == 0 ? a : b).Add(i * i);
    all.Add(i * i);
  }
  a.Merge(b);
  EXPECT_EQ(a.count(), all.count());
  EXPECT_EQ(a.max(), all.max());
  EXPECT_EQ(a.mean(), all.mean());
  for (int percent = 0; percent <= 100; ++percent) EXPECT_EQ(a.Percentile(percent), all.Percentile(percent));
}

}  // namespace
}  // namespace evenmatch
