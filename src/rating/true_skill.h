// TrueSkill: a Gaussian belief about every skill, updated by message passing on the factor graph of the game.
//
// Shape:   skill ~ N(mean, deviation^2 + tau^2), performance = skill + N(0, beta^2), a team's performance the sum of
// its
//          members' by weight (weight 0 is exact: the mean stays, the deviation grows by tau). Of two neighbours in
//          rank the better one is better by more than the margin, of tied ones neither is; the margin of a pair is
//          Phi^-1((p + 1) / 2) sqrt(heads of both) beta.
//          Two teams: the closed form. More: expectation propagation over the factors between teams until no message
//          moves (at most kMostSweeps sweeps); messages are kept relative to the team's prior, so that nothing cancels
//          at any gap and no flat message is infinite.
//          Ties of three teams and more: the published chain compares neighbours only, so that tied teams fare a little
//          differently by the order in which they are given (kAsGiven). kAlike makes the order of input mean nothing:
//          tied teams stand by their strength, the chain is taken in both directions, and each team has the mean of
//          the two; teams that were alike before the game are alike after it. Of three tied teams that are only almost
//          alike the middle one still differs by some thousandths of a unit. Without ties, and with two teams, both
//          are the published system.
//          A deviation never grows beyond sqrt(deviation^2 + tau^2).
// Units:   the scale of `start`; `points` says how many points of matching one unit is. Published: 25, 25/3, 25/6,
// 25/300
//          at 60 points; on a scale of points: 1500, 500, 250, 5 at 1.
// Cost:    two teams linear in players; n teams some ten sweeps over n - 1 factors. WinProbability of n teams
// integrates,
//          quadratic in n.
// Errors:  see rating_system.h; a draw with draw_probability 0. Threads: pure.
// Source:  Herbrich, Minka, Graepel, TrueSkill: A Bayesian skill rating system (NIPS 2006): fig. 1, Table 1 (messages),
//          eq. (7) (match quality); margin: their sect. 2. Quality in our own closed form, equal to the published
//          determinants. Partial play: sect. 2 with weights in the sum factor.
#pragma once

#include "rating/rating_system.h"

namespace evenmatch {

enum class TieRule : uint8_t { kAlike, kAsGiven };

struct TrueSkillParameters {
  double start = 25;
  double start_deviation = 25.0 / 3;
  double beta = 25.0 / 6;         // deviation of a performance
  double tau = 25.0 / 300;        // deviation of what a skill wanders between two games
  double draw_probability = 0.1;  // of two equal players, 0 <= p < 1
  TieRule ties = TieRule::kAlike;
  double points = 60;

  absl::Status Check() const;
};

class TrueSkill : public RatingSystem {
 public:
  static constexpr int kMostSweeps = 200;

  explicit TrueSkill(const TrueSkillParameters& parameters);

  Rating Start() const override { return {.mean = p_.start, .deviation = p_.start_deviation}; }
  MatchingPoints MatchingValue(const Rating& rating) const override { return InPoints(rating, p_.points); }

  // The difference of two teams' performances up to which they draw, by the heads of both together.
  double Margin(size_t heads) const;

 protected:
  absl::Status CheckRanks(std::span<const RatedTeam> teams) const override;
  void Rate(std::span<const RatedTeam> teams, Micros ended_at, RatingUpdate* update) const override;
  // Two teams with draws. More: the chance to have the best performance; `draw` is 0.
  WinChances Predict(std::span<const RatedTeam> teams) const override;
  // The published match quality: how likely all performances are equal, relative to equal players who are known
  // exactly. It depends on deviations: of two new players it is 0.447 at best.
  double Evenness(std::span<const RatedTeam> teams) const override;

 private:
  TrueSkillParameters p_;
  double margin_;  // of one head, in units of the scale
};

}  // namespace evenmatch
