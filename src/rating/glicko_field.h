// GlickoField: a game of teams taken apart into what Glicko knows, games of one player against one opponent.
//
// Shape:   a team is the mean of its members by weight. Each member has luck of his own, which averages out: between
//          teams of n full members a difference of means counts sqrt(n) times (`TeamScale`; of unequal or partial teams
//          by the harmonic mean of their effective numbers), and of it a member's own strength is 1 / n. So he learns
//          1 / sqrt(n) of a duel's surprise and 1 / n of its information, as in TrueSkill, against an opponent as
//          uncertain as the other team and his own team-mates together. Half a game played counts half.
//          A field of n teams counts as n - 1 games against the others, each worth 4 (n - H_n) / (n (n - 1)) of a game:
//          between equals an order of n tells about each of them as much as 4 (n - H_n) / n duels (Fisher information
//          of the Plackett-Luce model), and not as much as n - 1. Two single players: exactly one game.
// Cost:    Games is linear in teams.
// Threads: owned by one update.
// Source:  team and field rules are ours, as said; Glickman's papers have duels only.
#pragma once

#include <span>

#include "absl/container/inlined_vector.h"
#include "rating/logistic.h"
#include "rating/rating_system.h"

namespace evenmatch {

// How many points the difference of two team means counts for: members' luck averages out.
inline double TeamScale(const TeamMean& one, const TeamMean& other) {
  return std::sqrt(2 / (1 / one.heads + 1 / other.heads));
}

class GlickoField {
 public:
  // `system` grows deviations to `now`.
  GlickoField(std::span<const RatedTeam> teams, const RatingSystem& system, Micros now) : teams_(teams) {
    const double n = static_cast<double>(teams.size());
    double harmonic = 0;
    for (size_t i = teams.size(); i > 0; --i) harmonic += 1 / static_cast<double>(i);
    worth_ = teams.size() == 2 ? 1 : 4 * (n - harmonic) / (n * (n - 1));
    for (const RatedTeam& team : teams) {
      absl::InlinedVector<RatedPlayer, 8> grown(team.players.begin(), team.players.end());
      for (RatedPlayer& player : grown) player.rating = system.At(player.rating, now);
      means_.push_back(MeanOf(grown));
    }
  }

  // What the player of `team` with this deviation, grown, sees of the game. Valid until the next call.
  std::span<const PeriodGame> Games(size_t team, const RatedPlayer& player, double deviation) {
    const TeamMean& own = means_[team];
    const double share = player.weight / own.weight;
    const double mates = std::max(0.0, own.variance - share * share * deviation * deviation);
    games_.clear();
    for (size_t i = 0; i < teams_.size(); ++i) {
      if (i == team) continue;
      const TeamMean& other = means_[i];
      const double scale = TeamScale(own, other);
      games_.push_back({.mean = player.rating.mean - (own.mean - other.mean) / share,
                        .deviation = scale * std::sqrt(other.variance + mates),
                        .score = RankScore(teams_[team].rank, teams_[i].rank),
                        .weight = worth_ * player.weight,
                        .slope = scale * share});
    }
    return games_;
  }

 private:
  std::span<const RatedTeam> teams_;
  double worth_;
  absl::InlinedVector<TeamMean, 4> means_;
  absl::InlinedVector<PeriodGame, 4> games_;
};

// The factor by which an uncertain difference counts less (Glicko eq. for g; deviation / scale in units of ln odds).
inline double GlickoG(double deviation) {
  constexpr double kPi = 3.14159265358979323846;
  return 1 / std::sqrt(1 + 3 * deviation * deviation / (kPi * kPi));
}

// Chances by Glicko's expected score with both deviations; for more than two teams by Luce's choice, with the mean
// uncertainty of a pair in place of that of the two. `unit` is points of ln odds 1.
inline WinChances GlickoChances(std::span<const RatedTeam> teams, double unit) {
  absl::InlinedVector<TeamMean, 4> means;
  for (const RatedTeam& team : teams) means.push_back(MeanOf(team.players));
  if (teams.size() == 2) {
    const double scale = TeamScale(means[0], means[1]) / unit;
    const double g = GlickoG(scale * std::sqrt(means[0].variance + means[1].variance));
    const PairScore pair = Logistic(g * scale * (means[0].mean - means[1].mean));
    return {.first = {pair.own, pair.other}};
  }
  double variance = 0, inverse_heads = 0;
  for (const TeamMean& mean : means) {
    variance += mean.variance;
    inverse_heads += 1 / mean.heads;
  }
  const double n = static_cast<double>(teams.size());
  const double scale = std::sqrt(n / inverse_heads) / unit;
  const double g = GlickoG(scale * std::sqrt(variance * 2 / n));
  std::vector<double> strengths;
  for (const TeamMean& mean : means) strengths.push_back(g * scale * mean.mean);
  return {.first = LuceChoice(std::move(strengths))};
}

// Periods between a rating and `now`; 0 for who never played and for what ended before.
inline double PeriodsSince(const Rating& rating, Micros now, Micros period) {
  if (rating.as_of == kNever || now <= rating.as_of) return 0;
  return (static_cast<double>(now) - static_cast<double>(rating.as_of)) / static_cast<double>(period);
}

}  // namespace evenmatch
