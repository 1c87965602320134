#include <gtest/gtest.h>

#include <set>

#include "tests/support/group_world.h"

namespace evenmatch {
namespace {

const EnqueueReply& Queued(const Reply& reply) { return std::get<EnqueueReply>(reply.value); }

TEST(EnqueueTest, NewTicketWaitsAndIsNumberOne) {
  GroupWorld world({DuelRules("duel")});
  const Reply reply = world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  ASSERT_TRUE(reply.status.ok());
  EXPECT_FALSE(Queued(reply).existing);
  const TicketView& view = Queued(reply).ticket;
  EXPECT_EQ(view.state, TicketState::kWaiting);
  EXPECT_EQ(view.sequence, 1u);
  EXPECT_EQ(view.queued_at, world.now);
  EXPECT_EQ(view.expires_at, world.now + 90 * kSecond);
  ASSERT_EQ(view.queues.size(), 1u);
  EXPECT_EQ(view.queues[0].value, 1500 * kPoint);
  EXPECT_EQ(view.queues[0].window, 100 * kPoint);
  ASSERT_EQ(world.events.size(), 1u);
  EXPECT_EQ(world.events[0].kind, EventKind::kQueued);
  EXPECT_EQ(world.events[0].handle, view.handle);
}

TEST(EnqueueTest, DoubleTapMakesOneTicketAndNobodyMeetsThemself) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  world.Pass(50 * kMillisecond);
  world.TakeEvents();
  const Reply reply = world.Enqueue({.id = "t2", .players = {{"p1", 1500}}});
  EXPECT_EQ(reply.status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(reply.field, "ticket.players[0].player_id");
  EXPECT_EQ(reply.conflict.ticket->ticket_id, "t1");
  EXPECT_TRUE(world.events.empty()) << "a refused command leaves no event";
  for (int i = 0; i < 5; ++i) {
    world.Pass(100 * kMillisecond);
    EXPECT_EQ(world.Tick().matches, 0u);
  }
  EXPECT_EQ(world.group.Stats(0, world.now).waiting_tickets, 1u);
}

TEST(EnqueueTest, PlayerIsUniqueOverAllQueuesOfTheGroup) {
  GroupWorld world({DuelRules("duel"), DuelRules("custom")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}, .queues = {0}});
  EXPECT_EQ(world.Enqueue({.id = "t2", .players = {{"p1", 1500}}, .queues = {1}}).status.code(),
            absl::StatusCode::kAlreadyExists);
}

TEST(EnqueueTest, TwoGroupsKnowNothingOfEachOther) {
  Catalog catalog = MakeCatalog({DuelRules("a"), DuelRules("b")});
  catalog.groups = {{.name = "a", .queues = {0}}, {.name = "b", .queues = {1}}};
  const Limits limits;
  PoolGroup a(catalog, 0, 1, limits), b(catalog, 1, 1, limits);
  std::vector<Event> events;
  const auto first = MakeTicket({.id = "t", .players = {{"p", 1500}}, .queues = {0}});
  const auto second = MakeTicket({.id = "t", .players = {{"p", 1500}}, .queues = {1}});
  EXPECT_TRUE(a.Apply(EnqueueCommand{first}, 0, &events).status.ok());
  EXPECT_TRUE(b.Apply(EnqueueCommand{second}, 0, &events).status.ok());
}

TEST(EnqueueTest, SameIdAndContentIsTheSameTicketInWhateverState) {
  GroupWorld world({DuelRules("duel")});
  const TicketSpec one{.id = "t1", .players = {{"p1", 1500}}};
  const TicketSpec two{.id = "t2", .players = {{"p2", 1500}}};
  const uint64_t handle = Queued(world.Enqueue(one)).ticket.handle;
  Reply reply = world.Enqueue(one);
  EXPECT_TRUE(Queued(reply).existing);
  EXPECT_EQ(Queued(reply).ticket.handle, handle);
  EXPECT_EQ(Queued(reply).ticket.state, TicketState::kWaiting);

  world.Enqueue(two);
  world.Tick();
  reply = world.Enqueue(one);
  EXPECT_TRUE(Queued(reply).existing);
  EXPECT_EQ(Queued(reply).ticket.state, TicketState::kMatched);
  EXPECT_NE(Queued(reply).ticket.match, nullptr);
  EXPECT_EQ(world.CountOf(EventKind::kQueued), 2u);
}

TEST(EnqueueTest, CancelledIdIsNotRevivedWithinItsRetention) {
  GroupWorld world({DuelRules("duel")});
  const TicketSpec spec{.id = "t1", .players = {{"p1", 1500}}};
  world.Enqueue(spec);
  world.Cancel("t1");
  world.Pass(kEndedTicketRetention - 1);
  Reply reply = world.Enqueue(spec);
  EXPECT_TRUE(Queued(reply).existing);
  EXPECT_EQ(Queued(reply).ticket.state, TicketState::kCancelled);

  world.Pass(1);
  reply = world.Enqueue(spec);
  EXPECT_FALSE(Queued(reply).existing) << "after that the id is new";
  EXPECT_EQ(Queued(reply).ticket.sequence, 1u);
}

TEST(EnqueueTest, SameIdWithOtherContentIsRefused) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  const Reply reply = world.Enqueue({.id = "t1", .players = {{"p1", 1600}}});
  EXPECT_EQ(reply.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(reply.field, "ticket.ticket_id");
}

TEST(EnqueueTest, TicketWithoutIdGetsOneAndIsKnownByIt) {
  GroupWorld world({DuelRules("duel")});
  TicketSpec spec{.players = {{"p1", 1500}}};
  const auto asked = MakeTicket(spec);
  const TicketView view = Queued(world.Do(EnqueueCommand{asked})).ticket;
  EXPECT_EQ(view.ticket->ticket_id, "t-7-1");
  EXPECT_EQ(asked->ticket_id, "") << "the request is not touched";
  spec.id = view.ticket->ticket_id;
  EXPECT_TRUE(Queued(world.Enqueue(spec)).existing);
}

TEST(EnqueueTest, MintedIdsAvoidThoseThatClientsTook) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t-7-2", .players = {{"p1", 1500}}});
  EXPECT_EQ(Queued(world.Enqueue({.players = {{"p2", 1500}}})).ticket.ticket->ticket_id, "t-7-3");
  EXPECT_EQ(Queued(world.Enqueue({.players = {{"p3", 1500}}})).ticket.ticket->ticket_id, "t-7-4")
      << "the third ticket would be t-7-3, which is taken";
}

