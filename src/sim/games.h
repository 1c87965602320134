// The real games of a CSV file: who met whom, how strong they were, and when.
//
// Shape:   comma-separated (RFC 4180: fields may be in double quotes, a quote in them is doubled; lines end in LF or
//          CRLF), the first row names the columns; unknown ones are skipped over.
//          Ratings: white_rating and black_rating, rating_a and rating_b, rating_1 and rating_2, or player_a_rating and
//          player_b_rating. Else they are computed from player_a, player_b and result (A, B or D): Elo (1978) in the
//          order of the file, from 1500 points, K = 32; a game has the ratings that its players brought to it.
//          Time: ended_at or played_at, "2004-08-06T18:13:50" with "Z" or without, and never earlier than the row
//          before.
// Errors:  INVALID_ARGUMENT with the line.
// Threads: pure function.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "model/units.h"

namespace evenmatch {

struct Game {
  std::array<MilliPoints, 2> ratings{};
  Micros at = kNever;  // kNever: the file does not say

  friend bool operator==(const Game&, const Game&) = default;
};

absl::StatusOr<std::vector<Game>> ReadGames(std::string_view csv);

}  // namespace evenmatch
