#include <algorithm>
#include <cmath>

#include "config/rule_checks.h"

namespace evenmatch {
namespace {

namespace proto = evenmatch::config::v1;

constexpr double kMaxWeight = 1000;
constexpr double kMaxScale = 200'000;

QualityRules PairScore() {
  QualityRules rules;
  rules[QualityTerm::kDistance] = {.weight = 1000, .scale = 200 * kPoint};
  rules[QualityTerm::kLatency] = {.weight = 300, .scale = 60};
  rules[QualityTerm::kParty] = {.weight = 200, .scale = 1};
  return rules;
}

// `unit` is how much of the measure of the term one is in the file; `scale` what holds when none is given, in the file.
void CheckWeight(const std::string& field, bool given, const proto::QualityWeight& weight, double unit, double scale,
                 QualityRules::Weight* rule, Checks* checks) {
  if (!given) return;
  rule->weight = 1000;
  if (weight.has_weight()) {
    rule->weight =
        static_cast<int32_t>(std::llround(checks->InRange(field + ".weight", weight.weight(), 0.0, kMaxWeight) * 1000));
  }
  if (weight.has_scale()) scale = checks->InRange(field + ".scale", weight.scale(), 0.0, kMaxScale);
  rule->scale = std::llround(scale * unit);
  if (weight.has_scale() && rule->scale < 1) {
    checks->Wrong(field + ".scale", absl::StrCat("must be at least ", 1 / unit, ", not ", weight.scale()));
    rule->scale = 1;
  }
}

}  // namespace

QualityRules CheckQuality(const std::string& field, const proto::Quality& quality, bool duel, Checks* checks) {
  QualityRules rules;
  const proto::QualityTerms& terms = quality.terms();
  if (quality.preset() == proto::Quality::PRESET_PAIR_SCORE) {
    rules = PairScore();
  } else if (quality.has_terms()) {
    rules = duel ? QualityRules::Duel() : QualityRules::Teams();
  }
  const auto check = [&](QualityTerm term, const char* name, bool given, const proto::QualityWeight& weight,
                         double unit, double scale) {
    CheckWeight(absl::StrCat(field, ".terms.", name), given, weight, unit, scale, &rules[term], checks);
  };
  check(QualityTerm::kDistance, "distance", terms.has_distance(), terms.distance(), kPoint, 0);
  check(QualityTerm::kEvenness, "evenness", terms.has_evenness(), terms.evenness(), kCertain, 1);
  check(QualityTerm::kLatency, "latency", terms.has_latency(), terms.latency(), 1, 60);
  check(QualityTerm::kParty, "party", terms.has_party(), terms.party(), 1, 1);
  check(QualityTerm::kFill, "fill", terms.has_fill(), terms.fill(), 1000, 1);
  check(QualityTerm::kPreference, "preference", terms.has_preference(), terms.preference(), 1, 1);
  check(QualityTerm::kRecent, "recent", terms.has_recent(), terms.recent(), 1000, 1);
  check(QualityTerm::kAvoid, "avoid", terms.has_avoid(), terms.avoid(), 1000, 1);
  check(QualityTerm::kAttributes, "attributes", terms.has_attributes(), terms.attributes(), 1000, 1);
  if (quality.has_terms() && !rules.given()) {
    checks->WrongTogether(field + ".terms", "all weights are 0; one at least must count");
  }
  if (quality.has_relations_fade()) {
    rules.relations_fade =
        checks->Duration(field + ".relations_fade", quality.relations_fade(), 0, Checks::kLongestWait);
  }
  return rules;
}

PriorityRules CheckPriority(const std::string& field, const proto::Priority& priority, Checks* checks) {
  PriorityRules rules;
  if (priority.has_wait()) rules.wait_weight = checks->InRange(field + ".wait", priority.wait(), 0, 1'000'000);
  if (priority.has_scarcity()) {
    rules.scarcity_weight = checks->InRange(field + ".scarcity", priority.scarcity(), 0, 1'000'000);
  }
  if (rules.wait_weight == 0 && rules.scarcity_weight == 0) {
    checks->Wrong(field, "wait and scarcity are both 0; one at least must count");
  }
  return rules;
}

VarietyRules CheckVariety(const std::string& field, const proto::Variety& variety, Checks* checks) {
  VarietyRules rules;
  if (!variety.has_within()) checks->Wrong(field + ".within", "is required");
  rules.within = checks->InRange(field + ".within", variety.within(), 1, kBestQuality);
  if (variety.has_seed()) rules.seed = variety.seed();
  return rules;
}

}  // namespace evenmatch
