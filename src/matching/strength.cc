#include "matching/strength.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "rating/power_mean.h"

namespace evenmatch {
namespace {

using Wide = __int128;

const PlayerDetails& DetailsOf(const Player& player) {
  static const PlayerDetails none;
  return player.details == nullptr ? none : *player.details;
}

std::optional<int64_t> NumberIn(const Attributes& attributes, const std::string& name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? std::nullopt : ThousandthsOf(found->second);
}

// In the unit of StrengthRules::Part; none when it is missing.
std::optional<int64_t> Measure(const QueueRules& rules, const StrengthRules::Part& part, const Ticket& ticket,
                               const QueueChoice& choice, size_t player) {
  const PlayerDetails& details = DetailsOf(ticket.players[player]);
  switch (part.source) {
    case StrengthRules::Source::kRating:
      return PlayerValueIn(ticket, choice, player, rules.start_value);
    case StrengthRules::Source::kTier:
      if (!rules.tiers.on()) return std::nullopt;
      return int64_t{1000} * TierOf(rules.tiers, ticket, choice, player, rules.start_value);
    case StrengthRules::Source::kGamesPlayed:
      return int64_t{1000} * details.games_played;
    case StrengthRules::Source::kAttribute: {
      const std::optional<int64_t> own = NumberIn(details.attributes, part.attribute);
      if (own.has_value() || ticket.details == nullptr) return own;
      return NumberIn(ticket.details->attributes, part.attribute);
    }
  }
  return std::nullopt;
}

// From 0 at `low` to 2 ** 32 at `high`.
int64_t Normalised(const StrengthRules::Part& part, std::optional<int64_t> measure) {
  constexpr int64_t kOne = int64_t{1} << 32;
  if (!measure.has_value() || *measure <= part.low) return 0;
  if (*measure >= part.high) return kOne;
  return static_cast<int64_t>(Wide{*measure - part.low} * kOne / (part.high - part.low));
}

}  // namespace

uint32_t TierOf(const TierRules& tiers, const Ticket& ticket, const QueueChoice& choice, size_t player,
                MilliPoints start_value) {
  const std::string& named = DetailsOf(ticket.players[player]).tier;
  if (!named.empty()) {
    for (size_t i = 0; i < tiers.tiers.size(); ++i) {
      if (tiers.tiers[i].name == named) return static_cast<uint32_t>(i);
    }
  }
  const MilliPoints rating = PlayerValueIn(ticket, choice, player, start_value);
  uint32_t reached = 0;
  for (size_t i = 0; i < tiers.tiers.size(); ++i) {
    if (tiers.tiers[i].from != kNoValue && tiers.tiers[i].from <= rating) reached = static_cast<uint32_t>(i);
  }
  return reached;
}

MilliPoints PlayerStrength(const QueueRules& rules, const Ticket& ticket, const QueueChoice& choice, size_t player) {
  const StrengthRules& strength = rules.strength;
  if (strength.parts.empty()) return PlayerValueIn(ticket, choice, player, rules.start_value);
  const uint32_t group =
      rules.tiers.on() ? rules.tiers.tiers[TierOf(rules.tiers, ticket, choice, player, rules.start_value)].group : 0;
  Wide weighted = 0;
  int64_t weights = 0;
  for (const StrengthRules::Part& part : strength.parts) {
    if (part.weights.empty()) continue;
    const int32_t weight = part.weights[std::min<size_t>(group, part.weights.size() - 1)];
    weighted += Wide{weight} * Normalised(part, Measure(rules, part, ticket, choice, player));
    weights += weight;
  }
  if (weights <= 0) return strength.lowest;
  const Wide whole = Wide{weights} << 32;
  const Wide range = Wide{strength.highest} - strength.lowest;
  return strength.lowest + static_cast<MilliPoints>((2 * range * weighted + whole) / (2 * whole));
}

MilliPoints TicketStrength(const QueueRules& rules, const Ticket& ticket, const QueueChoice& choice) {
  const StrengthRules& strength = rules.strength;
  if (strength.plain()) return ValueIn(ticket, choice, rules.start_value);
  absl::InlinedVector<MilliPoints, 8> values;
  for (size_t i = 0; i < ticket.players.size(); ++i) values.push_back(PlayerStrength(rules, ticket, choice, i));
  int64_t value = 0;
  switch (strength.party) {
    case StrengthRules::Party::kMean:
      value = std::accumulate(values.begin(), values.end(), int64_t{0}) / static_cast<int64_t>(values.size());
      break;
    case StrengthRules::Party::kMaximum:
      value = *std::max_element(values.begin(), values.end());
      break;
    case StrengthRules::Party::kPowerMean:
      value = PowerMean(values, strength.power);
      break;
  }
  const auto& bonus = strength.premade_bonus;
  if (!bonus.empty()) value += bonus[std::min(values.size(), bonus.size()) - 1];
  return static_cast<MilliPoints>(std::clamp<int64_t>(value, -kMaxValue, kMaxValue));
}

}  // namespace evenmatch
