// CheckQueueRules: the rules of a queue from its message, every one of them, checked against each other.
// What may stand in it, and every default, is said in proto/evenmatch/config/v1/queue.proto.
//
// Errors:  go to `checks`, each with its field: what is out of range, and what could never be: steps that narrow, tiers
//          that overlap, roles that do not make a team, rules that exclude each other.
// Threads: pure function.
#pragma once

#include <string>

#include "config/checks.h"
#include "evenmatch/config/v1/queue.pb.h"
#include "model/limits.h"
#include "model/queue_rules.h"

namespace evenmatch {

// Leaves QueueRules::group to the caller.
QueueRules CheckQueueRules(const std::string& field, const config::v1::Queue& queue, const Limits& limits,
                           Checks* checks);

}  // namespace evenmatch
