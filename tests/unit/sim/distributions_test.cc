#include "sim/distributions.h"

#include <cmath>
#include <string>

#include "gtest/gtest.h"

namespace evenmatch {
namespace {

TEST(Distributions, BadDistributionsAreRefused) {
  for (const char* text : {"", "normal", "normal:1500", "normal:a:b", "normal:1:-1", "uniform:2:1", "zipf:1:2",
                           "normal:nan:1", "uniform:0:1e9", "normal:1:2:3"}) {
    EXPECT_FALSE(RatingDistribution::Parse(text).ok()) << text;
  }
  for (const char* text : {"", "1", "0:1", "65:1", "1:0", "1:1,", "a:b", "1:2:3"}) {
    EXPECT_FALSE(PartyDistribution::Parse(text).ok()) << text;
  }
  EXPECT_EQ(PartyDistribution::Parse("1:5,4:1,2:2")->largest(), 4);
}

TEST(Distributions, BadNamesAndCountsAreRefused) {
  for (const char* text : {"", "eu", "eu:0", ":1", "eu:1,", "eu:1,eu:2", "eu:x", "eu:1:2"}) {
    EXPECT_FALSE(NameDistribution::Parse(text).ok()) << text;
  }
  for (const char* text : {"", "1", "2:1", "-1:3", "0:1000001", "a:b", "1:2:3"}) {
    EXPECT_FALSE(CountDistribution::Parse(text).ok()) << text;
  }
}

TEST(Distributions, BadAttributesAreRefused) {
  for (const char* text : {"", "a", "a:0", ":1", "a:1,", "a:1,a:2", "1:1,1.0:2", "[a+]:1", "uniform:2:1",
                           "normal:nan:1", "zipf:1:2", "normal:1:2,5:1"}) {
    EXPECT_FALSE(AttributeDistribution::Parse(text).ok()) << text;
  }
  // Of the same letters, but another kind.
  EXPECT_EQ(AttributeDistribution::Parse("5:1,\"5\":1,[5]:1")->weights.size(), 3u);
  EXPECT_EQ(AttributeDistribution::Parse("normal:1,uniform:1")->weights.size(), 2u);
}

TEST(Distributions, NamesComeAsOftenAsTheirWeightsSay) {
  const NameDistribution regions = *NameDistribution::Parse("eu:3,us:1");
  Random random(1);
  int us = 0;
  for (int i = 0; i < 10'000; ++i) us += regions.Draw(random) == 1;
  EXPECT_NEAR(us, 2'500, 150);
}

TEST(Distributions, CountsStayInTheirRangeAndSmallOnesComeMost) {
  const CountDistribution games = *CountDistribution::Parse("0:1000");
  Random random(1);
  int few = 0;
  for (int i = 0; i < 10'000; ++i) {
    const int32_t count = games.Draw(random);
    ASSERT_GE(count, 0);
    ASSERT_LE(count, 1000);
    few += count < 31;  // half of the doublings of 1 + count
  }
  EXPECT_NEAR(few, 5'000, 250);
}

TEST(Distributions, ListsAreDrawnFromEvenly) {
  RatingDistribution ratings{.kind = RatingDistribution::Kind::kList,
                             .list = std::make_shared<std::vector<MilliPoints>>(std::vector<MilliPoints>{1, 2, 3})};
  Random random(1);
  int counts[4] = {};
  for (int i = 0; i < 9'000; ++i) ++counts[ratings.Draw(random)];
  for (int value = 1; value <= 3; ++value) EXPECT_NEAR(counts[value], 3'000, 200);
}

TEST(Distributions, ExponentialHasItsMean) {
  Random random(1);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) sum += DrawExponential(7, random);
  EXPECT_NEAR(sum / 100'000, 7, 0.1);
}

}  // namespace
}  // namespace evenmatch
