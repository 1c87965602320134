#include "matching/patience.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace evenmatch {
namespace {

QueueRules Target(Micros target, Micros tick = 100 * kMillisecond) {
  QueueRules rules;
  rules.target_wait_p95 = target;
  rules.tick = tick;
  return rules;
}

// Ticks in which `in_time` and `too_late` tickets are decided while `waiting` wait.
void TickOn(Patience& patience, Micros* now, int ticks, size_t waiting, int in_time, int too_late,
            Micros target = 2 * kSecond) {
  for (int i = 0; i < ticks; ++i) {
    *now += 100 * kMillisecond;
    patience.BeginTick(*now, waiting);
    for (int k = 0; k < in_time; ++k) patience.Paired(kSecond / 2);
    for (int k = 0; k < too_late; ++k) patience.LeftAlone(target - 50 * kMillisecond);
    patience.EndTick();
  }
}

TEST(PatienceTest, IsOffWithoutATarget) {
  EXPECT_FALSE(Patience(QueueRules{}).on());
  EXPECT_TRUE(Patience(Target(kSecond)).on());
}

TEST(PatienceTest, AllowanceRisesToTheWholePriceInTheLastTickBeforeTheTarget) {
  Patience patience(Target(2 * kSecond));
  patience.BeginTick(kHour, 100);
  ASSERT_GT(patience.price(), kPoint);
  MilliPoints before = 0;
  for (Micros wait = 0; wait <= 2 * kSecond; wait += 10 * kMillisecond) {
    ASSERT_GE(patience.Allowance(wait), before) << wait;
    before = patience.Allowance(wait);
  }
  EXPECT_LT(patience.Allowance(0), patience.price() / 20);
  EXPECT_LT(patience.Allowance(1'900 * kMillisecond), patience.price());
  EXPECT_EQ(patience.Allowance(1'900 * kMillisecond + 1), patience.price());
  EXPECT_EQ(patience.Allowance(2 * kSecond), patience.price());
}

TEST(PatienceTest, WhoMissedTheTargetHoldsOutAnewAndNotForEver) {
  Patience patience(Target(2 * kSecond));
  patience.BeginTick(kHour, 100);
  EXPECT_LT(patience.Allowance(2 * kSecond + 1), patience.price() / 10);
  EXPECT_FALSE(patience.Over(5 * kSecond));
  EXPECT_TRUE(patience.Over(5'300 * kMillisecond + 1)) << "the next tick would be later than 2.7 times the target";
}

TEST(PatienceTest, EveryRiseOfTheAllowanceIsAStep) {
  for (const Micros tick : {10 * kMillisecond, 500 * kMillisecond, 3 * kSecond}) {
    Patience patience(Target(2 * kSecond, tick));
    patience.BeginTick(kHour, 10);
    Micros wait = 0;
    int steps = 0;
    for (Micros next; (next = patience.NextStep(wait)) != kNever; wait = next, ++steps) {
      ASSERT_GT(next, wait);
      for (Micros between = wait; between < next; between += 5 * kMillisecond) {
        ASSERT_LE(patience.Allowance(between), patience.Allowance(wait)) << "between " << wait << " and " << next;
        ASSERT_FALSE(patience.Over(between));
      }
    }
    EXPECT_TRUE(patience.Over(wait));
    EXPECT_LE(steps, 20);
  }
}

TEST(PatienceTest, PriceFollowsTheNumberThatWaitsWithinTheTarget) {
  Patience patience(Target(2 * kSecond));
  Micros now = kHour;
  TickOn(patience, &now, 100, 50, 0, 0);
  const MilliPoints quiet = patience.price();
  TickOn(patience, &now, 60, 500, 0, 0);
  EXPECT_NEAR(patience.price(), quiet / 10, quiet / 100);
  TickOn(patience, &now, 120, 50, 0, 0);
  EXPECT_NEAR(patience.price(), quiet, quiet / 50);
}

TEST(PatienceTest, CrowdThatComesAtOnceLowersThePriceAtOnce) {
  Patience patience(Target(2 * kSecond));
  Micros now = kHour;
  TickOn(patience, &now, 100, 50, 0, 0);
  const MilliPoints quiet = patience.price();
  TickOn(patience, &now, 1, 5'000, 0, 0);
  EXPECT_LT(patience.price(), quiet / 40);
}

TEST(PatienceTest, PriceRestsWhileTheWantedShareIsLeftOver) {
  Patience patience(Target(2 * kSecond));
  Micros now = kHour;
  TickOn(patience, &now, 50, 500, 477, 23);
  const MilliPoints price = patience.price();
  TickOn(patience, &now, 500, 500, 477, 23);
  EXPECT_EQ(patience.price(), price);
}

TEST(PatienceTest, PriceRisesWhenMoreAreLeftOverAndFallsWhenFewerAre) {
  for (const int scale : {1, 10, 500}) {
    Patience more(Target(2 * kSecond)), fewer(Target(2 * kSecond));
    Micros now = kHour;
    TickOn(more, &now, 1, 100, 0, 0);
    const MilliPoints price = more.price();
    now = kHour;
    TickOn(more, &now, 100, 100, 8 * scale, 2 * scale);
    EXPECT_GT(more.price(), price * 2) << scale;
    now = kHour;
    TickOn(fewer, &now, 200, 100, 10 * scale, 0);
    EXPECT_LT(fewer.price(), price * 3 / 4) << scale;
  }
}

TEST(PatienceTest, PriceStaysWithinBoundsWhateverHappens) {
  Patience patience(Target(2 * kSecond));
  Micros now = kHour;
  TickOn(patience, &now, 3'000, 1, 0, 100);
  EXPECT_LE(patience.price(), kMaxValue);
  TickOn(patience, &now, 50'000, 1'000'000, 100, 0);
  EXPECT_GE(patience.price(), 1);
  TickOn(patience, &now, 3'000, 1, 0, 100);
  EXPECT_GT(patience.price(), 1'000 * kPoint) << "it comes back from the floor";
}

}  // namespace
}  // namespace evenmatch
