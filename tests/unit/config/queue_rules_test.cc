#include "config/queue_rules.h"

#include <string>
#include <vector>

#include "config/config.h"
#include "gtest/gtest.h"

namespace evenmatch {
namespace {

// A queue of five against five with more fields, of which the first is on line 2.
std::string Squad(const std::string& fields) { return "queues:\n- " + fields + "\n  name: q\n  team_size: 5\n"; }
// The same of one against one.
std::string Duel(const std::string& fields) { return "queues:\n- " + fields + "\n  name: q\n  team_size: 1\n"; }
// The same of a queue that says its own shape.
std::string Shape(const std::string& fields) { return "queues:\n- " + fields + "\n  name: q\n"; }

QueueRules Read(const std::string& yaml) {
  const ConfigResult result = ReadConfig(yaml);
  for (const ConfigError& error : result.errors) ADD_FAILURE() << error.Text("f.yaml") << "\n" << yaml;
  return result.settings.catalog.queues.at(0);
}

// One error, and the beginning of it, without the file.
void ExpectError(const std::string& yaml, const std::string& start) {
  SCOPED_TRACE(yaml);
  const std::vector<ConfigError> errors = ReadConfig(yaml).errors;
  std::string all;
  for (const ConfigError& error : errors) all += error.Text("f.yaml") + "\n";
  ASSERT_EQ(errors.size(), 1u) << all;
  EXPECT_EQ(errors[0].Text("").substr(0, start.size()), start);
}

TEST(QueueRules, PresetsAreThePublishedRelaxations) {
  const QueueRules linear = Read(Duel("window: {preset: linear}"));
  EXPECT_TRUE(linear.window.steps.empty());
  EXPECT_EQ(linear.window.base, 100 * kPoint);
  EXPECT_EQ(linear.window.growth_per_second, 50 * kPoint);
  EXPECT_EQ(linear.window.max, 800 * kPoint);

  const QueueRules open = Read(Duel("window: {preset: open, deviation_factor: 0.5}"));
  ASSERT_EQ(open.window.steps.size(), 4u);
  EXPECT_EQ(open.window.steps[0].width, 50 * kPoint);
  EXPECT_EQ(open.window.steps[1].after, 5 * kSecond);
  EXPECT_EQ(open.window.steps[1].width, 150 * kPoint);
  EXPECT_EQ(open.window.steps[2].after, 15 * kSecond);
  EXPECT_EQ(open.window.steps[2].width, 300 * kPoint);
  EXPECT_EQ(open.window.steps[3].after, 30 * kSecond);
  EXPECT_EQ(open.window.steps[3].width, kUnlimitedWindow);
  EXPECT_EQ(open.window.deviation_factor, 500);

  const QueueRules region_first = Read(Duel("window: {preset: region_first}\n  regions: {names: [eu, us]}"));
  const std::vector<MilliPoints> widths{100 * kPoint, 200 * kPoint, 400 * kPoint, 600 * kPoint};
  const std::vector<int32_t> deltas{30, 60, 100, 150};
  const std::vector<Micros> waits{0, 15 * kSecond, 30 * kSecond, 60 * kSecond};
  ASSERT_EQ(region_first.window.steps.size(), 4u);
  ASSERT_EQ(region_first.regions.steps.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(region_first.window.steps[i].after, waits[i]);
    EXPECT_EQ(region_first.window.steps[i].width, widths[i]);
    EXPECT_EQ(region_first.regions.steps[i].after, waits[i]);
    EXPECT_EQ(region_first.regions.steps[i].delta_ms, deltas[i]);
    EXPECT_EQ(region_first.regions.steps[i].limit_ms, RegionRules::kAnyLatency);
  }
}

TEST(QueueRules, PresetsExcludeWhatTheyReplace) {
  ExpectError(Duel("window: {preset: fast}"),
              ":2: queues[0].window.preset: must be one of linear, region_first, open, not \"fast\"");
  ExpectError(Duel("window: {preset: PRESET_OPEN}"), ":2: queues[0].window.preset: must be one of linear");
  ExpectError(Duel("window: {preset: unspecified}"), ":2: queues[0].window.preset: must be one of linear");
  ExpectError(Duel("window: {preset: [open]}"), ":2: queues[0].window.preset: must be a text, not a list");
  ExpectError(Duel("window: {preset: open, linear: {base: 1}}"), ":2: queues[0].window: has more than one of preset");
  ExpectError(Duel("window: {preset: open, steps: [{after: 0s}]}"),
              ":2: queues[0].window: has more than one of preset");
  ExpectError(Duel("window: {preset: region_first}"), ":2: queues[0].window.preset: region_first needs regions");
  ExpectError(Duel("window: {preset: region_first}\n  regions: {names: [eu],\n   steps: [{after: 0s}]}"),
              ":4: queues[0].regions.steps: does not go with window.preset region_first");
  ExpectError(Duel("window: {deviation_factor: 11}"), ":2: queues[0].window.deviation_factor: must be 0 to 10");
}

TEST(QueueRules, InstantTakesAnyoneAtOnce) {
  const QueueRules rules = Read(Squad("instant: true"));
  ASSERT_EQ(rules.window.steps.size(), 1u);
  EXPECT_EQ(rules.window.steps[0].width, kUnlimitedWindow);
  EXPECT_TRUE(Read(Squad("instant: false")).window.steps.empty());
  for (const char* other : {"window: {preset: open}", "max_difference: 300", "target_wait_p95: 5s", "streak: {}",
                            "shelter: {games_below: 5}", "tiers: {groups: [{name: a, tiers: [{name: b}]}]}"}) {
    const std::string field(other, std::string_view(other).find(':'));
    ExpectError(Squad(std::string("instant: true\n  ") + other),
                ":3: queues[0]." + field + ": does not go with instant");
  }
}

TEST(QueueRules, MaxDifferenceIsNotBelowTheWindow) {
  EXPECT_EQ(Read(Duel("max_difference: 800")).max_difference, 800 * kPoint);
  EXPECT_EQ(Read(Duel("max_difference: 300\n  window: {preset: open}")).max_difference, 300 * kPoint);
  EXPECT_EQ(Read(Duel("team_count: 2")).max_difference, kUnlimitedWindow);
  ExpectError(
      Duel("max_difference: 799"),
      ":2: queues[0].max_difference: must not be below the window, which grows to 800 (queues[0].window by default)");
  ExpectError(Duel("max_difference: 90\n  window: {linear: {max: 100}}"),
              ":2: queues[0].max_difference: must not be below the window, which grows to 100 "
              "(queues[0].window.linear.max)");
  ExpectError(
      Duel("max_difference: 299\n  window: {preset: open}"),
      ":2: queues[0].max_difference: must not be below the window, which grows to 300 (queues[0].window.preset)");
  ExpectError(Duel("max_difference: 5\n  window: {steps: [{after: 0s, width: 6}, {after: 1s}]}"),
              ":2: queues[0].max_difference: must not be below the window, which grows to 6 "
              "(queues[0].window.steps[0].width)");
}

TEST(QueueRules, TargetWaitLiesBetweenTickAndTimeout) {
  const QueueRules rules = Read(Duel("target_wait_p95: 2500ms\n  max_difference: 300"));
  EXPECT_EQ(rules.target_wait_p95, 2500 * kMillisecond);
  ASSERT_EQ(rules.window.steps.size(), 1u) << "it takes the place of a window";
  EXPECT_EQ(rules.window.steps[0].width, kUnlimitedWindow);
  EXPECT_EQ(Read(Duel("target_wait_p95: 5s\n  window: {linear: {max: 400}}")).window.max, 400 * kPoint);
  ExpectError(Duel("target_wait_p95: 100ms"), ":2: queues[0].target_wait_p95: must be longer than the tick, 100ms");
  ExpectError(Duel("target_wait_p95: 91s"),
              ":2: queues[0].target_wait_p95: must not be longer than default_timeout, 1m30s");
  ExpectError(Duel("target_wait_p95: 60s\n  default_timeout: 30s"),
              ":2: queues[0].target_wait_p95: must not be longer");
}

TEST(QueueRules, WordsOfEnumsReachTheirSettings) {
  EXPECT_EQ(Read(Duel("wait_basis: strictest")).wait_basis, WaitBasis::kStrictest);
  EXPECT_EQ(Read(Duel("wait_basis: oldest")).wait_basis, WaitBasis::kOldest);
  EXPECT_EQ(Read(Duel("wait_basis: \"average\"")).wait_basis, WaitBasis::kAverage);
  EXPECT_EQ(Read(Duel("never: refuse")).never, NeverPolicy::kRefuse);
  EXPECT_EQ(Read(Duel("never: warn")).never, NeverPolicy::kWarn);
  ExpectError(Duel("never: 2"), ":2: queues[0].never: must be one of warn, refuse, not \"2\"");
}

TEST(QueueRules, SidesSayTheShape) {
  const QueueRules hunt = Read(Shape("sides: [1, 4]"));
  EXPECT_EQ(hunt.sides, (std::vector<int32_t>{1, 4}));
  EXPECT_EQ(hunt.team_count, 2);
  EXPECT_EQ(hunt.team_size, 4);
  const QueueRules alike = Read(Shape("sides: [3, 3, 3]"));
  EXPECT_TRUE(alike.sides.empty());
  EXPECT_EQ(alike.team_count, 3);
  EXPECT_EQ(alike.team_size, 3);
  ExpectError(Shape("sides: [4]"), ":2: queues[0].sides: must be 2 to 64 teams, not 1");
  ExpectError(Shape("sides: []"), ":2: queues[0].sides: must be 2 to 64 teams, not 0");
  ExpectError(Shape("sides: [1, 65]"), ":2: queues[0].sides[1]: must be 1 to 64, not 65");
  ExpectError(Shape("sides: [1, x]"), ":2: queues[0].sides[1]: must be a whole number, not \"x\"");
  ExpectError(Squad("sides: [1, 4]"), ":4: queues[0].team_size: is given beside sides");
  ExpectError(Shape("sides: [1, 4]\n  team_count: 2"), ":3: queues[0].team_count: is given beside sides");
}

TEST(QueueRules, FewerPlayersShrink) {
  const QueueRules rules =
      Read(Squad("team_count: 3\n  fewer_players: [{after: 10s, team_size: 4}, {after: 20s, team_count: 2}]"));
  ASSERT_EQ(rules.fewer.size(), 2u);
  EXPECT_EQ(rules.fewer[0].after, 10 * kSecond);
  EXPECT_EQ(rules.fewer[0].team_count, 3);
  EXPECT_EQ(rules.fewer[0].team_size, 4);
  EXPECT_EQ(rules.fewer[1].team_count, 2);
  EXPECT_EQ(rules.fewer[1].team_size, 5);
  ExpectError(Squad("fewer_players: []"), ":2: queues[0].fewer_players: is empty");
  ExpectError(Squad("fewer_players: [{after: 10s}]"),
              ":2: queues[0].fewer_players[0]: must have fewer players than a full match, 10, not 10");
  ExpectError(Squad("fewer_players: [{after: 10s, team_size: 6}]"),
              ":2: queues[0].fewer_players[0].team_size: must be 1 to 5, not 6");
  ExpectError(Squad("fewer_players: [{after: 10s, team_count: 3}]"),
              ":2: queues[0].fewer_players[0].team_count: must be 2 to 2, not 3");
  ExpectError(Squad("fewer_players: [{team_size: 4}]"), ":2: queues[0].fewer_players[0].after: is required");
  ExpectError(Squad("fewer_players:\n  - {after: 10s, team_size: 4}\n  - {after: 20s, team_size: 4}"),
              ":4: queues[0].fewer_players[1]: must have fewer players than the step before, 8, not 8");
  ExpectError(Squad("fewer_players:\n  - {after: 20s, team_size: 4}\n  - {after: 10s, team_size: 3}"),
              ":4: queues[0].fewer_players[1].after: must be later than the step before, at 20s");
  ExpectError(Shape("sides: [2, 4]\n  fewer_players: [{after: 1s, team_size: 1}]"),
              ":3: queues[0].fewer_players: does not go with uneven sides");
}

const char kTiers[] =
    "tiers:\n"
    "    groups:\n"
    "    - {name: low, tiers: [{name: bronze, from: 0}, {name: gold, from: 1200}]}\n"
    "    - {name: top, isolated: true, tiers: [{name: peak}]}\n";

TEST(QueueRules, TiersStandInGroups) {
  const TierRules tiers = Read(Duel(std::string(kTiers) + "    neighbours_after: 5s\n    all_after: 6s")).tiers;
  ASSERT_EQ(tiers.groups.size(), 2u);
  EXPECT_EQ(tiers.groups[0].name, "low");
  EXPECT_FALSE(tiers.groups[0].isolated);
  EXPECT_TRUE(tiers.groups[1].isolated);
  ASSERT_EQ(tiers.tiers.size(), 3u);
  EXPECT_EQ(tiers.tiers[1].name, "gold");
  EXPECT_EQ(tiers.tiers[1].group, 0u);
  EXPECT_EQ(tiers.tiers[1].from, 1200 * kPoint);
  EXPECT_EQ(tiers.tiers[2].group, 1u);
  EXPECT_EQ(tiers.tiers[2].from, kNoValue);
  EXPECT_EQ(tiers.neighbours_after, 5 * kSecond);
  EXPECT_EQ(tiers.all_after, 6 * kSecond);
  EXPECT_EQ(Read(Duel(kTiers)).tiers.neighbours_after, 10 * kSecond);
}

TEST(QueueRules, TiersNeitherOverlapNorRepeat) {
  const auto groups = [](const std::string& list) { return Duel("tiers: {groups: [\n    " + list + "\n    ]}"); };
  ExpectError(Duel("tiers: {}"), ":2: queues[0].tiers.groups: is required");
  ExpectError(Duel("tiers: {groups: []}"), ":2: queues[0].tiers.groups: is required");
  ExpectError(groups("{name: a}"), ":3: queues[0].tiers.groups[0].tiers: is required");
  ExpectError(groups("{tiers: [{name: a}]}"), ":3: queues[0].tiers.groups[0].name: is required");
  ExpectError(groups("{name: a, tiers: [{from: 1}]}"), ":3: queues[0].tiers.groups[0].tiers[0].name: is required");
  ExpectError(groups("{name: a, tiers: [{name: x}]},\n    {name: a, tiers: [{name: y}]}"),
              ":4: queues[0].tiers.groups[1].name: \"a\" is the name of queues[0].tiers.groups[0] already");
  ExpectError(groups("{name: a, tiers: [{name: x}]},\n    {name: b, tiers: [{name: x}]}"),
              ":4: queues[0].tiers.groups[1].tiers[0].name: \"x\" is the name of queues[0].tiers.groups[0].tiers[0]");
  ExpectError(groups("{name: a, tiers: [{name: x, from: 5}, {name: y, from: 5}]}"),
              ":3: queues[0].tiers.groups[0].tiers[1].from: must be above 5, where tier \"x\" begins");
  ExpectError(groups("{name: a, tiers: [{name: x, from: 5}, {name: y}]},\n    {name: b, tiers: [{name: z, from: 4}]}"),
              ":4: queues[0].tiers.groups[1].tiers[0].from: must be above 5, where tier \"x\" begins");
  ExpectError(Duel(std::string(kTiers) + "    all_after: 9s"),
              ":6: queues[0].tiers.all_after: all_after 9s must not be before neighbours_after 10s");
  ExpectError(Duel(std::string(kTiers) + "    neighbours_after: 31s"),
              ":6: queues[0].tiers.neighbours_after: all_after 30s (its default) must not be before");
}

TEST(QueueRules, StrengthIsAWeightedMix) {
  const StrengthRules strength =
      Read(Squad(std::string(kTiers) + "  strength:\n"
                                       "    party: power_mean\n"
                                       "    power: 3\n"
                                       "    premade_bonus: [0, 12.5]\n"
                                       "    lowest: -10\n"
                                       "    highest: 500\n"
                                       "    parts:\n"
                                       "    - {source: rating, low: 800, high: 2400, weight: 0.4}\n"
                                       "    - {source: tier, weights: [0.3, 0]}\n"
                                       "    - {source: games_played, low: 0, high: 100}\n"
                                       "    - {attribute: form, low: -0.5, high: 0.5, weight: 0}"))
          .strength;
  using Source = StrengthRules::Source;
  EXPECT_EQ(strength.party, StrengthRules::Party::kPowerMean);
  EXPECT_EQ(strength.power, 3);
  EXPECT_EQ(strength.premade_bonus, (std::vector<MilliPoints>{0, 12'500}));
  EXPECT_EQ(strength.lowest, -10 * kPoint);
  EXPECT_EQ(strength.highest, 500 * kPoint);
  ASSERT_EQ(strength.parts.size(), 4u);
  EXPECT_EQ(strength.parts[0].source, Source::kRating);
  EXPECT_EQ(strength.parts[0].low, 800'000);
  EXPECT_EQ(strength.parts[0].high, 2'400'000);
  EXPECT_EQ(strength.parts[0].weights, (std::vector<int32_t>{400}));
  EXPECT_EQ(strength.parts[1].source, Source::kTier);
  EXPECT_EQ(strength.parts[1].low, 0);
  EXPECT_EQ(strength.parts[1].high, 2'000) << "the last of three tiers";
  EXPECT_EQ(strength.parts[1].weights, (std::vector<int32_t>{300, 0}));
  EXPECT_EQ(strength.parts[2].source, Source::kGamesPlayed);
  EXPECT_EQ(strength.parts[2].weights, (std::vector<int32_t>{1000}));
  EXPECT_EQ(strength.parts[3].source, Source::kAttribute);
  EXPECT_EQ(strength.parts[3].attribute, "form");
  EXPECT_EQ(strength.parts[3].low, -500);
  EXPECT_EQ(Read(Squad("strength: {party: maximum}")).strength.party, StrengthRules::Party::kMaximum);
  EXPECT_TRUE(Read(Squad("strength: {party: mean}")).strength.plain());
}

TEST(QueueRules, StrengthThatMeansNothingIsRefused) {
  const auto parts = [](const std::string& list) { return Squad("strength: {parts: [" + list + "]}"); };
  ExpectError(parts("{low: 0, high: 1}"), ":2: queues[0].strength.parts[0]: needs one of source and attribute");
  ExpectError(parts("{source: rating, attribute: a, low: 0, high: 1}"),
              ":2: queues[0].strength.parts[0]: needs one of source and attribute");
  ExpectError(parts("{source: luck, low: 0, high: 1}"),
              ":2: queues[0].strength.parts[0].source: must be one of rating, tier, games_played");
  ExpectError(parts("{source: tier}"), ":2: queues[0].strength.parts[0].source: is tier, but the queue has no tiers");
  ExpectError(parts("{source: rating, high: 1}"), ":2: queues[0].strength.parts[0].low: is required");
  ExpectError(parts("{source: rating, low: 1}"), ":2: queues[0].strength.parts[0].high: is required");
  ExpectError(parts("{source: rating, low: 1, high: 1}"),
              ":2: queues[0].strength.parts[0].high: high 1 must be above low 1");
  ExpectError(parts("{source: rating, low: 0, high: 1, weight: -1}"),
              ":2: queues[0].strength.parts[0].weight: must be 0");
  ExpectError(parts("{source: rating, low: 0, high: 1, weight: 0}"),
              ":2: queues[0].strength.parts: all weights are 0; one at least must count");
  ExpectError(parts("{source: rating, low: 0, high: 1, weights: [1, 2]}"),
              ":2: queues[0].strength.parts[0].weights: has 2 entries, the queue has 0 groups of tiers");
  ExpectError(Squad(std::string(kTiers) + "  strength: {parts: [{source: tier, weights: [1, 0]}]}"),
              ":6: queues[0].strength.parts: all weights are 0 in group \"top\"");
  ExpectError(Squad(std::string(kTiers) + "  strength: {parts: [{source: tier, weight: 2, weights: [1, 1]}]}"),
              ":6: queues[0].strength.parts[0].weights: is given beside weight");
  ExpectError(Squad(std::string(kTiers) + "  strength: {parts: [{source: tier}], lowest: 3000}"),
              ":6: queues[0].strength.lowest: highest 3000 (its default) must be above lowest 3000");
  ExpectError(Squad("strength: {lowest: 1}"), ":2: queues[0].strength.lowest: goes only with parts");
  ExpectError(Squad("strength: {power: 2}"), ":2: queues[0].strength.power: goes only with party: power_mean");
  ExpectError(Squad("strength: {premade_bonus: [0, 1, 2, 3, 4, 5]}"),
              ":2: queues[0].strength.premade_bonus: has 6 entries; at most 5 are allowed");
  ExpectError(Squad("strength: {premade_bonus: [0, much]}"),
              ":2: queues[0].strength.premade_bonus[1]: must be a number, not \"much\"");
}

TEST(QueueRules, PartiesFitTheirTeam) {
  const PartyRules party =
      Read(Squad("party:\n"
                 "    min_size: 1\n"
                 "    max_size: 4\n"
                 "    mirror: [{after: 0s, difference: 0}, {after: 9s, difference: 2}, {after: 20s}]"))
          .party;
  EXPECT_EQ(party.min_size, 1);
  EXPECT_EQ(party.max_size, 4);
  ASSERT_EQ(party.mirror.size(), 3u);
  EXPECT_EQ(party.mirror[0].difference, 0);
  EXPECT_EQ(party.mirror[1].after, 9 * kSecond);
  EXPECT_EQ(party.mirror[1].difference, 2);
  EXPECT_EQ(party.mirror[2].difference, 64) << "any";
  EXPECT_EQ(Read(Squad("party: {min_size: 5}")).party.max_size, 5);
  EXPECT_EQ(Read(Shape("sides: [1, 4]\n  party: {max_size: 4}")).party.max_size, 4);

  ExpectError(Squad("party: {max_size: 6}"), ":2: queues[0].party.max_size: must be 1 to 5, not 6");
  ExpectError(Squad("party: {min_size: 0}"), ":2: queues[0].party.min_size: must be 1 to 5, not 0");
  ExpectError(Squad("party: {min_size: 3, max_size: 2}"),
              ":2: queues[0].party.min_size: 3 must not be above max_size 2");
  ExpectError(Squad("party: {min_size: 3, max_size: 4}"),
              ":2: queues[0].party: parties of 3 to 4 players cannot fill a team of 5");
  ExpectError(Shape("sides: [1, 4]\n  party: {min_size: 2}"),
              ":3: queues[0].party: parties of 2 to 4 players cannot fill a team of 1");
  ExpectError(Squad("party: {min_size: 2}\n  fewer_players: [{after: 9s, team_size: 1}]"),
              ":2: queues[0].party: parties of 2 to 5 players cannot fill a team of 1 (fewer_players[0])");
}

TEST(QueueRules, MirrorsOnlyLoosen) {
  ExpectError(Squad("party: {mirror: []}"), ":2: queues[0].party.mirror: is empty");
  ExpectError(Squad("party: {mirror: [{after: 1s, difference: 0}]}"),
              ":2: queues[0].party.mirror[0].after: must be 0s in the first step");
  ExpectError(Squad("party: {mirror: [{after: 0s, difference: 2}, {after: 1s, difference: 1}]}"),
              ":2: queues[0].party.mirror[1].difference: must not be below that of the step before, 2");
  ExpectError(Squad("party: {mirror: [{after: 0s}, {after: 1s, difference: 1}]}"),
              ":2: queues[0].party.mirror[1].difference: must not be below that of the step before, which takes any");
  ExpectError(Squad("party: {mirror: [{after: 0s, difference: -1}]}"),
              ":2: queues[0].party.mirror[0].difference: must be 0 to 63, not -1");
}

TEST(QueueRules, RolesMakeATeam) {
  const RoleRules roles =
      Read(Squad("roles: {composition: [{name: tank}, {name: healer}, {name: damage, count: 3}], fill_after: 0s}"))
          .roles;
  ASSERT_EQ(roles.roles.size(), 3u);
  EXPECT_EQ(roles.roles[0].name, "tank");
  EXPECT_EQ(roles.roles[0].count, 1);
  EXPECT_EQ(roles.roles[2].count, 3);
  EXPECT_EQ(roles.fill_after, 0);
  EXPECT_EQ(Read(Squad("roles: {composition: [{name: any, count: 5}]}")).roles.fill_after, kNever);
  ExpectError(Squad("roles: {}"), ":2: queues[0].roles.composition: is required");
  ExpectError(Squad("roles: {composition: [{name: tank}, {name: damage, count: 3}]}"),
              ":2: queues[0].roles.composition: the counts add up to 4, a team has 5 players");
  ExpectError(Squad("roles: {composition: [{name: a, count: 2}, {name: a, count: 3}]}"),
              ":2: queues[0].roles.composition[1].name: \"a\" is the name of queues[0].roles.composition[0] already");
  ExpectError(Squad("roles: {composition: [{name: a, count: 0}, {name: b, count: 4}]}"),
              ":2: queues[0].roles.composition[0].count: must be 1 to 64, not 0");
  ExpectError(Shape("sides: [1, 4]\n  roles: {composition: [{name: a, count: 4}]}"),
              ":3: queues[0].roles: does not go with uneven sides");
}

TEST(QueueRules, RegionsLoosenByThemselves) {
  const RegionRules regions =
      Read(Duel("regions:\n"
                "    names: [eu, us]\n"
                "    steps: [{after: 0s, delta_ms: 30, limit_ms: 80}, {after: 9s, limit_ms: 90}]\n"
                "    missing: nowhere"))
          .regions;
  EXPECT_EQ(regions.regions, (std::vector<std::string>{"eu", "us"}));
  ASSERT_EQ(regions.steps.size(), 2u);
  EXPECT_EQ(regions.steps[0].delta_ms, 30);
  EXPECT_EQ(regions.steps[0].limit_ms, 80);
  EXPECT_EQ(regions.steps[1].delta_ms, RegionRules::kAnyLatency);
  EXPECT_EQ(regions.steps[1].limit_ms, 90);
  EXPECT_EQ(regions.missing, Missing::kMeetsNobody);
  const RegionRules names_only = Read(Duel("regions: {names: [eu]}")).regions;
  EXPECT_TRUE(names_only.on()) << "a match is told its region";
  EXPECT_EQ(names_only.steps[0].delta_ms, RegionRules::kAnyLatency);
  EXPECT_EQ(names_only.missing, Missing::kMeetsAnybody);
  EXPECT_FALSE(Read(Duel("team_count: 2")).regions.on());

  ExpectError(Duel("regions: {steps: [{after: 0s, delta_ms: 5}]}"), ":2: queues[0].regions.names: is required");
  ExpectError(Duel("regions: {names: [eu, eu]}"), ":2: queues[0].regions.names[1]: \"eu\" is the name of");
  ExpectError(Duel("regions: {names: [eu], steps: []}"), ":2: queues[0].regions.steps: is empty");
  ExpectError(Duel("regions: {names: [eu], steps: [{after: 1s}]}"), ":2: queues[0].regions.steps[0].after: must be 0s");
  ExpectError(Duel("regions: {names: [eu], steps: [{after: 0s, delta_ms: 5}, {after: 1s, delta_ms: 4}]}"),
              ":2: queues[0].regions.steps[1].delta_ms: must not be below that of the step before, 5");
  ExpectError(Duel("regions: {names: [eu], steps: [{after: 0s}, {after: 1s, limit_ms: 4}]}"),
              ":2: queues[0].regions.steps[1].limit_ms: must not be below that of the step before, which takes any");
  ExpectError(Duel("regions: {names: [eu], steps: [{after: 0s, limit_ms: 10001}]}"),
              ":2: queues[0].regions.steps[0].limit_ms: must be 0 to 10000, not 10001");
  ExpectError(Duel("regions: {names: [eu], missing: somewhere}"),
              ":2: queues[0].regions.missing: must be one of anywhere, nowhere");
}

TEST(QueueRules, AttributesAgreeOrBetterDo) {
  const QueueRules rules =
      Read(Duel("attributes:\n"
                "  - {name: a}\n"
                "  - {name: b, distance: 2.5, missing: nobody, required_for: 20s}\n"
                "  - {name: c, compare: overlap, required: false, missing: anybody}\n"
                "  quality: {terms: {attributes: {weight: 0.1}}}"));
  using Compare = AttributeRule::Compare;
  ASSERT_EQ(rules.attributes.size(), 3u);
  EXPECT_EQ(rules.attributes[0].compare, Compare::kEqual);
  EXPECT_TRUE(rules.attributes[0].required);
  EXPECT_EQ(rules.attributes[0].required_for, kNever);
  EXPECT_EQ(rules.attributes[0].missing, Missing::kMeetsMissing);
  EXPECT_EQ(rules.attributes[1].compare, Compare::kDistance);
  EXPECT_EQ(rules.attributes[1].distance, 2'500);
  EXPECT_EQ(rules.attributes[1].missing, Missing::kMeetsNobody);
  EXPECT_EQ(rules.attributes[1].required_for, 20 * kSecond);
  EXPECT_EQ(rules.attributes[2].compare, Compare::kOverlap);
  EXPECT_FALSE(rules.attributes[2].required);
  EXPECT_EQ(rules.attributes[2].missing, Missing::kMeetsAnybody);

  ExpectError(Duel("attributes: [{compare: equal}]"), ":2: queues[0].attributes[0].name: is required");
  ExpectError(Duel("attributes: [{name: a, compare: distance}]"), ":2: queues[0].attributes[0].distance: is required");
  ExpectError(Duel("attributes: [{name: a, compare: equal, distance: 1}]"),
              ":2: queues[0].attributes[0].distance: goes only with compare: distance");
  ExpectError(Duel("attributes: [{name: a, distance: -1}]"), ":2: queues[0].attributes[0].distance: must be 0 to");
  ExpectError(Duel("attributes: [{name: a}, {name: a}]"), ":2: queues[0].attributes[1].name: \"a\" is the name of");
  ExpectError(Duel("required_attributes: [a]\n  attributes: [{name: a}]"),
              ":3: queues[0].attributes[0].name: is in required_attributes already");
  ExpectError(Duel("attributes: [{name: a, required: false, required_for: 1s}]\n"
                   "  quality: {terms: {attributes: {}}}"),
              ":2: queues[0].attributes[0].required_for: goes only with a required attribute");
  ExpectError(Duel("attributes: [{name: a, required: false}]"),
              ":2: queues[0].attributes[0].required: a preferred attribute needs a weight");
}

TEST(QueueRules, GuardRailsHaveTheirDefaults) {
  const QueueRules rules = Read(Duel("shelter: {games_below: 10}\n  streak: {}\n  blocks: false"));
  EXPECT_EQ(rules.shelter.games_below, 10);
  EXPECT_EQ(rules.shelter.rating_below, kNoValue);
  EXPECT_EQ(rules.shelter.own_pool_for, 20 * kSecond);
  EXPECT_EQ(rules.shelter.widest, 100 * kPoint);
  EXPECT_EQ(rules.streak.losses, 3);
  EXPECT_EQ(rules.streak.ease, 200 * kPoint);
  EXPECT_EQ(rules.streak.after, 60 * kSecond);
  EXPECT_FALSE(rules.blocks);
  const QueueRules given = Read(Duel(
      "shelter: {rating_below: -700, own_pool_for: 5s, widest: 50}\n  streak: {losses: 5, ease: 100, after: 30s}"));
  EXPECT_EQ(given.shelter.games_below, 0);
  EXPECT_EQ(given.shelter.rating_below, -700 * kPoint);
  EXPECT_EQ(given.shelter.own_pool_for, 5 * kSecond);
  EXPECT_EQ(given.shelter.widest, 50 * kPoint);
  EXPECT_EQ(given.streak.losses, 5);
  EXPECT_EQ(given.streak.ease, 100 * kPoint);
  EXPECT_EQ(given.streak.after, 30 * kSecond);
  EXPECT_FALSE(Read(Duel("team_count: 2")).streak.on());
  ExpectError(Duel("shelter: {widest: 50}"), ":2: queues[0].shelter: needs games_below or rating_below");
  ExpectError(Duel("shelter: {games_below: 0}"), ":2: queues[0].shelter.games_below: must be 1 to 1000000, not 0");
  ExpectError(Duel("streak: {losses: 0}"), ":2: queues[0].streak.losses: must be 1 to 1000, not 0");
}

TEST(QueueRules, QualityBeginsWithAPresetThatTermsOverrule) {
  EXPECT_FALSE(Read(Duel("quality: {preset: default, relations_fade: 9s}")).quality.given());
  EXPECT_EQ(Read(Duel("quality: {relations_fade: 9s}")).quality.relations_fade, 9 * kSecond);
  const QualityRules pair_score = Read(Duel("quality: {preset: pair_score}")).quality;
  EXPECT_EQ(pair_score[QualityTerm::kDistance].weight, 1000);
  EXPECT_EQ(pair_score[QualityTerm::kDistance].scale, 200 * kPoint);
  EXPECT_EQ(pair_score[QualityTerm::kLatency].weight, 300);
  EXPECT_EQ(pair_score[QualityTerm::kLatency].scale, 60);
  EXPECT_EQ(pair_score[QualityTerm::kParty].weight, 200);
  EXPECT_EQ(pair_score[QualityTerm::kParty].scale, 1);
  EXPECT_EQ(pair_score[QualityTerm::kEvenness].weight, 0);

  const QualityRules squad = Read(Squad("quality:\n"
                                        "    terms:\n"
                                        "      distance: {weight: 0.25, scale: 12.5}\n"
                                        "      latency: {}\n"
                                        "      fill: {weight: 0.5, scale: 0.2}\n"
                                        "      recent: {scale: 2}\n"
                                        "      preference: {weight: 0.125}"))
                                 .quality;
  EXPECT_EQ(squad[QualityTerm::kDistance].weight, 250);
  EXPECT_EQ(squad[QualityTerm::kDistance].scale, 12'500);
  EXPECT_EQ(squad[QualityTerm::kEvenness].weight, 500) << "as by default";
  EXPECT_EQ(squad[QualityTerm::kEvenness].scale, kCertain);
  EXPECT_EQ(squad[QualityTerm::kLatency].weight, 1000);
  EXPECT_EQ(squad[QualityTerm::kLatency].scale, 60);
  EXPECT_EQ(squad[QualityTerm::kFill].scale, 200);
  EXPECT_EQ(squad[QualityTerm::kRecent].scale, 2'000);
  EXPECT_EQ(squad[QualityTerm::kPreference].weight, 125);
  const QualityRules duel = Read(Duel("quality: {terms: {avoid: {}}}")).quality;
  EXPECT_EQ(duel[QualityTerm::kDistance].weight, 1000);
  EXPECT_EQ(duel[QualityTerm::kDistance].scale, 0) << "the stricter window";
  EXPECT_EQ(duel[QualityTerm::kAvoid].weight, 1000);

  ExpectError(Duel("quality: {preset: best}"), ":2: queues[0].quality.preset: must be one of default, pair_score");
  ExpectError(Duel("quality: {terms: {distance: {weight: 0}}}"), ":2: queues[0].quality.terms: all weights are 0");
  ExpectError(Duel("quality: {terms: {distance: {weight: -1}}}"),
              ":2: queues[0].quality.terms.distance.weight: must be 0 to 1000, not -1");
  ExpectError(Duel("quality: {terms: {latency: {scale: 0}}}"),
              ":2: queues[0].quality.terms.latency.scale: must be at least 1, not 0");
  ExpectError(Duel("quality: {terms: {distances: {}}}"),
              ":2: queues[0].quality.terms.distances: unknown field; did you mean \"distance\"?");
}

TEST(QueueRules, PriorityAndVarietyCount) {
  const QueueRules rules = Read(Duel("priority: {wait: 2, scarcity: 30}\n  variety: {within: 50, seed: 7}"));
  EXPECT_EQ(rules.priority.wait_weight, 2);
  EXPECT_EQ(rules.priority.scarcity_weight, 30);
  EXPECT_EQ(rules.variety.within, 50);
  EXPECT_EQ(rules.variety.seed, 7u);
  ExpectError(Duel("priority: {wait: 0}"), ":2: queues[0].priority: wait and scarcity are both 0");
  ExpectError(Duel("variety: {seed: 1}"), ":2: queues[0].variety.within: is required");
  ExpectError(Duel("variety: {within: 10001}"), ":2: queues[0].variety.within: must be 1 to 10000, not 10001");
}

// Whoever reads the smallest file gets the rules of the code.
TEST(QueueRules, DefaultsOfTheFileAreTheDefaultsOfTheCode) {
  const QueueRules file = Read(Squad("team_count: 2"));
  const QueueRules code;
  EXPECT_EQ(file.wait_basis, code.wait_basis);
  EXPECT_EQ(file.max_difference, code.max_difference);
  EXPECT_FALSE(file.tiers.on());
  EXPECT_TRUE(file.strength.plain());
  EXPECT_EQ(file.party.min_size, code.party.min_size);
  EXPECT_EQ(file.party.max_size, code.party.max_size);
  EXPECT_TRUE(file.party.mirror.empty());
  EXPECT_FALSE(file.roles.on());
  EXPECT_FALSE(file.regions.on());
  EXPECT_TRUE(file.attributes.empty());
  EXPECT_FALSE(file.shelter.on());
  EXPECT_FALSE(file.streak.on());
  EXPECT_TRUE(file.blocks);
  EXPECT_FALSE(file.quality.given());
  EXPECT_TRUE(file.priority.plain());
  EXPECT_EQ(file.variety.within, 0);
  EXPECT_EQ(file.target_wait_p95, 0);
  EXPECT_EQ(file.never, NeverPolicy::kWarn);
}

}  // namespace
}  // namespace evenmatch
