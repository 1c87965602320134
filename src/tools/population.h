// Population: the players of a run, drawn before it starts, so that the same seed gives the same players whatever the
// network does.
//
// Units:   ratings in milli-points.
// Cost:    eight bytes a ticket and four a player.
// Threads: constant once made.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/units.h"
#include "sim/distributions.h"
#include "sim/games.h"

namespace evenmatch {

class Population {
 public:
  // Members of a party are drawn on their own.
  static Population Draw(size_t tickets, const RatingDistribution& ratings, const PartyDistribution& parties,
                         uint64_t seed);
  // Two single players a game, in its order.
  static Population OfGames(std::span<const Game> games);

  size_t tickets() const { return first_.size() - 1; }
  size_t players() const { return ratings_.size(); }
  std::span<const MilliPoints> Members(size_t ticket) const {
    return std::span(ratings_).subspan(first_[ticket], first_[ticket + 1] - first_[ticket]);
  }
  // What the ticket is ordered by in a queue: the mean of its members, rounded towards zero.
  MilliPoints Value(size_t ticket) const;

 private:
  std::vector<uint32_t> first_{0};  // of a ticket's members in ratings_; one more at the end
  std::vector<MilliPoints> ratings_;
};

}  // namespace evenmatch
