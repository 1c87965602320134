#include "rating/glicko.h"

#include <algorithm>
#include <cmath>

#include "base/status_macros.h"
#include "rating/bounds.h"
#include "rating/glicko_field.h"

namespace evenmatch {
namespace {

constexpr double kUnit = 400 / kLn10;  // points of ln odds 1: 1 / q
constexpr double kNoInformation = 1e-100;

}  // namespace

absl::Status GlickoParameters::Check() const {
  RETURN_IF_ERROR(MustBeNumber(start, "start"));
  RETURN_IF_ERROR(MustBePositive(start_deviation, "start_deviation"));
  RETURN_IF_ERROR(MustNotBeNegative(growth, "growth"));
  RETURN_IF_ERROR(MustBe(period > 0, "period", "positive", static_cast<double>(period)));
  RETURN_IF_ERROR(MustBe(least_deviation >= 0 && least_deviation <= start_deviation, "least_deviation",
                         "in 0..start_deviation", least_deviation));
  return absl::OkStatus();
}

Rating Glicko::At(const Rating& rating, Micros now) const {
  Rating grown = rating;
  const double periods = PeriodsSince(rating, now, p_.period);
  if (periods <= 0) return grown;
  const double deviation = std::sqrt(rating.deviation * rating.deviation + p_.growth * p_.growth * periods);
  // A deviation that was imported above the cap is not cut by waiting.
  grown.deviation = std::max(rating.deviation, std::min(deviation, p_.start_deviation));
  grown.as_of = now;
  return grown;
}

void Glicko::Play(std::span<const PeriodGame> games, Rating* rating) const {
  double information = 0;  // 1 / d^2 in units of ln odds
  double surprise = 0;
  for (const PeriodGame& game : games) {
    const double g = GlickoG(game.deviation / kUnit);
    const PairScore expected = Logistic(g * game.slope * (rating->mean - game.mean) / kUnit);
    information += game.weight * game.slope * game.slope * g * g * expected.own * expected.other;
    surprise += game.weight * game.slope * g * (game.score - expected.own);
  }
  if (information < kNoInformation) return;
  const double variance = rating->deviation * rating->deviation / (kUnit * kUnit);
  const double after = variance / (1 + variance * information);
  rating->mean += kUnit * after * surprise;
  rating->deviation = std::max(kUnit * std::sqrt(after), p_.least_deviation);
}

Rating Glicko::AfterPeriod(const Rating& before, std::span<const PeriodGame> games, Micros ended_at) const {
  Rating after = At(before, ended_at);
  Play(games, &after);
  after.games += static_cast<uint32_t>(games.size());
  if (after.as_of == kNever && !games.empty()) after.as_of = ended_at;
  return after;
}

void Glicko::Rate(std::span<const RatedTeam> teams, Micros ended_at, RatingUpdate* update) const {
  GlickoField field(teams, *this, ended_at);
  Rating* after = update->ratings.data();
  for (size_t i = 0; i < teams.size(); ++i) {
    for (const RatedPlayer& player : teams[i].players) {
      Rating& rating = *after++;
      if (player.weight == 0) continue;
      rating.deviation = At(player.rating, ended_at).deviation;
      Play(field.Games(i, player, rating.deviation), &rating);
    }
  }
}

WinChances Glicko::Predict(std::span<const RatedTeam> teams) const { return GlickoChances(teams, kUnit); }

}  // namespace evenmatch
