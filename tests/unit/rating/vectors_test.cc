// Every system against published values, recomputed to fifty digits.
#include "tests/unit/rating/vectors.h"

#include <limits>

#include "rating/systems.h"

namespace evenmatch {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

std::vector<PeriodGame> GamesOf(const YAML::Node& vector) {
  std::vector<PeriodGame> games;
  for (const YAML::Node& game : vector["games"]) {
    games.push_back({.mean = game["rating"].as<double>(),
                     .deviation = game["rd"] ? game["rd"].as<double>() : 0,
                     .score = game["score"].as<double>()});
  }
  return games;
}

TEST(VectorsTest, EloMeetsTheExactValuesAndThePublishedOnesWithinTheirRounding) {
  ForEachVector("elo.json", 7, [](const YAML::Node& vector) {
    const double k = vector["params"]["k"].as<double>();
    const Elo elo({.scale = vector["params"]["scale"].as<double>(), .newcomer_k = k});
    const double rating = vector["player"]["rating"].as<double>();
    const auto games = GamesOf(vector);
    const Rating after = elo.AfterPeriod({.mean = rating}, games, 0);
    ExpectNear(after.mean, vector["expected_exact"]["rating"]);
    EXPECT_NEAR(after.mean, vector["expected"]["rating"].as<double>(), vector["tolerance"]["rating_abs"].as<double>());
    double expected_score = 0;
    for (const PeriodGame& game : games) {
      const RatedPlayer self{.rating = {.mean = rating}}, other{.rating = {.mean = game.mean}};
      const RatedTeam teams[] = {{{&self, 1}}, {{&other, 1}}};
      expected_score += elo.WinProbability(teams)->first[0];
    }
    ExpectNear(expected_score, vector["expected_exact"]["expected_score"]);
    return true;
  });
}

TEST(VectorsTest, GlickoMeetsTheExactValuesAndThePublishedOnesWithinTheirRounding) {
  ForEachVector("glicko.json", 4, [](const YAML::Node& vector) {
    const YAML::Node player = vector["player"];
    const Rating before{.mean = player["rating"].as<double>(), .deviation = player["rd"].as<double>(), .as_of = 0};
    if (const YAML::Node opponent = vector["opponent"]) {
      const Glicko glicko({});
      const RatedPlayer self{before};
      const RatedPlayer other{{.mean = opponent["rating"].as<double>(), .deviation = opponent["rd"].as<double>()}};
      const RatedTeam teams[] = {{{&self, 1}}, {{&other, 1}}};
      ExpectNear(glicko.WinProbability(teams)->first[0], vector["expected_exact"]["expected_score"]);
      return true;
    }
    const YAML::Node params = vector["params"];
    const Glicko glicko({.start_deviation = params["rd_max"].as<double>(),
                         .growth = params["c"].as<double>(),
                         .period = kHour,
                         .least_deviation = 0});
    const Rating after =
        glicko.AfterPeriod(before, GamesOf(vector), static_cast<Micros>(params["periods"].as<double>() * kHour));
    ExpectNear(after.mean, vector["expected_exact"]["rating"]);
    ExpectNear(after.deviation, vector["expected_exact"]["rd"]);
    EXPECT_NEAR(after.mean, vector["expected"]["rating"].as<double>(), vector["tolerance"]["rating_abs"].as<double>());
    EXPECT_NEAR(after.deviation, vector["expected"]["rd"].as<double>(), vector["tolerance"]["rd_abs"].as<double>());
    return true;
  });
}

TEST(VectorsTest, Glicko2MeetsTheExactValuesAndThePublishedOnesWithinTheirRounding) {
  ForEachVector("glicko2.json", 18, [](const YAML::Node& vector) {
    const YAML::Node params = vector["params"];
    const YAML::Node player = vector["player"];
    const Glicko2 glicko({.start_deviation = 1000,
                          .tau = params["tau"].as<double>(),
                          .period = kHour,
                          .least_deviation = 0,
                          .least_volatility = 1e-9,
                          .largest_volatility = kEndless,
                          .largest_change = kEndless});
    const Rating before{.mean = player["rating"].as<double>(),
                        .deviation = player["rd"].as<double>(),
                        .volatility = player["volatility"].as<double>(),
                        .as_of = 0};
    int kept = 0;
    const Rating after =
        glicko.AfterPeriod(before, GamesOf(vector), static_cast<Micros>(params["periods"].as<double>() * kHour), &kept);
    EXPECT_EQ(kept, 0);
    const YAML::Node exact = vector["expected_exact"];
    ExpectNear(after.mean, exact["rating"]);
    ExpectNear(after.deviation, exact["rd"]);
    ExpectNear(after.volatility, exact["volatility"]);
    const YAML::Node tolerance = vector["tolerance"];
    EXPECT_NEAR(after.mean, exact["rating"].as<double>(), tolerance["exact_abs"].as<double>());
    EXPECT_NEAR(after.mean, vector["expected"]["rating"].as<double>(), tolerance["rating_abs"].as<double>());
    EXPECT_NEAR(after.deviation, vector["expected"]["rd"].as<double>(), tolerance["rd_abs"].as<double>());
    EXPECT_NEAR(after.volatility, vector["expected"]["volatility"].as<double>(),
                tolerance["volatility_abs"].as<double>());
    return true;
  });
}

TEST(VectorsTest, TrueSkillMeetsTheExactValues) {
  ForEachVector("trueskill.json", 30, [](const YAML::Node& vector) {
    const YAML::Node params = vector["params"];
    const TrueSkill true_skill({.beta = params["beta"].as<double>(),
                                .tau = params["tau"].as<double>(),
                                .draw_probability = params["draw_probability"].as<double>(),
                                .ties = TieRule::kAsGiven});
    const VectorTeams game(vector);
    RatingUpdate update;
    const absl::Status status = true_skill.Update(game.teams, 0, &update);
    EXPECT_TRUE(status.ok()) << status;
    ExpectTeams(update, vector["expected_exact"]);
    return true;
  });
}

TEST(VectorsTest, TrueSkillMeetsTheExactMatchQualityAndDrawMargins) {
  ForEachVector("trueskill_quality.json", 21, [](const YAML::Node& vector) {
    const YAML::Node params = vector["params"];
    if (vector["system"].as<std::string>() == "trueskill_draw_margin") {
      const TrueSkill true_skill(
          {.beta = params["beta"].as<double>(), .draw_probability = params["draw_probability"].as<double>()});
      ExpectNear(true_skill.Margin(params["players"].as<size_t>()), vector["expected_exact"]["draw_margin"]);
      return true;
    }
    const TrueSkill true_skill({.beta = params["beta"].as<double>()});
    const VectorTeams game(vector);
    const auto quality = true_skill.Quality(game.teams);
    EXPECT_TRUE(quality.ok()) << quality.status();
    EXPECT_NEAR(*quality, vector["expected_exact"]["quality"].as<double>(), 1e-9);
    return true;
  });
}

// The Thurstone-Mosteller and the partial models of the file are not ours, except that with two teams the partial
// Bradley-Terry model is the full one.
TEST(VectorsTest, WengLinMeetsTheExactValuesOfItsTwoModels) {
  ForEachVector("openskill.json", 10, [](const YAML::Node& vector) {
    const std::string model = vector["model"].as<std::string>();
    const bool plackett_luce = model == "PlackettLuce";
    if (!plackett_luce && model != "BradleyTerryFull" && model != "BradleyTerryPart") return false;
    const YAML::Node params = vector["params"];
    const WengLin weng_lin({.model = plackett_luce ? WengLinModel::kPlackettLuce : WengLinModel::kBradleyTerry,
                            .beta = params["beta"].as<double>(),
                            .tau = params["tau"].as<double>(),
                            .kappa = params["kappa"].as<double>(),
                            .limit_deviation = params["limit_sigma"].as<bool>()});
    const VectorTeams game(vector);
    RatingUpdate update;
    const absl::Status status = weng_lin.Update(game.teams, 0, &update);
    EXPECT_TRUE(status.ok()) << status;
    ExpectTeams(update, vector["expected_exact"]);
    return true;
  });
}

}  // namespace
}  // namespace evenmatch
