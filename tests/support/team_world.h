// Worlds of teams with parties: arrivals in virtual time, the matcher's ticks, and what came of them, held against what
// the pool of the same tick had to offer.
//
// How to use it:
//   TeamWorld world;                       // fifty players a second, parties of one to five, tick 500 ms
//   world.rules.target_wait_p95 = 8 * kSecond;
//   const TeamOutcome outcome = PlayTeams(world);
//   EXPECT_LE(outcome.mean_spread(), 1.1 * outcome.mean_neighbours());
//
// Threads: none. Deterministic: the same world, the same outcome.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/histogram.h"
#include "matching/matcher.h"
#include "model/queue_rules.h"
#include "model/units.h"

namespace evenmatch {

// Two teams of five, window 100 + 50 a second up to 800, tick 500 ms.
QueueRules FiveAgainstFive();

struct TeamWorld {
  QueueRules rules = FiveAgainstFive();
  double players_per_second = 50;        // Poisson, by tickets
  double mean = 1'500, deviation = 300;  // of the value of a ticket, in points, normal
  // Of all players so many percent come in parties of one, two, ... five.
  std::array<int, 5> percent{40, 25, 15, 8, 12};
  Micros warm_up = 30 * kSecond;  // not counted
  Micros duration = 5 * kMinute;
  // With roles: what a player wants first, in percent by role; half of them name another one too, and some any.
  std::vector<int> wanted;
  bool check_splits = false;  // tries every split of every match
  uint64_t seed = 1;
};

struct TeamOutcome {
  uint64_t tickets = 0, players = 0, matches = 0, left = 0;
  int64_t quality = 0, spread = 0;
  // Around its oldest ticket, in the pool of its tick: the most compact run of neighbours with as many players.
  int64_t neighbours = 0;
  uint64_t even = 0;          // between 45 % and 55 %
  uint64_t split_misses = 0;  // another split would have been more even
  uint64_t fills = 0, fills_levelled = 0, unequal_parties = 0;
  Histogram wait, player_wait;
  size_t largest_pool = 0;

  double mean_quality() const { return Mean(quality); }
  double mean_spread() const { return Mean(spread) / kPoint; }
  double mean_neighbours() const { return Mean(neighbours) / kPoint; }
  double percent_even() const { return 100 * Mean(static_cast<int64_t>(even)); }
  double p95_wait() const { return static_cast<double>(wait.Percentile(95)) / kSecond; }

 private:
  double Mean(int64_t sum) const { return matches == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(matches); }
};

TeamOutcome PlayTeams(const TeamWorld& world);

}  // namespace evenmatch
