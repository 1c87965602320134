#include "sim/arrivals.h"

#include <vector>

#include "gtest/gtest.h"

namespace evenmatch {
namespace {

// How many come in each of so many spans.
std::vector<int> CountsOf(const ArrivalRules& rules, Micros span, size_t spans, uint64_t seed = 1) {
  Arrivals arrivals(rules, seed);
  std::vector<int> counts(spans, 0);
  Micros before = 0;
  for (std::optional<Micros> at = arrivals.Next(); at.has_value(); at = arrivals.Next()) {
    EXPECT_GE(*at, before);
    before = *at;
    if (*at >= span * static_cast<Micros>(spans)) break;
    ++counts[static_cast<size_t>(*at / span)];
  }
  return counts;
}

TEST(Arrivals, ComeAsOftenAsTheRateSays) {
  const std::vector<int> counts = CountsOf({.rate = 200}, 100 * kSecond, 3);
  for (const int count : counts) EXPECT_NEAR(count, 20'000, 600);
}

TEST(Arrivals, SameSeedGivesTheSameTimes) {
  const ArrivalRules rules{.rate = 10, .peak = 50, .period = kMinute};
  Arrivals a(rules, 3), b(rules, 3), c(rules, 4);
  bool differs = false;
  for (int i = 0; i < 1'000; ++i) {
    const std::optional<Micros> at = a.Next();
    EXPECT_EQ(at, b.Next());
    differs |= at != c.Next();
  }
  EXPECT_TRUE(differs);
}

TEST(Arrivals, SwingBetweenTwoRates) {
  const ArrivalRules rules{.rate = 100, .peak = 1'000, .period = 100 * kMinute};
  const Arrivals arrivals(rules, 1);
  EXPECT_DOUBLE_EQ(arrivals.RateAt(0), 100);
  EXPECT_DOUBLE_EQ(arrivals.RateAt(50 * kMinute), 1'000);
  const std::vector<int> counts = CountsOf(rules, 10 * kMinute, 10);
  EXPECT_LT(counts[0], counts[2]);
  EXPECT_LT(counts[2], counts[4]);
  EXPECT_NEAR(counts[0], counts[9], 0.05 * counts[0]);
  int all = 0;
  for (const int count : counts) all += count;
  EXPECT_NEAR(all, 550 * 6'000, 10'000);
}

TEST(Arrivals, BurstsMultiplyTheRateForAWhile) {
  const std::vector<int> counts =
      CountsOf({.rate = 100, .bursts = {{100 * kSecond, 100 * kSecond, 10}, {300 * kSecond, 200 * kSecond, 0}}},
               100 * kSecond, 4);
  EXPECT_NEAR(counts[0], 10'000, 400);
  EXPECT_NEAR(counts[1], 100'000, 1'300);
  EXPECT_NEAR(counts[2], 10'000, 400);
  EXPECT_EQ(counts[3], 0);
}

TEST(Arrivals, ATraceComesAsItStands) {
  const ArrivalRules rules{.trace = {1, 1, 5}};
  Arrivals arrivals(rules, 1);
  EXPECT_EQ(arrivals.Next(), 1);
  EXPECT_EQ(arrivals.Next(), 1);
  EXPECT_EQ(arrivals.Next(), 5);
  EXPECT_EQ(arrivals.Next(), std::nullopt);
}

}  // namespace
}  // namespace evenmatch
