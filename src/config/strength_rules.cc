#include <algorithm>
#include <cmath>
#include <optional>

#include "config/rule_checks.h"

namespace evenmatch {
namespace {

namespace proto = evenmatch::config::v1;

constexpr size_t kMostGroups = 64;
constexpr size_t kMostTiersOfAGroup = 64;
constexpr size_t kMostParts = 16;
constexpr double kMaxRatingPoints = static_cast<double>(kMaxValue) / kPoint;
constexpr double kMaxPremadeBonus = 10'000;
constexpr double kMaxNumber = 1e9;
constexpr double kMaxWeight = 1000;

int64_t Thousandths(double value) { return std::llround(value * 1000); }

void CheckTier(const std::string& field, const proto::Tier& tier, uint32_t group, const Limits& limits,
               TierRules* rules, Checks* checks) {
  TierRules::Tier rule{.name = tier.name(), .group = group, .from = kNoValue};
  checks->Name(field + ".name", rule.name, limits.id_bytes);
  if (tier.has_from()) {
    rule.from = checks->Points(field + ".from", tier.from(), -kMaxRatingPoints, kMaxRatingPoints);
    const auto before = std::find_if(rules->tiers.rbegin(), rules->tiers.rend(),
                                     [](const TierRules::Tier& other) { return other.from != kNoValue; });
    if (before != rules->tiers.rend() && rule.from <= before->from) {
      checks->Wrong(field + ".from",
                    absl::StrCat("must be above ", PointsText(before->from), ", where tier \"", before->name,
                                 "\" begins: tiers go from the weakest to the strongest"));
    }
  }
  rules->tiers.push_back(std::move(rule));
}

// The weights of a part, one for each group of tiers or one for all.
std::vector<int32_t> CheckWeights(const std::string& field, const proto::StrengthPart& part, const TierRules& tiers,
                                  Checks* checks) {
  const auto thousandths = [&](const std::string& name, double weight) {
    return static_cast<int32_t>(Thousandths(checks->InRange(name, weight, 0.0, kMaxWeight)));
  };
  const std::string list = field + ".weights";
  checks->Count(list, part.weights_size(), kMostGroups);
  if (!part.weights().empty() && part.has_weight()) checks->Wrong(list, "is given beside weight; only one may be");
  if (part.weights().empty()) return {part.has_weight() ? thousandths(field + ".weight", part.weight()) : 1000};
  if (static_cast<size_t>(part.weights_size()) != tiers.groups.size()) {
    checks->Wrong(list, absl::StrCat("has ", part.weights_size(), " entries, the queue has ", tiers.groups.size(),
                                     " groups of tiers"));
  }
  std::vector<int32_t> weights;
  for (int i = 0; i < part.weights_size(); ++i) {
    weights.push_back(thousandths(absl::StrCat(list, "[", i, "]"), part.weights(i)));
  }
  return weights;
}

StrengthRules::Part CheckPart(const std::string& field, const proto::StrengthPart& part, const TierRules& tiers,
                              const Limits& limits, Checks* checks) {
  using Source = StrengthRules::Source;
  StrengthRules::Part rule;
  if (checks->IsGiven(field + ".attribute") == (part.source() != proto::StrengthPart::SOURCE_UNSPECIFIED)) {
    checks->WrongTogether(field, "needs one of source and attribute");
  }
  switch (part.source()) {
    case proto::StrengthPart::SOURCE_RATING:
      rule.source = Source::kRating;
      break;
    case proto::StrengthPart::SOURCE_TIER:
      rule.source = Source::kTier;
      if (!tiers.on()) checks->Wrong(field + ".source", "is tier, but the queue has no tiers");
      break;
    case proto::StrengthPart::SOURCE_GAMES_PLAYED:
      rule.source = Source::kGamesPlayed;
      break;
    default:
      rule.source = Source::kAttribute;
      rule.attribute = part.attribute();
      if (checks->IsGiven(field + ".attribute")) {
        checks->Name(field + ".attribute", rule.attribute, limits.attribute_key_bytes);
      }
  }
  const bool tier = rule.source == Source::kTier;
  const double last_tier = std::max<double>(1, static_cast<double>(tiers.tiers.size()) - 1);
  if (!tier && !part.has_low()) checks->Wrong(field + ".low", "is required");
  if (!tier && !part.has_high()) checks->Wrong(field + ".high", "is required");
  const double low = checks->InRange(field + ".low", part.low(), -kMaxNumber, kMaxNumber);
  const double high =
      checks->InRange(field + ".high", part.has_high() || !tier ? part.high() : last_tier, -kMaxNumber, kMaxNumber);
  rule.low = Thousandths(low);
  rule.high = Thousandths(high);
  if (rule.high <= rule.low && (tier || (part.has_low() && part.has_high()))) {
    checks->Wrong(field + (part.has_high() ? ".high" : ".low"),
                  absl::StrCat("high ", high, " must be above low ", low));
  }
  rule.weights = CheckWeights(field, part, tiers, checks);
  return rule;
}

}  // namespace

TierRules CheckTiers(const std::string& field, const proto::Tiers& tiers, const Limits& limits, Checks* checks) {
  TierRules rules;
  const std::string list = field + ".groups";
  if (tiers.groups().empty()) checks->Wrong(list, "is required and must not be empty");
  checks->Count(list, tiers.groups_size(), kMostGroups);
  UniqueNames group_names(checks), tier_names(checks);
  for (int i = 0; i < tiers.groups_size(); ++i) {
    const proto::TierGroup& group = tiers.groups(i);
    const std::string group_field = absl::StrCat(list, "[", i, "]");
    checks->Name(group_field + ".name", group.name(), limits.id_bytes);
    group_names.Add(group_field + ".name", group.name(), group_field);
    rules.groups.push_back({.name = group.name(), .isolated = group.isolated()});
    if (group.tiers().empty()) checks->Wrong(group_field + ".tiers", "is required and must not be empty");
    checks->Count(group_field + ".tiers", group.tiers_size(), kMostTiersOfAGroup);
    for (int k = 0; k < group.tiers_size(); ++k) {
      const std::string tier_field = absl::StrCat(group_field, ".tiers[", k, "]");
      CheckTier(tier_field, group.tiers(k), static_cast<uint32_t>(i), limits, &rules, checks);
      tier_names.Add(tier_field + ".name", group.tiers(k).name(), tier_field);
    }
  }
  if (tiers.has_neighbours_after()) {
    rules.neighbours_after =
        checks->Duration(field + ".neighbours_after", tiers.neighbours_after(), 0, Checks::kLongestWait);
  }
  if (tiers.has_all_after()) {
    rules.all_after = checks->Duration(field + ".all_after", tiers.all_after(), 0, Checks::kLongestWait);
  }
  if (rules.all_after < rules.neighbours_after) {
    checks->Wrong(
        field + (tiers.has_all_after() ? ".all_after" : ".neighbours_after"),
        absl::StrCat("all_after ", DurationText(rules.all_after), tiers.has_all_after() ? "" : " (its default)",
                     " must not be before neighbours_after ", DurationText(rules.neighbours_after)));
  }
  return rules;
}

StrengthRules CheckStrength(const std::string& field, const proto::Strength& strength, const TierRules& tiers,
                            int32_t largest_team, const Limits& limits, Checks* checks) {
  StrengthRules rules;
  switch (strength.party()) {
    case proto::Strength::PARTY_MAXIMUM:
      rules.party = StrengthRules::Party::kMaximum;
      break;
    case proto::Strength::PARTY_POWER_MEAN:
      rules.party = StrengthRules::Party::kPowerMean;
      break;
    default:
      rules.party = StrengthRules::Party::kMean;
  }
  if (strength.has_power()) {
    rules.power = checks->InRange(field + ".power", strength.power(), 1, 16);
    if (rules.party != StrengthRules::Party::kPowerMean) {
      checks->Wrong(field + ".power", "goes only with party: power_mean");
    }
  }
  checks->Count(field + ".premade_bonus", strength.premade_bonus_size(), static_cast<size_t>(largest_team));
  for (int i = 0; i < strength.premade_bonus_size(); ++i) {
    rules.premade_bonus.push_back(
        checks->Points(absl::StrCat(field, ".premade_bonus[", i, "]"), strength.premade_bonus(i), 0, kMaxPremadeBonus));
  }
  checks->Count(field + ".parts", strength.parts_size(), kMostParts);
  for (int i = 0; i < strength.parts_size(); ++i) {
    rules.parts.push_back(CheckPart(absl::StrCat(field, ".parts[", i, "]"), strength.parts(i), tiers, limits, checks));
  }
  for (size_t group = 0; !rules.parts.empty() && group < std::max<size_t>(1, tiers.groups.size()); ++group) {
    const bool weightless = std::all_of(rules.parts.begin(), rules.parts.end(), [&](const StrengthRules::Part& part) {
      return part.weights[std::min(group, part.weights.size() - 1)] == 0;
    });
    if (!weightless) continue;
    const std::string where = tiers.on() ? absl::StrCat(" in group \"", tiers.groups[group].name, "\"") : "";
    checks->WrongTogether(field + ".parts", absl::StrCat("all weights are 0", where, "; one at least must count"));
  }
  for (const char* name : {".lowest", ".highest"}) {
    if (rules.parts.empty() && checks->IsGiven(field + name)) checks->Wrong(field + name, "goes only with parts");
  }
  if (strength.has_lowest()) {
    rules.lowest = checks->Points(field + ".lowest", strength.lowest(), -kMaxRatingPoints, kMaxRatingPoints);
  }
  if (strength.has_highest()) {
    rules.highest = checks->Points(field + ".highest", strength.highest(), -kMaxRatingPoints, kMaxRatingPoints);
  }
  if (rules.highest <= rules.lowest) {
    checks->Wrong(field + (strength.has_highest() ? ".highest" : ".lowest"),
                  absl::StrCat("highest ", PointsText(rules.highest), strength.has_highest() ? "" : " (its default)",
                               " must be above lowest ", PointsText(rules.lowest)));
  }
  return rules;
}

ShelterRules CheckShelter(const std::string& field, const proto::Shelter& shelter, Checks* checks) {
  ShelterRules rules;
  if (!shelter.has_games_below() && !shelter.has_rating_below()) {
    checks->Wrong(field, "needs games_below or rating_below");
  }
  if (shelter.has_games_below()) {
    rules.games_below = checks->InRange(field + ".games_below", shelter.games_below(), 1, 1'000'000);
  }
  if (shelter.has_rating_below()) {
    rules.rating_below =
        checks->Points(field + ".rating_below", shelter.rating_below(), -kMaxRatingPoints, kMaxRatingPoints);
  }
  if (shelter.has_own_pool_for()) {
    rules.own_pool_for = checks->Duration(field + ".own_pool_for", shelter.own_pool_for(), 0, Checks::kLongestWait);
  }
  if (shelter.has_widest()) {
    rules.widest = checks->Points(field + ".widest", shelter.widest(), 0, kMaxDistancePoints);
  }
  return rules;
}

StreakRules CheckStreak(const std::string& field, const proto::Streak& streak, Checks* checks) {
  StreakRules rules{.losses = 3};
  if (streak.has_losses()) rules.losses = checks->InRange(field + ".losses", streak.losses(), 1, 1000);
  if (streak.has_ease()) rules.ease = checks->Points(field + ".ease", streak.ease(), 0, 10'000);
  if (streak.has_after()) {
    rules.after = checks->Duration(field + ".after", streak.after(), 0, Checks::kLongestWait);
  }
  return rules;
}

}  // namespace evenmatch
