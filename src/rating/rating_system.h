// RatingSystem: how strong players are, how sure that is, and what a result changes. One face for all systems.
//
// Shape:   an immutable object made from checked parameters (MakeRatingSystem in systems.h). Teams in any number and of
//          any size; README.md says what each system makes of them.
// Units:   see rating.h; chances and quality 0..1.
// Cost:    Update allocates nothing once `update` has grown, except TrueSkill with three teams and more; linear in
//          players, at most quadratic in teams.
// Errors:  INVALID_ARGUMENT naming the place: fewer than two teams, an empty team or one that hardly played (weights
//          below kLeastPlay together), a weight outside 0..1, a number that is not finite or beyond kLargest, a
//          negative deviation; a draw where the system holds draws to be impossible. On error nothing was written.
//          Finite numbers in give finite numbers out, at any gap.
// Threads: pure functions of an immutable object. Deterministic to the bit on one libm.
// Source:  each system's header names paper and equations.
#pragma once

#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rating/rating.h"

namespace evenmatch {

class RatingSystem {
 public:
  static constexpr double kLargest = 1e9;     // of means, deviations and volatilities
  static constexpr double kLeastPlay = 1e-3;  // of a team's weights together

  virtual ~RatingSystem() = default;

  // Of a player without games.
  virtual Rating Start() const = 0;

  // The rating as it stands at `now`: deviations grow with idle time where the system says so. Composable: two steps
  // are one, and an instant before `as_of` changes nothing.
  virtual Rating At(const Rating& rating, Micros now) const { return rating; }

  // The ratings after a game that ended at `ended_at`. Every player is updated from the ratings before it. A game that
  // ended before the rating's `as_of` (told late) counts without idle time and does not turn `as_of` back.
  absl::Status Update(std::span<const RatedTeam> teams, Micros ended_at, RatingUpdate* update) const;

  // The three below judge the ratings as they are given; call At first where time has passed.
  absl::StatusOr<WinChances> WinProbability(std::span<const RatedTeam> teams) const;
  // How even a game would be, 1 at best. The order of the teams does not matter.
  absl::StatusOr<double> Quality(std::span<const RatedTeam> teams) const;
  virtual MatchingPoints MatchingValue(const Rating& rating) const = 0;

 protected:
  // Behind the checks. `ratings` holds the ratings before the game, with games and as_of counted on; the system writes
  // the rest.
  virtual void Rate(std::span<const RatedTeam> teams, Micros ended_at, RatingUpdate* update) const = 0;
  virtual absl::Status CheckRanks(std::span<const RatedTeam> teams) const { return absl::OkStatus(); }
  virtual WinChances Predict(std::span<const RatedTeam> teams) const = 0;
  // Without a measure of its own: how many times its fair share the least likely team has.
  virtual double Evenness(std::span<const RatedTeam> teams) const;

  // A rating of `scale` points a unit in points. Beyond the limits of matching the limit counts.
  static MatchingPoints InPoints(const Rating& rating, double scale);
};

}  // namespace evenmatch
