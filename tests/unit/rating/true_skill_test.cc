#include "rating/true_skill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "tests/support/rated_game.h"

namespace evenmatch {
namespace {

constexpr TrueSkillParameters kPoints{
    .start = 1500, .start_deviation = 500, .beta = 240, .tau = 10, .draw_probability = 0.1, .points = 1};

TEST(TrueSkillTest, LopsidedGamesAreFiniteAndChangeNothing) {
  const TrueSkill true_skill(kPoints);
  for (const double deviation : {180.0, 181.0}) {
    const Rating strong{.mean = 3453, .deviation = 74}, weak{.mean = 38, .deviation = deviation};
    const auto after = RatedGame::Won(strong, weak).After(true_skill);
    EXPECT_NEAR(after[0][0].mean, 3453, 1e-6);
    EXPECT_NEAR(after[1][0].mean, 38, 1e-6);
    EXPECT_NEAR(after[0][0].deviation, std::hypot(74, 10), 1e-6);
    EXPECT_NEAR(after[1][0].deviation, std::hypot(deviation, 10), 1e-6);
  }
}

TEST(TrueSkillTest, UpsetsBeyondAllTailsAreFinite) {
  const TrueSkill duel({});
  // 1253 +- 1.3 beats 2038 +- 1.1: some implementations divide by 0 here.
  const Rating low{.mean = 1253, .deviation = 1.3}, high{.mean = 2038, .deviation = 1.1};
  const auto upset = RatedGame::Won(low, high).After(duel);
  EXPECT_TRUE(IsFinite(upset[0][0]) && IsFinite(upset[1][0]));
  EXPECT_GT(upset[0][0].mean, 1253);
  EXPECT_LT(upset[0][0].deviation, std::hypot(1.3, 25.0 / 300));
  for (double gap = 1; gap < 2e9; gap *= 1.5) {
    for (const std::vector<int32_t>& ranks :
         {std::vector<int32_t>{0, 1, 2}, {2, 1, 0}, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}}) {
      const auto after =
          RatedGame::Of(
              {{.mean = gap / 2, .deviation = 1}, {.mean = 0, .deviation = 100}, {.mean = -gap / 2, .deviation = 1e-3}},
              ranks)
              .After(duel);
      for (int i = 0; i < 3; ++i) ASSERT_TRUE(IsFinite(after[i][0])) << gap;
    }
  }
}

TEST(TrueSkillTest, MarginsWidenWithDrawProbability) {
  double last = -1;
  for (const double p : {0.0, 1e-9, 0.001, 0.1, 0.5, 0.999, std::nextafter(1.0, 0.0)}) {
    const TrueSkillParameters parameters{.draw_probability = p};
    ASSERT_TRUE(parameters.Check().ok()) << parameters.Check();
    const TrueSkill true_skill(parameters);
    EXPECT_GT(true_skill.Margin(2), last) << p;
    last = true_skill.Margin(2);
    const auto won = RatedGame::Won(true_skill.Start(), true_skill.Start()).After(true_skill);
    EXPECT_TRUE(IsFinite(won[0][0])) << p;
    EXPECT_GT(won[0][0].mean, won[1][0].mean) << p;
    if (p == 0) continue;
    const auto drawn = RatedGame::Drawn({.mean = 30, .deviation = 8}, true_skill.Start()).After(true_skill);
    EXPECT_TRUE(IsFinite(drawn[0][0])) << p;
    EXPECT_LE(drawn[0][0].mean, 30) << p;
  }
}

TEST(TrueSkillTest, DrawsAreRefusedWhereTheyCannotBe) {
  const TrueSkill true_skill({.draw_probability = 0});
  RatingUpdate update;
  const Rating start = true_skill.Start();
  const absl::Status status = true_skill.Update(RatedGame::Of({start, start, start}, {1, 0, 1}).Teams(), 0, &update);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_TRUE(true_skill.Update(RatedGame::Of({start, start, start}, {1, 0, 2}).Teams(), 0, &update).ok());
}

TEST(TrueSkillTest, TiedTeamsWithEqualRatingsEndEqualInEveryOrderOfInput) {
  const TrueSkill true_skill({});
  const Rating start = true_skill.Start();
  std::vector<int32_t> ranks = {1, 1, 2};
  do {
    const auto after = RatedGame::Of({start, start, start}, ranks).After(true_skill);
    std::vector<Rating> tied;
    for (int i = 0; i < 3; ++i) {
      if (ranks[i] == 1) tied.push_back(after[i][0]);
      EXPECT_NEAR(after[i][0].mean, ranks[i] == 1 ? 27.56 : 19.88, 0.3);
    }
    EXPECT_NEAR(tied[0].mean, tied[1].mean, 1e-9);
    EXPECT_NEAR(tied[0].deviation, tied[1].deviation, 1e-9);
  } while (std::next_permutation(ranks.begin(), ranks.end()));
}

// Neither of two tied teams stands nearer to those behind them, whichever is the stronger by a hair.
TEST(TrueSkillTest, TwoTiedTeamsAlmostEqualEndAlmostEqual) {
  const TrueSkill true_skill({});
  const auto after =
      RatedGame::Of({{.mean = 25, .deviation = 8}, {.mean = 25 + 1e-9, .deviation = 8}, true_skill.Start()}, {0, 0, 1})
          .After(true_skill);
  EXPECT_NEAR(after[0][0].mean, after[1][0].mean, 1e-6);
  EXPECT_NEAR(after[0][0].deviation, after[1][0].deviation, 1e-6);
}

TEST(TrueSkillTest, AFieldOfThousandPlayersWithOneGreatTieIsRated) {
  const TrueSkill true_skill({});
  std::vector<Rating> ratings(1000, true_skill.Start());
  std::vector<int32_t> ranks(1000, 1);
  ranks[500] = 0;
  const auto after = RatedGame::Of(ratings, ranks).After(true_skill);
  for (const auto& team : after) ASSERT_TRUE(IsFinite(team[0]));
  EXPECT_GT(after[500][0].mean, after[0][0].mean);
}

TEST(TrueSkillTest, MembersOfATeamShareTheChangeByTheirVariance) {
  const TrueSkill true_skill({});
  const RatedGame game{.players = {{{{.mean = 30, .deviation = 8}}, {{.mean = 20, .deviation = 2}, 0.5}},
                                   {{{.mean = 25, .deviation = 5}}, {{.mean = 25, .deviation = 1}}}},
                       .ranks = {1, 0}};
  const auto after = game.After(true_skill);
  const double tau2 = std::pow(25.0 / 300, 2);
  const auto pull = [&](int team, int player) {
    const auto& [before, weight] = game.players[team][player];
    return (after[team][player].mean - before.mean) / (weight * (before.deviation * before.deviation + tau2));
  };
  EXPECT_NEAR(pull(0, 0), pull(0, 1), 1e-12);
  EXPECT_NEAR(pull(0, 0), -pull(1, 0), 1e-12);
  EXPECT_NEAR(pull(0, 0), -pull(1, 1), 1e-12);
}

TEST(TrueSkillTest, ChancesOfTwoIncludeTheDraw) {
  const TrueSkill true_skill({});
  const Rating sure{.mean = 25, .deviation = 0};
  const auto chances = true_skill.WinProbability(RatedGame::Drawn(sure, sure).Teams());
  EXPECT_NEAR(chances->draw, 0.1, 1e-12);  // what the draw probability means
  EXPECT_NEAR(chances->first[0], 0.45, 1e-12);
}

TEST(TrueSkillTest, ChancesOfAFieldAreThoseOfTheBestPerformance) {
  // Quadrature with 60 digits of the integral of phi_i(x) prod Phi_j(x), at beta 25/6 and deviations 1, 2 and 3.
  const TrueSkill true_skill({});
  const auto chances = true_skill.WinProbability(
      RatedGame::Of({{.mean = 30, .deviation = 1}, {.mean = 25, .deviation = 2}, {.mean = 22, .deviation = 3}},
                    {0, 0, 0})
          .Teams());
  EXPECT_NEAR(chances->first[0], 0.72523459592858921, 1e-12);
  EXPECT_NEAR(chances->first[1], 0.19020757470300102, 1e-12);
  EXPECT_NEAR(chances->first[2], 0.084557829368409772, 1e-12);
  // Two of three far behind: as a duel without draws.
  const TrueSkill no_draws({.draw_probability = 0});
  const Rating a{.mean = 27, .deviation = 3}, b{.mean = 24, .deviation = 2}, far{.mean = -500, .deviation = 1};
  EXPECT_NEAR(no_draws.WinProbability(RatedGame::Of({a, b, far}, {0, 0, 0}).Teams())->first[0],
              no_draws.WinProbability(RatedGame::Of({a, b}, {0, 0}).Teams())->first[0], 1e-12);
}

TEST(TrueSkillTest, QualityFallsWithUncertaintyAndDoesNotUnderflow) {
  const TrueSkill true_skill({});
  const Rating start = true_skill.Start();
  EXPECT_NEAR(*true_skill.Quality(RatedGame::Drawn(start, start).Teams()), 0.4472135954999579, 1e-12);
  EXPECT_NEAR(*true_skill.Quality(RatedGame::Drawn({.mean = 25}, {.mean = 25}).Teams()), 1, 1e-12);
  EXPECT_EQ(*true_skill.Quality(RatedGame::Drawn({.mean = 1e9}, {.mean = -1e9}).Teams()), 0);
  const std::vector<Rating> field(100, start);
  EXPECT_GT(*true_skill.Quality(RatedGame::Of(field, std::vector<int32_t>(100, 0)).Teams()), 0);
}

TEST(TrueSkillTest, ValuesAreSixtyPointsAUnit) {
  const TrueSkill true_skill({});
  EXPECT_EQ(true_skill.MatchingValue(true_skill.Start()), (MatchingPoints{1500 * kPoint, 500 * kPoint}));
  const TrueSkill points(kPoints);
  EXPECT_EQ(points.MatchingValue(points.Start()), (MatchingPoints{1500 * kPoint, 500 * kPoint}));
}

}  // namespace
}  // namespace evenmatch
