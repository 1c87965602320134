// The face that all systems share: what is refused, and how.
#include "rating/systems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/random.h"
#include "tests/support/rated_game.h"

namespace evenmatch {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kEndless = std::numeric_limits<double>::infinity();

void ExpectRefused(const RatingParameters& parameters, const std::string& field) {
  const auto system = MakeRatingSystem(parameters);
  EXPECT_EQ(system.status().code(), absl::StatusCode::kInvalidArgument) << field;
  EXPECT_EQ(std::string(system.status().message()).find(field), 0u) << system.status();
}

TEST(SystemsTest, DefaultsAreValid) {
  for (const RatingParameters& parameters :
       {RatingParameters(NoRatingParameters()), RatingParameters(EloParameters()), RatingParameters(GlickoParameters()),
        RatingParameters(Glicko2Parameters()), RatingParameters(TrueSkillParameters()),
        RatingParameters(WengLinParameters())}) {
    EXPECT_TRUE(MakeRatingSystem(parameters).ok());
  }
}

TEST(SystemsTest, AWrongParameterIsNamed) {
  for (const double p : {1.0, -1.0, kNan, kEndless}) {
    ExpectRefused(TrueSkillParameters{.draw_probability = p}, "draw_probability: must be 0 or more and below 1, is ");
  }
  ExpectRefused(TrueSkillParameters{.beta = 0}, "beta: ");
  ExpectRefused(TrueSkillParameters{.tau = -1}, "tau: ");
  ExpectRefused(TrueSkillParameters{.start_deviation = kEndless}, "start_deviation: ");
  ExpectRefused(EloParameters{.scale = 0}, "scale: ");
  ExpectRefused(EloParameters{.settled = {}}, "settled: ");
  ExpectRefused(EloParameters{.settled = {{.below = 2000, .k = 20}}}, "settled.below: ");
  ExpectRefused(EloParameters{.settled = {{.below = 2000, .k = 20}, {.below = 1000, .k = 9}, {}}}, "settled.below: ");
  ExpectRefused(EloParameters{.settled = {{.k = kNan}}}, "settled.k: ");
  ExpectRefused(EloParameters{.floor = 1600}, "floor: ");
  ExpectRefused(GlickoParameters{.period = 0}, "period: ");
  ExpectRefused(GlickoParameters{.least_deviation = 400}, "least_deviation: ");
  ExpectRefused(Glicko2Parameters{.tau = kNan}, "tau: ");
  ExpectRefused(Glicko2Parameters{.start_volatility = 0.2}, "start_volatility: ");
  ExpectRefused(Glicko2Parameters{.least_volatility = 0}, "least_volatility: ");
  ExpectRefused(WengLinParameters{.kappa = 0}, "kappa: ");
  ExpectRefused(WengLinParameters{.points = -60}, "points: ");
}

TEST(SystemsTest, BadGamesAreRefusedByPlaceAndWriteNothing) {
  const Rating good{.mean = 1500, .deviation = 100, .volatility = 0.06};
  const auto with = [&](Rating rating, double weight = 1) {
    return RatedGame{.players = {{{good}}, {{good}, {rating, weight}}}, .ranks = {0, 1}};
  };
  const std::pair<RatedGame, std::string> kBad[] = {
      {RatedGame{}, "teams: needs two or more, has 0"},
      {RatedGame::Of({good}, {0}), "teams: needs two or more, has 1"},
      {RatedGame{.players = {{{good}}, {}}, .ranks = {0, 1}}, "teams[1].players: "},
      {RatedGame{.players = {{{good, 0}}, {{good}}}, .ranks = {0, 1}}, "teams[0].players: "},
      {with({.mean = kNan}), "teams[1].players[1].rating.mean: "},
      {with({.mean = 2e9}), "teams[1].players[1].rating.mean: "},
      {with({.mean = -kEndless}), "teams[1].players[1].rating.mean: "},
      {with({.deviation = -1}), "teams[1].players[1].rating.deviation: "},
      {with({.deviation = kNan}), "teams[1].players[1].rating.deviation: "},
      {with({.volatility = kEndless}), "teams[1].players[1].rating.volatility: "},
      {with(good, -0.1), "teams[1].players[1].weight: "},
      {with(good, 1.1), "teams[1].players[1].weight: "},
      {with(good, kNan), "teams[1].players[1].weight: "},
  };
  for (const RatingParameters& parameters :
       {RatingParameters(EloParameters()), RatingParameters(Glicko2Parameters()),
        RatingParameters(TrueSkillParameters()), RatingParameters(NoRatingParameters())}) {
    const auto system = *MakeRatingSystem(parameters);
    for (const auto& [game, place] : kBad) {
      RatingUpdate update{.ratings = {{.mean = 7}}, .volatilities_kept = 3};
      const absl::Status status = system->Update(game.Teams(), 0, &update);
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_EQ(std::string(status.message()).find(place), 0u) << status << " for " << place;
      EXPECT_EQ(update.ratings.size(), 1u);
      EXPECT_EQ(update.volatilities_kept, 3);
      EXPECT_FALSE(system->WinProbability(game.Teams()).ok());
      EXPECT_FALSE(system->Quality(game.Teams()).ok());
    }
  }
}

TEST(SystemsTest, NoRatingKnowsNobodyAndChangesOnlyTheCount) {
  const auto none = *MakeRatingSystem(NoRatingParameters());
  const auto after = RatedGame::Won({.mean = 1}, {.mean = 9}).After(*none, 5);
  EXPECT_EQ(after[0][0], (Rating{.mean = 1, .games = 1, .as_of = 5}));
  const auto teams = RatedGame::Of({{}, {}, {}, {}}, {0, 0, 0, 0});
  EXPECT_EQ(none->WinProbability(teams.Teams())->first, std::vector<double>(4, 0.25));
  EXPECT_EQ(*none->Quality(teams.Teams()), 1);
  EXPECT_EQ(none->MatchingValue(after[1][0]), MatchingPoints{});
}

TEST(SystemsTest, EveryStartIsTheSameStrengthForMatching) {
  for (const RatingParameters& parameters :
       {RatingParameters(EloParameters()), RatingParameters(GlickoParameters()), RatingParameters(Glicko2Parameters()),
        RatingParameters(TrueSkillParameters()), RatingParameters(WengLinParameters())}) {
    const auto system = *MakeRatingSystem(parameters);
    EXPECT_EQ(system->MatchingValue(system->Start()).value, 1500 * kPoint);
    EXPECT_EQ(system->MatchingValue({.mean = 1e9, .deviation = 1e9}).value, kMaxValue);
    EXPECT_EQ(system->MatchingValue({.mean = -1e9}).value, -kMaxValue);
  }
}

// The drift of the mean of forty players after a thousand games of four, all equally strong, in start deviations.
double Drift(const RatingSystem& system, uint64_t seed) {
  Random random(seed);
  std::vector<Rating> players(40, system.Start());
  for (int round = 0; round < 1000; ++round) {
    std::vector<size_t> seats;
    std::vector<Rating> ratings;
    while (seats.size() < 4) {
      const size_t player = random.Below(players.size());
      if (std::find(seats.begin(), seats.end(), player) != seats.end()) continue;
      seats.push_back(player);
      ratings.push_back(players[player]);
    }
    const auto after = RatedGame::Of(ratings, {0, 1, 2, 3}).After(system);
    for (int i = 0; i < 4; ++i) players[seats[i]] = after[i][0];
  }
  double sum = 0;
  for (const Rating& player : players) sum += player.mean - system.Start().mean;
  return sum / 40 / system.Start().deviation;
}

// Systems with deviations do not keep a sum: one league wanders by some hundredths, but not to one side. Plackett-Luce
// falls by three hundredths a hundred games each, and never rises.
TEST(SystemsTest, FieldsOfFourDoNotInflateALeague) {
  const auto mean_drift = [](const RatingParameters& parameters) {
    const auto system = *MakeRatingSystem(parameters);
    double sum = 0;
    for (int league = 0; league < 100; ++league) sum += Drift(*system, league);
    return sum / 100;
  };
  EXPECT_NEAR(mean_drift(TrueSkillParameters()), 0, 0.01);
  EXPECT_NEAR(mean_drift(WengLinParameters()), 0, 0.01);
  EXPECT_NEAR(mean_drift(GlickoParameters()), 0, 0.01);
  EXPECT_NEAR(mean_drift(WengLinParameters{.model = WengLinModel::kPlackettLuce}), -0.035, 0.01);
}

TEST(SystemsTest, ScoresBecomeRanksFromTheBest) {
  EXPECT_EQ(RanksOfScores(std::vector<double>{3, 7, -1, 7, 0}), (std::vector<int32_t>{2, 0, 4, 0, 3}));
  EXPECT_TRUE(RanksOfScores({}).empty());
}

}  // namespace
}  // namespace evenmatch
