#include "shard/explain.h"

#include <string>
#include <utility>
#include <vector>

#include "tests/support/group_world.h"
#include "tests/support/waiters.h"

namespace evenmatch {
namespace {

void Enqueue(GroupWorld& world, const std::string& id, PlayerSpec player, Attributes attributes = {}) {
  if (player.id.empty()) player.id = "p-" + id;
  auto ticket = MakeParty({std::move(player)}, std::move(attributes));
  ticket->ticket_id = id;
  ticket->timeout = kHour;
  ASSERT_TRUE(world.Do(EnqueueCommand{std::move(ticket)}).status.ok());
}

ExplainReply Ask(GroupWorld& world, const std::string& id) {
  const Reply reply = world.Do(ExplainTicketCommand{{.ticket_id = id}});
  EXPECT_TRUE(reply.status.ok()) << reply.status;
  return std::get<ExplainReply>(reply.value);
}

Explanation Explain(GroupWorld& world, const std::string& id) { return Ask(world, id).queues.at(0); }

size_t RefusedBy(const Explanation& explanation, Rule rule) { return explanation.refused[static_cast<size_t>(rule)]; }

QueueRules Stepped() {
  QueueRules rules;
  rules.name = "stepped";
  rules.window.steps = {{0, 50 * kPoint}, {10 * kSecond, 100 * kPoint}, {30 * kSecond, 200 * kPoint}};
  return rules;
}

TEST(Explain, WhoIsAloneMissesNobody) {
  GroupWorld world({Stepped()});
  Enqueue(world, "a", {});
  const ExplainReply reply = Ask(world, "a");
  EXPECT_EQ(reply.ticket.ticket->ticket_id, "a");
  ASSERT_EQ(reply.queues.size(), 1u);
  EXPECT_EQ(reply.queues[0].seen, 0u);
  EXPECT_EQ(reply.queues[0].fitting, 0u);
  EXPECT_FALSE(reply.queues[0].nearest.has_value());
  EXPECT_EQ(reply.queues[0].never, Rule::kNone);
}

TEST(Explain, EveryRuleThatRefusesIsCounted) {
  QueueRules rules = Stepped();
  rules.max_difference = 500 * kPoint;
  GroupWorld world({rules});
  Enqueue(world, "a", {.id = "pa", .rating = 1500, .details = {.block = {"pb"}}});
  Enqueue(world, "b", {.id = "pb", .rating = 1510});  // blocked
  Enqueue(world, "c", {.rating = 1540});              // fits
  Enqueue(world, "d", {.rating = 1600});              // too far for now
  Enqueue(world, "e", {.rating = 2100});              // too far for ever, and for the window
  const Explanation explanation = Explain(world, "a");
  EXPECT_EQ(explanation.seen, 4u);
  EXPECT_EQ(explanation.fitting, 1u);
  EXPECT_EQ(RefusedBy(explanation, Rule::kBlock), 1u);
  EXPECT_EQ(RefusedBy(explanation, Rule::kWindow), 2u);
  EXPECT_EQ(RefusedBy(explanation, Rule::kMaxDifference), 1u);
  EXPECT_EQ(RefusedBy(explanation, Rule::kHeadCount), 0u);
  ASSERT_TRUE(explanation.nearest.has_value());
  EXPECT_EQ(explanation.nearest->rule, Rule::kWindow);
  EXPECT_EQ(explanation.nearest->gap, 100 * kPoint);
  EXPECT_EQ(explanation.nearest->in, 10 * kSecond);
}

TEST(Explain, NearestMissFitsWhenItWasSaidTo) {
  GroupWorld world({Stepped()});
  Enqueue(world, "a", {.rating = 1500});
  world.Pass(4 * kSecond);
  Enqueue(world, "b", {.rating = 1580});
  world.Pass(kSecond);
  const Explanation before = Explain(world, "a");
  ASSERT_TRUE(before.nearest.has_value());
  EXPECT_EQ(before.nearest->in, 9 * kSecond) << "of two the later queued has the stricter window";
  EXPECT_EQ(before.stage, 0);
  EXPECT_EQ(before.next_stage_in, 5 * kSecond);
  world.Pass(before.nearest->in - 1);
  EXPECT_EQ(Explain(world, "a").fitting, 0u);
  world.Pass(1);
  EXPECT_EQ(Explain(world, "a").fitting, 1u);
  EXPECT_EQ(Explain(world, "a").stage, 1);
  world.Pass(kMinute);
  EXPECT_EQ(Explain(world, "a").stage, 2);
  EXPECT_EQ(Explain(world, "a").next_stage_in, kNever);
}

TEST(Explain, WhatNoWaitCuresIsNever) {
  QueueRules rules = Stepped();
  GroupWorld world({rules});
  Enqueue(world, "a", {.rating = 1500});
  Enqueue(world, "b", {.rating = 1900});
  const Explanation explanation = Explain(world, "a");
  ASSERT_TRUE(explanation.nearest.has_value());
  EXPECT_EQ(explanation.nearest->rule, Rule::kWindow);
  EXPECT_EQ(explanation.nearest->in, kNever);
}

TEST(Explain, StrangersAreCountedWithoutBeingLookedAt) {
  QueueRules rules = Stepped();
  rules.required_attributes = {"mode"};
  GroupWorld world({rules});
  Enqueue(world, "a", {}, {{"mode", std::string("x")}});
  for (const char* id : {"b", "c", "d"}) Enqueue(world, id, {}, {{"mode", std::string("y")}});
  Enqueue(world, "e", {}, {{"mode", std::string("x")}});
  const Explanation explanation = Explain(world, "a");
  EXPECT_EQ(explanation.seen, 4u);
  EXPECT_EQ(explanation.fitting, 1u);
  EXPECT_EQ(RefusedBy(explanation, Rule::kAttribute), 3u);
}

TEST(Explain, TooFewWhoFitAreRefusedByTheHeadCount) {
  QueueRules rules = Stepped();
  rules.team_size = 2;
  rules.fewer = {{.after = 20 * kSecond, .team_count = 2, .team_size = 1}};
  GroupWorld world({rules});
  Enqueue(world, "a", {});
  Enqueue(world, "b", {});
  EXPECT_EQ(Explain(world, "a").fitting, 1u);
  EXPECT_EQ(RefusedBy(Explain(world, "a"), Rule::kHeadCount), 1u);
  world.Pass(20 * kSecond);
  EXPECT_EQ(RefusedBy(Explain(world, "a"), Rule::kHeadCount), 0u) << "two are enough now";
}

TEST(Explain, WhoHoldsOutIsRefusedByPatience) {
  QueueRules rules = Stepped();
  rules.target_wait_p95 = 5 * kSecond;
  GroupWorld world({rules});
  Enqueue(world, "a", {.rating = 1500});
  Enqueue(world, "b", {.rating = 1549});
  EXPECT_EQ(RefusedBy(Explain(world, "a"), Rule::kPatience), 1u);
}

TEST(Explain, ATicketThatCanNeverPlayIsToldWhy) {
  QueueRules rules = Stepped();
  rules.roles.roles = {{"tank", 1}};
  GroupWorld world({rules});
  Enqueue(world, "a", {.details = {.roles = {"healer"}}});
  const Explanation explanation = Explain(world, "a");
  EXPECT_EQ(explanation.never, Rule::kRoles);
  EXPECT_EQ(explanation.never_field, "ticket.players[0].roles");
  EXPECT_NE(explanation.never_reason.find("role"), std::string::npos);
}

TEST(Explain, OnlyTheNearestOfVeryManyAreLookedAt) {
  GroupWorld world({Stepped()});
  Enqueue(world, "a", {.rating = 1500});
  for (size_t i = 0; i < kMostExplained + 50; ++i) Enqueue(world, Name("t", i), {.rating = 3000});
  Enqueue(world, "near", {.rating = 1400});
  const Explanation explanation = Explain(world, "a");
  EXPECT_EQ(explanation.seen, kMostExplained);
  EXPECT_EQ(explanation.nearest->gap, 100 * kPoint);
}

TEST(Explain, EndedAndUnknownTicketsHaveNoQueues) {
  GroupWorld world({Stepped()});
  Enqueue(world, "a", {});
  world.Cancel("a");
  EXPECT_TRUE(Ask(world, "a").queues.empty());
  EXPECT_EQ(world.Do(ExplainTicketCommand{{.ticket_id = "b"}}).status.code(), absl::StatusCode::kNotFound);
}

TEST(Explain, ExplainingChangesNothing) {
  GroupWorld world({Stepped()});
  Enqueue(world, "a", {});
  Enqueue(world, "b", {.rating = 1900});
  world.TakeEvents();
  const uint64_t before = world.group.Signature();
  Explain(world, "a");
  EXPECT_EQ(world.group.Signature(), before);
  EXPECT_TRUE(world.events.empty());
}

TEST(Explain, ARoleForWhichThereIsNobodyIsSaidUntilPlayersFillIn) {
  QueueRules rules;
  rules.team_size = 2;
  rules.window = {.base = kUnlimitedWindow, .growth_per_second = 0, .max = kUnlimitedWindow};
  rules.roles.roles = {{"tank"}, {"healer"}};
  rules.roles.fill_after = 10 * kSecond;
  GroupWorld world({rules});
  for (const char* id : {"a", "b", "c"}) Enqueue(world, id, {.details = {.roles = {"tank"}}});
  EXPECT_EQ(RefusedBy(Explain(world, "a"), Rule::kHeadCount), 2u);
  EXPECT_EQ(RefusedBy(Explain(world, "a"), Rule::kRoles), 0u);
  Enqueue(world, "d", {.details = {.roles = {"healer"}}});
  EXPECT_EQ(RefusedBy(Explain(world, "a"), Rule::kHeadCount), 0u);
  EXPECT_EQ(RefusedBy(Explain(world, "a"), Rule::kRoles), 3u) << "two healers are needed";
  world.Pass(10 * kSecond);
  EXPECT_EQ(RefusedBy(Explain(world, "a"), Rule::kRoles), 0u);
}

TEST(Explain, PartiesThatFillNoTeamAreSaid) {
  QueueRules rules;
  rules.team_size = 3;
  rules.window = {.base = kUnlimitedWindow, .growth_per_second = 0, .max = kUnlimitedWindow};
  GroupWorld world({rules});
  const auto party = [&](const std::string& id, size_t size) {
    std::vector<std::pair<std::string, int>> players;
    for (size_t i = 0; i < size; ++i) players.emplace_back(Name(id, i), 1500);
    world.Enqueue({.id = id, .players = players});
  };
  party("a", 2);
  party("b", 2);
  party("c", 2);
  EXPECT_EQ(RefusedBy(Explain(world, "a"), Rule::kPartySize), 2u);
  EXPECT_EQ(RefusedBy(Explain(world, "a"), Rule::kHeadCount), 0u);
  party("d", 1);
  EXPECT_EQ(RefusedBy(Explain(world, "a"), Rule::kPartySize), 0u);
}

}  // namespace
}  // namespace evenmatch
