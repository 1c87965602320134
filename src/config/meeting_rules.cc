#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "config/rule_checks.h"

namespace evenmatch {
namespace {

namespace proto = evenmatch::config::v1;

constexpr double kMaxNumber = 1e9;

Missing MissingOf(proto::Attribute::Missing missing) {
  switch (missing) {
    case proto::Attribute::MISSING_ANYBODY:
      return Missing::kMeetsAnybody;
    case proto::Attribute::MISSING_NOBODY:
      return Missing::kMeetsNobody;
    default:
      return Missing::kMeetsMissing;
  }
}

AttributeRule CheckAttribute(const std::string& field, const proto::Attribute& attribute, const Limits& limits,
                             Checks* checks) {
  using Compare = AttributeRule::Compare;
  AttributeRule rule{.name = attribute.name()};
  checks->Name(field + ".name", rule.name, limits.attribute_key_bytes);
  switch (attribute.compare()) {
    case proto::Attribute::COMPARE_EQUAL:
      rule.compare = Compare::kEqual;
      break;
    case proto::Attribute::COMPARE_OVERLAP:
      rule.compare = Compare::kOverlap;
      break;
    case proto::Attribute::COMPARE_DISTANCE:
      rule.compare = Compare::kDistance;
      break;
    default:
      rule.compare = attribute.has_distance() ? Compare::kDistance : Compare::kEqual;
  }
  if (rule.compare == Compare::kDistance && !attribute.has_distance()) {
    checks->Wrong(field + ".distance", "is required to compare by distance");
  }
  if (rule.compare != Compare::kDistance && attribute.has_distance()) {
    checks->Wrong(field + ".distance", "goes only with compare: distance");
  }
  rule.distance = std::llround(checks->InRange(field + ".distance", attribute.distance(), 0.0, kMaxNumber) * 1000);
  rule.missing = MissingOf(attribute.missing());
  rule.required = !attribute.has_required() || attribute.required();
  if (attribute.has_required_for()) {
    rule.required_for = checks->Duration(field + ".required_for", attribute.required_for(), 0, Checks::kLongestWait);
    if (!rule.required) checks->Wrong(field + ".required_for", "goes only with a required attribute");
  }
  return rule;
}

// Neither of two limits of latency may fall; `any` is none.
void CheckNotBelow(const std::string& field, int32_t here, int32_t before, Checks* checks) {
  if (here >= before) return;
  checks->Wrong(field, before == RegionRules::kAnyLatency
                           ? "must not be below that of the step before, which takes any"
                           : absl::StrCat("must not be below that of the step before, ", before));
}

}  // namespace

RegionRules CheckRegions(const std::string& field, const proto::Regions& regions, const Limits& limits,
                         Checks* checks) {
  RegionRules rules;
  if (regions.names().empty()) checks->Wrong(field + ".names", "is required and must not be empty");
  checks->Count(field + ".names", regions.names_size(), limits.regions);
  UniqueNames names(checks);
  for (int i = 0; i < regions.names_size(); ++i) {
    const std::string element = absl::StrCat(field, ".names[", i, "]");
    checks->Name(element, regions.names(i), limits.id_bytes);
    names.Add(element, regions.names(i), element);
    rules.regions.push_back(regions.names(i));
  }
  checks->Count(field + ".steps", regions.steps_size(), Checks::kMostSteps);
  std::optional<Micros> before;
  for (int i = 0; i < regions.steps_size(); ++i) {
    const proto::RegionStep& step = regions.steps(i);
    const std::string element = absl::StrCat(field, ".steps[", i, "]");
    RegionRules::Step rule{.after = checks->AfterFromZero(element, step, before)};
    if (step.has_delta_ms())
      rule.delta_ms = checks->InRange(element + ".delta_ms", step.delta_ms(), 0, limits.latency_ms);
    if (step.has_limit_ms())
      rule.limit_ms = checks->InRange(element + ".limit_ms", step.limit_ms(), 0, limits.latency_ms);
    if (i > 0) {
      CheckNotBelow(element + ".delta_ms", rule.delta_ms, rules.steps.back().delta_ms, checks);
      CheckNotBelow(element + ".limit_ms", rule.limit_ms, rules.steps.back().limit_ms, checks);
    }
    before = rule.after;
    rules.steps.push_back(rule);
  }
  // Who names regions wants to be told in which to play, though any latency be good enough.
  if (rules.steps.empty()) rules.steps.push_back({});
  rules.missing = regions.missing() == proto::Regions::MISSING_NOWHERE ? Missing::kMeetsNobody : Missing::kMeetsAnybody;
  return rules;
}

std::vector<std::string> CheckRequiredAttributes(const std::string& field, const proto::Queue& queue,
                                                 const Limits& limits, Checks* checks) {
  std::vector<std::string> attributes;
  if (static_cast<size_t>(queue.required_attributes_size()) > limits.attributes) {
    checks->Wrong(field, absl::StrCat("has ", queue.required_attributes_size(), " entries; at most ", limits.attributes,
                                      " are allowed"));
  }
  for (int i = 0; i < queue.required_attributes_size(); ++i) {
    const std::string& attribute = queue.required_attributes(i);
    const std::string element = absl::StrCat(field, "[", i, "]");
    checks->Name(element, attribute, limits.attribute_key_bytes);
    if (std::find(attributes.begin(), attributes.end(), attribute) != attributes.end()) {
      checks->Wrong(element, "is in the list already");
    }
    attributes.push_back(attribute);
  }
  return attributes;
}

std::vector<AttributeRule> CheckAttributes(const std::string& field, const proto::Queue& queue, const Limits& limits,
                                           Checks* checks) {
  std::vector<AttributeRule> rules;
  checks->Count(field, queue.attributes_size(), limits.attributes);
  UniqueNames names(checks);
  const std::set<std::string> kept_apart(queue.required_attributes().begin(), queue.required_attributes().end());
  for (int i = 0; i < queue.attributes_size(); ++i) {
    const std::string element = absl::StrCat(field, "[", i, "]");
    rules.push_back(CheckAttribute(element, queue.attributes(i), limits, checks));
    names.Add(element + ".name", rules.back().name, element);
    if (kept_apart.contains(rules.back().name)) checks->Wrong(element + ".name", "is in required_attributes already");
  }
  return rules;
}

}  // namespace evenmatch
