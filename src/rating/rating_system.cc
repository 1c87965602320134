#include "rating/rating_system.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace evenmatch {
namespace {

// No more than this many points of deviation reach matching.
constexpr double kMostDeviation = 10'000.0 * kPoint;

bool Sane(double number) { return std::abs(number) <= RatingSystem::kLargest; }  // false for what is not a number

absl::Status Wrong(size_t team, size_t player, const char* what) {
  return absl::InvalidArgumentError(absl::StrCat("teams[", team, "].players[", player, "].", what));
}

absl::Status Check(std::span<const RatedTeam> teams) {
  if (teams.size() < 2) return absl::InvalidArgumentError(absl::StrCat("teams: needs two or more, has ", teams.size()));
  for (size_t t = 0; t < teams.size(); ++t) {
    double played = 0;
    for (size_t p = 0; p < teams[t].players.size(); ++p) {
      const auto& [rating, weight] = teams[t].players[p];
      if (!Sane(rating.mean)) return Wrong(t, p, "rating.mean: is not a number within 1e9");
      if (!(rating.deviation >= 0) || !Sane(rating.deviation)) {
        return Wrong(t, p, "rating.deviation: is not a number in 0..1e9");
      }
      if (!(rating.volatility >= 0) || !Sane(rating.volatility)) {
        return Wrong(t, p, "rating.volatility: is not a number in 0..1e9");
      }
      if (!(weight >= 0 && weight <= 1)) return Wrong(t, p, "weight: is not in 0..1");
      played += weight;
    }
    if (played < RatingSystem::kLeastPlay) {
      return absl::InvalidArgumentError(absl::StrCat("teams[", t, "].players: nobody played"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<int32_t> RanksOfScores(std::span<const double> scores) {
  std::vector<int32_t> ranks(scores.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    ranks[i] = static_cast<int32_t>(
        std::count_if(scores.begin(), scores.end(), [&](double other) { return other > scores[i]; }));
  }
  return ranks;
}

absl::Status RatingSystem::Update(std::span<const RatedTeam> teams, Micros ended_at, RatingUpdate* update) const {
  RETURN_IF_ERROR(Check(teams));
  RETURN_IF_ERROR(CheckRanks(teams));
  update->volatilities_kept = 0;
  size_t players = 0;
  for (const RatedTeam& team : teams) players += team.players.size();
  update->ratings.resize(players);
  Rating* after = update->ratings.data();
  for (const RatedTeam& team : teams) {
    for (const auto& [rating, weight] : team.players) {
      *after = rating;
      if (weight > 0) {
        ++after->games;
        after->as_of = rating.as_of == kNever ? ended_at : std::max(rating.as_of, ended_at);
      }
      ++after;
    }
  }
  Rate(teams, ended_at, update);
  return absl::OkStatus();
}

absl::StatusOr<WinChances> RatingSystem::WinProbability(std::span<const RatedTeam> teams) const {
  RETURN_IF_ERROR(Check(teams));
  return Predict(teams);
}

absl::StatusOr<double> RatingSystem::Quality(std::span<const RatedTeam> teams) const {
  RETURN_IF_ERROR(Check(teams));
  return Evenness(teams);
}

double RatingSystem::Evenness(std::span<const RatedTeam> teams) const {
  const WinChances chances = Predict(teams);
  const double fair = (1 - chances.draw) / static_cast<double>(teams.size());
  if (!(fair > 0)) return 1;
  return std::min(1.0, *std::min_element(chances.first.begin(), chances.first.end()) / fair);
}

MatchingPoints RatingSystem::InPoints(const Rating& rating, double scale) {
  const auto milli = [&](double number, double least, double most) {
    return static_cast<MilliPoints>(std::llround(std::clamp(number * scale * kPoint, least, most)));
  };
  return {.value = milli(rating.mean, -double{kMaxValue}, double{kMaxValue}),
          .deviation = milli(rating.deviation, 0, kMostDeviation)};
}

}  // namespace evenmatch