TEST(EnqueueTest, PlayerInALiveMatchIsRefusedWithThatMatch) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  world.Enqueue({.id = "t2", .players = {{"p2", 1500}}});
  world.Tick();
  const Reply reply = world.Enqueue({.id = "t3", .players = {{"p1", 1500}}});
  EXPECT_EQ(reply.status.code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_NE(reply.conflict.match, nullptr);
  EXPECT_EQ(reply.conflict.match->sides.size(), 2u);

  world.Enqueue({.id = "t4", .players = {{"p3", 1500}}});
  EXPECT_EQ(world.Tick().matches, 0u) << "p3 stays queued";
  EXPECT_EQ(world.Ticket("t4").state, TicketState::kWaiting);
}

TEST(EnqueueTest, OneHeldMemberRefusesTheWholeParty) {
  QueueRules squad = DuelRules("squad");
  squad.team_size = 2;
  GroupWorld world({squad, DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p2", 1500}}, .queues = {1}});
  const Reply reply = world.Enqueue({.id = "t2", .players = {{"p1", 1500}, {"p2", 1500}}, .queues = {0}});
  EXPECT_EQ(reply.status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(reply.field, "ticket.players[1].player_id");
  EXPECT_TRUE(world.Enqueue({.id = "t3", .players = {{"p1", 1500}}, .queues = {1}}).status.ok())
      << "nobody was claimed by the refused party";
}

TEST(EnqueueTest, EndedTicketLetsItsPlayersGoAtOnce) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  world.Cancel("t1");
  EXPECT_TRUE(world.Enqueue({.id = "t2", .players = {{"p1", 1500}}, .timeout = kSecond}).status.ok());
  world.Pass(kSecond);
  EXPECT_TRUE(world.Enqueue({.id = "t3", .players = {{"p1", 1500}}}).status.ok());
  world.Enqueue({.id = "t4", .players = {{"p4", 1500}}});
  EXPECT_EQ(world.Tick().matches, 1u) << "the new ticket is matchable at once";
  EXPECT_EQ(world.Ticket("t1").state, TicketState::kCancelled);
  EXPECT_EQ(world.Ticket("t2").state, TicketState::kExpired);
}

TEST(EnqueueTest, PausedQueueRefusesNewTicketsButKnowsOldOnes) {
  GroupWorld world({DuelRules("duel"), DuelRules("other")});
  const TicketSpec known{.id = "t1", .players = {{"p1", 1500}}};
  world.Enqueue(known);
  world.Do(PauseQueueCommand{0, true});
  const Reply reply = world.Enqueue({.id = "t2", .players = {{"p2", 1500}}, .queues = {1, 0}});
  EXPECT_EQ(reply.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(reply.field, "ticket.queues[1]");
  EXPECT_TRUE(Queued(world.Enqueue(known)).existing);
  world.Do(PauseQueueCommand{0, false});
  EXPECT_TRUE(world.Enqueue({.id = "t2", .players = {{"p2", 1500}}, .queues = {1, 0}}).status.ok());
}

TEST(EnqueueTest, FullQueueRefusesAndNamesItself) {
  QueueRules small = DuelRules("small");
  small.max_waiting = 2;
  GroupWorld world({small, DuelRules("large")});
  world.Enqueue({.id = "t1", .players = {{"p1", 100}}});
  world.Enqueue({.id = "t2", .players = {{"p2", 900}}});
  const Reply reply = world.Enqueue({.id = "t3", .players = {{"p3", 1500}}, .queues = {1, 0}});
  EXPECT_EQ(reply.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(reply.field, "ticket.queues[1]");
  EXPECT_NE(std::string(reply.status.message()).find("small"), std::string::npos);
  world.Cancel("t1");
  EXPECT_TRUE(world.Enqueue({.id = "t3", .players = {{"p3", 1500}}, .queues = {1, 0}}).status.ok());
}

TEST(EnqueueTest, OnePeerCannotTakeAllTheRoom) {
  Limits limits;
  limits.waiting_per_peer = 3;
  GroupWorld world({DuelRules("duel")}, limits);
  for (int i = 0; i < 50; ++i) {
    const Reply reply = world.Enqueue({.id = Name("t", i), .players = {{Name("p", i), 1000 * i}}, .peer = 1});
    EXPECT_EQ(reply.status.code(), i < 3 ? absl::StatusCode::kOk : absl::StatusCode::kResourceExhausted);
  }
  EXPECT_TRUE(world.Enqueue({.id = "other", .players = {{"q", 0}}, .peer = 2}).status.ok());
  world.Cancel("t0");
  EXPECT_TRUE(world.Enqueue({.id = "t9", .players = {{"p9", 9000}}, .peer = 1}).status.ok());
  world.group.CheckInvariants();
}

TEST(EnqueueTest, FullGroupRefusesWhileItsEndedTicketsMustBeTold) {
  Limits limits;
  limits.tickets_per_group = 2;
  GroupWorld world({DuelRules("duel")}, limits);
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  world.Cancel("t1");
  world.Enqueue({.id = "t2", .players = {{"p2", 1500}}});
  EXPECT_EQ(world.Enqueue({.id = "t3", .players = {{"p3", 0}}}).status.code(), absl::StatusCode::kResourceExhausted);

  world.Acknowledge("t1", 2);
  EXPECT_TRUE(world.Enqueue({.id = "t3", .players = {{"p3", 0}}}).status.ok()) << "t1 was told and makes room";
  EXPECT_EQ(world.Do(GetTicketCommand{{.ticket_id = "t1"}}).status.code(), absl::StatusCode::kNotFound);

  world.Cancel("t2");
  world.Pass(kDeliveryRetention - 1);
  EXPECT_EQ(world.Enqueue({.id = "t4", .players = {{"p4", 0}}}).status.code(), absl::StatusCode::kResourceExhausted);
  world.Pass(1);
  EXPECT_TRUE(world.Enqueue({.id = "t4", .players = {{"p4", 0}}}).status.ok()) << "t2 is too old to be told again";
  world.group.CheckInvariants();
}

TEST(EnqueueTest, FullGroupKeepsTheTicketsOfLiveMatches) {
  Limits limits;
  limits.tickets_per_group = 2;
  QueueRules duel = DuelRules("duel");
  duel.hold_timeout = kHour;
  GroupWorld world({duel}, limits);
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  world.Enqueue({.id = "t2", .players = {{"p2", 1500}}});
  world.Tick();
  world.Acknowledge("t1", 2);
  world.Pass(30 * kMinute);
  EXPECT_EQ(world.Enqueue({.id = "t3", .players = {{"p3", 0}}}).status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(world.Ticket("t1").state, TicketState::kMatched) << "known for as long as its match lives";
  world.Pass(30 * kMinute);
  EXPECT_TRUE(world.Enqueue({.id = "t3", .players = {{"p3", 0}}}).status.ok());
}

TEST(EnqueueTest, RequiredAttributesMustBeEqualAndMissingMeetsOnlyMissing) {
  QueueRules rules = DuelRules("duel");
  rules.required_attributes = {"map", "level"};
  GroupWorld world({rules});
  const std::vector<Attributes> kinds = {
      {},
      {{"map", "dust"}},
      {{"map", ""}},
      {{"level", "dust"}},
      {{"map", "dust"}, {"level", 1.0}},
      {{"map", std::vector<std::string>{"dust"}}},
      {{"map", std::vector<std::string>{"du", "st"}}},
      {{"level", 1.0}},
      {{"level", 0.0}},
  };
  for (size_t i = 0; i < kinds.size(); ++i) {
    world.Enqueue({.id = Name("a", i), .players = {{Name("a", i), 1500}}, .attributes = kinds[i]});
  }
  EXPECT_EQ(world.Tick().matches, 0u) << "all of them differ";
  for (size_t i = 0; i < kinds.size(); ++i) {
    Attributes same = kinds[i];
    same["unrelated"] = Name("x", i);
    if (i == 8) same["level"] = -0.0;
    world.Enqueue({.id = Name("b", i), .players = {{Name("b", i), 1500}}, .attributes = same});
  }
  world.group.CheckInvariants();
  EXPECT_EQ(world.Tick().matches, kinds.size());
  for (size_t i = 0; i < kinds.size(); ++i) {
    const TicketView view = world.Ticket(Name("a", i));
    ASSERT_NE(view.match, nullptr) << i;
    EXPECT_EQ(view.match->sides[1].ticket->ticket_id, Name("b", i));
  }
  world.group.CheckInvariants();
}

}  // namespace
}  // namespace evenmatch
