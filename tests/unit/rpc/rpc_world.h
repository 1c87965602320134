// A catalog for the tests of rpc: 1v1 and teams of five in one group, one queue in another.
#pragma once

#include "model/queue_rules.h"

namespace evenmatch {

inline Catalog TestCatalog() {
  Catalog catalog;
  QueueRules duel;
  duel.name = "duel";
  QueueRules squad;
  squad.name = "squad";
  squad.team_size = 5;
  squad.default_timeout = 60 * kSecond;
  QueueRules arena;
  arena.name = "arena";
  arena.group = 1;
  arena.team_size = 2;
  catalog.queues = {duel, squad, arena};
  catalog.groups = {{"default", {0, 1}}, {"other", {2}}};
  return catalog;
}

}  // namespace evenmatch
