#include "matching/window.h"

#include "base/random.h"

namespace evenmatch {
namespace {

WindowRules Linear(MilliPoints base, MilliPoints growth, MilliPoints max) {
  WindowRules rules;
  rules.base = base;
  rules.growth_per_second = growth;
  rules.max = max;
  return rules;
}

WindowRules Stepped(std::vector<WindowRules::Step> steps) {
  WindowRules rules;
  rules.steps = std::move(steps);
  return rules;
}

TEST(WindowTest, LinearWindowGrowsToItsMax) {
  const WindowRules rules = Linear(100 * kPoint, 10 * kPoint, 500 * kPoint);
  EXPECT_EQ(WindowAt(rules, -kSecond), 100 * kPoint);
  EXPECT_EQ(WindowAt(rules, 0), 100 * kPoint);
  EXPECT_EQ(WindowAt(rules, 10 * kSecond), 200 * kPoint);
  EXPECT_EQ(WindowAt(rules, 150 * kMillisecond), 101'500);
  EXPECT_EQ(WindowAt(rules, 40 * kSecond), 500 * kPoint);
  EXPECT_EQ(WindowAt(rules, 24 * kHour), 500 * kPoint);
}

TEST(WindowTest, StepsBeginAtTheirTimes) {
  const WindowRules rules = Stepped({{0, 50 * kPoint}, {5 * kSecond, 100 * kPoint}, {30 * kSecond, kUnlimitedWindow}});
  EXPECT_EQ(WindowAt(rules, -1), 50 * kPoint);
  EXPECT_EQ(WindowAt(rules, 5 * kSecond - 1), 50 * kPoint);
  EXPECT_EQ(WindowAt(rules, 5 * kSecond), 100 * kPoint);
  EXPECT_EQ(WindowAt(rules, kHour), kUnlimitedWindow);
  EXPECT_EQ(WaitForWindow(rules, 50 * kPoint), 0);
  EXPECT_EQ(WaitForWindow(rules, 50 * kPoint + 1), 5 * kSecond);
  EXPECT_EQ(WaitForWindow(rules, 2 * kMaxValue), 30 * kSecond);
}

TEST(WindowTest, WaitForWindowIsTheFirstMomentAtWhichItIsWideEnough) {
  Random random(7);
  for (int round = 0; round < 20'000; ++round) {
    const MilliPoints base = static_cast<MilliPoints>(random.Between(0, 300 * kPoint));
    const WindowRules rules = Linear(base, static_cast<MilliPoints>(random.Between(0, 60 * kPoint)),
                                     static_cast<MilliPoints>(base + random.Between(0, 900 * kPoint)));
    const MilliPoints gap = static_cast<MilliPoints>(random.Between(0, 1'300 * kPoint));
    const Micros wait = WaitForWindow(rules, gap);
    if (wait == kNever) {
      ASSERT_LT(WindowAt(rules, 24 * kHour), gap);
      continue;
    }
    ASSERT_GE(WindowAt(rules, wait), gap);
    if (wait > 0) {
      ASSERT_LT(WindowAt(rules, wait - 1), gap);
    }
  }
}

TEST(WindowTest, NeverNarrows) {
  const WindowRules rules = Linear(3, 7, 2'000);
  for (Micros wait = 0; wait < 400 * kSecond; wait += 33'333) {
    ASSERT_LE(WindowAt(rules, wait), WindowAt(rules, wait + 33'333));
  }
}

TEST(WindowTest, ExtremeRulesDoNotOverflow) {
  const WindowRules rules = Linear(0, 2'000'000'000, kUnlimitedWindow);
  EXPECT_EQ(WindowAt(rules, kNever), kUnlimitedWindow);
  EXPECT_EQ(WindowAt(rules, kSecond), 2'000'000'000);
  EXPECT_EQ(WaitForWindow(rules, kUnlimitedWindow), 1'073'742);
  EXPECT_EQ(WindowAt(Linear(0, 1, kUnlimitedWindow), 24 * kHour), 86'400);
}

TEST(WindowTest, WindowThatDoesNotGrowNeverReachesFurther) {
  const WindowRules rules = Linear(100 * kPoint, 0, 100 * kPoint);
  EXPECT_EQ(WindowAt(rules, kHour), 100 * kPoint);
  EXPECT_EQ(WaitForWindow(rules, 100 * kPoint), 0);
  EXPECT_EQ(WaitForWindow(rules, 100 * kPoint + 1), kNever);
  EXPECT_EQ(WaitForWindow(Linear(100, 0, 200), 150), kNever);
}

}  // namespace
}  // namespace evenmatch
