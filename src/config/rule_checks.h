// The rules of a queue from their message, subject by subject: what `CheckQueueRules` is made of.
//
// Shape:   each takes the message of its subject, with the path of its field, and hands back the rules; what depends on
//          other rules of the queue gets them.
// Errors:  go to `checks`; the rules are within their bounds all the same.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "config/checks.h"
#include "evenmatch/config/v1/queue.pb.h"
#include "model/limits.h"
#include "model/queue_rules.h"

namespace evenmatch {

inline constexpr double kMaxDistancePoints = 200'000;

// window_rules.cc: how far apart.
WindowRules CheckWindow(const std::string& field, const config::v1::Window& window, Checks* checks);
// The steps of latency that a preset of the window brings; empty when it has none.
std::vector<RegionRules::Step> RegionStepsOf(const config::v1::Window& window);
// These go by the window, the tick and the timeout that `rules` has already.
void CheckInstant(const std::string& field, const config::v1::Queue& queue, QueueRules* rules, Checks* checks);
void CheckMaxDifference(const std::string& field, const config::v1::Queue& queue, QueueRules* rules, Checks* checks);
void CheckTargetWait(const std::string& field, const config::v1::Queue& queue, QueueRules* rules, Checks* checks);

// strength_rules.cc: how strong.
TierRules CheckTiers(const std::string& field, const config::v1::Tiers& tiers, const Limits& limits, Checks* checks);
StrengthRules CheckStrength(const std::string& field, const config::v1::Strength& strength, const TierRules& tiers,
                            int32_t largest_team, const Limits& limits, Checks* checks);
ShelterRules CheckShelter(const std::string& field, const config::v1::Shelter& shelter, Checks* checks);
StreakRules CheckStreak(const std::string& field, const config::v1::Streak& streak, Checks* checks);

// team_rules.cc: the shape of a match, and who is in a team.
void CheckShape(const std::string& field, const config::v1::Queue& queue, QueueRules* rules, Checks* checks);
PartyRules CheckParty(const std::string& field, const config::v1::Party& party, const QueueRules& shape,
                      Checks* checks);
RoleRules CheckRoles(const std::string& field, const config::v1::Roles& roles, const QueueRules& shape,
                     const Limits& limits, Checks* checks);

// meeting_rules.cc: where, and what must agree.
RegionRules CheckRegions(const std::string& field, const config::v1::Regions& regions, const Limits& limits,
                         Checks* checks);
std::vector<std::string> CheckRequiredAttributes(const std::string& field, const config::v1::Queue& queue,
                                                 const Limits& limits, Checks* checks);
std::vector<AttributeRule> CheckAttributes(const std::string& field, const config::v1::Queue& queue,
                                           const Limits& limits, Checks* checks);

// quality_rules.cc: what a match is worth, and who goes first.
QualityRules CheckQuality(const std::string& field, const config::v1::Quality& quality, bool duel, Checks* checks);
PriorityRules CheckPriority(const std::string& field, const config::v1::Priority& priority, Checks* checks);
VarietyRules CheckVariety(const std::string& field, const config::v1::Variety& variety, Checks* checks);

}  // namespace evenmatch
