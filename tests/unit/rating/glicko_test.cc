#include "rating/glicko.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rating/glicko2.h"
#include "tests/support/rated_game.h"

namespace evenmatch {
namespace {

constexpr Micros kDay = 24 * kHour;

TEST(GlickoTest, IdleTimeGrowsDeviationsToTheCapAndNoFurther) {
  const Glicko glicko({});
  const Rating rating{.mean = 1500, .deviation = 50, .as_of = 0};
  EXPECT_NEAR(glicko.At(rating, 100 * kDay).deviation, 350, 1);
  EXPECT_EQ(glicko.At(rating, 1000 * kDay).deviation, 350);
  EXPECT_EQ(glicko.At({.deviation = 50}, 1000 * kDay).deviation, 50);  // never played: nothing to grow from
}

TEST(GlickoTest, GrowthComposes) {
  const Glicko glicko({});
  const Glicko2 glicko2({});
  const Rating rating{.mean = 1500, .deviation = 60, .volatility = 0.07, .as_of = 5};
  for (const RatingSystem* system :
       {static_cast<const RatingSystem*>(&glicko), static_cast<const RatingSystem*>(&glicko2)}) {
    Rating steps = rating;
    for (int day = 1; day <= 30; ++day) steps = system->At(steps, day * kDay);
    EXPECT_NEAR(steps.deviation, system->At(rating, 30 * kDay).deviation, 1e-9);
    EXPECT_EQ(system->At(steps, 30 * kDay), steps);
    EXPECT_EQ(system->At(steps, 3 * kDay), steps);
  }
}

TEST(GlickoTest, AGameIsAPeriodOfOneGameAgainstAnOpponentWhoHasGrownToo) {
  const Glicko glicko({});
  const Rating one{.mean = 1500, .deviation = 80, .as_of = 0}, other{.mean = 1600, .deviation = 100, .as_of = kDay};
  const auto after = RatedGame::Won(one, other).After(glicko, 10 * kDay);
  const PeriodGame seen{.mean = 1600, .deviation = glicko.At(other, 10 * kDay).deviation, .score = 1};
  const Rating period = glicko.AfterPeriod(one, {&seen, 1}, 10 * kDay);
  EXPECT_NEAR(after[0][0].mean, period.mean, 1e-9);
  EXPECT_NEAR(after[0][0].deviation, period.deviation, 1e-9);
  EXPECT_EQ(after[0][0].as_of, 10 * kDay);
}

TEST(GlickoTest, ABusyPlayerDoesNotFreeze) {
  const Glicko glicko({});
  Rating one = glicko.Start(), other = glicko.Start();
  for (int game = 0; game < 2'000; ++game) {
    const auto after = RatedGame::Of({one, other}, {game % 2, 1 - game % 2}).After(glicko, game);
    one = after[0][0];
    other = after[1][0];
  }
  EXPECT_EQ(one.deviation, 30);
  EXPECT_GT(std::abs(RatedGame::Won(one, other).After(glicko)[0][0].mean - one.mean), 1);
}

TEST(GlickoTest, GapsBeyondEverySurpriseSayNothing) {
  const Glicko glicko({});
  const auto after = RatedGame::Won({.mean = -1e6, .deviation = 100}, {.mean = 1e6, .deviation = 100}).After(glicko);
  EXPECT_EQ(after[0][0].mean, -1e6);
  EXPECT_EQ(after[0][0].deviation, 100);
}

TEST(GlickoTest, MembersOfATeamLearnLessThanADuellist) {
  const Glicko glicko({});
  const Rating start = glicko.Start();
  const auto duel = RatedGame::Won(start, start).After(glicko);
  const RatedGame game{.players = {{{start}, {start}}, {{start}, {start}}}, .ranks = {0, 1}};
  const auto after = game.After(glicko);
  EXPECT_LT(after[0][0].mean, duel[0][0].mean);
  EXPECT_GT(after[0][0].mean, 1500);
  EXPECT_GT(after[0][0].deviation, duel[0][0].deviation);
  EXPECT_EQ(after[0][0], after[0][1]);
  EXPECT_NEAR(after[0][0].mean + after[1][0].mean, 3000, 1e-9);
}

TEST(GlickoTest, ADifferenceOfTeamsCountsMoreTheMoreMembersAverageTheirLuck) {
  const Glicko glicko({});
  const RatedGame teams{.players = {{{{.mean = 1650}}, {{.mean = 1550}}, {{.mean = 1600}}, {{.mean = 1600}}},
                                    {{{.mean = 1500}}, {{.mean = 1500}}, {{.mean = 1400}}, {{.mean = 1600}}}},
                        .ranks = {0, 1}};
  EXPECT_NEAR(glicko.WinProbability(teams.Teams())->first[0], 1 / (1 + std::pow(10, -200.0 / 400)), 1e-12);
}

// Members learn the derivative of the teams' log-likelihood.
TEST(GlickoTest, AMemberFollowsTheGradientOfTheTeamsResult) {
  const Glicko glicko({.growth = 0, .least_deviation = 0});
  const double tiny = 1e-3;  // of deviations, so that a step is the gradient times the variance
  RatedGame game{.players = {{{{.mean = 1650, .deviation = tiny}}, {{.mean = 1400, .deviation = tiny}, 0.5}},
                             {{{.mean = 1500, .deviation = tiny}}}},
                 .ranks = {1, 0}};
  const auto after = game.After(glicko);
  const auto loss = [&](double shift) {
    RatedGame moved = game;
    moved.players[0][0].rating.mean += shift;
    return std::log(glicko.WinProbability(moved.Teams())->first[1]);
  };
  const double gradient = (loss(1e-3) - loss(-1e-3)) / 2e-3;
  EXPECT_NEAR((after[0][0].mean - 1650) / (tiny * tiny), gradient, std::abs(gradient) * 1e-4);
}

TEST(GlickoTest, AFieldTellsLessThanAllItsDuels) {
  const Glicko glicko({});
  const Rating start = glicko.Start();
  std::vector<Rating> ratings(8, start);
  const auto after = RatedGame::Of(ratings, {0, 1, 2, 3, 4, 5, 6, 7}).After(glicko);
  // Of eight equals an order is worth 4 (8 - H_8) / 8 = 2.641 duels.
  const PeriodGame drawn{.mean = 1500, .deviation = 350, .score = 0.5, .weight = 2.6410714285714287};
  EXPECT_NEAR(after[3][0].deviation, glicko.AfterPeriod(start, {&drawn, 1}, 0).deviation, 1e-9);
  for (int i = 1; i < 8; ++i) EXPECT_LT(after[i][0].mean, after[i - 1][0].mean);
}

}  // namespace
}  // namespace evenmatch
