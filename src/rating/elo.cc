#include "rating/elo.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "base/status_macros.h"
#include "rating/bounds.h"
#include "rating/logistic.h"

namespace evenmatch {

absl::Status EloParameters::Check() const {
  RETURN_IF_ERROR(MustBeNumber(start, "start"));
  RETURN_IF_ERROR(MustBePositive(scale, "scale"));
  RETURN_IF_ERROR(MustNotBeNegative(newcomer_k, "newcomer_k"));
  RETURN_IF_ERROR(MustNotBeNegative(returner_k, "returner_k"));
  RETURN_IF_ERROR(MustBe(return_after > 0, "return_after", "positive", static_cast<double>(return_after)));
  RETURN_IF_ERROR(MustBe(!settled.empty(), "settled", "a list of tiers", 0));
  for (size_t i = 0; i < settled.size(); ++i) {
    RETURN_IF_ERROR(MustNotBeNegative(settled[i].k, "settled.k"));
    const bool last = i + 1 == settled.size();
    RETURN_IF_ERROR(MustBe(
        last ? settled[i].below == std::numeric_limits<double>::infinity() : settled[i].below < settled[i + 1].below,
        "settled.below", "rising from tier to tier, and without an end in the last", settled[i].below));
  }
  RETURN_IF_ERROR(MustBe(floor <= start, "floor", "at most the start", floor));
  RETURN_IF_ERROR(MustBe(max_gap > 0, "max_gap", "positive", max_gap));
  return absl::OkStatus();
}

Elo::Elo(const EloParameters& parameters) : p_(parameters), odds_a_point_(kLn10 / parameters.scale) {}

MatchingPoints Elo::MatchingValue(const Rating& rating) const { return InPoints({.mean = rating.mean}, 1); }

double Elo::Odds(double gap) const { return std::clamp(gap, -p_.max_gap, p_.max_gap) * odds_a_point_; }

bool Elo::Returns(const Rating& before, Micros ended_at) const {
  return before.as_of != kNever && ended_at > before.as_of &&
         static_cast<uint64_t>(ended_at) - static_cast<uint64_t>(before.as_of) >=
             static_cast<uint64_t>(p_.return_after);
}

double Elo::K(const Rating& before, Micros ended_at) const {
  if (before.games < p_.newcomer_games) return p_.newcomer_k;
  if (before.games < before.settles_at || Returns(before, ended_at)) return p_.returner_k;
  for (const EloTier& tier : p_.settled) {
    if (before.mean < tier.below) return tier.k;
  }
  return p_.settled.back().k;
}

Rating Elo::AfterPeriod(const Rating& before, std::span<const PeriodGame> games, Micros ended_at) const {
  const double k = K(before, ended_at);
  Rating after = before;
  for (const PeriodGame& game : games) {
    after.mean += k * game.weight * (game.score - Logistic(Odds(before.mean - game.mean)).own);
  }
  after.mean = std::max(after.mean, std::min(before.mean, p_.floor));
  if (Returns(before, ended_at)) after.settles_at = before.games + p_.returner_games;
  after.games += static_cast<uint32_t>(games.size());
  if (!games.empty()) after.as_of = before.as_of == kNever ? ended_at : std::max(before.as_of, ended_at);
  return after;
}

void Elo::Rate(std::span<const RatedTeam> teams, Micros ended_at, RatingUpdate* update) const {
  struct Team {
    double weight = 0;
    double mean = 0;
    double move = 0;  // of all members together, at K = 1
  };
  absl::InlinedVector<Team, 4> sums;
  for (const RatedTeam& team : teams) {
    Team& sum = sums.emplace_back();
    for (const auto& [rating, weight] : team.players) {
      sum.weight += weight;
      sum.mean += weight * rating.mean;
    }
    // The mean of one is himself, to the last digit.
    sum.mean = team.players.size() == 1 ? team.players[0].rating.mean : sum.mean / sum.weight;
  }
  for (size_t i = 0; i < teams.size(); ++i) {
    for (size_t j = i + 1; j < teams.size(); ++j) {
      const PairScore expected = Logistic(Odds(sums[i].mean - sums[j].mean));
      const double score = RankScore(teams[i].rank, teams[j].rank);
      // S - E of the one is -(S - E) of the other; taken from the smaller of the two expectations it keeps its digits.
      const double beyond = score == 1   ? expected.other
                            : score == 0 ? -expected.own
                                         : (expected.other - expected.own) / 2;
      const double move = std::min(sums[i].weight, sums[j].weight) * beyond;
      sums[i].move += move;
      sums[j].move -= move;
    }
  }
  Rating* after = update->ratings.data();
  for (size_t i = 0; i < teams.size(); ++i) {
    const double move = sums[i].move / (sums[i].weight * static_cast<double>(teams.size() - 1));
    for (const auto& [before, weight] : teams[i].players) {
      Rating& rating = *after++;
      if (weight == 0) continue;
      rating.mean += K(before, ended_at) * move * weight;
      // A rating that is below the floor already is not lifted by losing.
      rating.mean = std::max(rating.mean, std::min(before.mean, p_.floor));
      if (Returns(before, ended_at)) rating.settles_at = before.games + p_.returner_games;
    }
  }
}

WinChances Elo::Predict(std::span<const RatedTeam> teams) const {
  std::vector<double> strengths;
  if (teams.size() == 2) {
    const PairScore pair = Logistic(Odds(MeanOf(teams[0].players).mean - MeanOf(teams[1].players).mean));
    return {.first = {pair.own, pair.other}};
  }
  for (const RatedTeam& team : teams) strengths.push_back(MeanOf(team.players).mean * odds_a_point_);
  return {.first = LuceChoice(std::move(strengths))};
}

}  // namespace evenmatch
