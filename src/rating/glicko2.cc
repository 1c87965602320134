#include "rating/glicko2.h"

#include <algorithm>
#include <cmath>

#include "base/status_macros.h"
#include "rating/bounds.h"
#include "rating/glicko_field.h"

namespace evenmatch {
namespace {

constexpr double kUnit = 400 / kLn10;  // points of one unit of the inner scale
constexpr double kNoInformation = 1e-100;
constexpr double kPrecision = 1e-9;  // of the logarithm of the squared volatility

}  // namespace

absl::Status Glicko2Parameters::Check() const {
  RETURN_IF_ERROR(MustBeNumber(start, "start"));
  RETURN_IF_ERROR(MustBePositive(start_deviation, "start_deviation"));
  RETURN_IF_ERROR(MustBePositive(tau, "tau"));
  RETURN_IF_ERROR(MustBe(period > 0, "period", "positive", static_cast<double>(period)));
  RETURN_IF_ERROR(MustBe(least_deviation >= 0 && least_deviation <= start_deviation, "least_deviation",
                         "in 0..start_deviation", least_deviation));
  RETURN_IF_ERROR(MustBePositive(least_volatility, "least_volatility"));
  RETURN_IF_ERROR(MustBe(start_volatility >= least_volatility && start_volatility <= largest_volatility &&
                             start_volatility <= kLargestParameter,
                         "start_volatility", "in least_volatility..largest_volatility", start_volatility));
  RETURN_IF_ERROR(MustBe(largest_change > 0, "largest_change", "positive", largest_change));
  return absl::OkStatus();
}

std::optional<double> SolveVolatility(double phi, double volatility, double delta, double v, double tau, int most_steps,
                                      int* steps) {
  const double a = std::log(volatility * volatility);
  const double spread = phi * phi + v;
  const double delta2 = delta * delta;
  // f of step 5.1, with the fraction taken apart so that no square overflows.
  const auto f = [&](double x) {
    const double square = std::exp(x);
    const double sum = spread + square;
    return square / sum * ((delta2 - sum) / sum) / 2 - (x - a) / (tau * tau);
  };
  int taken = 0;
  double low = a;  // A and B of the paper
  double high;
  if (delta2 > spread) {
    high = std::log(delta2 - spread);
  } else {
    do {
      high = a - ++taken * tau;
    } while (f(high) < 0 && taken < most_steps);
  }
  double f_low = f(low);
  double f_high = f(high);
  while (std::abs(high - low) > kPrecision && taken++ < most_steps) {
    const double next = low + (low - high) * f_low / (f_high - f_low);
    const double f_next = f(next);
    if (f_next * f_high <= 0) {
      low = high;
      f_low = f_high;
    } else {
      f_low /= 2;
    }
    high = next;
    f_high = f_next;
  }
  if (steps != nullptr) *steps = taken;
  const double solved = std::exp(low / 2);
  if (!(std::abs(high - low) <= kPrecision) || !std::isfinite(solved)) return std::nullopt;
  return solved;
}

double Glicko2::Volatility(const Rating& rating) const {
  return rating.volatility > 0 ? std::clamp(rating.volatility, p_.least_volatility, p_.largest_volatility)
                               : p_.start_volatility;
}

double Glicko2::Grown(double deviation, double volatility, double periods) const {
  const double step = kUnit * volatility;
  return std::sqrt(deviation * deviation + periods * step * step);
}

Rating Glicko2::At(const Rating& rating, Micros now) const {
  Rating grown = rating;
  const double periods = PeriodsSince(rating, now, p_.period);
  if (periods <= 0) return grown;
  // A deviation that was imported above the cap is not cut by waiting.
  grown.deviation =
      std::max(rating.deviation, std::min(Grown(rating.deviation, Volatility(rating), periods), p_.start_deviation));
  grown.as_of = now;
  return grown;
}

void Glicko2::Play(std::span<const PeriodGame> games, double periods, Rating* rating, int* kept) const {
  rating->volatility = Volatility(*rating);
  double information = 0;  // 1 / v, step 3
  double surprise = 0;
  for (const PeriodGame& game : games) {
    const double g = GlickoG(game.deviation / kUnit);
    const PairScore expected = Logistic(g * game.slope * (rating->mean - game.mean) / kUnit);
    information += game.weight * game.slope * game.slope * g * g * expected.own * expected.other;
    surprise += game.weight * game.slope * g * (game.score - expected.own);
  }
  const auto bounded = [&](double deviation) {
    return std::clamp(deviation, p_.least_deviation, std::max(p_.start_deviation, rating->deviation));
  };
  if (information < kNoInformation) {
    rating->deviation = bounded(Grown(rating->deviation, rating->volatility, periods));
    return;
  }
  const double v = 1 / information;
  const auto solved =
      SolveVolatility(rating->deviation / kUnit, rating->volatility, v * surprise, v, p_.tau, kMostSteps, nullptr);
  if (solved) {
    rating->volatility = std::clamp(*solved, p_.least_volatility, p_.largest_volatility);
  } else if (kept != nullptr) {
    ++*kept;
  }
  const double star = Grown(rating->deviation, rating->volatility, periods) / kUnit;  // step 6
  const double variance = star * star / (1 + star * star * information);              // step 7
  rating->mean += std::clamp(kUnit * variance * surprise, -p_.largest_change, p_.largest_change);
  rating->deviation = bounded(kUnit * std::sqrt(variance));
}

Rating Glicko2::AfterPeriod(const Rating& before, std::span<const PeriodGame> games, Micros ended_at, int* kept) const {
  const double periods = PeriodsSince(before, ended_at, p_.period);
  Rating after = before;
  Play(games, periods, &after, kept);
  after.games += static_cast<uint32_t>(games.size());
  if (before.as_of != kNever) {
    after.as_of = std::max(before.as_of, ended_at);
  } else if (!games.empty()) {
    after.as_of = ended_at;
  }
  return after;
}

void Glicko2::Rate(std::span<const RatedTeam> teams, Micros ended_at, RatingUpdate* update) const {
  GlickoField field(teams, *this, ended_at);
  Rating* after = update->ratings.data();
  for (size_t i = 0; i < teams.size(); ++i) {
    for (const RatedPlayer& player : teams[i].players) {
      Rating& rating = *after++;
      if (player.weight == 0) continue;
      const auto games = field.Games(i, player, At(player.rating, ended_at).deviation);
      Play(games, PeriodsSince(player.rating, ended_at, p_.period), &rating, &update->volatilities_kept);
    }
  }
}

WinChances Glicko2::Predict(std::span<const RatedTeam> teams) const { return GlickoChances(teams, kUnit); }

}  // namespace evenmatch
