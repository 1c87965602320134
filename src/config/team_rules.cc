#include <algorithm>
#include <optional>

#include "config/rule_checks.h"

namespace evenmatch {
namespace {

namespace proto = evenmatch::config::v1;

constexpr int32_t kMostTeams = 64;
constexpr int32_t kLargestTeam = 64;
constexpr int32_t kAnyDifference = kLargestTeam;

void CheckSides(const std::string& field, const proto::Queue& queue, QueueRules* rules, Checks* checks) {
  const std::string list = field + ".sides";
  for (const char* name : {".team_count", ".team_size"}) {
    if (checks->IsGiven(field + name)) checks->Wrong(field + name, "is given beside sides, which say it already");
  }
  if (queue.sides_size() < 2 || queue.sides_size() > kMostTeams) {
    return checks->Wrong(list, absl::StrCat("must be 2 to ", kMostTeams, " teams, not ", queue.sides_size()));
  }
  for (int i = 0; i < queue.sides_size(); ++i) {
    rules->sides.push_back(checks->InRange(absl::StrCat(list, "[", i, "]"), queue.sides(i), 1, kLargestTeam));
  }
  rules->team_count = queue.sides_size();
  rules->team_size = *std::max_element(rules->sides.begin(), rules->sides.end());
  const bool alike =
      std::all_of(rules->sides.begin(), rules->sides.end(), [&](int32_t size) { return size == rules->team_size; });
  if (alike) rules->sides.clear();
}

void CheckFewer(const std::string& field, const proto::Queue& queue, QueueRules* rules, Checks* checks) {
  checks->Count(field, queue.fewer_players_size(), Checks::kMostSteps);
  if (!queue.fewer_players().empty() && !rules->sides.empty()) checks->Wrong(field, "does not go with uneven sides");
  std::optional<Micros> before;
  int32_t players = rules->players_per_match();
  for (int i = 0; i < queue.fewer_players_size(); ++i) {
    const proto::FewerPlayers& step = queue.fewer_players(i);
    const std::string element = absl::StrCat(field, "[", i, "]");
    FewerPlayers rule{
        .after = checks->After(element, step, before), .team_count = rules->team_count, .team_size = rules->team_size};
    if (step.has_team_count()) {
      rule.team_count = checks->InRange(element + ".team_count", step.team_count(), 2, rules->team_count);
    }
    if (step.has_team_size()) {
      rule.team_size = checks->InRange(element + ".team_size", step.team_size(), 1, rules->team_size);
    }
    const int32_t here = rule.team_count * rule.team_size;
    if (here >= players) {
      checks->WrongTogether(
          element, absl::StrCat("must have fewer players than ", i == 0 ? "a full match" : "the step before", ", ",
                                players, ", not ", here));
    }
    players = here;
    before = rule.after;
    rules->fewer.push_back(rule);
  }
}

// Whether parties of min..max players can fill a team.
bool CanFill(int32_t team, int32_t min, int32_t max) { return (team + max - 1) / max * min <= team; }

}  // namespace

void CheckShape(const std::string& field, const proto::Queue& queue, QueueRules* rules, Checks* checks) {
  if (checks->IsGiven(field + ".sides")) {
    CheckSides(field, queue, rules, checks);
  } else {
    if (!queue.has_team_size()) checks->Wrong(field + ".team_size", "is required");
    if (queue.has_team_count()) {
      rules->team_count = checks->InRange(field + ".team_count", queue.team_count(), 2, kMostTeams);
    }
    if (queue.has_team_size()) {
      rules->team_size = checks->InRange(field + ".team_size", queue.team_size(), 1, kLargestTeam);
    }
  }
  CheckFewer(field + ".fewer_players", queue, rules, checks);
}

PartyRules CheckParty(const std::string& field, const proto::Party& party, const QueueRules& shape, Checks* checks) {
  PartyRules rules{.max_size = shape.team_size};
  if (party.has_max_size()) rules.max_size = checks->InRange(field + ".max_size", party.max_size(), 1, shape.team_size);
  if (party.has_min_size()) {
    rules.min_size = checks->InRange(field + ".min_size", party.min_size(), 1, shape.team_size);
  }
  if (rules.min_size > rules.max_size) {
    checks->Wrong(field + ".min_size", absl::StrCat(rules.min_size, " must not be above max_size ", rules.max_size));
  }
  const auto check_fill = [&](int32_t team, const std::string& of) {
    if (CanFill(team, rules.min_size, rules.max_size)) return;
    checks->WrongTogether(field, absl::StrCat("parties of ", rules.min_size, " to ", rules.max_size,
                                              " players cannot fill a team of ", team, of));
  };
  for (int32_t team = 0; team < shape.team_count; ++team) check_fill(shape.size_of_team(team), "");
  for (size_t i = 0; i < shape.fewer.size(); ++i) {
    check_fill(shape.fewer[i].team_size, absl::StrCat(" (fewer_players[", i, "])"));
  }
  const std::string list = field + ".mirror";
  checks->Count(list, party.mirror_size(), Checks::kMostSteps);
  std::optional<Micros> before;
  for (int i = 0; i < party.mirror_size(); ++i) {
    const proto::MirrorStep& step = party.mirror(i);
    const std::string element = absl::StrCat(list, "[", i, "]");
    PartyRules::MirrorStep rule{.after = checks->AfterFromZero(element, step, before), .difference = kAnyDifference};
    if (step.has_difference()) {
      rule.difference = checks->InRange(element + ".difference", step.difference(), 0, kLargestTeam - 1);
    }
    if (i > 0 && rule.difference < rules.mirror.back().difference) {
      const int32_t difference = rules.mirror.back().difference;
      checks->Wrong(element + ".difference",
                    difference == kAnyDifference
                        ? "must not be below that of the step before, which takes any"
                        : absl::StrCat("must not be below that of the step before, ", difference));
    }
    before = rule.after;
    rules.mirror.push_back(rule);
  }
  return rules;
}

RoleRules CheckRoles(const std::string& field, const proto::Roles& roles, const QueueRules& shape, const Limits& limits,
                     Checks* checks) {
  RoleRules rules;
  const std::string list = field + ".composition";
  if (roles.composition().empty()) checks->Wrong(list, "is required and must not be empty");
  checks->Count(list, roles.composition_size(), 64);
  if (!shape.sides.empty()) checks->Wrong(field, "does not go with uneven sides");
  UniqueNames names(checks);
  int32_t players = 0;
  for (int i = 0; i < roles.composition_size(); ++i) {
    const proto::Role& role = roles.composition(i);
    const std::string element = absl::StrCat(list, "[", i, "]");
    RoleRules::Role rule{.name = role.name()};
    checks->Name(element + ".name", rule.name, limits.id_bytes);
    names.Add(element + ".name", rule.name, element);
    if (role.has_count()) rule.count = checks->InRange(element + ".count", role.count(), 1, kLargestTeam);
    players += rule.count;
    rules.roles.push_back(std::move(rule));
  }
  if (shape.sides.empty() && players != shape.team_size) {
    checks->WrongTogether(list,
                          absl::StrCat("the counts add up to ", players, ", a team has ", shape.team_size, " players"));
  }
  if (roles.has_fill_after()) {
    rules.fill_after = checks->Duration(field + ".fill_after", roles.fill_after(), 0, Checks::kLongestWait);
  }
  return rules;
}

}  // namespace evenmatch
