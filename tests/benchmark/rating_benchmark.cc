// Rating updates on one core: games of players drawn from a league, each rated from the ratings before it.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "base/random.h"
#include "rating/systems.h"

namespace evenmatch {
namespace {

constexpr int kGames = 1024;

struct League {
  std::vector<RatedPlayer> players;  // game after game, team after team
  std::vector<RatedTeam> teams;      // `teams_a_game` each
};

League MakeLeague(const RatingSystem& system, int teams_a_game, int players_a_team) {
  Random random(4);
  League league;
  const Rating start = system.Start();
  for (int i = 0; i < kGames * teams_a_game * players_a_team; ++i) {
    RatedPlayer& player = league.players.emplace_back(RatedPlayer{start});
    player.rating.mean *= 0.8 + 0.4 * random.Unit();
    player.rating.deviation *= 0.2 + 0.8 * random.Unit();
    player.rating.games = static_cast<uint32_t>(random.Below(60));
    player.rating.as_of = static_cast<Micros>(random.Below(24 * kHour));
  }
  for (int i = 0; i < kGames * teams_a_game; ++i) {
    league.teams.push_back(
        {std::span(league.players).subspan(static_cast<size_t>(i) * players_a_team, players_a_team), i % teams_a_game});
  }
  return league;
}

// Items are player updates.
void Update(benchmark::State& state, const RatingParameters& parameters, int teams_a_game, int players_a_team) {
  const auto system = *MakeRatingSystem(parameters);
  const League league = MakeLeague(*system, teams_a_game, players_a_team);
  RatingUpdate update;
  size_t game = 0;
  for (auto _ : state) {
    const auto teams = std::span(league.teams).subspan(game * teams_a_game, teams_a_game);
    if (!system->Update(teams, 24 * kHour, &update).ok()) state.SkipWithError("refused");
    benchmark::DoNotOptimize(update.ratings.data());
    game = (game + 1) % kGames;
  }
  state.SetItemsProcessed(state.iterations() * teams_a_game * players_a_team);
}

BENCHMARK_CAPTURE(Update, elo_1v1, EloParameters(), 2, 1);
BENCHMARK_CAPTURE(Update, elo_5v5, EloParameters(), 2, 5);
BENCHMARK_CAPTURE(Update, glicko_1v1, GlickoParameters(), 2, 1);
BENCHMARK_CAPTURE(Update, glicko2_1v1, Glicko2Parameters(), 2, 1);
BENCHMARK_CAPTURE(Update, glicko2_5v5, Glicko2Parameters(), 2, 5);
BENCHMARK_CAPTURE(Update, true_skill_1v1, TrueSkillParameters(), 2, 1);
BENCHMARK_CAPTURE(Update, true_skill_5v5, TrueSkillParameters(), 2, 5);
BENCHMARK_CAPTURE(Update, true_skill_field_of_8, TrueSkillParameters(), 8, 1);
BENCHMARK_CAPTURE(Update, weng_lin_5v5, WengLinParameters(), 2, 5);
BENCHMARK_CAPTURE(Update, weng_lin_field_of_8, WengLinParameters(), 8, 1);

}  // namespace
}  // namespace evenmatch

BENCHMARK_MAIN();
