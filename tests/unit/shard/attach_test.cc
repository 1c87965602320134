#include <gtest/gtest.h>

#include "tests/support/group_world.h"

namespace evenmatch {
namespace {

std::vector<EventKind> KindsOf(const std::vector<Event>& events) {
  std::vector<EventKind> kinds;
  for (const Event& event : events) kinds.push_back(event.kind);
  return kinds;
}

void Match(GroupWorld& world) {
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  world.Enqueue({.id = "t2", .players = {{"p2", 1500}}});
  ASSERT_EQ(world.Tick().matches, 1u);
}

TEST(AttachTest, BeginsWithThePresentState) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  AttachReply reply = world.Attach("t1");
  EXPECT_FALSE(reply.final);
  ASSERT_EQ(reply.events.size(), 1u);
  EXPECT_EQ(reply.events[0].kind, EventKind::kQueued);
  EXPECT_TRUE(reply.events[0].snapshot);
  EXPECT_EQ(reply.events[0].sequence, 1u);

  world.Enqueue({.id = "t2", .players = {{"p2", 1500}}});
  world.Tick();
  reply = world.Attach("t1");
  EXPECT_TRUE(reply.final);
  ASSERT_EQ(reply.events.size(), 1u);
  EXPECT_EQ(reply.events[0].kind, EventKind::kMatched);
  EXPECT_TRUE(reply.events[0].snapshot);
  EXPECT_EQ(reply.events[0].sequence, 2u);
  EXPECT_NE(reply.events[0].match, nullptr);
}

TEST(AttachTest, ResumesAfterTheCursorWithoutGap) {
  GroupWorld world({DuelRules("duel")});
  Match(world);
  world.Pass(kSecond);
  const AttachReply all = world.AttachFrom("t1", 0);
  EXPECT_EQ(KindsOf(all.events), (std::vector{EventKind::kQueued, EventKind::kMatched}));
  EXPECT_EQ(all.events[0].sequence, 1u);
  EXPECT_EQ(all.events[1].sequence, 2u);
  EXPECT_EQ(all.events[1].at, world.now - kSecond) << "when it happened, not when it is told";
  EXPECT_FALSE(all.events[1].snapshot);
  EXPECT_EQ(KindsOf(world.AttachFrom("t1", 1).events), (std::vector{EventKind::kMatched}));
}

TEST(AttachTest, FinalEventIsToldAgainUntilAcknowledged) {
  GroupWorld world({DuelRules("duel")});
  Match(world);
  EXPECT_EQ(KindsOf(world.AttachFrom("t1", 2).events), (std::vector{EventKind::kMatched}));
  EXPECT_TRUE(world.Acknowledge("t1", 2).status.ok());
  const AttachReply acknowledged = world.AttachFrom("t1", 2);
  EXPECT_TRUE(acknowledged.final);
  EXPECT_TRUE(acknowledged.events.empty());
  EXPECT_EQ(KindsOf(world.AttachFrom("t1", 1).events), (std::vector{EventKind::kMatched}))
      << "whoever has not seen it is told";

  world.Pass(kDeliveryRetention);
  EXPECT_TRUE(world.AttachFrom("t2", 2).events.empty()) << "and until its delivery retention is over";
}

TEST(AttachTest, CurrentCursorOfAWaitingTicketMissedNothing) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  const AttachReply reply = world.AttachFrom("t1", 1);
  EXPECT_FALSE(reply.final);
  EXPECT_TRUE(reply.events.empty());
}

TEST(AttachTest, CursorFromTheFutureIsRefused) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  const Reply reply = world.Do(AttachCommand{{.ticket_id = "t1"}, true, 2});
  EXPECT_EQ(reply.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(reply.field, "cursor");
}

TEST(AttachTest, ByPlayerAndUnknownNames) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  const Reply found = world.Do(AttachCommand{{.player_id = "p1"}});
  EXPECT_EQ(std::get<AttachReply>(found.value).events[0].ticket->ticket_id, "t1");
  EXPECT_EQ(world.Do(AttachCommand{{.player_id = "p2"}}).status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(world.Do(AttachCommand{{.ticket_id = "t2"}}).status.code(), absl::StatusCode::kNotFound);
}

TEST(AttachTest, DetachOfWhatIsGoneIsNoError) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  const uint64_t handle = world.Attach("t1").handle;
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(world.Do(DetachCommand{handle}).status.ok());
  EXPECT_EQ(world.CountOf(EventKind::kDetached), 1u);
  world.Cancel("t1");
  EXPECT_TRUE(world.Do(DetachCommand{handle}).status.ok());
  EXPECT_TRUE(world.Do(DetachCommand{12345}).status.ok());
}

