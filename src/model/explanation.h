// Explanation: why a ticket still waits in one of its queues, as of one instant.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "model/rule.h"
#include "model/units.h"

namespace evenmatch {

struct Explanation {
  // The ticket that will fit soonest among those that do not fit now.
  struct Miss {
    Rule rule = Rule::kNone;  // refuses it longest
    Micros in = kNever;       // from now; kNever: never
    MilliPoints gap = 0;
  };

  uint32_t queue = 0;                     // index into Catalog::queues
  size_t seen = 0;                        // other tickets in the queue that were looked at
  size_t fitting = 0;                     // that it may meet now
  std::array<size_t, kRules> refused{};   // by rule; a ticket counts for each rule that refuses it. kHeadCount,
                                          // kPartySize, kRoles and kPatience refuse tickets that fit.
  std::optional<Miss> nearest;            // none: nobody is refused
  int32_t stage = 0;                      // reached
  Micros next_stage_in = kNever;          // from now; kNever: it is the last
  Rule never = Rule::kNone;               // for which it can never play here
  std::string never_field, never_reason;  // the field at fault, and the reason for people
};

}  // namespace evenmatch
