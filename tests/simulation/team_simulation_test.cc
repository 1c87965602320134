// Worlds of teams in virtual time: what tests/benchmark/team_proof prints at length must not get worse.

#include "tests/support/team_world.h"

namespace evenmatch {
namespace {

// Fifty players a second in parties of one to five, tick 500 ms, a target of 8 s.
TEST(TeamSimulationTest, GamesAreEvenAndNearlyAsCompactAsNeighboursWithinTheTarget) {
  TeamWorld world;
  world.rules.target_wait_p95 = 8 * kSecond;
  world.warm_up = 2 * kMinute;
  world.duration = 10 * kMinute;
  world.check_splits = true;
  const TeamOutcome outcome = PlayTeams(world);
  EXPECT_GT(outcome.matches, 2'800u);
  EXPECT_GE(outcome.percent_even(), 95);
  EXPECT_LE(outcome.mean_spread(), 1.1 * outcome.mean_neighbours());
  EXPECT_LE(outcome.mean_spread(), 40);
  EXPECT_NEAR(outcome.p95_wait(), 8, 0.8);
  EXPECT_EQ(outcome.split_misses, 0u);
}

TEST(TeamSimulationTest, WithoutTargetWhoFitsPlaysAtOnce) {
  TeamWorld world;
  world.duration = 5 * kMinute;
  world.check_splits = true;
  const TeamOutcome outcome = PlayTeams(world);
  EXPECT_LE(outcome.mean_spread(), 1.1 * outcome.mean_neighbours());
  EXPECT_LE(outcome.p95_wait(), 4.5);
  EXPECT_GE(outcome.percent_even(), 85);
  EXPECT_GE(outcome.mean_quality(), 6'400);
  EXPECT_EQ(outcome.split_misses, 0u);
}

TEST(TeamSimulationTest, PlayersFilledInAreSharedByTheTeams) {
  TeamWorld world;
  world.rules.target_wait_p95 = 8 * kSecond;
  world.rules.roles.roles = {{"tank", 1}, {"heal", 1}, {"damage", 3}};
  world.rules.roles.fill_after = 4 * kSecond;
  world.wanted = {14, 14, 72};
  const TeamOutcome outcome = PlayTeams(world);
  EXPECT_GT(outcome.matches, 1'300u);
  EXPECT_GT(outcome.fills, 100u);
  EXPECT_GE(static_cast<double>(outcome.fills_levelled), 0.99 * static_cast<double>(outcome.matches));
  EXPECT_LE(outcome.p95_wait(), 10);
}

}  // namespace
}  // namespace evenmatch
