#include "rating/elo.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/rated_game.h"

namespace evenmatch {
namespace {

constexpr Micros kDay = 24 * kHour;

Rating Settled(double mean, Micros as_of = 0) { return {.mean = mean, .games = 1000, .as_of = as_of}; }

TEST(EloTest, NewcomersMoveTwiceAsMuchAsSettledPlayers) {
  const Elo elo({});
  const auto after =
      RatedGame::Won({.mean = 1500, .games = 29, .as_of = 0}, {.mean = 1500, .games = 30, .as_of = 0}).After(elo, kDay);
  EXPECT_EQ(after[0][0].mean, 1532);
  EXPECT_EQ(after[0][0].games, 30u);
  EXPECT_EQ(after[1][0].mean, 1484);
}

TEST(EloTest, WhoReturnsAfterALongBreakMovesMoreForTenGames) {
  const Elo elo({});
  Rating back = Settled(1500);
  Micros now = 90 * kDay;
  for (int game = 0; game < 12; ++game, now += kHour) {
    SCOPED_TRACE(game);
    const Rating before = back;
    back = RatedGame::Won(before, Settled(before.mean, now)).After(elo, now)[0][0];
    EXPECT_DOUBLE_EQ(back.mean - before.mean, game < 10 ? 32 : 16);
  }
  // A microsecond less is no break.
  EXPECT_EQ(elo.K(Settled(1500), 90 * kDay - 1), 32);
  EXPECT_EQ(elo.K({.mean = 1500, .games = 1000}, 90 * kDay), 32);  // never played here, but settled elsewhere
}

TEST(EloTest, TiersOfSettledPlayersBeginAtTheirEdge) {
  const EloParameters parameters{.newcomer_k = 40, .settled = {{.below = 2400, .k = 20}, {.k = 10}}};
  ASSERT_TRUE(parameters.Check().ok()) << parameters.Check();
  const Elo elo(parameters);
  EXPECT_EQ(elo.K({.mean = 2500, .games = 0}, 0), 40);
  EXPECT_EQ(elo.K(Settled(std::nextafter(2400, 0)), 0), 20);
  EXPECT_EQ(elo.K(Settled(2400), 0), 10);
}

TEST(EloTest, ARightfulWinnerGainsEvenLittle) {
  const Elo elo({.newcomer_games = 0});
  const auto after = RatedGame::Won(Settled(1802), Settled(1186)).After(elo);
  EXPECT_GT(after[0][0].mean, 1802);
  EXPECT_LT(after[0][0].mean, 1803);
  EXPECT_NEAR(after[0][0].mean + after[1][0].mean, 1802 + 1186, 1e-9);
}

TEST(EloTest, FortyPlayersAtOnceAllMoveAndTheSumStays) {
  const Elo elo({});
  std::vector<Rating> ratings;
  std::vector<int32_t> ranks;
  double before = 0;
  for (int i = 0; i < 40; ++i) {
    ratings.push_back({.mean = 1000.0 + 37 * (i % 11)});
    ranks.push_back((i * 7) % 40);
    before += ratings.back().mean;
  }
  const auto after = RatedGame::Of(ratings, ranks).After(elo);
  double sum = 0;
  for (int i = 0; i < 40; ++i) {
    EXPECT_GT(std::abs(after[i][0].mean - ratings[i].mean), 1e-3) << i;
    EXPECT_LE(std::abs(after[i][0].mean - ratings[i].mean), 64) << i;
    sum += after[i][0].mean;
  }
  EXPECT_NEAR(sum, before, 1e-6);
}

TEST(EloTest, MembersOfATeamMoveAlikeByTheMeanOfTheTeam) {
  const Elo elo({});
  RatedGame game{.players = {{{{.mean = 1600}}, {{.mean = 1400}}}, {{{.mean = 1500}}, {{.mean = 1500}}}},
                 .ranks = {0, 1}};
  const auto after = game.After(elo);
  EXPECT_EQ(after[0][0].mean, 1632);
  EXPECT_EQ(after[0][1].mean, 1432);
  EXPECT_EQ(after[1][0].mean, 1468);
}

TEST(EloTest, UnequalTeamsShareWhatTheyExchange) {
  const Elo elo({});
  RatedGame game{.players = {{{{.mean = 1500}}}, {{{.mean = 1500}}, {{.mean = 1500}, 0.5}, {{.mean = 1500}, 0}}},
                 .ranks = {0, 1}};
  const auto after = game.After(elo);
  EXPECT_DOUBLE_EQ(after[0][0].mean, 1532);
  EXPECT_DOUBLE_EQ(after[1][0].mean, 1500 - 32 / 1.5);
  EXPECT_DOUBLE_EQ(after[1][1].mean, 1500 - 16 / 1.5);
  EXPECT_EQ(after[1][2], Rating{.mean = 1500});  // did not play
}

TEST(EloTest, NoResultLeadsBelowTheFloorAndNoneLiftsToIt) {
  const Elo elo({.floor = 1000});
  EXPECT_EQ(RatedGame::Won({.mean = 1000}, {.mean = 1010}).After(elo)[1][0].mean, 1000);
  EXPECT_EQ(RatedGame::Won({.mean = 1000}, {.mean = 900}).After(elo)[1][0].mean, 900);
}

TEST(EloTest, WiderGapsCountAsTheClamp) {
  const Elo elo({.max_gap = 400});
  EXPECT_NEAR(RatedGame::Won({.mean = 3000}, {.mean = 1000}).After(elo)[0][0].mean - 3000, 64.0 / 11, 1e-9);
}

TEST(EloTest, AResultToldLateDoesNotTurnTheClockBack) {
  const Elo elo({});
  EXPECT_EQ(RatedGame::Won(Settled(1500, 100 * kDay), Settled(1500, kDay)).After(elo, 2 * kDay)[0][0].as_of,
            100 * kDay);
}

TEST(EloTest, AFieldIsChosenFromInProportionToStrength) {
  const Elo elo({});
  const auto chances =
      elo.WinProbability(RatedGame::Of({{.mean = 1900}, {.mean = 1500}, {.mean = 1500}}, {0, 0, 0}).Teams());
  EXPECT_NEAR(chances->first[0], 10.0 / 12, 1e-12);
  EXPECT_NEAR(chances->first[1], 1.0 / 12, 1e-12);
}

}  // namespace
}  // namespace evenmatch
