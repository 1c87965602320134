// World: the core in virtual time: players come, wait, play or leave; what came of it is measured. A simulated hour
// takes as long as its events need, and the same seed gives the same world to the bit.
//
// Shape:   the real pool groups (shard/), memory only, driven by three sources of what happens next: arrivals, players
//          who lose patience, and the ticks of the queues. At one instant they leave, come, and then the tick looks.
//          Every event is shown to the judge and folded into the signature.
//          Everybody comes once: a match is over as soon as it is formed, and what has ended is acknowledged and, but
//          for the last few thousand, forgotten, so memory follows who waits, not who ever came.
// Units:   Micros since the start of the world, in Scenario.
// Cost:    2 to 3 µs a ticket of a bare duel.
// Errors:  INVALID_ARGUMENT, NOT_FOUND: the scenario does not suit the catalog. Tickets refused at the door are
// counted. Threads: none.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/event.h"
#include "model/limits.h"
#include "model/queue_rules.h"
#include "model/units.h"
#include "sim/arrivals.h"
#include "sim/crowd.h"
#include "sim/measures.h"

namespace evenmatch {

// Tickets that wait in all of these queues at once, and how often such come.
struct QueueShare {
  std::vector<std::string> queues;
  uint32_t weight = 1;
};

// What is the same for all configurations that are compared.
struct Scenario {
  CrowdRules crowd;
  ArrivalRules arrivals;
  std::vector<QueueShare> shares;  // at least one
  uint64_t tickets = 0;            // come at most; 0: the duration decides
  Micros duration = kNever;        // nobody comes at or after it; with neither, a trace decides
  Micros warm_up = 0;              // who comes before is not measured
  Micros settle = 0;               // how long the world goes on after the last arrival
  Micros timeout = 0;              // of tickets; 0: the shortest default of their queues
  uint64_t seed = 1;

  // How long tickets come, as far as it can be told.
  Micros ExpectedSpan() const;
};

// Tickets that were refused with one canonical code.
struct Refusals {
  uint64_t tickets = 0;
  std::string first;  // why the first of them was
};

struct Chronicle {
  std::vector<QueueMeasures> queues;  // those of the shares, in their order
  uint64_t tickets = 0, players = 0;  // that came
  std::map<absl::StatusCode, Refusals> refusals;
  uint64_t matches = 0, events = 0;
  size_t most_waiting = 0;  // tickets
  Micros span = 0;          // of the whole
  Micros slice = 0;         // of QueueMeasures::slices
  uint64_t signature = 0;   // of all events: equal for equal behaviour

  uint64_t refused() const;
};

// What a run shows while it goes on.
struct WorldWatch {
  std::function<void(double done)> progress;             // from time to time: the share that is done, 0 to 1
  std::function<void(const Event& event)> event;         // each, once it has happened
  std::function<void(uint32_t queue, Micros now)> tick;  // each, before it
};

// The seeds of Arrivals and Crowd in a world; for others who shall meet the same players.
inline uint64_t ArrivalSeed(uint64_t seed) { return seed * 2; }
inline uint64_t CrowdSeed(uint64_t seed) { return seed * 2 + 1; }

// The borders of the bands of everybody who may come in this scenario.
RatingBands BandsOf(const Scenario& scenario);

absl::StatusOr<Chronicle> Simulate(const Catalog& catalog, const Limits& limits, const Scenario& scenario,
                                   const RatingBands& bands, const WorldWatch& watch = {});

}  // namespace evenmatch
