// Glicko-2: Glicko with a volatility, which says how much the player's true strength wanders.
//
// Shape:   steps 2-8 of the paper on the scale mu = (r - 1500) / 173.7178 (we take 400 / ln 10 exactly). Step 6 with t
//          elapsed periods: phi* = sqrt(phi^2 + t sigma'^2); t is fractional, so that the same steps serve rating
//          periods (AfterPeriod, the paper has t = 1) and every game on its own (Update). Steps 3-5 take the player's
//          own deviation as stored and opponents as grown. No games, or games that say nothing (gaps beyond every
//          surprise): only phi* with the old volatility. Volatility: the Illinois iteration exactly as published, for
//          the equation may have three roots and this one ends at the root beside the old value; at most kMostSteps
//          steps, else the old volatility is kept and RatingUpdate counts it. Policy beyond the paper, each with a
//          bound that switches it off: bounds of deviation and volatility (losing on purpose raises the volatility),
//          the most a game may move. A volatility of 0 counts as the start's. Teams and fields: glicko_field.h.
// Units:   points; volatility on the inner scale; `period` in Micros.
// Cost:    linear in players times teams; the search takes 3 to 10 steps.
// Errors:  see rating_system.h. Threads: pure.
// Source:  Glickman, Example of the Glicko-2 system (2013, revised 2022), steps 1-8; equations as there.
#pragma once

#include <optional>

#include "rating/rating_system.h"

namespace evenmatch {

struct Glicko2Parameters {
  double start = 1500;
  double start_deviation = 350;  // also the most that idle time leads to
  double start_volatility = 0.06;
  double tau = 0.5;             // how fast volatility itself may change
  Micros period = 112 * kHour;  // deviation 60 becomes 110 in a year of idling
  double least_deviation = 30;  // 0, 1e-9, infinity, infinity: the paper
  double least_volatility = 0.01;
  double largest_volatility = 0.1;
  double largest_change = 700;  // of the rating, in one update

  absl::Status Check() const;
};

class Glicko2 : public RatingSystem {
 public:
  static constexpr int kMostSteps = 100;

  explicit Glicko2(const Glicko2Parameters& parameters) : p_(parameters) {}

  Rating Start() const override {
    return {.mean = p_.start, .deviation = p_.start_deviation, .volatility = p_.start_volatility};
  }
  Rating At(const Rating& rating, Micros now) const override;
  MatchingPoints MatchingValue(const Rating& rating) const override { return InPoints(rating, 1); }

  // A rating period that ends at `ended_at`: all games against the ratings at its start. `kept` may be null; counts
  // volatility searches that did not end.
  Rating AfterPeriod(const Rating& before, std::span<const PeriodGame> games, Micros ended_at, int* kept) const;

 protected:
  void Rate(std::span<const RatedTeam> teams, Micros ended_at, RatingUpdate* update) const override;
  WinChances Predict(std::span<const RatedTeam> teams) const override;

 private:
  // Mean, deviation and volatility after games and `periods`.
  void Play(std::span<const PeriodGame> games, double periods, Rating* rating, int* kept) const;
  double Volatility(const Rating& rating) const;
  double Grown(double deviation, double volatility, double periods) const;

  Glicko2Parameters p_;
};

// Step 5: the new volatility, all on the inner scale. Nothing when the search did not end within `most_steps` or left
// the finite numbers. `steps` may be null.
std::optional<double> SolveVolatility(double phi, double volatility, double delta, double v, double tau, int most_steps,
                                      int* steps);

}  // namespace evenmatch
