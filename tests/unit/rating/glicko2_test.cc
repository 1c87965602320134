#include "rating/glicko2.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "tests/support/rated_game.h"

namespace evenmatch {
namespace {

constexpr double kUnit = 173.71779276130073;
constexpr double kEndless = std::numeric_limits<double>::infinity();

// How far f of step 5 is from 0, as a difference of the logarithm of the squared volatility.
double Residue(double phi, double volatility, double delta, double v, double tau, double solved) {
  const double x = std::log(solved * solved), a = std::log(volatility * volatility);
  const double sum = phi * phi + v + std::exp(x);
  return std::exp(x) * (delta * delta - sum) / (2 * sum * sum) * tau * tau - (x - a);
}

TEST(Glicko2Test, TheSearchForVolatilityEndsWhereOthersWentOnForEver) {
  int steps = 0;
  const double phi = 1.6120769827, sigma = 1.0902101512, delta = 19.0602605257, v = 25.9907448299;
  for (const double tau : {0.2, 0.3, 0.5, 0.75, 1.2}) {
    const auto solved = SolveVolatility(phi, sigma, delta, v, tau, Glicko2::kMostSteps, &steps);
    ASSERT_TRUE(solved) << tau;
    EXPECT_LT(steps, 50);
    EXPECT_NEAR(Residue(phi, sigma, delta, v, tau, *solved), 0, 1e-6);
  }
}

TEST(Glicko2Test, OfThreeRootsTheOneBesideTheOldVolatilityIsFound) {
  const Glicko2 glicko({.tau = 1.2,
                        .least_deviation = 0,
                        .least_volatility = 1e-9,
                        .largest_volatility = kEndless,
                        .largest_change = kEndless});
  const std::vector<PeriodGame> games(6, {.mean = 2300, .deviation = 40, .score = 1});
  const Rating after =
      glicko.AfterPeriod({.mean = 1500, .deviation = 40, .volatility = 0.06, .as_of = 0}, games, 0, nullptr);
  EXPECT_NEAR(after.volatility, 0.0630, 1e-4);  // the others: 0.393 and 22.8
}

TEST(Glicko2Test, AMillionSearchesEndWithinAHundredSteps) {
  Random random(20130);
  int most = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const double phi = std::exp(-5 + 8 * random.Unit()), sigma = std::exp(-6 + 7 * random.Unit());
    const double v = std::exp(-3 + 12 * random.Unit()), delta = std::exp(-6 + 14 * random.Unit());
    const double tau = 0.2 + 1.3 * random.Unit();
    int steps = 0;
    const auto solved = SolveVolatility(phi, sigma, delta, v, tau, Glicko2::kMostSteps, &steps);
    most = std::max(most, steps);
    ASSERT_TRUE(solved) << testing::Message() << "phi " << phi << " sigma " << sigma << " delta " << delta << " v " << v
                        << " tau " << tau;
    ASSERT_TRUE(std::isfinite(*solved) && *solved > 0);
  }
  EXPECT_LE(most, Glicko2::kMostSteps);
}

TEST(Glicko2Test, ASearchThatDoesNotEndSaysSo) {
  EXPECT_FALSE(SolveVolatility(1, 0.06, 3, 2, 0.5, 1, nullptr));
  EXPECT_FALSE(SolveVolatility(1, 0.06, kEndless, 2, 0.5, Glicko2::kMostSteps, nullptr));
}

TEST(Glicko2Test, IdleGrowthTakesThePlayersOwnVolatility) {
  const Glicko2 glicko({.period = kHour});
  const Rating calm{.deviation = 60, .volatility = 0.03, .as_of = 0},
      wild{.deviation = 60, .volatility = 0.09, .as_of = 0};
  const double calm_after = glicko.At(calm, 30 * kHour).deviation, wild_after = glicko.At(wild, 30 * kHour).deviation;
  EXPECT_NEAR(calm_after, std::sqrt(60 * 60 + 30 * std::pow(0.03 * kUnit, 2)), 1e-9);
  EXPECT_NEAR(wild_after, std::sqrt(60 * 60 + 30 * std::pow(0.09 * kUnit, 2)), 1e-9);
  EXPECT_GT(wild_after, calm_after);
}

TEST(Glicko2Test, APeriodWithoutGamesOnlyGrowsTheDeviation) {
  const Glicko2 glicko({.period = kHour});
  const Rating before{.mean = 1700, .deviation = 60, .volatility = 0.06, .games = 9, .as_of = 0};
  const Rating after = glicko.AfterPeriod(before, {}, kHour, nullptr);
  EXPECT_EQ(after, glicko.At(before, kHour));
  EXPECT_EQ(after.mean, 1700);
  EXPECT_EQ(after.games, 9u);
}

TEST(Glicko2Test, TwoEqualPlayersStayWhereTheyAreForThreeHundredThousandGames) {
  const Glicko2 glicko({.period = kHour});
  Random random(109);
  Rating one = glicko.Start(), other = glicko.Start();
  RatingUpdate update;
  double drift = 0;
  for (int game = 1; game <= 300'000; ++game) {
    const bool first = random.Next() & 1;
    const RatedPlayer players[] = {{one}, {other}};
    const RatedTeam teams[] = {{{&players[0], 1}, first ? 0 : 1}, {{&players[1], 1}, first ? 1 : 0}};
    ASSERT_TRUE(glicko.Update(teams, game * kHour, &update).ok());
    one = update.ratings[0];
    other = update.ratings[1];
    ASSERT_NEAR(one.mean, 1500, 300) << game;
    ASSERT_NEAR(other.mean, 1500, 300) << game;
    ASSERT_GE(one.deviation, 30);
    drift += (one.mean + other.mean) / 2 - 1500;
  }
  EXPECT_LT(std::abs(drift / 300'000), 1);
  EXPECT_EQ(update.volatilities_kept, 0);
}

TEST(Glicko2Test, BoundsHoldWhateverHappens) {
  const Glicko2 glicko({});
  const Rating weak{.mean = 0, .deviation = 350, .volatility = 0.1, .as_of = 0};
  const Rating strong{.mean = 6000, .deviation = 30, .volatility = 0.06, .as_of = 0};
  const auto after = RatedGame::Won(weak, strong).After(glicko, kHour);
  EXPECT_EQ(after[0][0].mean, 700);
  EXPECT_LE(after[0][0].volatility, 0.1);
  EXPECT_GE(after[1][0].deviation, 30);
}

TEST(Glicko2Test, GapsBeyondEverySurpriseSayNothingAndBreakNothing) {
  const Glicko2 glicko({});
  const Glicko2 paper(
      {.least_deviation = 0, .least_volatility = 1e-9, .largest_volatility = kEndless, .largest_change = kEndless});
  for (const Glicko2* system : {&glicko, &paper}) {
    for (double gap = 1; gap < 2e9; gap *= 1.7) {
      for (const double deviation : {0.0, 1e-6, 30.0, 350.0, 1e6}) {
        const Rating low{.mean = -gap / 2, .deviation = deviation, .volatility = 0.06, .as_of = 0};
        const Rating high{.mean = gap / 2, .deviation = deviation, .volatility = 0.06, .as_of = 0};
        RatingUpdate update;
        const auto after = RatedGame::Won(low, high).After(*system, kHour, &update);
        ASSERT_TRUE(IsFinite(after[0][0]) && IsFinite(after[1][0])) << gap << " " << deviation;
        ASSERT_GE(after[0][0].mean, low.mean);
        // Beyond 40'000 points the formulas have no digits left to tell a surprise by.
        if (gap > 1e6 && deviation < 1e3) {
          ASSERT_EQ(after[0][0].mean, low.mean);
          ASSERT_EQ(update.volatilities_kept, 0);
        }
      }
    }
  }
}

TEST(Glicko2Test, ARatingWithoutVolatilityHasTheStarts) {
  const Glicko2 glicko({});
  const Rating with{.mean = 1500, .deviation = 100, .volatility = 0.06, .as_of = 0};
  const Rating without{.mean = 1500, .deviation = 100, .as_of = 0};
  EXPECT_EQ(RatedGame::Won(without, with).After(glicko)[0][0], RatedGame::Won(with, with).After(glicko)[0][0]);
}

}  // namespace
}  // namespace evenmatch
