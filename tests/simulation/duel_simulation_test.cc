// Worlds of duels in virtual time: what tests/benchmark/duel_proof prints at length must not get worse. Arrivals are
// Poisson, ratings N(1500, 300), the tick is 500 ms.

#include <gtest/gtest.h>

#include "tests/support/duel_history.h"
#include "tests/support/duel_world.h"

namespace evenmatch {
namespace {

constexpr Micros kTick = 500 * kMillisecond;
constexpr Micros kTarget = 2'500 * kMillisecond;

// Window 100 + 50/s up to 800.
TEST(DuelSimulationTest, GapsAreWellBelowThoseOfOldestFirstAtNearlyTheSameWait) {
  struct Case {
    double rate, saved;
  };
  for (const Case& one : {Case{20, 0.12}, Case{200, 0.17}}) {
    int64_t ours_gap = 0, ours_matches = 0, greedy_gap = 0, greedy_matches = 0;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      const Scenario scenario = DuelScenario(one.rate, static_cast<Micros>(60'000 / one.rate) * kSecond, seed);
      const QueueRules rules = DuelQueue(100, 50, kTick);
      const DuelOutcome ours = PlayDuels(scenario, rules);
      const DuelOutcome greedy = PlayDuels(scenario, rules, *MakeOpponent(OpponentKind::kOldestFirst, rules.window));
      EXPECT_LE(ours.p95_wait(), 1.2 * greedy.p95_wait());
      ours_gap += ours.gap;
      ours_matches += static_cast<int64_t>(ours.matches);
      greedy_gap += greedy.gap;
      greedy_matches += static_cast<int64_t>(greedy.matches);
    }
    const double ours = static_cast<double>(ours_gap) / static_cast<double>(ours_matches);
    const double greedy = static_cast<double>(greedy_gap) / static_cast<double>(greedy_matches);
    EXPECT_LE(ours, (1 - one.saved) * greedy) << "at " << one.rate << "/s";
  }
}

TEST(DuelSimulationTest, EachTickIsNearTheExactOptimum) {
  for (const double rate : {20.0, 200.0}) {
    const QueueRules rules = DuelQueue(100, 50, kTick);
    const auto exact = MakeOpponent(OpponentKind::kExact, rules.window);
    SameTicks same(rules.window, *exact);
    PlayDuels(DuelScenario(rate, static_cast<Micros>(8'000 / rate) * kSecond), rules, same.watch());
    EXPECT_GE(static_cast<double>(same.ours.quality), 0.998 * static_cast<double>(same.theirs.quality));
    EXPECT_LE(same.ours.mean_gap(), 1.01 * same.theirs.mean_gap());
  }
}

// The windows are the best of a grid at that rate whose P95 is at most the target.
TEST(DuelSimulationTest, TargetWaitBeatsTheBestWindowAndKeepsThePromiseToTheTop) {
  struct Case {
    double rate, base, growth;
  };
  for (const Case& one : {Case{20, 26, 25}, Case{200, 2.6, 2.5}}) {
    SCOPED_TRACE(one.rate);
    const Scenario scenario = DuelScenario(one.rate, static_cast<Micros>(40'000 / one.rate) * kSecond);
    DuelHistory ours, fixed;
    PlayDuels(scenario, PatientQueue(kTarget, kTick), ours.watch());
    PlayDuels(scenario, DuelQueue(one.base, one.growth, kTick), fixed.watch());
    EXPECT_NEAR(ours.p95_wait({.from = kMinute}), 2.5, 0.25);
    EXPECT_NEAR(fixed.p95_wait({.from = kMinute}), 2.5, 0.1);
    EXPECT_LE(ours.mean_gap(kMinute), 0.9 * fixed.mean_gap(kMinute));
    const double middle = ours.p95_wait({.from = kMinute, .lowest = 1'462 * kPoint, .highest = 1'538 * kPoint});
    EXPECT_LE(ours.p95_wait({.from = kMinute, .lowest = 2'198 * kPoint}), 3 * middle);
  }
}

TEST(DuelSimulationTest, TargetIsKeptTwoMinutesAfterAJumpOfArrivals) {
  Scenario scenario = DuelScenario(20, 20 * kMinute);
  scenario.arrivals.bursts = {{6 * kMinute, 6 * kMinute, 10}};
  DuelHistory history;
  PlayDuels(scenario, PatientQueue(kTarget, kTick), history.watch());
  EXPECT_NEAR(history.p95_wait({.from = 8 * kMinute, .to = 12 * kMinute}), 2.5, 0.25);
  EXPECT_NEAR(history.p95_wait({.from = 14 * kMinute, .to = 20 * kMinute}), 2.5, 0.25);
}

}  // namespace
}  // namespace evenmatch
