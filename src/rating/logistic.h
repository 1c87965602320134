// Logistic: the two expected scores of a pair, and the sums of a team that pairwise systems compare.
//
// Shape:   pure functions; e and 1 - e come from the same exponential, so that they add up to 1 and neither underflows
//          before the other reaches 1.
// Units:   `difference` in units of the natural logarithm of the odds (own - other's).
// Threads: pure functions.
// Source:  Bradley and Terry, Rank analysis of incomplete block designs I, Biometrika 39 (1952), eq. (1); for more
//          than two: Luce, Individual Choice Behavior (1959), sect. 1.C.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "rating/rating.h"

namespace evenmatch {

inline constexpr double kLn10 = 2.302585092994045684;

struct PairScore {
  double own = 0.5;
  double other = 0.5;
};

inline PairScore Logistic(double difference) {
  const double odds = std::exp(-std::abs(difference));  // of the weaker, 0..1
  const double weaker = odds / (1 + odds);
  const double stronger = 1 / (1 + odds);
  return difference >= 0 ? PairScore{stronger, weaker} : PairScore{weaker, stronger};
}

// The score of a team against another one by their ranks.
inline double RankScore(int32_t own, int32_t other) { return own < other ? 1 : own > other ? 0 : 0.5; }

// A team as one player: its members by how much they played.
struct TeamMean {
  double weight = 0;    // of all together
  double mean = 0;      // weighted
  double variance = 0;  // of that mean
  double heads = 0;     // as many full members would make a mean as sharp: (sum w)^2 / sum w^2
};

inline TeamMean MeanOf(std::span<const RatedPlayer> players) {
  TeamMean team;
  for (const auto& [rating, weight] : players) {
    team.weight += weight;
    team.mean += weight * rating.mean;
    team.variance += weight * weight * rating.deviation * rating.deviation;
    team.heads += weight * weight;
  }
  team.heads = team.weight * team.weight / team.heads;
  team.mean /= team.weight;
  team.variance /= team.weight * team.weight;
  return team;
}

// Chances to come first in proportion to exp(strength).
inline std::vector<double> LuceChoice(std::vector<double> strengths) {
  const double best = *std::max_element(strengths.begin(), strengths.end());
  double sum = 0;
  for (double& strength : strengths) sum += strength = std::exp(strength - best);
  for (double& strength : strengths) strength /= sum;
  return strengths;
}

}  // namespace evenmatch
