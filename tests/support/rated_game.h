// RatedGame: teams of a rated game for tests, kept alive with the players they point to.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "rating/rating_system.h"

namespace evenmatch {

struct RatedGame {
  std::vector<std::vector<RatedPlayer>> players;
  std::vector<int32_t> ranks;

  // Single players of full weight.
  static RatedGame Of(const std::vector<Rating>& ratings, std::vector<int32_t> ranks) {
    RatedGame game{.ranks = std::move(ranks)};
    for (const Rating& rating : ratings) game.players.push_back({{.rating = rating}});
    return game;
  }
  static RatedGame Won(const Rating& winner, const Rating& loser) { return Of({winner, loser}, {0, 1}); }
  static RatedGame Drawn(const Rating& one, const Rating& other) { return Of({one, other}, {0, 0}); }

  std::vector<RatedTeam> Teams() const {
    std::vector<RatedTeam> teams;
    for (size_t i = 0; i < players.size(); ++i) teams.push_back({players[i], ranks[i]});
    return teams;
  }

  // The ratings after it, team by team; fails the test when the game is refused.
  std::vector<std::vector<Rating>> After(const RatingSystem& system, Micros ended_at = 0,
                                         RatingUpdate* update = nullptr) const {
    RatingUpdate own;
    if (update == nullptr) update = &own;
    const absl::Status status = system.Update(Teams(), ended_at, update);
    EXPECT_TRUE(status.ok()) << status;
    std::vector<std::vector<Rating>> after;
    size_t at = 0;
    for (const auto& team : players) {
      auto& ratings = after.emplace_back();
      for (size_t k = 0; k < team.size(); ++k, ++at) {
        ratings.push_back(status.ok() ? update->ratings[at] : Rating{});
      }
    }
    return after;
  }
};

inline bool IsFinite(const Rating& rating) {
  return std::isfinite(rating.mean) && std::isfinite(rating.deviation) && std::isfinite(rating.volatility) &&
         rating.deviation >= 0;
}

}  // namespace evenmatch
