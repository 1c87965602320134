// Worlds of duels for opponents of the matcher: the same arrivals, the same instants, other pairs.
//
// How to use it:
//   Scenario scenario;                                     // sim/world.h; rate, tickets or duration, seed, ...
//   scenario.arrivals.rate = 200;
//   scenario.shares = {{{"duel"}, 1}};
//   scenario.tickets = 100'000;
//   const DuelOutcome ours = PlayDuels(scenario, rules);   // the core itself, through Simulate
//   const auto greedy = MakeOpponent(OpponentKind::kOldestFirst, rules.window);
//   const DuelOutcome theirs = PlayDuels(scenario, rules, *greedy);
//   EXPECT_LE(ours.mean_gap(), 0.83 * theirs.mean_gap());
//
//   SameTicks same(rules.window, *MakeOpponent(OpponentKind::kExact, rules.window));  // keep the opponent alive
//   PlayDuels(scenario, rules, same.watch());
//   EXPECT_GE(same.ours.quality, 0.97 * same.theirs.quality);
//
// Threads: none.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/histogram.h"
#include "model/queue_rules.h"
#include "sim/world.h"
#include "tests/support/opponents.h"

namespace evenmatch {

struct DuelOutcome {
  uint64_t tickets = 0, matches = 0;
  int64_t quality = 0;   // sum over the matches, by QualityOf
  int64_t gap = 0;       // sum over the matches, in milli-points
  Histogram wait, gaps;  // of tickets, of matches

  double mean_gap() const {
    return matches == 0 ? 0 : static_cast<double>(gap) / static_cast<double>(matches) / kPoint;
  }
  double p95_wait() const { return static_cast<double>(wait.Percentile(95)) / kSecond; }  // seconds
};

// The core plays. `rules` is the only queue; its name must be that of the scenario's share.
DuelOutcome PlayDuels(const Scenario& scenario, const QueueRules& rules, const WorldWatch& watch = {});
// An opponent plays; tickets run out after the queue's default timeout.
DuelOutcome PlayDuels(const Scenario& scenario, const QueueRules& rules, Opponent& opponent);

// Asks an opponent at each tick of a world that the core plays what it would do with those who wait.
class SameTicks {
 public:
  // Both outlive it.
  SameTicks(const WindowRules& window, Opponent& opponent) : window_(window), opponent_(opponent) {}
  SameTicks(const SameTicks&) = delete;

  WorldWatch watch();  // for Simulate, once

  // Over all ticks; without waits.
  DuelOutcome ours, theirs;

 private:
  void BeginTick(Micros now);
  void Observe(const Event& event);

  const WindowRules& window_;
  Opponent& opponent_;
  std::map<uint64_t, DuelTicket> waiting_;  // by handle
  uint64_t arrivals_ = 0;
};

}  // namespace evenmatch
