// Rule: what keeps a ticket from playing, by name.
#pragma once

#include <cstddef>
#include <cstdint>

namespace evenmatch {

enum class Rule : uint8_t {
  kNone,
  kWindow,         // too far apart for the stricter window
  kMaxDifference,  // too far apart for ever
  kTier,           // their groups do not meet yet, or never
  kShelter,        // one of them is sheltered
  kRegion,         // no region for both
  kAttribute,      // one that is required does not agree; the affinity is part of it
  kBlock,          // a player of one blocks a player of the other
  kPartySize,      // their parties do not fit into the teams, or would not mirror
  kRoles,          // nobody for a seat
  kHeadCount,      // not enough players that may meet
  kPatience,       // may meet, but is worth waiting for a better game
};
inline constexpr size_t kRules = 12;

}  // namespace evenmatch