TEST(AcknowledgeTest, OfOnePlayerCountsForThatPlayerOnly) {
  QueueRules squad = DuelRules("squad");
  squad.team_size = 2;
  GroupWorld world({squad});
  world.Enqueue({.id = "t1", .players = {{"a", 1500}, {"b", 1500}}});
  world.Cancel("t1");
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(world.Acknowledge("t1", 2, "b").status.ok());
  EXPECT_EQ(world.CountOf(EventKind::kAcknowledged), 1u);
  EXPECT_EQ(world.AttachFrom("t1", 2).events.size(), 1u) << "a has not acknowledged";
  EXPECT_TRUE(world.Acknowledge("t1", 2, "a").status.ok());
  EXPECT_EQ(world.AttachFrom("t1", 2).events.size(), 0u);
  world.group.CheckInvariants();
}

TEST(AcknowledgeTest, RefusesWhatCannotBe) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  Reply reply = world.Acknowledge("t1", 2);
  EXPECT_EQ(reply.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(reply.field, "sequence");
  reply = world.Acknowledge("t1", 1, "p2");
  EXPECT_EQ(reply.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(reply.field, "player_id");
  EXPECT_EQ(world.Acknowledge("t2", 1).status.code(), absl::StatusCode::kNotFound);
}

TEST(AcknowledgeTest, OfAnEarlierEventDoesNotCountForTheFinalOne) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  EXPECT_TRUE(world.Acknowledge("t1", 1).status.ok());
  world.Cancel("t1");
  EXPECT_TRUE(world.Acknowledge("t1", 1).status.ok());
  EXPECT_EQ(world.AttachFrom("t1", 2).events.size(), 1u);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(world.Acknowledge("t1", 2).status.ok());
  EXPECT_EQ(world.CountOf(EventKind::kAcknowledged), 1u);
}

TEST(SessionTest, AttachTellsLiveAndUnacknowledgedTicketsOldestFirst) {
  GroupWorld world({DuelRules("duel")});
  for (int i = 0; i < 5; ++i) {
    world.Enqueue({.id = Name("t", i), .players = {{Name("p", i), 1000 * i}}, .session = i == 2 ? "other" : "mine"});
  }
  world.Cancel("t1");
  world.Cancel("t3");
  world.Acknowledge("t3", 2);
  std::vector<Event> snapshots = world.AttachSession("mine");
  ASSERT_EQ(snapshots.size(), 3u);
  EXPECT_EQ(snapshots[0].ticket->ticket_id, "t0");
  EXPECT_EQ(snapshots[1].ticket->ticket_id, "t1");
  EXPECT_EQ(snapshots[1].kind, EventKind::kCancelled);
  EXPECT_EQ(snapshots[2].ticket->ticket_id, "t4");
  for (const Event& event : snapshots) EXPECT_TRUE(event.snapshot);
  world.group.CheckInvariants();

  world.now += kDeliveryRetention;  // t0 and t4 expired in between and are told anew
  snapshots = world.AttachSession("mine");
  EXPECT_EQ(KindsOf(snapshots), (std::vector{EventKind::kExpired, EventKind::kExpired}));
  EXPECT_TRUE(world.AttachSession("nobody").empty());
}

TEST(PresenceTest, GraceBeginsWithTheTicket) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}, .presence = Presence::kStream});
  EXPECT_EQ(world.group.NextDeadline(), world.now + 10 * kSecond);
  world.Pass(10 * kSecond - 1);
  EXPECT_EQ(world.Ticket("t1").state, TicketState::kWaiting);
  world.Pass(1);
  EXPECT_EQ(world.Ticket("t1").state, TicketState::kCancelled);
  EXPECT_EQ(world.Ticket("t1").reason, Reason::kPresenceLost);
}

TEST(PresenceTest, LastWatcherGoneStartsTheGraceAndANewOneStopsIt) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}, .presence = Presence::kStream});
  const uint64_t handle = world.Attach("t1").handle;
  world.Attach("t1");
  world.Pass(20 * kSecond);
  world.Do(DetachCommand{handle});
  world.Pass(20 * kSecond);
  EXPECT_EQ(world.Ticket("t1").state, TicketState::kWaiting) << "one watcher is left";
  world.Do(DetachCommand{handle});
  world.Pass(9 * kSecond);
  world.Attach("t1");
  world.Pass(9 * kSecond);
  world.Do(DetachCommand{handle});
  world.Pass(10 * kSecond - 1);
  EXPECT_EQ(world.Ticket("t1").state, TicketState::kWaiting) << "the grace began anew";
  world.Pass(1);
  EXPECT_EQ(world.Ticket("t1").reason, Reason::kPresenceLost);
}

