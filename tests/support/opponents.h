// Opponents: other ways to pair the waiting tickets of a duel queue, to measure the matcher against.
//
// How to use them:
//   - one tick:      Pairing pairs = MakeOpponent(OpponentKind::kExact, rules.window)->Tick(tickets, now);
//   - a whole world: PlayDuels(scenario, rules, opponent) in tests/support/duel_world.h gives an opponent the same
//                    arrivals that Simulate (sim/world.h) gives the matcher;
//   - the same ticks: SameTicks there asks an opponent about each tick of a world that the matcher plays.
//
// Shape:   kOldestFirst      each in turn, oldest first, takes the best partner within the stricter window of the two:
//                            the nearest, among equals the older
//          kSortedNeighbours in order of value, whoever fits the next one plays it
//          kExact            the pairs of the greatest total quality, each a millionth of a point better than its
//                            quality, so that of equal totals the one with more pairs is taken
//          Two fit when their gap is within the stricter of their windows at `now`.
// Cost:    a tick O(n log n) and, kOldestFirst, a step for every ticket within a window; kExact: see MaximumMatching.
// Threads: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "model/queue_rules.h"
#include "model/units.h"

namespace evenmatch {

struct DuelTicket {
  MilliPoints value = 0;
  Micros queued_at = 0;
  uint64_t arrival = 0;  // breaks ties, oldest first
};

using Pairing = std::vector<std::pair<size_t, size_t>>;  // indexes of tickets; nobody twice

enum class OpponentKind { kOldestFirst, kSortedNeighbours, kExact };

class Opponent {
 public:
  virtual ~Opponent() = default;
  // Pairs tickets, in any order, at one instant.
  virtual Pairing Tick(std::span<const DuelTicket> tickets, Micros now) = 0;
};

std::unique_ptr<Opponent> MakeOpponent(OpponentKind kind, const WindowRules& window);

// What a pair is worth: 10'000 * (1 - gap / stricter window), at `kBestQuality` resolution (matching/quality.h).
Quality QualityOf(const DuelTicket& a, const DuelTicket& b, const WindowRules& window, Micros now);
int64_t TotalQuality(std::span<const DuelTicket> tickets, const Pairing& pairing, const WindowRules& window,
                     Micros now);

}  // namespace evenmatch
