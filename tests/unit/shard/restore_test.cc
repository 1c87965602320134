#include <gtest/gtest.h>

#include <memory>

#include "tests/support/group_world.h"

namespace evenmatch {
namespace {

// A group that was told the stored events of another.
std::unique_ptr<GroupWorld> Heir(const GroupWorld& world) {
  auto heir = std::make_unique<GroupWorld>(world.catalog.queues, world.limits);
  for (const Event& event : world.events) {
    if (IsStored(event.kind)) heir->group.Restore(event);
  }
  heir->now = world.now;
  return heir;
}

TEST(RestoreTest, TicketsClaimsAndMatchesComeBack) {
  GroupWorld world({DuelRules("duel"), DuelRules("other")});
  world.Enqueue({.id = "gone", .players = {{"g", 0}}});
  world.Cancel("gone");
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  world.Enqueue({.id = "t2", .players = {{"p2", 1500}}});
  world.Tick();
  world.Enqueue({.id = "t3", .players = {{"p3", 1500}}, .queues = {0, 1}});
  world.Acknowledge("t1", 2);
  const auto heir = Heir(world);
  heir->group.CheckInvariants();
  EXPECT_EQ(heir->group.Signature(), world.group.Signature());

  EXPECT_EQ(heir->Ticket("t3").state, TicketState::kWaiting);
  EXPECT_EQ(heir->Ticket("t3").sequence, 1u);
  EXPECT_EQ(heir->Ticket("gone").state, TicketState::kCancelled);
  EXPECT_EQ(heir->Ticket("t1").match->id, world.Ticket("t1").match->id);
  EXPECT_EQ(heir->AttachFrom("t1", 2).events.size(), 0u) << "acknowledged before";
  EXPECT_EQ(heir->AttachFrom("t2", 2).events.size(), 1u);
  EXPECT_EQ(heir->Enqueue({.id = "t4", .players = {{"p1", 1500}}}).status.code(),
            absl::StatusCode::kFailedPrecondition);
  heir->Enqueue({.id = "t5", .players = {{"p5", 1500}}, .queues = {1}});
  EXPECT_EQ(heir->Tick(1).matches, 1u);
  EXPECT_EQ(heir->Ticket("t5").match->id.sequence, 2u) << "numbering goes on";
  heir->Do(EndMatchCommand{heir->Ticket("t1").match->id});
  EXPECT_TRUE(heir->Enqueue({.id = "t4", .players = {{"p1", 1500}}}).status.ok());
  heir->group.CheckInvariants();
}

TEST(RestoreTest, WaitGoesOnAndWhatRanOutMeanwhileExpires) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "old", .players = {{"p1", 0}}, .timeout = 300 * kSecond});
  world.Pass(280 * kSecond);
  world.Enqueue({.id = "new", .players = {{"p2", 5000}}, .timeout = 300 * kSecond});
  const auto heir = Heir(world);
  heir->now = world.now + 60 * kSecond;
  EXPECT_LE(heir->group.NextDeadline(), heir->now);
  heir->Pass(0);
  EXPECT_EQ(heir->Ticket("old").state, TicketState::kExpired);
  EXPECT_EQ(heir->Ticket("new").queued_at, world.now);
}

TEST(RestoreTest, PresenceGraceBeginsAnew) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 0}}, .presence = Presence::kStream});
  const auto heir = Heir(world);
  heir->now = world.now + 60 * kSecond;
  heir->Pass(0);
  EXPECT_EQ(heir->Ticket("t1").state, TicketState::kWaiting);
  heir->Pass(10 * kSecond);
  EXPECT_EQ(heir->Ticket("t1").reason, Reason::kPresenceLost);
}

TEST(RestoreTest, ClockThatWentBackOverTheRestartGivesNoNegativeWait) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}, .timeout = 10 * kSecond});
  const auto heir = Heir(world);
  heir->now = world.now - 10 * kMinute;
  heir->Pass(0);
  EXPECT_EQ(heir->Ticket("t1").queued_at, heir->now);
  heir->Pass(10 * kSecond);
  EXPECT_EQ(heir->Ticket("t1").state, TicketState::kExpired);
  heir->group.CheckInvariants();
}

TEST(RestoreTest, IdThatWasForgottenAndUsedAgainIsTheNewTicket) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 0}}});
  world.Cancel("t1");
  world.Pass(kEndedTicketRetention);
  world.Enqueue({.id = "t1", .players = {{"p2", 0}}});
  const auto heir = Heir(world);
  EXPECT_EQ(heir->group.Signature(), world.group.Signature());
  EXPECT_EQ(heir->Ticket("t1").ticket->players[0].player_id, "p2");
}

TEST(RestoreTest, MatchNumbersGoBeyondThirtyTwoBits) {
  GroupWorld world({DuelRules("duel")});
  auto match = std::make_shared<Match>();
  match->id = {.fence = 7, .sequence = 0xfffffffe, .group = 0};
  Event event;
  event.kind = EventKind::kMatchFormed;
  event.match = match;
  world.group.Restore(event);
  std::vector<uint64_t> sequences;
  for (int i = 0; i < 5; ++i) {
    world.Enqueue({.id = Name("a", i), .players = {{Name("a", i), 1500}}});
    world.Enqueue({.id = Name("b", i), .players = {{Name("b", i), 1500}}});
    world.Tick();
    sequences.push_back(world.Ticket(Name("a", i)).match->id.sequence);
  }
  EXPECT_EQ(sequences, (std::vector<uint64_t>{0xffffffff, 0x100000000, 0x100000001, 0x100000002, 0x100000003}));
}

TEST(RestoreTest, EmptyGroupHasNothingToDo) {
  GroupWorld world({DuelRules("duel")});
  EXPECT_EQ(world.group.NextDeadline(), kNever);
  world.Pass(kHour);
  EXPECT_EQ(world.group.NextDeadline(), kNever);
}

TEST(SignatureTest, TellsStatesApart) {
  GroupWorld a({DuelRules("duel")}), b({DuelRules("duel")});
  EXPECT_EQ(a.group.Signature(), b.group.Signature());
  a.Enqueue({.id = "t1", .players = {{"p1", 0}}});
  EXPECT_NE(a.group.Signature(), b.group.Signature());
  b.Enqueue({.id = "t2", .players = {{"p2", 5000}}});
  a.Enqueue({.id = "t2", .players = {{"p2", 5000}}});
  b.Enqueue({.id = "t1", .players = {{"p1", 0}}});
  EXPECT_EQ(a.group.Signature(), b.group.Signature()) << "the order of arrival and the slots do not count";
  a.Cancel("t1");
  EXPECT_NE(a.group.Signature(), b.group.Signature());
}

}  // namespace
}  // namespace evenmatch
