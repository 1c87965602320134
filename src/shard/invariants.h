// What must always hold between the tables of a group, and one number for what they say. O(n), for tests and
// simulation.
#pragma once

#include <cstdint>

#include "shard/state.h"

namespace evenmatch {

// CHECKs every fact that ties the tables together.
void CheckGroup(const GroupState& state);
// Equal for equal live tickets, claims and known matches, whatever their slots and order.
uint64_t SignGroup(const GroupState& state);

}  // namespace evenmatch
