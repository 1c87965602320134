// NoRating: for queues without ratings. Nobody is stronger than anybody, and no result changes anything but the count
// of games.
//
// Units, cost, errors, threads: see rating_system.h.
#pragma once

#include "rating/rating_system.h"

namespace evenmatch {

struct NoRatingParameters {
  absl::Status Check() const { return absl::OkStatus(); }
};

class NoRating : public RatingSystem {
 public:
  explicit NoRating(const NoRatingParameters&) {}

  Rating Start() const override { return {}; }
  MatchingPoints MatchingValue(const Rating& rating) const override { return {}; }

 protected:
  void Rate(std::span<const RatedTeam> teams, Micros ended_at, RatingUpdate* update) const override {}
  WinChances Predict(std::span<const RatedTeam> teams) const override {
    return {.first = std::vector<double>(teams.size(), 1 / static_cast<double>(teams.size()))};
  }
};

}  // namespace evenmatch
