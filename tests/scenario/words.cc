#include "tests/scenario/words.h"

#include <charconv>
#include <memory>
#include <sstream>
#include <utility>

#include "tests/support/tickets.h"

namespace evenmatch {
namespace {

// "low:bronze,silver;high:king;!peak:peak": groups, the isolated ones marked, each with its tiers.
TierRules ParseTiers(const std::string& text) {
  TierRules rules;
  for (const std::string& part : Split(text, ';')) {
    const Words group = Split(part, ':');
    const bool isolated = group.at(0).starts_with('!');
    for (const std::string& tier : Split(group.at(1), ',')) {
      rules.tiers.push_back({.name = tier, .group = static_cast<uint32_t>(rules.groups.size())});
    }
    rules.groups.push_back({.name = group[0].substr(isolated ? 1 : 0), .isolated = isolated});
  }
  return rules;
}

// "eu,us@0s:30:150,15s:60:200": regions, and after which wait how much above the own best and how much in all.
RegionRules ParseRegions(const std::string& text) {
  RegionRules rules;
  const Words halves = Split(text, '@');
  rules.regions = Split(halves.at(0), ',');
  for (const std::string& step : Split(halves.at(1), ',')) {
    const Words parts = Split(step, ':');
    rules.steps.push_back({ParseTime(parts.at(0)), std::stoi(parts.at(1)), std::stoi(parts.at(2))});
  }
  return rules;
}

// "tank:1,healer:2@30s": seats in a team, and the wait from which on players fill in.
RoleRules ParseRoles(const std::string& text) {
  RoleRules rules;
  const Words halves = Split(text, '@');
  for (const std::string& role : Split(halves.at(0), ',')) {
    const Words parts = Split(role, ':');
    rules.roles.push_back({parts.at(0), std::stoi(parts.at(1))});
  }
  if (halves.size() > 1) rules.fill_after = ParseTime(halves[1]);
  return rules;
}

}  // namespace

Words Split(const std::string& text, char separator) {
  Words words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, separator);) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

Micros ParseTime(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size());
  return number * (unit == "ms"   ? kMillisecond
                   : unit == "us" ? 1
                   : unit == "m"  ? kMinute
                   : unit == "h"  ? kHour
                                  : kSecond);
}

MilliPoints ParsePoints(const std::string& text) {
  return text == "any" ? kUnlimitedWindow : static_cast<MilliPoints>(std::stoi(text) * kPoint);
}

std::optional<std::string> Option(const Words& words, std::string_view key) {
  for (const std::string& word : words) {
    if (word.starts_with(std::string(key).append("="))) return word.substr(key.size() + 1);
  }
  return std::nullopt;
}

QueueRules ParseQueue(const Words& words) {
  QueueRules rules = DuelRules(words.at(1), ParsePoints(Option(words, "window").value_or("100")));
  rules.team_count = std::stoi(Option(words, "teams").value_or("2"));
  rules.team_size = std::stoi(Option(words, "size").value_or("1"));
  rules.window.growth_per_second = ParsePoints(Option(words, "grow").value_or("0"));
  if (const auto max = Option(words, "max")) rules.window.max = ParsePoints(*max);
  for (const std::string& step : Split(Option(words, "steps").value_or(""), ',')) {
    const Words parts = Split(step, ':');
    rules.window.steps.push_back({ParseTime(parts.at(0)), ParsePoints(parts.at(1))});
  }
  rules.hold_timeout = ParseTime(Option(words, "hold").value_or("120s"));
  rules.max_waiting = static_cast<size_t>(std::stoi(Option(words, "waiting").value_or("1000")));
  if (const auto required = Option(words, "require")) rules.required_attributes = {*required};
  if (const auto tiers = Option(words, "tiers")) rules.tiers = ParseTiers(*tiers);
  if (const auto regions = Option(words, "regions")) rules.regions = ParseRegions(*regions);
  if (const auto roles = Option(words, "roles")) rules.roles = ParseRoles(*roles);
  if (const auto shelter = Option(words, "shelter")) {
    const Words parts = Split(*shelter, ':');
    rules.shelter.games_below = std::stoi(parts.at(0));
    rules.shelter.own_pool_for = ParseTime(parts.at(1));
    rules.shelter.widest = ParsePoints(parts.at(2));
  }
  if (const auto streak = Option(words, "streak")) {
    const Words parts = Split(*streak, ':');
    rules.streak = {std::stoi(parts.at(0)), ParsePoints(parts.at(1)), ParseTime(parts.at(2))};
  }
  if (const auto most = Option(words, "most")) rules.max_difference = ParsePoints(*most);
  if (const auto party = Option(words, "party")) rules.party.max_size = std::stoi(*party);
  if (Option(words, "never") == "refuse") rules.never = NeverPolicy::kRefuse;
  return rules;
}

Player ParsePlayer(const std::string& word) {
  const Words parts = Split(word, ';');
  const size_t equals = parts.at(0).find('=');
  Player player{.player_id = parts[0].substr(0, equals)};
  if (equals != std::string::npos) player.value = std::stoi(parts[0].substr(equals + 1)) * kPoint;
  if (parts.size() == 1) return player;
  auto details = std::make_unique<PlayerDetails>();
  for (size_t i = 1; i < parts.size(); ++i) {
    const Words pair = Split(parts[i], '=');
    const std::string& value = pair.at(1);
    if (pair[0] == "tier") {
      details->tier = value;
    } else if (pair[0] == "games") {
      details->games_played = std::stoi(value);
    } else if (pair[0] == "losses") {
      details->loss_streak = std::stoi(value);
    } else if (pair[0] == "roles") {
      details->roles = Split(value, '+');
    } else if (pair[0] == "block") {
      details->block = Split(value, '+');
    } else {
      details->latency_ms[pair[0]] = std::stoi(value);
    }
  }
  player.details = std::move(details);
  return player;
}

}  // namespace evenmatch