TEST(PresenceTest, AttachedSessionIsPresence) {
  GroupWorld world({DuelRules("duel")});
  world.AttachSession("s");
  world.Enqueue({.id = "t1", .players = {{"p1", 0}}, .presence = Presence::kStream, .session = "s"});
  world.Enqueue({.id = "t2", .players = {{"p2", 5000}}, .presence = Presence::kNone, .session = "s"});
  world.Enqueue({.id = "t3", .players = {{"p3", 9000}}, .presence = Presence::kStream, .session = "s"});
  world.Pass(20 * kSecond);
  world.Attach("t3");
  world.Do(DetachSessionCommand{"s"});
  world.group.CheckInvariants();
  world.Pass(9 * kSecond);
  world.AttachSession("s");
  world.AttachSession("s");
  world.Pass(9 * kSecond);
  world.Do(DetachSessionCommand{"s"});
  world.Pass(20 * kSecond);
  EXPECT_EQ(world.Ticket("t1").state, TicketState::kWaiting) << "the second stream is still there";
  world.Do(DetachSessionCommand{"s"});
  world.Pass(10 * kSecond);
  EXPECT_EQ(world.Ticket("t1").reason, Reason::kPresenceLost);
  EXPECT_EQ(world.Ticket("t2").state, TicketState::kWaiting);
  EXPECT_EQ(world.Ticket("t3").state, TicketState::kWaiting) << "watched";
  world.group.CheckInvariants();
}

TEST(PresenceTest, EarlierOfTimeoutAndGraceDecidesEvenIfBothHavePassed) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 0}}, .timeout = 5 * kSecond, .presence = Presence::kStream});
  world.Enqueue({.id = "t2", .players = {{"p2", 5000}}, .timeout = 15 * kSecond, .presence = Presence::kStream});
  world.Enqueue({.id = "t3", .players = {{"p3", 9000}}, .timeout = 10 * kSecond, .presence = Presence::kStream});
  world.Pass(kMinute);
  EXPECT_EQ(world.Ticket("t1").state, TicketState::kExpired);
  EXPECT_EQ(world.Ticket("t2").state, TicketState::kCancelled);
  EXPECT_EQ(world.Ticket("t3").state, TicketState::kExpired) << "at the same instant the timeout counts";
}

QueueRules Growing() {
  QueueRules rules = DuelRules("duel");
  rules.window = {.base = 100 * kPoint, .growth_per_second = 10 * kPoint, .max = 220 * kPoint};
  return rules;
}

TEST(WideningTest, WatchedTicketIsToldEveryFiveSecondsAndAtTheLastStage) {
  GroupWorld world({Growing()});
  const Micros start = world.now;
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  world.Attach("t1");
  world.TakeEvents();
  std::vector<std::pair<Micros, MilliPoints>> told;
  while (world.group.NextDeadline() < start + 90 * kSecond) {
    world.now = world.group.NextDeadline();
    world.group.Advance(world.now, &world.events);
    for (const Event& event : world.TakeEvents()) {
      EXPECT_EQ(event.kind, EventKind::kWidened);
      EXPECT_EQ(event.sequence, 1u) << "it carries the number before it";
      EXPECT_EQ(event.window_from, told.empty() ? 100 * kPoint : told.back().second);
      told.emplace_back(event.at - start, event.window);
    }
  }
  EXPECT_EQ(told, (std::vector<std::pair<Micros, MilliPoints>>{
                      {5 * kSecond, 150 * kPoint}, {10 * kSecond, 200 * kPoint}, {12 * kSecond, 220 * kPoint}}));
}

TEST(WideningTest, StepsAreToldWhenTheyWiden) {
  QueueRules rules = DuelRules("duel");
  rules.window.steps = {
      {0, 100 * kPoint}, {kSecond, 200 * kPoint}, {2 * kSecond, 200 * kPoint}, {3 * kSecond, kUnlimitedWindow}};
  GroupWorld world({rules});
  const Micros start = world.now;
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  world.Attach("t1");
  world.TakeEvents();
  for (int i = 0; i < 100; ++i) world.Pass(100 * kMillisecond);
  ASSERT_EQ(world.events.size(), 2u);
  EXPECT_EQ(world.events[0].at, start + kSecond);
  EXPECT_EQ(world.events[0].stage, 1);
  EXPECT_EQ(world.events[1].at, start + 3 * kSecond);
  EXPECT_EQ(world.events[1].window, kUnlimitedWindow);
  EXPECT_EQ(world.events[1].stage, 2) << "a step that is no wider is no stage";
}

TEST(WideningTest, NobodyIsToldWhatNobodyWatches) {
  GroupWorld world({Growing()});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  world.Enqueue({.id = "t2", .players = {{"p2", 9000}}});
  const uint64_t handle = world.Attach("t2").handle;
  world.Do(DetachCommand{handle});
  EXPECT_EQ(world.group.NextDeadline(), world.now + 90 * kSecond) << "standing tickets cost nothing";
  world.Pass(60 * kSecond);
  EXPECT_EQ(world.CountOf(EventKind::kWidened), 0u);
}

TEST(WideningTest, LateAdvanceTellsOnce) {
  GroupWorld world({Growing()});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  world.Attach("t1");
  world.Pass(60 * kSecond);
  EXPECT_EQ(world.CountOf(EventKind::kWidened), 1u);
  EXPECT_EQ(world.events.back().window, 220 * kPoint);
}

}  // namespace
}  // namespace evenmatch
