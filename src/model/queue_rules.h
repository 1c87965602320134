// QueueRules: what a queue is and what it accepts; PoolGroupRules: queues that may share a ticket; Catalog: all of
// them. Made from configuration, checked there (see config/), and constant while the server runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/units.h"

namespace evenmatch {

// The distance in matching value that a ticket accepts after a wait. Never narrows with wait.
struct WindowRules {
  struct Step {
    Micros after;       // since the ticket was queued; the first step is at 0, later ones strictly later
    MilliPoints width;  // not below the step before; kUnlimitedWindow for any distance
  };

  // Linear when `steps` is empty: base + growth_per_second * wait, up to max.
  MilliPoints base = 100 * kPoint;
  MilliPoints growth_per_second = 50 * kPoint;
  MilliPoints max = 800 * kPoint;

  std::vector<Step> steps;
};

struct QueueRules {
  std::string name;
  uint32_t group = 0;      // index of its PoolGroupRules in the Catalog
  int32_t team_count = 2;  // 2..64
  int32_t team_size = 1;   // 1..64 players; every team is full
  WindowRules window;
  // Tickets meet only when these attributes of theirs are equal; a missing one equals only a missing one.
  std::vector<std::string> required_attributes;
  MilliPoints start_value = 1500 * kPoint;  // of a player who brings no rating
  Micros tick = 100 * kMillisecond;
  size_t max_waiting = 1'000'000;         // tickets; more are refused with RESOURCE_EXHAUSTED
  Micros default_timeout = 90 * kSecond;  // of a ticket that names none (the shortest of its queues counts)
  Micros hold_timeout = 120 * kSecond;    // players of a formed match are held so long, or until EndMatch

  int32_t players_per_match() const { return team_count * team_size; }
  bool duel() const { return team_count == 2 && team_size == 1; }
};

struct PoolGroupRules {
  std::string name;
  std::vector<uint32_t> queues;  // indexes into Catalog::queues
};

struct Catalog {
  std::vector<QueueRules> queues;
  std::vector<PoolGroupRules> groups;
  Micros presence_grace = 10 * kSecond;  // a ticket with presence STREAM outlives its watchers by this

  // The index of a queue or group by name, -1 when there is none.
  int FindQueue(std::string_view name) const;
  int FindGroup(std::string_view name) const;
};

}  // namespace evenmatch
