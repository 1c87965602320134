#include "config/queue_rules.h"

#include <algorithm>

#include "config/rule_checks.h"

namespace evenmatch {
namespace {

namespace proto = evenmatch::config::v1;

WaitBasis WaitBasisOf(proto::WaitBasis basis) {
  switch (basis) {
    case proto::WAIT_BASIS_OLDEST:
      return WaitBasis::kOldest;
    case proto::WAIT_BASIS_AVERAGE:
      return WaitBasis::kAverage;
    default:
      return WaitBasis::kStrictest;
  }
}

void CheckTimes(const std::string& field, const proto::Queue& queue, const Limits& limits, QueueRules* rules,
                Checks* checks) {
  if (queue.has_tick()) rules->tick = checks->Duration(field + ".tick", queue.tick(), kMillisecond, 60 * kSecond);
  const Micros longest = limits.ticket_timeout;
  rules->default_timeout = std::min(rules->default_timeout, longest);
  if (queue.has_default_timeout()) {
    rules->default_timeout =
        checks->Duration(field + ".default_timeout", queue.default_timeout(), kMillisecond, longest);
  }
  if (queue.has_hold_timeout()) {
    rules->hold_timeout = checks->Duration(field + ".hold_timeout", queue.hold_timeout(), 0, 24 * kHour);
  }
}

// A preset of the window may bring its own steps of latency.
void CheckWhere(const std::string& field, const proto::Queue& queue, const Limits& limits, QueueRules* rules,
                Checks* checks) {
  if (queue.has_regions()) rules->regions = CheckRegions(field + ".regions", queue.regions(), limits, checks);
  std::vector<RegionRules::Step> steps = RegionStepsOf(queue.window());
  if (steps.empty()) return;
  if (!queue.has_regions()) {
    checks->Wrong(field + ".window.preset", "region_first needs regions, the names of where matches can be played");
  }
  if (!queue.regions().steps().empty()) {
    checks->Wrong(field + ".regions.steps", "does not go with window.preset region_first, which brings its own");
  }
  rules->regions.steps = std::move(steps);
}

// A preference that costs nothing would be no preference.
void CheckPreferred(const std::string& field, const QueueRules& rules, Checks* checks) {
  if (rules.quality[QualityTerm::kAttributes].weight > 0) return;
  for (size_t i = 0; i < rules.attributes.size(); ++i) {
    if (rules.attributes[i].required) continue;
    checks->Wrong(absl::StrCat(field, ".attributes[", i, "].required"),
                  "a preferred attribute needs a weight: quality.terms.attributes");
  }
}

}  // namespace

QueueRules CheckQueueRules(const std::string& field, const proto::Queue& queue, const Limits& limits, Checks* checks) {
  QueueRules rules;
  rules.name = queue.name();
  checks->Name(field + ".name", rules.name, limits.id_bytes);
  CheckShape(field, queue, &rules, checks);
  CheckTimes(field, queue, limits, &rules, checks);
  if (queue.has_max_waiting()) {
    rules.max_waiting = checks->InRange<uint64_t>(field + ".max_waiting", queue.max_waiting(), 1, 10'000'000);
  }
  if (queue.has_start_rating()) {
    const double limit = static_cast<double>(limits.rating) / kPoint;
    rules.start_value = checks->Points(field + ".start_rating", queue.start_rating(), -limit, limit);
  }

  if (queue.has_window()) rules.window = CheckWindow(field + ".window", queue.window(), checks);
  CheckInstant(field, queue, &rules, checks);
  CheckTargetWait(field, queue, &rules, checks);
  CheckMaxDifference(field, queue, &rules, checks);
  rules.wait_basis = WaitBasisOf(queue.wait_basis());

  if (queue.has_tiers()) rules.tiers = CheckTiers(field + ".tiers", queue.tiers(), limits, checks);
  if (queue.has_strength()) {
    rules.strength = CheckStrength(field + ".strength", queue.strength(), rules.tiers, rules.team_size, limits, checks);
  }
  if (queue.has_shelter()) rules.shelter = CheckShelter(field + ".shelter", queue.shelter(), checks);
  if (queue.has_streak()) rules.streak = CheckStreak(field + ".streak", queue.streak(), checks);

  if (queue.has_party()) rules.party = CheckParty(field + ".party", queue.party(), rules, checks);
  if (queue.has_roles()) rules.roles = CheckRoles(field + ".roles", queue.roles(), rules, limits, checks);
  CheckWhere(field, queue, limits, &rules, checks);
  rules.required_attributes = CheckRequiredAttributes(field + ".required_attributes", queue, limits, checks);
  rules.attributes = CheckAttributes(field + ".attributes", queue, limits, checks);
  if (queue.has_blocks()) rules.blocks = queue.blocks();

  if (queue.has_quality()) rules.quality = CheckQuality(field + ".quality", queue.quality(), rules.duel(), checks);
  CheckPreferred(field, rules, checks);
  if (queue.has_priority()) rules.priority = CheckPriority(field + ".priority", queue.priority(), checks);
  if (queue.has_variety()) rules.variety = CheckVariety(field + ".variety", queue.variety(), checks);
  if (queue.never() == proto::NEVER_POLICY_REFUSE) rules.never = NeverPolicy::kRefuse;
  return rules;
}

}  // namespace evenmatch
