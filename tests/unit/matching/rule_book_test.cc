#include "matching/rule_book.h"

#include "tests/support/waiters.h"

namespace evenmatch {
namespace {

QueueRules OpenRules() {  // anybody, at once
  QueueRules rules;
  rules.window = {.base = kUnlimitedWindow, .growth_per_second = 0, .max = kUnlimitedWindow};
  return rules;
}

void ExpectMeeting(const WaitingRoom& room, const Waiter& a, const Waiter& b, Micros wait, Rule rule) {
  for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
    const Meeting meeting = room.book.Meet(one, other);
    EXPECT_EQ(meeting.wait, wait);
    EXPECT_EQ(meeting.rule, rule);
    Micros longest = 0;
    room.book.ForEachRefusal(one, other, 0, [&](Rule, Micros asked) { longest = std::max(longest, asked); });
    EXPECT_EQ(longest, wait);
  }
}

// kWindow

TEST(RuleBookTest, ABareQueueIsPlainUntilABlockListComes) {
  QueueRules rules = DuelRules("duel");
  RuleBook book(rules);
  EXPECT_TRUE(book.plain());
  EXPECT_FALSE(book.NeedsTraits(*MakeParty({{"a", 1500, 0, {.avoid = {"b"}}}})));
  EXPECT_TRUE(book.NeedsTraits(*MakeParty({{"a", 1500, 0, {.block = {"b"}}}})));
  book.KeepTraits();
  EXPECT_FALSE(book.plain());
  rules.blocks = false;
  EXPECT_FALSE(RuleBook(rules).NeedsTraits(*MakeParty({{"a", 1500, 0, {.block = {"b"}}}})));
  rules.tiers.tiers = {{"all"}};
  rules.tiers.groups = {{"all"}};
  EXPECT_FALSE(RuleBook(rules).plain());
}

TEST(RuleBookTest, WindowsOpenForBothAtTheSameWait) {
  WaitingRoom room{QueueRules()};
  const Waiter a = room.Add({"a", 1500}), b = room.Add({"b", 1750}), far = room.Add({"c", 2301});
  ExpectMeeting(room, a, b, 3 * kSecond, Rule::kWindow);
  ExpectMeeting(room, a, a, 0, Rule::kNone);
  ExpectMeeting(room, a, far, kNever, Rule::kWindow);
}

TEST(RuleBookTest, OfTwoDeviationsTheSmallerWidensTheWindow) {
  QueueRules rules;
  rules.window.deviation_factor = 500;
  WaitingRoom room(rules);
  const Waiter sure = room.Add({"a", 1500, 60}), unsure = room.Add({"b", 1750, 350}),
               other = room.Add({"c", 1500, 200});
  EXPECT_EQ(sure.traits->widening, 30 * kPoint);
  ExpectMeeting(room, sure, unsure, 2'400 * kMillisecond, Rule::kWindow);
  ExpectMeeting(room, other, unsure, kSecond, Rule::kWindow);
  EXPECT_EQ(room.book.WindowOf(unsure, kSecond), 325 * kPoint);
}

TEST(RuleBookTest, TheDeviationOfAPartyIsThatOfItsMean) {
  QueueRules rules;
  rules.window.deviation_factor = 1000;
  WaitingRoom room(rules);
  EXPECT_EQ(room.AddTicket(*MakeParty({{"a", 1500, 300}, {"b", 1500, 400}})).traits->deviation, 250 * kPoint);
}

TEST(RuleBookTest, AfterLossesTheWindowReachesFurtherDownButNotUp) {
  QueueRules rules;
  rules.streak = {.losses = 3};
  WaitingRoom room(rules);
  const Waiter unlucky = room.Add({"a", 1500, 0, {.loss_streak = 3}});
  const Waiter lower = room.Add({"b", 600}), higher = room.Add({"c", 2400}), near = room.Add({"d", 1300});
  const Waiter fine = room.Add({"e", 1500, 0, {.loss_streak = 2}});
  ExpectMeeting(room, unlucky, lower, 60 * kSecond, Rule::kWindow);  // 900 apart, 800 at most
  ExpectMeeting(room, unlucky, higher, kNever, Rule::kWindow);
  ExpectMeeting(room, fine, lower, kNever, Rule::kWindow);
  ExpectMeeting(room, unlucky, near, 2 * kSecond, Rule::kWindow);  // before the ease begins, as everybody
}

// kMaxDifference

TEST(RuleBookTest, TheMaximumDifferenceStandsForEver) {
  QueueRules rules = OpenRules();
  rules.max_difference = 300 * kPoint;
  WaitingRoom room(rules);
  const Waiter a = room.Add({"a", 1500}), b = room.Add({"b", 1800}), c = room.Add({"c", 1801});
  ExpectMeeting(room, a, b, 0, Rule::kNone);
  ExpectMeeting(room, a, c, kNever, Rule::kMaxDifference);
  EXPECT_EQ(room.book.WindowOf(a, kHour), 300 * kPoint);
}

// kTier

TEST(RuleBookTest, TierGroupsMeetTheirNeighboursThenAllButTheIsolated) {
  QueueRules rules = OpenRules();
  rules.tiers.tiers = {{"bronze", 0}, {"silver", 0}, {"diamond", 1}, {"king", 2}, {"peak", 3}};
  rules.tiers.groups = {{"low"}, {"middle"}, {"high"}, {"peak", true}};
  WaitingRoom room(rules);
  const auto of = [&](const std::string& tier) { return room.Add({tier, 1500, 0, {.tier = tier}}); };
  const Waiter bronze = of("bronze"), silver = of("silver"), diamond = of("diamond"), king = of("king"),
               peak = of("peak");
  ExpectMeeting(room, bronze, silver, 0, Rule::kNone);
  ExpectMeeting(room, silver, diamond, 10 * kSecond, Rule::kTier);
  ExpectMeeting(room, bronze, king, 30 * kSecond, Rule::kTier);
  ExpectMeeting(room, king, peak, kNever, Rule::kTier);
  ExpectMeeting(room, peak, of("peak"), 0, Rule::kNone);
}

TEST(RuleBookTest, APartyCountsWithItsHighestTier) {
  QueueRules rules = OpenRules();
  rules.tiers.tiers = {{"bronze", 0}, {"king", 1}};
  rules.tiers.groups = {{"low"}, {"high"}};
  WaitingRoom room(rules);
  EXPECT_EQ(room.AddTicket(*MakeParty({{"a", 1500, 0, {.tier = "king"}}, {"b", 1500, 0, {.tier = "bronze"}}}))
                .traits->tier_group,
            1);
}

// kShelter

TEST(RuleBookTest, BeginnersAreAmongThemselvesAtFirstAndNeverInWideMatches) {
  QueueRules rules;
  rules.shelter = {
      .games_below = 10, .rating_below = 500 * kPoint, .own_pool_for = 20 * kSecond, .widest = 150 * kPoint};
  WaitingRoom room(rules);
  const auto of = [&](int rating, int32_t games) { return room.Add({"p", rating, 0, {.games_played = games}}); };
  const Waiter beginner = of(1000, 9), another = of(1140, 0), old = of(1000, 10), strong = of(1151, 500);
  EXPECT_TRUE(of(499, 500).traits->sheltered);
  ExpectMeeting(room, beginner, another, 800 * kMillisecond, Rule::kWindow);
  ExpectMeeting(room, beginner, old, 20 * kSecond, Rule::kShelter);
  ExpectMeeting(room, beginner, strong, kNever, Rule::kShelter);
  ExpectMeeting(room, old, strong, 1'020 * kMillisecond, Rule::kWindow);
  EXPECT_EQ(room.book.WindowOf(beginner, kHour), 150 * kPoint);
  EXPECT_EQ(room.book.WindowOf(old, kHour), 800 * kPoint);
}

// kRegion

QueueRules RegionalRules() {
  QueueRules rules = OpenRules();
  rules.regions.regions = {"eu", "us", "asia"};
  rules.regions.steps = {{0, 30, 150}, {15 * kSecond, 60, 150}, {30 * kSecond, RegionRules::kAnyLatency, 200}};
  return rules;
}

TEST(RuleBookTest, RegionsOpenByLatencyAboveTheOwnBestAndByTheLimit) {
  WaitingRoom room(RegionalRules());
  const Waiter a = room.Add({"a", 1500, 0, {.latency_ms = {{"eu", 40}, {"us", 100}, {"asia", 201}}}});
  EXPECT_EQ(a.traits->regions[0].from, 0);
  EXPECT_EQ(a.traits->regions[1].from, 15 * kSecond);
  EXPECT_EQ(a.traits->regions[2].from, kNever);
  const Waiter b = room.Add({"b", 1500, 0, {.latency_ms = {{"us", 20}, {"asia", 150}}}});
  ExpectMeeting(room, a, b, 15 * kSecond, Rule::kRegion);
  const Waiter c = room.Add({"c", 1500, 0, {.latency_ms = {{"asia", 20}}}});
  ExpectMeeting(room, a, c, kNever, Rule::kRegion);
  ExpectMeeting(room, b, c, 30 * kSecond, Rule::kRegion);
}

TEST(RuleBookTest, APartyPlaysWhereItsWorstPlayerCan) {
  WaitingRoom room(RegionalRules());
  const Waiter party =
      room.AddTicket(*MakeParty({{"a", 1500, 0, {.latency_ms = {{"eu", 20}, {"us", 90}}}},
                                 {"b", 1500, 0, {.latency_ms = {{"us", 30}, {"eu", 70}, {"asia", 10}}}},
                                 {"c", 1500}}));
  EXPECT_EQ(party.traits->regions[0].latency_ms, 70);
  EXPECT_EQ(party.traits->regions[1].latency_ms, 90);
  EXPECT_EQ(party.traits->regions[0].from, 0);
  EXPECT_EQ(party.traits->regions[1].from, 0);
  EXPECT_EQ(party.traits->regions[2].from, kNever);  // a does not know it
}

TEST(RuleBookTest, WhoBringsNoLatencyMeetsAnybodyOrNobody) {
  QueueRules rules = RegionalRules();
  {
    WaitingRoom room(rules);
    const Waiter unknown = room.Add({"a"}), other = room.Add({"b"});
    const Waiter far = room.Add({"c", 1500, 0, {.latency_ms = {{"us", 140}, {"mars", 3}}}});
    ExpectMeeting(room, unknown, far, 0, Rule::kNone);
    int32_t region = 7;
    const Waiter strangers[] = {unknown, other};
    EXPECT_TRUE(room.book.RegionFor(strangers, 0, &region));
    EXPECT_EQ(region, -1);
    const Waiter both[] = {unknown, far};
    EXPECT_TRUE(room.book.RegionFor(both, 0, &region));
    EXPECT_EQ(region, 1);
  }
  rules.regions.missing = Missing::kMeetsNobody;
  WaitingRoom room(rules);
  const Waiter unknown = room.Add({"a"});
  EXPECT_EQ(unknown.traits->never, Rule::kRegion);
  ExpectMeeting(room, unknown, room.Add({"c", 1500, 0, {.latency_ms = {{"us", 140}}}}), kNever, Rule::kRegion);
}

TEST(RuleBookTest, TheRegionOfASetIsTheOneWithTheLeastWorstLatencyAmongThoseAllowed) {
  QueueRules rules = RegionalRules();
  rules.regions.regions = {"hkg", "sin", "syd"};
  WaitingRoom room(rules);
  const Waiter a = room.Add({"a", 1500, 0, {.latency_ms = {{"sin", 45}, {"hkg", 110}, {"syd", 60}}}});
  const Waiter b = room.Add({"b", 1500, 0, {.latency_ms = {{"sin", 60}, {"hkg", 110}, {"syd", 45}}}});
  const Waiter c = room.Add({"c", 1500, 0, {.latency_ms = {{"hkg", 10}}}});
  int32_t region = -1;
  const Waiter two[] = {a, b};
  EXPECT_TRUE(room.book.RegionFor(two, 0, &region));
  EXPECT_EQ(region, 1);  // as good as syd, and named before it
  const Waiter three[] = {a, b, c};
  EXPECT_FALSE(room.book.RegionFor(three, 30 * kSecond - 1, &region));
  EXPECT_TRUE(room.book.RegionFor(three, 30 * kSecond, &region));
  EXPECT_EQ(region, 0);
}

// kAttribute

TEST(RuleBookTest, AnotherAffinityNeverMeets) {
  WaitingRoom room{QueueRules()};
  ExpectMeeting(room, room.AddTicket(*MakeParty({{"a"}}), 0, 1), room.AddTicket(*MakeParty({{"b"}}), 0, 2), kNever,
                Rule::kAttribute);
}

TEST(RuleBookTest, EqualAttributesMeetForAsLongAsTheyAreRequired) {
  QueueRules rules = OpenRules();
  rules.attributes = {{.name = "mode", .required_for = 20 * kSecond}, {.name = "version"}};
  WaitingRoom room(rules);
  const auto of = [&](Attributes attributes) { return room.AddTicket(*MakeParty({{"p"}}, std::move(attributes))); };
  const Waiter ranked = of({{"mode", "ranked"}, {"version", 3.0}}), casual = of({{"mode", "casual"}, {"version", 3.0}});
  const Waiter old = of({{"mode", "ranked"}, {"version", 2.0}}), bare = of({});
  ExpectMeeting(room, ranked, casual, 20 * kSecond, Rule::kAttribute);
  ExpectMeeting(room, ranked, old, kNever, Rule::kAttribute);
  ExpectMeeting(room, ranked, bare, kNever, Rule::kAttribute);
  ExpectMeeting(room, bare, of({}), 0, Rule::kNone);
}

TEST(RuleBookTest, NumbersMeetWithinADistanceAndListsWhereTheyOverlap) {
  QueueRules rules = OpenRules();
  using Compare = AttributeRule::Compare;
  rules.attributes = {
      {.name = "level", .compare = Compare::kDistance, .distance = 2'500, .missing = Missing::kMeetsAnybody},
      {.name = "maps", .compare = Compare::kOverlap, .missing = Missing::kMeetsAnybody}};
  WaitingRoom room(rules);
  const auto level = [&](double value) { return room.AddTicket(*MakeParty({{"p"}}, {{"level", value}})); };
  ExpectMeeting(room, level(1), level(3.5), 0, Rule::kNone);
  ExpectMeeting(room, level(1), level(3.501), kNever, Rule::kAttribute);
  using Maps = std::vector<std::string>;
  const auto maps = [&](Maps value) { return room.AddTicket(*MakeParty({{"p"}}, {{"maps", std::move(value)}})); };
  ExpectMeeting(room, maps({"dust", "nuke"}), maps({"train", "nuke", "inferno"}), 0, Rule::kNone);
  ExpectMeeting(room, maps({"dust", "nuke"}), maps({"train"}), kNever, Rule::kAttribute);
  ExpectMeeting(room, maps({"dust"}), level(1), 0, Rule::kNone);
}

TEST(RuleBookTest, AMissingAttributeMeetsWhatIsConfigured) {
  for (const auto& [missing, with, without] :
       {std::tuple(Missing::kMeetsMissing, kNever, Micros{0}), std::tuple(Missing::kMeetsAnybody, Micros{0}, Micros{0}),
        std::tuple(Missing::kMeetsNobody, kNever, kNever)}) {
    QueueRules rules = OpenRules();
    rules.attributes = {{.name = "mode", .missing = missing}};
    WaitingRoom room(rules);
    const Waiter a = room.Add({"a"}), b = room.Add({"b"}), has = room.AddTicket(*MakeParty({{"c"}}, {{"mode", "x"}}));
    EXPECT_EQ(room.book.Meet(a, has).wait, with);
    EXPECT_EQ(room.book.Meet(a, b).wait, without);
  }
}

TEST(RuleBookTest, AnAttributeOfAPartyIsMadeOfItsPlayers) {
  QueueRules rules;
  using Compare = AttributeRule::Compare;
  rules.attributes = {{.name = "mode"},
                      {.name = "level", .compare = Compare::kDistance},
                      {.name = "maps", .compare = Compare::kOverlap},
                      {.name = "side", .missing = Missing::kMeetsAnybody}};
  WaitingRoom room(rules);
  using Maps = std::vector<std::string>;
  const auto player = [](std::string mode, double level, Maps maps) {
    return PlayerDetails{.attributes = {{"mode", mode}, {"level", level}, {"maps", maps}}};
  };
  const Waiter agreeing = room.AddTicket(
      *MakeParty({{"a", 1500, 0, player("x", 1, {"p", "q"})}, {"b", 1500, 0, player("x", 2, {"q", "r"})}}));
  const Waiter mixed = room.AddTicket(*MakeParty(
      {{"a", 1500, 0, player("x", 1, {"p"})}, {"b", 1500, 0, player("y", 2, {"r"})}, {"c"}}, {{"level", 9.0}}));
  EXPECT_TRUE(agreeing.traits->attributes[0].present);
  EXPECT_EQ(agreeing.traits->attributes[1].number, 1'500);
  EXPECT_EQ(agreeing.traits->attributes[2].texts.size(), 1u);
  EXPECT_FALSE(mixed.traits->attributes[0].present);
  EXPECT_EQ(mixed.traits->attributes[1].number, 9'000);
  EXPECT_FALSE(mixed.traits->attributes[2].present);  // c lacks it
  EXPECT_FALSE(mixed.traits->attributes[3].present);
}

// kBlock

TEST(RuleBookTest, WhoBlocksAPlayerOfTheOtherNeverMeetsHim) {
  QueueRules rules = OpenRules();
  rules.team_size = 2;
  WaitingRoom room(rules);
  const Waiter a = room.Add({"a", 1500, 0, {.block = {"x", "c"}}});
  const Waiter b = room.Add({"b"}), party = room.AddTicket(*MakeParty({{"d"}, {"c"}}));
  ExpectMeeting(room, a, b, 0, Rule::kNone);
  ExpectMeeting(room, a, party, kNever, Rule::kBlock);
}

// Waits

TEST(RuleBookTest, WhoseWaitCountsIsConfigured) {
  for (const auto& [basis, wait, from] :
       {std::tuple(WaitBasis::kStrictest, Micros{1}, Micros{25}), std::tuple(WaitBasis::kOldest, Micros{6}, Micros{20}),
        std::tuple(WaitBasis::kAverage, Micros{3}, Micros{23})}) {
    QueueRules rules;
    rules.wait_basis = basis;
    WaitingRoom room(rules);
    const Waiter a = room.Add({"a"}, 10), b = room.Add({"b"}, 15);
    EXPECT_EQ(room.book.WaitOf(a, b, 16), wait);
    EXPECT_EQ(room.book.From(a, b, 10), from);
    EXPECT_LT(room.book.WaitOf(b, a, from - 1), 10);
    EXPECT_EQ(room.book.WaitOf(b, a, from), 10);
    EXPECT_EQ(room.book.From(a, b, kNever), kNever);
    const Waiter three[] = {a, b, room.Add({"c"}, 12)};
    EXPECT_EQ(room.book.SetWait(three, 16), basis == WaitBasis::kAverage ? 3 : wait);
  }
}

// Stages

TEST(RuleBookTest, StagesAreTheInstantsAtWhichAnyRuleRelaxes) {
  QueueRules rules;
  rules.window.steps = {{0, 50 * kPoint}, {5 * kSecond, 150 * kPoint}, {15 * kSecond, 300 * kPoint}};
  rules.tiers.tiers = {{"all"}};
  rules.tiers.groups = {{"all"}};
  rules.regions.regions = {"eu"};
  rules.regions.steps = {{0, 30}, {15 * kSecond, 60}};
  rules.party.mirror = {{0, 0}, {7 * kSecond, 2}};
  rules.roles.roles = {{"tank"}};
  rules.roles.fill_after = 40 * kSecond;
  rules.attributes = {{.name = "mode"}, {.name = "map", .required_for = 50 * kSecond}};
  rules.shelter = {.games_below = 3, .own_pool_for = 60 * kSecond};
  rules.streak = {.losses = 3, .after = 70 * kSecond};
  rules.fewer = {{80 * kSecond, 2, 1}};
  const RuleBook book(rules);
  const std::vector<Micros> expected = {5, 7, 10, 15, 30, 40, 50, 60, 70, 80};
  EXPECT_EQ(book.stage_count(), 11);
  Micros before = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const Micros at = expected[i] * kSecond;
    EXPECT_EQ(book.NextStageAfter(before), at);
    EXPECT_EQ(book.StageAt(at - 1), static_cast<int>(i));
    EXPECT_EQ(book.StageAt(at), static_cast<int>(i) + 1);
    EXPECT_EQ(book.PastLastStage(at), i + 1 == expected.size());
    before = at;
  }
  EXPECT_EQ(book.NextStageAfter(before), kNever);
}

TEST(RuleBookTest, ALinearWindowHasAStageWhenItIsWidestAndAFixedOneHasNone) {
  const QueueRules linear;
  EXPECT_EQ(RuleBook(linear).NextStageAfter(0), 14 * kSecond);
  EXPECT_TRUE(RuleBook(linear).PastLastStage(14 * kSecond));
  const QueueRules fixed = DuelRules("duel");
  EXPECT_EQ(RuleBook(fixed).NextStageAfter(0), kNever);
  EXPECT_FALSE(RuleBook(fixed).PastLastStage(kHour));
  EXPECT_EQ(RuleBook(fixed).StageAt(kHour), 0);
  QueueRules slow = linear;
  slow.window.growth_per_second = 0;
  EXPECT_FALSE(RuleBook(slow).PastLastStage(kHour)) << "it stays below its max for ever";
  slow.window.steps = {{0, 100}, {kSecond, 100}, {2 * kSecond, 200}};
  EXPECT_EQ(RuleBook(slow).stage_count(), 2) << "a step that is no wider is no stage";
}

// Costs

TEST(RuleBookTest, ABareDuelCostsItsDistanceAgainstTheStricterWindow) {
  WaitingRoom room{QueueRules()};
  const Waiter a = room.Add({"a", 1500}), b = room.Add({"b", 1560}, 2 * kSecond);
  EXPECT_EQ(room.book.StricterWindow(a, b, 3 * kSecond), 150 * kPoint);
  EXPECT_EQ(room.book.PairCost(a, b, 3 * kSecond, -1), 4'000);
  EXPECT_EQ(kBestQuality - room.book.PairCost(a, b, 3 * kSecond, -1), DuelQuality(60 * kPoint, 150 * kPoint));
}

TEST(RuleBookTest, ThePublishedPairScoreIsReproduced) {
  QueueRules rules = RegionalRules();
  rules.team_size = 5;
  rules.quality[QualityTerm::kDistance] = {.weight = 1000, .scale = 200 * kPoint};
  rules.quality[QualityTerm::kLatency] = {.weight = 300, .scale = 60};
  rules.quality[QualityTerm::kParty] = {.weight = 200, .scale = 1};
  WaitingRoom room(rules);
  for (const auto& [distance, latency, party] : {std::tuple(0, 0, 0), std::tuple(130, 25, 1), std::tuple(77, 59, 3)}) {
    std::vector<PlayerSpec> players;
    for (int i = 0; i <= party; ++i) {
      players.push_back({Name("p", i), 1500 + distance, 0, {.latency_ms = {{"us", 40 + latency}}}});
    }
    const Waiter a = room.Add({"a", 1500, 0, {.latency_ms = {{"us", 40}}}}), b = room.AddTicket(*MakeParty(players));
    const double score = distance / 200.0 + 0.3 * latency / 60 + 0.2 * party;
    EXPECT_NEAR(static_cast<double>(room.book.PairCost(a, b, 0, 1)), 10'000 * score, 2);
    EXPECT_EQ(room.book.PairCost(a, b, 0, 1), 50 * distance + 50 * latency + 2'000 * party);
  }
}

TEST(RuleBookTest, EveryTermOfAPairIsTold) {
  QueueRules rules = OpenRules();
  rules.streak = {.losses = 3, .ease = 100 * kPoint};
  rules.attributes = {{.name = "mode", .required = false}};
  rules.quality.relations_fade = 10 * kSecond;
  for (QualityRules::Weight& weight : rules.quality.terms) weight = {.weight = 1, .scale = 1'000};
  WaitingRoom room(rules);
  auto first =
      MakeParty({{"a", 1500, 0, {.loss_streak = 3, .recent_opponents = {"b"}, .avoid = {"b"}}}}, {{"mode", "x"}});
  first->queues.push_back({.queue = 1, .preference = 5});
  const Waiter a = room.AddTicket(*first), b = room.Add({"b", 1450}, 4 * kSecond);
  const Measures measures = room.book.MeasuresOf(a, b, 5 * kSecond, -1);
  const auto of = [&](QualityTerm term) { return measures[static_cast<size_t>(term)]; };
  EXPECT_EQ(of(QualityTerm::kDistance), 50 * kPoint);  // 1500 counts as 1400
  EXPECT_EQ(of(QualityTerm::kEvenness), 1'430);        // 57.15 % against 42.85 %
  EXPECT_EQ(of(QualityTerm::kRecent), 500);
  EXPECT_EQ(of(QualityTerm::kAvoid), 500);
  EXPECT_EQ(of(QualityTerm::kPreference), 2);
  EXPECT_EQ(of(QualityTerm::kAttributes), 1'000);
  EXPECT_EQ(of(QualityTerm::kFill), 0);
  EXPECT_EQ(room.book.MeasuresOf(b, a, 5 * kSecond, -1), measures);
  EXPECT_EQ(room.book.MeasuresOf(b, a, 10 * kSecond, -1)[static_cast<size_t>(QualityTerm::kRecent)], 0);
  absl::InlinedVector<TermCost, 2> costs;
  const int64_t all = room.book.CostsOf(measures, kUnlimitedWindow, &costs);
  ASSERT_EQ(costs.size(), kQualityTerms);
  int64_t sum = 0;
  for (const TermCost& cost : costs) sum += cost.cost;
  EXPECT_EQ(sum, all);
  EXPECT_EQ(costs[0].cost, 500);
}

// Who can never play

TEST(RuleBookTest, WhoCanNeverPlayIsToldWhy) {
  QueueRules rules = RegionalRules();
  rules.team_size = 3;
  rules.party.min_size = 1;
  rules.party.max_size = 2;
  rules.roles.roles = {{"tank", 1}, {"healer", 2}};
  rules.attributes = {{.name = "version", .missing = Missing::kMeetsNobody}};
  const RuleBook book(rules);
  const auto rule_of = [&](std::vector<PlayerSpec> players, Attributes attributes, std::string* field) {
    const auto ticket = MakeParty(std::move(players), std::move(attributes));
    std::string why;
    const Rule rule = book.CannotPlay(*ticket, ticket->queues[0], field, &why);
    EXPECT_EQ(why.empty(), rule == Rule::kNone);
    EXPECT_EQ(book.TraitsOf(*ticket, ticket->queues[0])->never, rule);
    return rule;
  };
  const Attributes version = {{"version", 1.0}};
  std::string field;
  EXPECT_EQ(rule_of({{"a"}, {"b"}}, version, &field), Rule::kNone);
  EXPECT_EQ(rule_of({{"a"}, {"b"}, {"c"}}, version, &field), Rule::kPartySize);
  EXPECT_EQ(field, "ticket.players");
  EXPECT_EQ(rule_of({{"a"}}, {}, &field), Rule::kAttribute);
  EXPECT_EQ(field, "ticket.attributes");
  EXPECT_EQ(rule_of({{"a", 1500, 0, {.latency_ms = {{"eu", 300}}}}}, version, &field), Rule::kRegion);
  const PlayerSpec tank{"a", 1500, 0, {.roles = {"tank"}}}, other_tank{"b", 1500, 0, {.roles = {"tank"}}};
  const PlayerSpec flexible{"b", 1500, 0, {.roles = {"tank", "healer"}}}, stranger{"a", 1500, 0, {.roles = {"bard"}}};
  EXPECT_EQ(rule_of({tank, other_tank}, version, &field), Rule::kRoles);
  EXPECT_EQ(rule_of({flexible, tank}, version, &field), Rule::kNone);
  EXPECT_EQ(rule_of({stranger}, version, &field), Rule::kRoles);
  rules.roles.fill_after = 30 * kSecond;
  const auto pair = MakeParty({tank, other_tank}, version);
  EXPECT_EQ(RuleBook(rules).CannotPlay(*pair, pair->queues[0], nullptr, nullptr), Rule::kNone);
}

TEST(RuleBookTest, PartyThatNoOthersMakeUpToATeamNeverPlays) {
  QueueRules rules;
  rules.team_size = 5;
  rules.party.min_size = 2;
  rules.party.max_size = 3;
  const auto rule_of = [&rules](size_t size) {
    const RuleBook book(rules);
    const auto ticket = MakeParty(std::vector<PlayerSpec>(size, PlayerSpec{"p"}));
    std::string field, why;
    const Rule rule = book.CannotPlay(*ticket, ticket->queues[0], &field, &why);
    EXPECT_EQ(field, rule == Rule::kNone ? "" : "ticket.players");
    return rule;
  };
  EXPECT_EQ(rule_of(2), Rule::kNone);
  EXPECT_EQ(rule_of(3), Rule::kNone);
  rules.party.min_size = 3;
  EXPECT_EQ(rule_of(3), Rule::kPartySize);
  rules.fewer = {{30 * kSecond, 2, 3}};
  EXPECT_EQ(rule_of(3), Rule::kNone);
  rules.fewer.clear();
  rules.party.max_size = 64;
  EXPECT_EQ(rule_of(4), Rule::kPartySize);
  EXPECT_EQ(rule_of(5), Rule::kNone);
}

}  // namespace
}  // namespace evenmatch
