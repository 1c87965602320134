#include <gtest/gtest.h>

#include "tests/support/group_world.h"

namespace evenmatch {
namespace {

CancelOutcome OutcomeOf(const Reply& reply) { return std::get<CancelReply>(reply.value).outcome; }

TEST(CancelTest, EveryStateHasOneAnswerAndRepeatingItChangesNothing) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "waiting", .players = {{"p1", 0}}});
  world.Enqueue({.id = "matched", .players = {{"p2", 1500}}});
  world.Enqueue({.id = "partner", .players = {{"p3", 1500}}});
  world.Enqueue({.id = "expired", .players = {{"p4", 5000}}, .timeout = kSecond});
  world.Tick();
  world.Pass(kSecond);

  EXPECT_EQ(OutcomeOf(world.Cancel("waiting")), CancelOutcome::kCancelled);
  for (int i = 0; i < 2; ++i) {
    const Reply waiting = world.Cancel("waiting");
    EXPECT_EQ(OutcomeOf(waiting), CancelOutcome::kAlreadyEnded);
    EXPECT_EQ(std::get<CancelReply>(waiting.value).ticket.state, TicketState::kCancelled);
    const Reply matched = world.Cancel("matched");
    EXPECT_EQ(OutcomeOf(matched), CancelOutcome::kAlreadyMatched);
    EXPECT_NE(std::get<CancelReply>(matched.value).ticket.match, nullptr);
    const Reply expired = world.Cancel("expired");
    EXPECT_EQ(OutcomeOf(expired), CancelOutcome::kAlreadyEnded);
    EXPECT_EQ(std::get<CancelReply>(expired.value).ticket.state, TicketState::kExpired);
    const Reply unknown = world.Cancel("unknown");
    EXPECT_EQ(unknown.status.code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(unknown.field, "ticket_id");
  }
  EXPECT_EQ(world.CountOf(EventKind::kCancelled), 1u);
}

TEST(CancelTest, CancelledTicketIsNeverMatched) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  world.Enqueue({.id = "t2", .players = {{"p2", 1500}}});
  world.Cancel("t1");
  EXPECT_EQ(world.Tick().matches, 0u);
  EXPECT_EQ(world.Ticket("t2").state, TicketState::kWaiting);
}

TEST(CancelTest, AnyMemberCancelsTheWholeParty) {
  QueueRules squad = DuelRules("squad");
  squad.team_size = 3;
  GroupWorld world({squad});
  world.Enqueue({.id = "t1", .players = {{"a", 1500}, {"b", 1500}, {"c", 1500}}});
  const Reply reply = world.Do(CancelCommand{{.player_id = "c"}});
  EXPECT_EQ(OutcomeOf(reply), CancelOutcome::kCancelled);
  EXPECT_EQ(std::get<CancelReply>(reply.value).ticket.ticket->ticket_id, "t1");
  for (const char* player : {"a", "b", "c"}) {
    EXPECT_EQ(world.Do(CancelCommand{{.player_id = player}}).status.code(), absl::StatusCode::kNotFound);
  }
}

TEST(CancelTest, ByPlayerFindsTheLiveTicketOrTheLiveMatch) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "old", .players = {{"p1", 1500}}});
  world.Cancel("old");
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  world.Enqueue({.id = "t2", .players = {{"p2", 1500}}});
  world.Tick();
  const Reply reply = world.Do(CancelCommand{{.player_id = "p1"}});
  EXPECT_EQ(OutcomeOf(reply), CancelOutcome::kAlreadyMatched);
  EXPECT_EQ(std::get<CancelReply>(reply.value).ticket.ticket->ticket_id, "t1");
  world.Do(EndMatchCommand{std::get<CancelReply>(reply.value).ticket.match->id});
  EXPECT_EQ(world.Do(CancelCommand{{.player_id = "p1"}}).status.code(), absl::StatusCode::kNotFound);
}

TEST(CancelTest, CancelInTheInstantOfTheTimeoutFindsItExpired) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}, .timeout = kSecond});
  world.now += kSecond;
  const Reply reply = world.Cancel("t1");
  EXPECT_EQ(OutcomeOf(reply), CancelOutcome::kAlreadyEnded);
  EXPECT_EQ(std::get<CancelReply>(reply.value).ticket.state, TicketState::kExpired);
}

}  // namespace
}  // namespace evenmatch
