// The rules of a queue at the shard's door and in what it tells.
#include <vector>

#include "tests/support/group_world.h"
#include "tests/support/waiters.h"

namespace evenmatch {
namespace {

Reply Enqueue(GroupWorld& world, std::string id, std::vector<PlayerSpec> players, Attributes attributes = {}) {
  auto ticket = MakeParty(std::move(players), std::move(attributes));
  ticket->ticket_id = std::move(id);
  ticket->timeout = 90 * kSecond;
  return world.Do(EnqueueCommand{std::move(ticket)});
}

QueueRules Tiered() {
  QueueRules rules = DuelRules("tiered", 500 * kPoint);
  rules.tiers.tiers = {{"bronze", 0, 0}, {"king", 1, 1800 * kPoint}};
  rules.tiers.groups = {{"low"}, {"high"}};
  return rules;
}

TEST(RulesTest, ATicketThatCanNeverPlayIsTakenWithAWarning) {
  QueueRules rules = DuelRules("duel");
  rules.regions.regions = {"eu"};
  rules.regions.steps = {{0, 50, 100}};
  GroupWorld world({rules});
  const Reply reply = Enqueue(world, "t1", {{"p1", 1500, 0, {.latency_ms = {{"eu", 101}}}}});
  ASSERT_TRUE(reply.status.ok()) << reply.status;
  ASSERT_EQ(std::get<EnqueueReply>(reply.value).warnings.size(), 1u);
  EXPECT_EQ(std::get<EnqueueReply>(reply.value).warnings[0],
            "no region of queue \"duel\" is within its limits for all players");
  const Reply again = Enqueue(world, "t1", {{"p1", 1500, 0, {.latency_ms = {{"eu", 101}}}}});
  EXPECT_EQ(std::get<EnqueueReply>(again.value).warnings.size(), 1u);
  EXPECT_TRUE(std::get<EnqueueReply>(Enqueue(world, "t2", {{"p2"}}).value).warnings.empty());
}

TEST(RulesTest, ATicketThatCanNeverPlayIsRefusedWhereTheQueueSaysSo) {
  QueueRules rules = DuelRules("duel");
  rules.attributes = {{.name = "version", .missing = Missing::kMeetsNobody}};
  rules.never = NeverPolicy::kRefuse;
  GroupWorld world({rules});
  const Reply reply = Enqueue(world, "t1", {{"p1"}});
  EXPECT_EQ(reply.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(reply.field, "ticket.attributes");
  EXPECT_TRUE(world.events.empty());
  EXPECT_TRUE(Enqueue(world, "t1", {{"p1"}}, {{"version", 2.0}}).status.ok());
}

TEST(RulesTest, APartyOfASizeThatTheQueueDoesNotTakeIsRefused) {
  QueueRules rules = DuelRules("squad");
  rules.team_size = 5;
  rules.party = {.min_size = 2, .max_size = 3};
  GroupWorld world({rules});
  for (const size_t size : {1u, 2u, 3u, 4u}) {
    std::vector<PlayerSpec> players;
    for (size_t i = 0; i < size; ++i) players.push_back({Name("p", 10 * size + i)});
    const Reply reply = Enqueue(world, Name("t", size), players);
    EXPECT_EQ(reply.status.ok(), size == 2 || size == 3) << reply.status;
    if (!reply.status.ok()) EXPECT_EQ(reply.field, "ticket.players");
  }
}

TEST(RulesTest, StagesOfEveryRuleAreTold) {
  GroupWorld world({Tiered()});
  const Micros start = world.now;
  ASSERT_TRUE(Enqueue(world, "t1", {{"p1"}}).status.ok());
  world.Attach("t1");
  world.TakeEvents();
  while (world.now < start + 40 * kSecond) world.Pass(100 * kMillisecond);
  ASSERT_EQ(world.events.size(), 2u);
  EXPECT_EQ(world.events[0].at, start + 10 * kSecond);
  EXPECT_EQ(world.events[0].stage, 1);
  EXPECT_EQ(world.events[1].at, start + 30 * kSecond);
  EXPECT_EQ(world.events[1].stage, 2);
  EXPECT_EQ(world.events[1].window, world.events[1].window_from) << "the window is fixed";
  EXPECT_EQ(world.Ticket("t1").queues[0].stage, 2);
}

TEST(RulesTest, TheWindowToldIsTheTicketsOwn) {
  QueueRules rules = DuelRules("duel");
  rules.window = {.base = 100 * kPoint, .growth_per_second = 10 * kPoint, .max = 500 * kPoint, .deviation_factor = 500};
  rules.shelter = {.games_below = 10, .own_pool_for = 2 * kSecond, .widest = 130 * kPoint};
  GroupWorld world({rules});
  const Micros start = world.now;
  Enqueue(world, "new", {{"p1"}});
  Enqueue(world, "unsure", {{"p2", 1500, 100, {.games_played = 10}}});
  EXPECT_EQ(world.Ticket("new").queues[0].window, 100 * kPoint);
  EXPECT_EQ(world.Ticket("unsure").queues[0].window, 150 * kPoint);
  world.Attach("new");
  world.Attach("unsure");
  world.TakeEvents();
  while (world.now < start + 60 * kSecond) world.Pass(100 * kMillisecond);
  std::vector<std::pair<Micros, MilliPoints>> sheltered;
  for (const Event& event : world.events) {
    if (event.ticket->ticket_id == "new") sheltered.emplace_back((event.at - start) / kSecond, event.window / kPoint);
  }
  EXPECT_EQ(sheltered, (std::vector<std::pair<Micros, MilliPoints>>{{2, 120}, {7, 130}, {40, 130}}));
  EXPECT_EQ(world.Ticket("new").queues[0].window, 130 * kPoint);
  EXPECT_EQ(world.Ticket("unsure").queues[0].window, 550 * kPoint);
}

TEST(RulesTest, ValuesAreMadeAtTheDoorByTheRulesOfEachQueue) {
  QueueRules best = DuelRules("best");
  best.team_size = 2;
  best.strength.party = StrengthRules::Party::kMaximum;
  best.strength.premade_bonus = {0, 50 * kPoint};
  QueueRules mean = DuelRules("mean");
  mean.team_size = 2;
  GroupWorld world({best, mean});
  world.Enqueue({.id = "t1", .players = {{"p1", 1000}, {"p2", 2000}}, .queues = {0, 1}});
  const TicketView view = world.Ticket("t1");
  EXPECT_EQ(view.queues[0].value, 2050 * kPoint);
  EXPECT_EQ(view.queues[1].value, 1500 * kPoint);
}

TEST(RulesTest, ExpiryTellsTheStageReached) {
  GroupWorld world({Tiered()});
  Enqueue(world, "t1", {{"p1"}});
  world.TakeEvents();
  world.Pass(90 * kSecond);
  ASSERT_EQ(world.events.size(), 1u);
  EXPECT_EQ(world.events[0].kind, EventKind::kExpired);
  EXPECT_EQ(world.events[0].stage, 2);
}

TEST(RulesTest, WarningsAndWindowsAreThoseOfTheRulesAfterARestart) {
  QueueRules rules = DuelRules("duel");
  rules.shelter = {.games_below = 10, .widest = 50 * kPoint};
  GroupWorld world({rules});
  Enqueue(world, "t1", {{"p1"}});
  GroupWorld next({rules});
  for (const Event& event : world.events) next.group.Restore(event);
  next.group.Advance(next.now, &next.events);
  EXPECT_EQ(next.Ticket("t1").queues[0].window, 50 * kPoint);
  next.group.CheckInvariants();
}

}  // namespace
}  // namespace evenmatch
