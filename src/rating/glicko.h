// Glicko: a rating and how sure it is; the less sure, the more a result moves it.
//
// Shape:   growth by idle time first, then the games at once: RD0 = min(sqrt(RD^2 + c^2 t), largest), r' = r + q /
// (1/RD0^2
//          + 1/d^2) sum g (s - E), RD' = (1/RD0^2 + 1/d^2)^(-1/2). t is fractional, so that the same formulas serve
//          rating periods (AfterPeriod) and every game on its own (Update). Opponents have grown too. Where d^2
//          overflows (gaps beyond every surprise), the games say nothing. Teams and fields: glicko_field.h.
// Units:   points; `period` in Micros.
// Cost:    linear in players times teams.
// Errors:  see rating_system.h. Threads: pure.
// Source:  Glickman, Parameter estimation in large dynamic paired comparison experiments, Applied Statistics 48 (1999),
//          eq. (9)-(16); the same numbers as in his note "The Glicko system" (1995), steps 1 and 2.
#pragma once

#include "rating/rating_system.h"

namespace evenmatch {

struct GlickoParameters {
  double start = 1500;
  double start_deviation = 350;  // also the most that idle time leads to
  double growth = 34.6;          // c: points of deviation a square root of a period; 50 becomes 350 in 100 periods
  Micros period = 24 * kHour;
  double least_deviation = 30;  // below it a busy player would freeze; 0 is Glickman's paper

  absl::Status Check() const;
};

class Glicko : public RatingSystem {
 public:
  explicit Glicko(const GlickoParameters& parameters) : p_(parameters) {}

  Rating Start() const override { return {.mean = p_.start, .deviation = p_.start_deviation}; }
  Rating At(const Rating& rating, Micros now) const override;
  MatchingPoints MatchingValue(const Rating& rating) const override { return InPoints(rating, 1); }

  // A rating period that ends at `ended_at`: all games against the ratings at its start.
  Rating AfterPeriod(const Rating& before, std::span<const PeriodGame> games, Micros ended_at) const;

 protected:
  void Rate(std::span<const RatedTeam> teams, Micros ended_at, RatingUpdate* update) const override;
  WinChances Predict(std::span<const RatedTeam> teams) const override;

 private:
  // Mean and deviation after games, from a rating that has grown.
  void Play(std::span<const PeriodGame> games, Rating* rating) const;

  GlickoParameters p_;
};

}  // namespace evenmatch
