// Rating: what one rating list knows of one player, and the game that changes it.
//
// Shape:   plain values. A rating is on the scale of its system; RatingSystem::MatchingValue says it in points.
// Units:   mean, deviation and volatility on the system's scale; times in Micros; weights as a share of the game
// played. Errors:  none here; RatingSystem refuses what is not finite. Threads: plain values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/units.h"

namespace evenmatch {

struct Rating {
  double mean = 0;
  double deviation = 0;     // 0 where the system keeps none
  double volatility = 0;    // Glicko-2 only
  uint32_t games = 0;       // rated games so far
  uint32_t settles_at = 0;  // the count of games from which a player who came back after a long time is settled again
  // When all this was true: the last game, or a later instant up to which the deviation has grown. kNever: no
  // game yet, so nothing grows.
  Micros as_of = kNever;
  friend bool operator==(const Rating&, const Rating&) = default;
};

struct RatedPlayer {
  Rating rating;
  double weight = 1;  // the share of the game that was played, 0..1; 0 learns nothing
};

// A side of a game. Ranks count from the best: lower is better, equal ranks are a draw, gaps between ranks mean
// nothing.
struct RatedTeam {
  std::span<const RatedPlayer> players;
  int32_t rank = 0;
};

// What a game changes.
struct RatingUpdate {
  std::vector<Rating> ratings;  // of all players, team after team, in the order in which they were given
  int volatilities_kept = 0;    // Glicko-2: searches that did not end; those players keep their volatility
};

struct WinChances {
  std::vector<double> first;  // of each team, to come first alone; with `draw` they add up to 1
  double draw = 0;            // of a draw; 0 where the system has no draw margin, and for more than two teams
};

struct MatchingPoints {
  MilliPoints value = 0;      // within kMaxValue
  MilliPoints deviation = 0;  // 0 where the system keeps none
  friend bool operator==(const MatchingPoints&, const MatchingPoints&) = default;
};

// One game of a rating period, as one player sees it.
struct PeriodGame {
  double mean = 0;       // of the opponent, at the start of the period
  double deviation = 0;  // likewise
  double score = 0;      // 1 won, 1/2 drawn, 0 lost
  double weight = 1;     // how much of a game it was
  double slope = 1;      // how much the player's own strength counts in the difference; below 1 with team-mates
};

// Ranks of scores: the highest score ranks 0, equal scores rank alike, and the next one counts those before it.
std::vector<int32_t> RanksOfScores(std::span<const double> scores);

}  // namespace evenmatch
