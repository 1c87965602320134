#include "sim/world.h"

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/tickets.h"

namespace evenmatch {
namespace {

QueueRules OpenDuel(std::string name = "duel") {
  QueueRules rules;
  rules.name = std::move(name);
  return rules;
}

Scenario SmallWorld(uint64_t tickets = 2'000) {
  Scenario scenario;
  scenario.arrivals.rate = 20;
  scenario.shares = {{{"duel"}, 1}};
  scenario.tickets = tickets;
  return scenario;
}

Chronicle Play(const Catalog& catalog, const Scenario& scenario, const WorldWatch& watch = {}) {
  auto chronicle = Simulate(catalog, Limits(), scenario, BandsOf(scenario), watch);
  EXPECT_TRUE(chronicle.ok()) << chronicle.status();
  return chronicle.ok() ? *std::move(chronicle) : Chronicle();
}

// Every ticket is in exactly one place, in all of its groups.
void ExpectSums(const TicketMeasures& measures) {
  EXPECT_LE(measures.matched + measures.elsewhere + measures.cancelled + measures.expired, measures.tickets);
  EXPECT_EQ(measures.wait.count(), measures.matched);
  EXPECT_EQ(measures.gap.count(), measures.matched);
}

TEST(World, SameSeedGivesTheSameWorld) {
  const Catalog catalog = MakeCatalog({OpenDuel()});
  Scenario scenario = SmallWorld();
  const Chronicle a = Play(catalog, scenario), b = Play(catalog, scenario);
  EXPECT_EQ(a.signature, b.signature);
  EXPECT_EQ(a.events, b.events);
  scenario.seed = 2;
  EXPECT_NE(Play(catalog, scenario).signature, a.signature);
}

TEST(World, EveryTicketIsCountedOnce) {
  const Chronicle chronicle = Play(MakeCatalog({OpenDuel()}), SmallWorld());
  EXPECT_EQ(chronicle.tickets, 2'000u);
  ASSERT_EQ(chronicle.queues.size(), 1u);
  const QueueMeasures& duel = chronicle.queues[0];
  EXPECT_EQ(duel.all.tickets, 2'000u);
  EXPECT_EQ(duel.all.matched, 2 * duel.matches.matches);
  EXPECT_EQ(duel.all.expired + duel.all.cancelled, 0u);
  EXPECT_GT(duel.all.matched, 1'900u);
  ExpectSums(duel.all);
  uint64_t tickets = 0, matched = 0;
  for (const TicketMeasures& band : duel.bands) {
    ExpectSums(band);
    tickets += band.tickets;
    matched += band.matched;
  }
  EXPECT_EQ(tickets, duel.all.tickets);
  EXPECT_EQ(matched, duel.all.matched);
  uint64_t came = 0, met = 0;
  for (const SliceMeasures& slice : duel.slices) {
    came += slice.tickets;
    met += slice.wait.count();
  }
  EXPECT_EQ(came, duel.all.tickets);
  EXPECT_EQ(met, duel.all.matched);
}

TEST(World, BandsHoldTheirShareOfTheTickets) {
  const Chronicle chronicle = Play(MakeCatalog({OpenDuel()}), SmallWorld(20'000));
  const QueueMeasures& duel = chronicle.queues[0];
  const double shares[] = {1, 9, 15, 25, 25, 15, 9, 1};
  for (size_t band = 0; band < RatingBands::kCount; ++band) {
    EXPECT_NEAR(static_cast<double>(duel.bands[band].tickets), shares[band] * 200, 20) << RatingBands::Name(band);
  }
  EXPECT_EQ(RatingBands::Name(0), "lowest 1 %");
  EXPECT_EQ(RatingBands::Name(3), "25-50 %");
  EXPECT_EQ(RatingBands::Name(7), "highest 1 %");
}

TEST(World, ConfigurationsSeeTheSamePlayers) {
  QueueRules wide = OpenDuel();
  wide.window = {.base = 800 * kPoint, .growth_per_second = 0, .max = 800 * kPoint};
  Scenario scenario = SmallWorld();
  scenario.crowd.leave_after = 20 * kSecond;
  std::vector<std::map<std::string, std::pair<Micros, MilliPoints>>> came(2);
  size_t world = 0;
  WorldWatch watch;
  watch.event = [&](const Event& event) {
    if (event.kind != EventKind::kQueued) return;
    came[world][event.ticket->ticket_id] = {event.at, event.ticket->players[0].value};
  };
  const Chronicle narrow = Play(MakeCatalog({OpenDuel()}), scenario, watch);
  world = 1;
  const Chronicle wider = Play(MakeCatalog({OpenDuel("other"), wide}), scenario, watch);
  EXPECT_EQ(came[0], came[1]);
  // What is known to follow from a wider window.
  EXPECT_GT(wider.queues[0].matches.gap.mean(), narrow.queues[0].matches.gap.mean());
  EXPECT_LT(wider.queues[0].all.wait.mean(), narrow.queues[0].all.wait.mean());
}

TEST(World, WaitsAndGapsAreThoseOfTheEvents) {
  std::vector<uint64_t> waits, gaps;
  WorldWatch watch;
  watch.event = [&](const Event& event) {
    if (event.kind == EventKind::kMatched) waits.push_back(static_cast<uint64_t>(event.at - event.queued_at));
    if (event.kind == EventKind::kMatchFormed) {
      gaps.push_back(static_cast<uint64_t>(
          std::abs(event.match->sides[0].ticket->players[0].value - event.match->sides[1].ticket->players[0].value)));
      EXPECT_EQ(gaps.back(), static_cast<uint64_t>(event.match->spread));
    }
  };
  const Chronicle chronicle = Play(MakeCatalog({OpenDuel()}), SmallWorld(), watch);
  double wait = 0, gap = 0;
  for (const uint64_t value : waits) wait += static_cast<double>(value);
  for (const uint64_t value : gaps) gap += static_cast<double>(value);
  const QueueMeasures& duel = chronicle.queues[0];
  EXPECT_NEAR(duel.all.wait.mean(), wait / static_cast<double>(waits.size()), 1);
  EXPECT_NEAR(duel.matches.gap.mean(), gap / static_cast<double>(gaps.size()), 1);
  EXPECT_EQ(duel.matches.gap.count(), gaps.size());
}

TEST(World, TheImpatientLeaveAndTheUnluckyRunOut) {
  QueueRules strict = OpenDuel();
  strict.window = {.base = 1, .growth_per_second = 0, .max = 1};
  strict.default_timeout = 30 * kSecond;
  Scenario scenario = SmallWorld();
  scenario.settle = kMinute;
  scenario.crowd.leave_after = 30 * kSecond;
  const TicketMeasures all = Play(MakeCatalog({strict}), scenario).queues[0].all;
  EXPECT_EQ(all.matched + all.cancelled + all.expired, all.tickets);
  // Patience and timeout are equal: 1 - 1/e of those who would wait leave first.
  EXPECT_NEAR(static_cast<double>(all.cancelled) / static_cast<double>(all.cancelled + all.expired), 0.632, 0.04);

  scenario.timeout = kSecond;
  scenario.crowd.leave_after = 0;
  EXPECT_EQ(Play(MakeCatalog({strict}), scenario).queues[0].all.cancelled, 0u);
}

TEST(World, WarmUpIsNotMeasured) {
  Scenario scenario = SmallWorld();
  scenario.warm_up = 50 * kSecond;
  const Chronicle chronicle = Play(MakeCatalog({OpenDuel()}), scenario);
  EXPECT_EQ(chronicle.tickets, 2'000u);
  EXPECT_NEAR(static_cast<double>(chronicle.queues[0].all.tickets), 1'000, 120);
  ExpectSums(chronicle.queues[0].all);
  uint64_t came = 0;
  for (const SliceMeasures& slice : chronicle.queues[0].slices) came += slice.tickets;
  EXPECT_EQ(came, 2'000u);  // how it went over time begins at the start
}

TEST(World, DurationEndsTheArrivals) {
  Scenario scenario = SmallWorld(0);
  scenario.duration = 50 * kSecond;
  const Chronicle chronicle = Play(MakeCatalog({OpenDuel()}), scenario);
  EXPECT_NEAR(static_cast<double>(chronicle.tickets), 1'000, 120);
  EXPECT_EQ(chronicle.span, 50 * kSecond);
}

TEST(World, TicketsInSeveralQueuesCountInTheOneThatMatchedThem) {
  QueueRules squad;
  squad.name = "squad";
  squad.team_size = 2;
  Scenario scenario = SmallWorld();
  scenario.shares = {{{"duel"}, 1}, {{"duel", "squad"}, 2}, {{"squad"}, 1}};
  const Chronicle chronicle = Play(MakeCatalog({OpenDuel(), squad}), scenario);
  ASSERT_EQ(chronicle.queues.size(), 2u);
  const TicketMeasures &duel = chronicle.queues[0].all, &four = chronicle.queues[1].all;
  EXPECT_NEAR(static_cast<double>(duel.tickets), 1'500, 100);
  EXPECT_NEAR(static_cast<double>(four.tickets), 1'500, 100);
  EXPECT_GT(duel.elsewhere, 0u);
  EXPECT_GT(four.elsewhere, 0u);
  EXPECT_EQ(duel.matched, 2 * chronicle.queues[0].matches.matches);
  EXPECT_EQ(four.matched, 4 * chronicle.queues[1].matches.matches);
  EXPECT_LE(duel.elsewhere, four.matched);
}

TEST(World, PartiesAreMeasuredBySize) {
  QueueRules squad;
  squad.name = "duel";
  squad.team_size = 3;
  Scenario scenario = SmallWorld();
  scenario.crowd.parties = *PartyDistribution::Parse("1:2,2:1,3:1");
  const Chronicle chronicle = Play(MakeCatalog({squad}), scenario);
  const QueueMeasures& measures = chronicle.queues[0];
  ASSERT_EQ(measures.parties.size(), 3u);
  uint64_t tickets = 0;
  for (const auto& [size, party] : measures.parties) {
    EXPECT_EQ(party.players, party.tickets * static_cast<uint64_t>(size));
    tickets += party.tickets;
  }
  EXPECT_EQ(tickets, measures.all.tickets);
  EXPECT_EQ(chronicle.players, measures.all.players);
  EXPECT_EQ(measures.matches.heads, (std::map<int, uint64_t>{{6, measures.matches.matches}}));
}

TEST(World, EndedTicketsDoNotFillTheGroup) {
  Limits limits;
  limits.tickets_per_group = 20'000;
  Scenario scenario = SmallWorld(60'000);
  scenario.arrivals.rate = 5'000;  // twelve seconds: nothing is forgotten for its age
  const auto chronicle = Simulate(MakeCatalog({OpenDuel()}), limits, scenario, BandsOf(scenario));
  ASSERT_TRUE(chronicle.ok());
  EXPECT_EQ(chronicle->refused(), 0u);
}

TEST(World, AFullQueueRefuses) {
  QueueRules small = OpenDuel();
  small.window = {.base = 0, .growth_per_second = 0, .max = 0};
  small.max_waiting = 100;
  const Chronicle chronicle = Play(MakeCatalog({small}), SmallWorld());
  ASSERT_EQ(chronicle.refusals.size(), 1u);
  const auto& [code, refusals] = *chronicle.refusals.begin();
  EXPECT_EQ(code, absl::StatusCode::kResourceExhausted);
  EXPECT_NE(refusals.first.find("is full"), std::string::npos) << refusals.first;
  EXPECT_EQ(refusals.tickets, chronicle.refused());
  EXPECT_EQ(chronicle.refused() + chronicle.queues[0].all.tickets, 2'000u);
  EXPECT_EQ(chronicle.most_waiting, 100u);
}

TEST(World, ScenariosThatDoNotSuitAreRefused) {
  const Catalog catalog = MakeCatalog({OpenDuel()});
  const auto error = [&](const Scenario& scenario) {
    return Simulate(catalog, Limits(), scenario, BandsOf(scenario)).status().code();
  };
  Scenario scenario = SmallWorld();
  scenario.shares = {{{"chess"}, 1}};
  EXPECT_EQ(error(scenario), absl::StatusCode::kNotFound);
  scenario.shares = {{{"duel", "duel"}, 1}};
  EXPECT_EQ(error(scenario), absl::StatusCode::kInvalidArgument);
  scenario = SmallWorld();
  scenario.crowd.parties = *PartyDistribution::Parse("2:1");
  EXPECT_EQ(error(scenario), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(error(SmallWorld(0)), absl::StatusCode::kInvalidArgument);
}

TEST(World, ProgressRisesToTheEnd) {
  std::vector<double> seen;
  WorldWatch watch;
  watch.progress = [&](double done) { seen.push_back(done); };
  Play(MakeCatalog({OpenDuel()}), SmallWorld(20'000), watch);
  ASSERT_GT(seen.size(), 5u);
  for (size_t i = 1; i < seen.size(); ++i) EXPECT_GE(seen[i], seen[i - 1]);
  EXPECT_GT(seen.back(), 0.8);
  EXPECT_LE(seen.back(), 1.0);
}

}  // namespace
}  // namespace evenmatch
