// ExplainTicket: why a waiting ticket is still unmatched in each of its queues. Pure reading.
//
// Cost:    looks at kMostExplained tickets a queue, at most, those nearest by value; of those that a required attribute
//          keeps apart only the number is taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/explanation.h"
#include "model/units.h"
#include "shard/state.h"

namespace evenmatch {

inline constexpr size_t kMostExplained = 10'000;

// Nothing for a ticket that no longer waits.
std::vector<Explanation> ExplainTicket(const GroupState& state, uint32_t ticket, Micros now);

}  // namespace evenmatch
