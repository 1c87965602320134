// Weng-Lin: Bayesian ratings in closed form, without iteration and without special functions.
//
// Shape:   a team has mean M = sum w mean, variance s^2 = sum w^2 (deviation^2 + tau^2); Omega (how it did beyond what
// was
//          expected, times s^2) and Delta (how sure that makes) by the model, then mean += w deviation^2 / s^2 Omega
//          and deviation^2 *= max(1 - w^2 deviation^2 / s^2 Delta, kappa). kPlackettLuce: the order as a sequence of
//          choices; tied teams share. kBradleyTerry: every pair of teams (the full model; the partial ones compare
//          neighbours only, and no two libraries the same). By design of the published model, a tied better place can
//          end below the next one in Plackett-Luce; Bradley-Terry does not. beta is the deviation of a team, not of a
//          player as in TrueSkill.
// Units:   the scale of `start`; `points` as in true_skill.h. On a scale of points beta = 123 makes the curve Elo's.
// Cost:    linear in players, quadratic in teams.
// Errors:  see rating_system.h. Threads: pure.
// Source:  Weng and Lin, A Bayesian approximation method for online ranking, JMLR 12 (2011): Algorithm 1
// (Bradley-Terry,
//          full pair), Algorithm 4 (Plackett-Luce), eq. (28), (29) for the members, gamma = s / c of sect. 3.4.
//          Weights: the chain rule through the sum, ours.
#pragma once

#include "rating/rating_system.h"

namespace evenmatch {

enum class WengLinModel : uint8_t { kPlackettLuce, kBradleyTerry };

struct WengLinParameters {
  WengLinModel model = WengLinModel::kBradleyTerry;
  double start = 25;
  double start_deviation = 25.0 / 3;
  double beta = 25.0 / 6;
  double tau = 25.0 / 300;
  double kappa = 1e-4;           // the least share of a variance that a game leaves
  bool limit_deviation = false;  // no game raises a deviation
  double points = 60;

  absl::Status Check() const;
};

class WengLin : public RatingSystem {
 public:
  explicit WengLin(const WengLinParameters& parameters) : p_(parameters) {}

  Rating Start() const override { return {.mean = p_.start, .deviation = p_.start_deviation}; }
  MatchingPoints MatchingValue(const Rating& rating) const override { return InPoints(rating, p_.points); }

 protected:
  void Rate(std::span<const RatedTeam> teams, Micros ended_at, RatingUpdate* update) const override;
  // Two teams: the model's own chance. More: Luce's choice at the mean uncertainty of a pair.
  WinChances Predict(std::span<const RatedTeam> teams) const override;

 private:
  WengLinParameters p_;
};

}  // namespace evenmatch
