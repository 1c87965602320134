// The ratings of real games from a CSV file: who met whom.
//
// Shape:   comma-separated (RFC 4180: fields may be in double quotes, a quote in them is doubled; lines end in LF or
//          CRLF), the first row names the columns. The pair of columns is white_rating and black_rating, rating_a and
//          rating_b, rating_1 and rating_2, or player_a_rating and player_b_rating; others are skipped over.
// Errors:  INVALID_ARGUMENT with the line.
// Threads: pure function.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "model/units.h"

namespace evenmatch {

absl::StatusOr<std::vector<std::pair<MilliPoints, MilliPoints>>> ReadGames(std::string_view csv);

}  // namespace evenmatch
