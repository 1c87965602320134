#include "rating/weng_lin.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/rated_game.h"

namespace evenmatch {
namespace {

TEST(WengLinTest, BothModelsAreOneForTwoTeams) {
  const WengLin bradley_terry({.model = WengLinModel::kBradleyTerry}),
      plackett_luce({.model = WengLinModel::kPlackettLuce});
  const RatedGame game{
      .players = {{{{.mean = 30, .deviation = 8}}, {{.mean = 20, .deviation = 2}}}, {{{.mean = 25, .deviation = 5}}}},
      .ranks = {1, 0}};
  const auto one = game.After(bradley_terry), other = game.After(plackett_luce);
  for (const auto& [team, player] : {std::pair{0, 0}, {0, 1}, {1, 0}}) {
    EXPECT_NEAR(one[team][player].mean, other[team][player].mean, 1e-12);
    EXPECT_NEAR(one[team][player].deviation, other[team][player].deviation, 1e-12);
  }
}

TEST(WengLinTest, ALateJoinerMovesLess) {
  const WengLin weng_lin({});
  const Rating start = weng_lin.Start();
  const RatedGame game{.players = {{{start}, {start, 0.5}, {start, 0}}, {{start}, {start}}}, .ranks = {0, 1}};
  const auto after = game.After(weng_lin);
  const double full = after[0][0].mean - 25, half = after[0][1].mean - 25;
  EXPECT_NEAR(half, full / 2, 1e-12);
  EXPECT_GT(half, 0);
  EXPECT_EQ(after[0][2].mean, 25);
  EXPECT_NEAR(after[0][2].deviation, std::hypot(25.0 / 3, 25.0 / 300), 1e-12);
}

TEST(WengLinTest, TheLimitKeepsDeviationsFromGrowing) {
  const WengLin free({.tau = 1}), limited({.tau = 1, .limit_deviation = true});
  const Rating strong{.mean = 60, .deviation = 1}, weak{.mean = 0, .deviation = 1};
  EXPECT_GT(RatedGame::Won(strong, weak).After(free)[0][0].deviation, 1);
  EXPECT_EQ(RatedGame::Won(strong, weak).After(limited)[0][0].deviation, 1);
}

TEST(WengLinTest, NoGameLeavesAVarianceNegative) {
  const WengLin weng_lin({.beta = 1e-3, .tau = 0});
  std::vector<Rating> ratings(64, {.mean = 25, .deviation = 100});
  std::vector<int32_t> ranks(64);
  for (int i = 0; i < 64; ++i) ranks[i] = i;
  for (const auto& team : RatedGame::Of(ratings, ranks).After(weng_lin)) {
    EXPECT_TRUE(IsFinite(team[0]));
    EXPECT_GE(team[0].deviation, 100 * std::sqrt(1e-4) * (1 - 1e-12));
  }
}

}  // namespace
}  // namespace evenmatch
