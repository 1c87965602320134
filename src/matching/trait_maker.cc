#include "matching/trait_maker.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/strings.h"
#include "base/text.h"
#include "matching/strength.h"

namespace evenmatch {
namespace {

const PlayerDetails& DetailsOf(const Player& player) {
  static const PlayerDetails none;
  return player.details == nullptr ? none : *player.details;
}

// The largest whole number whose square is not above `square`.
int64_t Root(int64_t square) {
  int64_t low = 0, high = int64_t{1} << 31;
  while (low < high) {
    const int64_t middle = (low + high + 1) / 2;
    if (middle <= square / middle) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

MilliPoints DeviationOf(const Ticket& ticket, const QueueChoice& choice) {
  int64_t squares = 0;
  for (size_t i = 0; i < ticket.players.size(); ++i) {
    const int64_t deviation = PlayerDeviationIn(ticket, choice, i);
    squares += deviation * deviation;
  }
  const auto players = static_cast<int64_t>(ticket.players.size());
  return static_cast<MilliPoints>(Root(squares / (players * players)));
}

void MakeRegions(const RegionRules& rules, const Ticket& ticket, Traits* traits) {
  if (!rules.on()) return;
  const size_t count = rules.regions.size();
  traits->regions.assign(count, {});
  std::vector<bool> unknown(count, false);  // to a player who knows another region
  bool shut_out = false;
  for (const Player& player : ticket.players) {
    const auto& latencies = DetailsOf(player).latency_ms;
    std::vector<int32_t> known(count, -1);
    bool any = false;
    for (size_t region = 0; region < count; ++region) {
      const auto found = latencies.find(rules.regions[region]);
      if (found == latencies.end()) continue;
      known[region] = found->second;
      any = true;
    }
    shut_out |= !any && rules.missing == Missing::kMeetsNobody;
    if (!any) continue;
    for (size_t region = 0; region < count; ++region) {
      if (known[region] < 0) unknown[region] = true;
      traits->regions[region].latency_ms = std::max(traits->regions[region].latency_ms, known[region]);
    }
  }
  int32_t best = RegionRules::kAnyLatency;
  for (size_t region = 0; region < count; ++region) {
    Traits::Region& here = traits->regions[region];
    if (unknown[region]) here.latency_ms = -1;
    if (here.latency_ms >= 0) best = std::min(best, here.latency_ms);
  }
  const bool nobody_knows =
      std::none_of(unknown.begin(), unknown.end(), [](bool is) { return is; }) && best == RegionRules::kAnyLatency;
  for (Traits::Region& here : traits->regions) {
    here.from = kNever;
    if (shut_out) continue;
    if (nobody_knows) {
      here.from = 0;
      continue;
    }
    if (here.latency_ms < 0) continue;
    for (const RegionRules::Step& step : rules.steps) {
      if (here.latency_ms > step.limit_ms || here.latency_ms - best > step.delta_ms) continue;
      here.from = std::max<Micros>(step.after, 0);
      break;
    }
  }
}

// The value of one holder as the rule compares it; not present when it is of another kind.
Traits::Attribute Compared(const AttributeRule& rule, const AttributeValue& value) {
  Traits::Attribute attribute;
  switch (rule.compare) {
    case AttributeRule::Compare::kEqual:
      attribute.present = true;
      attribute.number = static_cast<int64_t>(DigestOf(value));
      break;
    case AttributeRule::Compare::kDistance:
      if (const std::optional<int64_t> number = ThousandthsOf(value)) {
        attribute.present = true;
        attribute.number = *number;
      }
      break;
    case AttributeRule::Compare::kOverlap:
      if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
        attribute.present = true;
        for (const std::string& text : *texts) attribute.texts.push_back(Hash64(text));
      } else if (const auto* text = std::get_if<std::string>(&value)) {
        attribute.present = true;
        attribute.texts.push_back(Hash64(*text));
      }
      std::sort(attribute.texts.begin(), attribute.texts.end());
      attribute.texts.erase(std::unique(attribute.texts.begin(), attribute.texts.end()), attribute.texts.end());
      break;
  }
  return attribute;
}

Traits::Attribute AttributeIn(const AttributeRule& rule, const Attributes& attributes) {
  const auto found = attributes.find(rule.name);
  return found == attributes.end() ? Traits::Attribute() : Compared(rule, found->second);
}

Traits::Attribute AttributeOf(const AttributeRule& rule, const Ticket& ticket) {
  if (ticket.details != nullptr) {
    Traits::Attribute own = AttributeIn(rule, ticket.details->attributes);
    if (own.present) return own;
  }
  Traits::Attribute all;
  __int128 sum = 0;
  int64_t holders = 0;
  for (const Player& player : ticket.players) {
    Traits::Attribute one = AttributeIn(rule, DetailsOf(player).attributes);
    if (!one.present) {
      if (rule.missing == Missing::kMeetsAnybody) continue;
      return {};
    }
    sum += one.number;
    ++holders;
    if (!all.present) {
      all = std::move(one);
    } else if (rule.compare == AttributeRule::Compare::kEqual) {
      if (all.number != one.number) return {};
    } else if (rule.compare == AttributeRule::Compare::kOverlap) {
      std::vector<uint64_t> both;
      std::set_intersection(all.texts.begin(), all.texts.end(), one.texts.begin(), one.texts.end(),
                            std::back_inserter(both));
      all.texts = std::move(both);
    }
  }
  if (rule.compare == AttributeRule::Compare::kDistance && holders > 0)
    all.number = static_cast<int64_t>(sum / holders);
  return all;
}

Traits::Wishes WishesOf(const RoleRules& rules, const Player& player) {
  Traits::Wishes wishes;
  const auto& named = DetailsOf(player).roles;
  if (named.empty()) {
    wishes.roles = ~uint64_t{0};
    return wishes;
  }
  for (const std::string& name : named) {
    for (size_t role = 0; role < rules.roles.size(); ++role) {
      if (rules.roles[role].name != name || (wishes.roles >> role & 1) != 0) continue;
      wishes.roles |= uint64_t{1} << role;
      wishes.preferred.push_back(static_cast<uint8_t>(role));
    }
  }
  return wishes;
}

void AddPerson(const std::string& id, Traits::People* people) { people->digests.push_back(Hash64(id)); }

void Close(Traits::People* people) {
  std::sort(people->digests.begin(), people->digests.end());
  people->digests.erase(std::unique(people->digests.begin(), people->digests.end()), people->digests.end());
  for (const uint64_t digest : people->digests) people->filter |= uint64_t{1} << (digest >> 58);
}

void MakeRelations(const QueueRules& rules, const Ticket& ticket, Traits* traits) {
  for (const Player& player : ticket.players) {
    AddPerson(player.player_id, &traits->players);
    const PlayerDetails& details = DetailsOf(player);
    if (rules.blocks) {
      for (const std::string& id : details.block) AddPerson(id, &traits->blocked);
    }
    if (rules.quality[QualityTerm::kAvoid].weight != 0) {
      for (const std::string& id : details.avoid) AddPerson(id, &traits->avoided);
    }
    if (rules.quality[QualityTerm::kRecent].weight != 0) {
      for (const std::string& id : details.recent_opponents) AddPerson(id, &traits->recent);
    }
  }
  for (Traits::People* people : {&traits->players, &traits->blocked, &traits->avoided, &traits->recent}) Close(people);
}

bool Sheltered(const ShelterRules& rules, MilliPoints rating, const PlayerDetails& details) {
  return details.games_played < rules.games_below || (rules.rating_below != kNoValue && rating < rules.rating_below);
}

int32_t LargestTeam(const QueueRules& rules) {
  return rules.sides.empty() ? rules.team_size : *std::max_element(rules.sides.begin(), rules.sides.end());
}

// A seat for player `player`, moving others to another of their roles where that makes room (augmenting paths).
bool FindSeat(const RoleRules& roles, const Traits& traits, size_t player, std::vector<std::vector<size_t>>* seated,
              uint64_t* tried) {
  for (size_t role = 0; role < roles.roles.size(); ++role) {
    const uint64_t bit = uint64_t{1} << role;
    if ((traits.wishes[player].roles & bit) == 0 || (*tried & bit) != 0) continue;
    *tried |= bit;
    std::vector<size_t>& here = (*seated)[role];
    if (here.size() < static_cast<size_t>(roles.roles[role].count)) {
      here.push_back(player);
      return true;
    }
    for (size_t i = 0; i < here.size(); ++i) {
      if (!FindSeat(roles, traits, here[i], seated, tried)) continue;
      (*seated)[role][i] = player;
      return true;
    }
  }
  return false;
}

// Whether parties of the sizes taken make one of so many players up to some team.
bool Completes(const QueueRules& rules, int32_t players) {
  const auto into = [&](int32_t team) {
    const int32_t rest = team - players;
    const int32_t fewest = (rest + rules.party.max_size - 1) / rules.party.max_size;
    return rest >= 0 && fewest * rules.party.min_size <= rest;
  };
  for (int32_t team = 0; team < rules.team_count; ++team) {
    if (into(rules.size_of_team(team))) return true;
  }
  return std::any_of(rules.fewer.begin(), rules.fewer.end(),
                     [&](const FewerPlayers& step) { return into(step.team_size); });
}

}  // namespace

std::unique_ptr<const Traits> MakeTraits(const QueueRules& rules, const Ticket& ticket, const QueueChoice& choice) {
  auto traits = std::make_unique<Traits>();
  traits->deviation = DeviationOf(ticket, choice);
  traits->widening = static_cast<MilliPoints>(
      std::min<int64_t>(int64_t{traits->deviation} * rules.window.deviation_factor / 1000, 2 * kMaxValue));
  int32_t losses = 0;
  for (size_t i = 0; i < ticket.players.size(); ++i) {
    const PlayerDetails& details = DetailsOf(ticket.players[i]);
    losses = std::max(losses, details.loss_streak);
    const MilliPoints rating = PlayerValueIn(ticket, choice, i, rules.start_value);
    if (rules.shelter.on()) traits->sheltered |= Sheltered(rules.shelter, rating, details);
    if (rules.tiers.on()) {
      const uint32_t tier = TierOf(rules.tiers, ticket, choice, i, rules.start_value);
      traits->tier_group = std::max(traits->tier_group, static_cast<uint16_t>(rules.tiers.tiers[tier].group));
    }
    if (rules.roles.on()) traits->wishes.push_back(WishesOf(rules.roles, ticket.players[i]));
  }
  if (rules.streak.on() && losses >= rules.streak.losses) traits->ease = rules.streak.ease;
  for (const QueueChoice& other : ticket.queues) {
    traits->preference = std::max(traits->preference, other.preference - choice.preference);
  }
  MakeRegions(rules.regions, ticket, traits.get());
  for (const AttributeRule& rule : rules.attributes) traits->attributes.push_back(AttributeOf(rule, ticket));
  MakeRelations(rules, ticket, traits.get());
  traits->never = NeverPlays(rules, ticket, *traits, nullptr, nullptr);
  return traits;
}

bool SeatsFor(const RoleRules& roles, const Traits& traits) {
  std::vector<std::vector<size_t>> seated(roles.roles.size());
  for (size_t player = 0; player < traits.wishes.size(); ++player) {
    uint64_t tried = 0;
    if (!FindSeat(roles, traits, player, &seated, &tried)) return false;
  }
  return true;
}

Rule RefusesParty(const QueueRules& rules, const Ticket& ticket, std::string* field, std::string* why) {
  const auto players = static_cast<int32_t>(ticket.players.size());
  const int32_t most = std::min(rules.party.max_size, LargestTeam(rules));
  if (players >= rules.party.min_size && players <= most) return Rule::kNone;
  if (field != nullptr) *field = "ticket.players";
  if (why != nullptr) {
    *why = absl::StrCat("a party of ", players, ", and queue ", Quote(rules.name), " takes parties of ",
                        rules.party.min_size, " to ", most);
  }
  return Rule::kPartySize;
}

Rule NeverPlays(const QueueRules& rules, const Ticket& ticket, const Traits& traits, std::string* field,
                std::string* why) {
  if (RefusesParty(rules, ticket, field, why) != Rule::kNone) return Rule::kPartySize;
  const auto because = [&](Rule rule, auto&&... reason) {
    if (why != nullptr) *why = absl::StrCat(reason...);
    return rule;
  };
  const auto at = [&](auto&&... path) {
    if (field != nullptr) *field = absl::StrCat(path...);
  };
  if (const auto players = static_cast<int32_t>(ticket.players.size()); !Completes(rules, players)) {
    at("ticket.players");
    return because(Rule::kPartySize, "a party of ", players, ", and the parties that queue ", Quote(rules.name),
                   " takes do not make it up to a team");
  }
  if (rules.regions.on() && std::all_of(traits.regions.begin(), traits.regions.end(),
                                        [](const Traits::Region& region) { return region.from == kNever; })) {
    at("ticket.players[0].latency_ms");
    return because(Rule::kRegion, "no region of queue ", Quote(rules.name), " is within its limits for all players");
  }
  for (size_t i = 0; i < rules.attributes.size(); ++i) {
    const AttributeRule& rule = rules.attributes[i];
    if (!rule.required || rule.required_for != kNever) continue;
    const Traits::Attribute& own = traits.attributes[i];
    if (!own.present && rule.missing == Missing::kMeetsNobody) {
      at("ticket.attributes");
      return because(Rule::kAttribute, "queue ", Quote(rules.name), " needs the attribute ", Quote(rule.name));
    }
    if (own.present && rule.compare == AttributeRule::Compare::kOverlap && own.texts.empty() &&
        rule.missing != Missing::kMeetsAnybody) {
      at("ticket.attributes");
      return because(Rule::kAttribute, "its players have nothing of ", Quote(rule.name), " in common, and queue ",
                     Quote(rules.name), " needs that");
    }
  }
  if (rules.roles.on() && rules.roles.fill_after == kNever && !SeatsFor(rules.roles, traits)) {
    at("ticket.players[0].roles");
    return because(Rule::kRoles, "no team of queue ", Quote(rules.name),
                   " has a seat of a wanted role for each player");
  }
  return Rule::kNone;
}

}  // namespace evenmatch
