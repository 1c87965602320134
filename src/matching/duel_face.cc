#include "matching/duel_face.h"

#include "base/hash.h"

namespace evenmatch {

DuelFaces::DuelFaces(const RuleBook& book) : rules_(book.rules()) {
  if (rules_.regions.on()) {
    steps_ = std::min(rules_.regions.steps.size(), DuelFace::kRegionSteps);
    for (size_t step = 0; step < steps_; ++step) step_after_[step] = rules_.regions.steps[step].after;
  }
  for (const TierRules::Group& group : rules_.tiers.groups) isolated_.push_back(group.isolated);
  if (rules_.tiers.on()) {
    neighbours_after_ = rules_.tiers.neighbours_after;
    all_after_ = rules_.tiers.all_after;
  }
  if (rules_.shelter.on()) own_pool_for_ = rules_.shelter.own_pool_for;
}

void DuelFaces::Make(const Waiter& waiter, DuelFace* face) const {
  *face = {};
  face->arrival = waiter.entry->arrival;
  face->queued_at = waiter.entry->queued_at;
  const Traits* traits = face->traits = waiter.traits;
  if (traits == nullptr) {
    face->regions.fill(~uint64_t{0});
    return;
  }
  for (size_t region = 0; region < traits->regions.size() && steps_ > 0; ++region) {
    const Micros from = traits->regions[region].from;
    if (from == kNever) continue;
    for (size_t step = 0; step < steps_; ++step) {
      if (from <= step_after_[step] || step + 1 == steps_) face->regions[step] |= uint64_t{1} << region;
    }
  }
  if (rules_.tiers.on()) face->tier_group = traits->tier_group;
  face->sheltered = rules_.shelter.on() && traits->sheltered;
  uint64_t alike = 0;
  for (size_t i = 0; i < rules_.attributes.size(); ++i) {
    const AttributeRule& rule = rules_.attributes[i];
    // Where a missing one meets anybody, equality is not transitive.
    if (rule.compare != AttributeRule::Compare::kEqual || !rule.required || rule.required_for != kNever) continue;
    if (rule.missing == Missing::kMeetsAnybody) continue;
    const Traits::Attribute& attribute = traits->attributes[i];
    alike = HashMix(alike, attribute.present ? static_cast<uint64_t>(attribute.number) : i);
    alike = HashMix(alike, attribute.present ? 1 : 0);
  }
  face->alike = static_cast<uint32_t>(alike ^ alike >> 32);
}

}  // namespace evenmatch
