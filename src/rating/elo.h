// Elo: one number a player, moved by what he scored beyond what was expected.
//
// Shape:   E = 1 / (1 + 10^(-(R - R') / scale)), R += K (S - E), S = 1, 1/2, 0; never rounded.
//          Teams: a team is the mean of its members by weight. Of a pair of teams each full member of equal teams moves
//          by K (S - E); of unequal ones (in number or in play) the two teams together move alike and share it by
//          weight. So the sum of ratings is kept whenever K is equal and nobody is at the floor. A field of n teams is
//          n - 1 games a team, each at K / (n - 1). K: newcomers (fewer than `newcomer_games` games before this one)
//          and returners (for `returner_games` games after a break of `return_after`) have their own; settled players
//          by rating: the first tier with rating < below; who falls below an edge has the K of the lower tier again.
// Units:   points. Cost: linear in players, quadratic in teams.
// Errors:  see rating_system.h. Threads: pure.
// Source:  Elo, The Rating of Chessplayers, Past and Present (1978), sect. 1.6 (eq. 2, R' = R + K (W - We)) and 8.4
//          (logistic curve); the clamp `max_gap`: FIDE Handbook B.02, sect. 8.3.1 (400 points).
#pragma once

#include <limits>
#include <vector>

#include "rating/rating_system.h"

namespace evenmatch {

struct EloTier {
  double below = std::numeric_limits<double>::infinity();  // ratings of this tier are below it
  double k = 32;
};

struct EloParameters {
  double start = 1500;
  double scale = 400;  // points that make ten to one
  double newcomer_k = 64;
  uint32_t newcomer_games = 30;
  double returner_k = 64;
  uint32_t returner_games = 10;
  Micros return_after = 90 * 24 * kHour;                     // kNever: nobody is a returner
  std::vector<EloTier> settled = {{}};                       // rising, the last one without an end
  double floor = -std::numeric_limits<double>::infinity();   // no result leads below it; none by default
  double max_gap = std::numeric_limits<double>::infinity();  // a wider difference counts as this; no clamp by default

  absl::Status Check() const;
};

class Elo : public RatingSystem {
 public:
  explicit Elo(const EloParameters& parameters);

  Rating Start() const override { return {.mean = p_.start}; }
  MatchingPoints MatchingValue(const Rating& rating) const override;

  // K of a game that ends at `ended_at`, from the rating before it.
  double K(const Rating& before, Micros ended_at) const;

  // A rating period: all games against the ratings at its start. K is that of the first game, which ended at
  // `ended_at`.
  Rating AfterPeriod(const Rating& before, std::span<const PeriodGame> games, Micros ended_at) const;

 protected:
  void Rate(std::span<const RatedTeam> teams, Micros ended_at, RatingUpdate* update) const override;
  WinChances Predict(std::span<const RatedTeam> teams) const override;

 private:
  double Odds(double gap) const;  // the logarithm of the odds
  bool Returns(const Rating& before, Micros ended_at) const;

  EloParameters p_;
  double odds_a_point_;
};

}  // namespace evenmatch
