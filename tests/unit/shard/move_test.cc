// A ticket that is asked for again through another session.
#include <gtest/gtest.h>

#include "tests/support/group_world.h"

namespace evenmatch {
namespace {

TicketSpec One(const std::string& session, Presence presence = Presence::kNone) {
  return {.id = "t1", .players = {{"p1", 1500}}, .timeout = kHour, .presence = presence, .session = session};
}

std::string SessionOf(const Event& event) { return event.ticket->session == nullptr ? "" : *event.ticket->session; }

// Asks again; whether that moved the ticket.
bool Moves(GroupWorld& world, const TicketSpec& spec) {
  const size_t moved = world.CountOf(EventKind::kMoved);
  const Reply reply = world.Enqueue(spec);
  EXPECT_TRUE(reply.status.ok() && std::get<EnqueueReply>(reply.value).existing) << reply.status;
  world.group.CheckInvariants();
  return world.CountOf(EventKind::kMoved) > moved;
}

TEST(MoveTest, LiveTicketBelongsToTheLastSessionThatAskedForIt) {
  for (const char* first : {"old", ""}) {
    GroupWorld world({DuelRules("duel")});
    world.Enqueue(One(first));
    EXPECT_TRUE(Moves(world, One("new")));
    EXPECT_EQ(*world.Ticket("t1").ticket->session, "new");
    EXPECT_EQ(world.Ticket("t1").sequence, 1u) << "a move has no number";
    EXPECT_TRUE(world.AttachSession("old").empty());
    EXPECT_EQ(world.AttachSession("new").size(), 1u);

    world.Enqueue({.id = "t2", .players = {{"p2", 1500}}});
    ASSERT_EQ(world.Tick().matches, 1u);
    for (const Event& event : world.events) {
      if (event.kind != EventKind::kMatched || event.ticket->ticket_id != "t1") continue;
      EXPECT_EQ(SessionOf(event), "new");
    }
    EXPECT_EQ(world.AttachSession("new").size(), 1u);
    world.group.CheckInvariants();
  }
}

TEST(MoveTest, NeitherTheSameSessionNorNoneTakesATicket) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue(One("s"));
  EXPECT_FALSE(Moves(world, One("s")));
  EXPECT_FALSE(Moves(world, One("")));
  EXPECT_EQ(world.AttachSession("s").size(), 1u);
}

TEST(MoveTest, OtherContentMovesNothing) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue(One("old"));
  TicketSpec other = One("new");
  other.timeout = kMinute;
  EXPECT_EQ(world.Enqueue(other).status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(world.AttachSession("old").size(), 1u);
}

TEST(MoveTest, PresenceFollowsTheNewSession) {
  GroupWorld world({DuelRules("duel")});
  world.AttachSession("old");
  world.Enqueue(One("old", Presence::kStream));
  world.AttachSession("new");
  world.Do(DetachSessionCommand{"old"});
  world.Pass(9 * kSecond);
  EXPECT_TRUE(Moves(world, One("new", Presence::kStream)));
  world.Pass(kMinute);
  EXPECT_EQ(world.Ticket("t1").state, TicketState::kWaiting) << "the new session is there";
  world.AttachSession("old");
  world.Do(DetachSessionCommand{"new"});
  world.Pass(10 * kSecond - 1);
  EXPECT_EQ(world.Ticket("t1").state, TicketState::kWaiting);
  world.Pass(1);
  EXPECT_EQ(world.Ticket("t1").reason, Reason::kPresenceLost) << "the old session does not count";
}

TEST(MoveTest, MoveToASessionThatIsNotThereStartsTheGrace) {
  GroupWorld world({DuelRules("duel")});
  world.AttachSession("old");
  world.Enqueue(One("old", Presence::kStream));
  world.Pass(kMinute);
  EXPECT_TRUE(Moves(world, One("new", Presence::kStream)));
  world.Pass(5 * kSecond);
  EXPECT_TRUE(Moves(world, One("newest", Presence::kStream))) << "which goes on";
  world.Pass(5 * kSecond);
  EXPECT_EQ(world.Ticket("t1").reason, Reason::kPresenceLost);
}

TEST(MoveTest, WatcherIsPresenceWhereverTheTicketMoves) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue(One("old", Presence::kStream));
  world.Attach("t1");
  EXPECT_TRUE(Moves(world, One("new", Presence::kStream)));
  world.Pass(kMinute);
  EXPECT_EQ(world.Ticket("t1").state, TicketState::kWaiting);
}

TEST(MoveTest, EndedTicketMovesWhileItsEndIsStillToBeTold) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue(One("old"));
  world.Cancel("t1");
  world.Pass(kDeliveryRetention - 1);
  EXPECT_TRUE(Moves(world, One("new")));
  EXPECT_TRUE(world.AttachSession("old").empty());
  const std::vector<Event> snapshots = world.AttachSession("new");
  ASSERT_EQ(snapshots.size(), 1u);
  EXPECT_EQ(snapshots[0].kind, EventKind::kCancelled);
  EXPECT_TRUE(snapshots[0].snapshot);
  world.Pass(1);
  EXPECT_FALSE(Moves(world, One("late"))) << "nobody is told of it any more";
  world.Pass(kEndedTicketRetention);
  world.group.CheckInvariants();
}

TEST(MoveTest, AcknowledgedTicketStays) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue(One("old"));
  world.Cancel("t1");
  world.Acknowledge("t1", 2);
  EXPECT_FALSE(Moves(world, One("new")));
  EXPECT_TRUE(world.AttachSession("new").empty());
}

TEST(MoveTest, PeerOfTheFirstRequestStaysTheOneThatIsCounted) {
  GroupWorld world({DuelRules("duel")}, {.waiting_per_peer = 1});
  TicketSpec spec = One("old");
  spec.peer = 1;
  world.Enqueue(spec);
  spec.session = "new";
  spec.peer = 2;
  EXPECT_TRUE(Moves(world, spec));
  EXPECT_TRUE(world.Enqueue({.id = "t2", .players = {{"p2", 5000}}, .peer = 2}).status.ok());
  world.Cancel("t1");
  world.group.CheckInvariants();
  EXPECT_TRUE(world.Enqueue({.id = "t3", .players = {{"p3", 9000}}, .peer = 1}).status.ok());
}

TEST(MoveTest, HeirKnowsTheNewSession) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue(One("old"));
  Moves(world, One("new"));
  GroupWorld heir(world.catalog.queues);
  for (const Event& event : world.events) {
    if (IsStored(event.kind)) heir.group.Restore(event);
  }
  heir.now = world.now;
  heir.group.CheckInvariants();
  EXPECT_TRUE(heir.AttachSession("old").empty());
  EXPECT_EQ(heir.AttachSession("new").size(), 1u);
}

}  // namespace
}  // namespace evenmatch
