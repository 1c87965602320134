#include <gtest/gtest.h>

#include <set>

#include "tests/support/group_world.h"

namespace evenmatch {
namespace {

// Two waiting players in reach of each other; gives their match.
std::shared_ptr<const Match> Pair(GroupWorld& world, const std::string& name) {
  world.Enqueue({.id = name + "1", .players = {{name + "1", 1500}}});
  world.Enqueue({.id = name + "2", .players = {{name + "2", 1520}}});
  world.Tick();
  return world.Ticket(name + "1").match;
}

TEST(MatchTest, TellsTheMatchAndThenEachTicket) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  world.Pass(kSecond);
  world.Enqueue({.id = "t2", .players = {{"p2", 1520}}});
  world.TakeEvents();
  EXPECT_EQ(world.Tick().matches, 1u);
  const std::vector<Event> events = world.TakeEvents();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].kind, EventKind::kMatchFormed);
  const Match& match = *events[0].match;
  EXPECT_EQ(match.id, (MatchId{.fence = 7, .sequence = 1, .group = 0}));
  EXPECT_EQ(match.longest_wait, kSecond);
  EXPECT_EQ(match.spread, 20 * kPoint);
  EXPECT_EQ(match.formed_at, world.now);
  std::set<std::string> told;
  for (size_t i : {1, 2}) {
    EXPECT_EQ(events[i].kind, EventKind::kMatched);
    EXPECT_EQ(events[i].sequence, 2u);
    EXPECT_EQ(events[i].match, events[0].match);
    EXPECT_EQ(events[i].handle, match.sides[i - 1].handle);
    told.insert(events[i].ticket->ticket_id);
  }
  EXPECT_EQ(told, (std::set<std::string>{"t1", "t2"}));
}

TEST(MatchTest, TicketLeavesAllItsQueuesWhenOneMatches) {
  GroupWorld world({DuelRules("a"), DuelRules("b"), DuelRules("c")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}, .queues = {2, 0, 1}});
  world.Enqueue({.id = "t2", .players = {{"p2", 1500}}, .queues = {1}});
  world.Enqueue({.id = "t3", .players = {{"p3", 1500}}, .queues = {2}});
  world.group.CheckInvariants();
  EXPECT_EQ(world.Tick(0).matches, 0u);
  EXPECT_EQ(world.Tick(1).matches, 1u);
  EXPECT_EQ(world.Tick(2).matches, 0u);
  world.group.CheckInvariants();
  const TicketView view = world.Ticket("t1");
  EXPECT_EQ(view.match->queue, 1u);
  for (const Match::Side& side : view.match->sides) EXPECT_EQ(side.ticket->queues[side.choice].queue, 1u);
  EXPECT_EQ(world.Ticket("t3").state, TicketState::kWaiting);
  for (uint32_t queue : {0u, 2u}) {
    EXPECT_EQ(world.group.Stats(queue, world.now).waiting_tickets, queue == 2 ? 1u : 0u);
  }
}

TEST(MatchTest, QueuesThatAreDifferentNeverMeet) {
  GroupWorld world({DuelRules("great"), DuelRules("ultra")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}, .queues = {0}});
  world.Enqueue({.id = "t2", .players = {{"p2", 1500}}, .queues = {1}});
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(world.Tick(0).matches + world.Tick(1).matches, 0u);
    world.Pass(kSecond);
  }
}

TEST(MatchTest, TenSeatsAreTakenByTenDifferentPlayersOnce) {
  QueueRules squad = DuelRules("squad");
  squad.team_size = 5;
  GroupWorld world({squad});
  for (int i = 0; i < 8; ++i) {
    world.Enqueue({.id = Name("t", i), .players = {{Name("p", i), 1500}}});
  }
  EXPECT_EQ(world.Tick().matches, 0u);
  for (int i = 8; i < 13; ++i) {
    world.Enqueue({.id = Name("t", i), .players = {{Name("p", i), 1500}}});
  }
  EXPECT_EQ(world.Tick().matches, 1u);
  EXPECT_EQ(world.Tick().matches, 0u) << "later arrivals start a new group";
  std::set<std::string> players;
  for (const Event& event : world.events) {
    if (event.kind != EventKind::kMatchFormed) continue;
    for (const Match::Side& side : event.match->sides) players.insert(side.ticket->players[0].player_id);
  }
  EXPECT_EQ(players.size(), 10u);
}

TEST(MatchTest, TicketAtItsTimeoutExpiresRatherThanMatches) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}, .timeout = 10 * kSecond});
  world.Pass(10 * kSecond - 1);
  EXPECT_EQ(world.Ticket("t1").state, TicketState::kWaiting);
  EXPECT_EQ(world.group.NextDeadline(), world.now + 1);
  world.Enqueue({.id = "t2", .players = {{"p2", 1500}}});
  world.now += 1;  // nobody called Advance
  EXPECT_EQ(world.Tick().matches, 0u);
  EXPECT_EQ(world.Ticket("t1").state, TicketState::kExpired);
  EXPECT_EQ(world.Ticket("t1").reason, Reason::kTimeout);
  EXPECT_EQ(world.Ticket("t2").state, TicketState::kWaiting);
}

TEST(MatchTest, PlayersAreHeldUntilTheMatchEnds) {
  GroupWorld world({DuelRules("duel")});
  const auto match = Pair(world, "a");
  EXPECT_EQ(world.group.Stats(0, world.now).live_matches, 1u);
  const Reply ended = world.Do(EndMatchCommand{match->id});
  EXPECT_EQ(std::get<MatchView>(ended.value).state, MatchState::kEnded);
  EXPECT_EQ(std::get<MatchView>(ended.value).end, MatchEnd::kEndMatch);
  EXPECT_EQ(world.group.Stats(0, world.now).live_matches, 0u);
  EXPECT_TRUE(world.Enqueue({.id = "again", .players = {{"a1", 1500}}}).status.ok());
  const Reply again = world.Do(EndMatchCommand{match->id});
  EXPECT_TRUE(again.status.ok()) << "ending it twice is not an error";
  EXPECT_EQ(world.CountOf(EventKind::kMatchEnded), 1u);
}

TEST(MatchTest, MatchWhosePlayersAreGoneEndsByItself) {
  GroupWorld world({DuelRules("duel")});
  const auto match = Pair(world, "a");
  world.Pass(120 * kSecond - 1);
  EXPECT_EQ(world.Enqueue({.id = "t", .players = {{"a1", 1500}}}).status.code(), absl::StatusCode::kFailedPrecondition);
  world.now += 1;
  EXPECT_TRUE(world.Enqueue({.id = "t", .players = {{"a1", 1500}}}).status.ok());
  const MatchView view = std::get<MatchView>(world.Do(GetMatchCommand{match->id}).value);
  EXPECT_EQ(view.state, MatchState::kEnded);
  EXPECT_EQ(view.end, MatchEnd::kHoldTimeout);
  EXPECT_EQ(world.group.Stats(0, world.now).live_matches, 0u);
}

TEST(MatchTest, WithoutHoldPlayersAreFreeAtOnce) {
  QueueRules duel = DuelRules("duel");
  duel.hold_timeout = 0;
  GroupWorld world({duel});
  Pair(world, "a");
  const std::vector<Event> events = world.TakeEvents();
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().kind, EventKind::kMatchEnded);
  EXPECT_TRUE(world.Enqueue({.id = "t", .players = {{"a1", 1500}}}).status.ok());
  world.group.CheckInvariants();
}

TEST(MatchTest, PausedQueueFormsNothingUntilItGoesOn) {
  GroupWorld world({DuelRules("duel")});
  world.Enqueue({.id = "t1", .players = {{"p1", 1500}}});
  world.Enqueue({.id = "t2", .players = {{"p2", 1500}}, .timeout = 5 * kSecond});
  world.Do(PauseQueueCommand{0, true});
  EXPECT_EQ(world.Tick().matches, 0u);
  EXPECT_TRUE(world.group.Stats(0, world.now).paused);
  world.Do(PauseQueueCommand{0, false});
  EXPECT_EQ(world.Tick().matches, 1u);
}

TEST(MatchTest, EndedMatchesAreKeptForADay) {
  GroupWorld world({DuelRules("duel")});
  const auto match = Pair(world, "a");
  world.Do(EndMatchCommand{match->id});
  world.Pass(kMatchRetention - 1);
  EXPECT_TRUE(world.Do(GetMatchCommand{match->id}).status.ok());
  world.Pass(1);
  EXPECT_EQ(world.Do(GetMatchCommand{match->id}).status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(world.CountOf(EventKind::kMatchForgotten), 1u);
  world.group.CheckInvariants();
}

TEST(MatchTest, OldestEndedMatchIsForgottenAtTheCapButItsTicketsStillTellIt) {
  Limits limits;
  limits.retained_matches_per_group = 2;
  GroupWorld world({DuelRules("duel")}, limits);
  std::vector<std::shared_ptr<const Match>> matches;
  for (const char* name : {"a", "b", "c"}) {
    matches.push_back(Pair(world, name));
    world.Do(EndMatchCommand{matches.back()->id});
    world.group.CheckInvariants();
  }
  EXPECT_EQ(world.Do(GetMatchCommand{matches[0]->id}).status.code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(world.Do(GetMatchCommand{matches[1]->id}).status.ok());
  EXPECT_EQ(world.Ticket("a1").match, matches[0]) << "nobody acknowledged it yet";
  EXPECT_EQ(world.Attach("a1").events[0].match, matches[0]);
}

TEST(MatchTest, StatsCountWhatHappenedAndAreZeroAtTheEnd) {
  QueueRules duel = DuelRules("duel");
  duel.hold_timeout = kSecond;
  GroupWorld world({duel});
  Pair(world, "a");
  world.Enqueue({.id = "c", .players = {{"c", 0}}});
  world.Cancel("c");
  world.Enqueue({.id = "e", .players = {{"e", 0}}, .timeout = kSecond});
  world.now += kSecond / 2;
  QueueStats stats = world.group.Stats(0, world.now);
  EXPECT_EQ(stats.waiting_tickets, 1u);
  EXPECT_EQ(stats.waiting_players, 1);
  EXPECT_EQ(stats.oldest_wait, kSecond / 2);
  EXPECT_EQ(stats.live_matches, 1u);
  world.Pass(kSecond);
  stats = world.group.Stats(0, world.now);
  EXPECT_EQ(stats.enqueued, 4u);
  EXPECT_EQ(stats.matched_tickets, 2u);
  EXPECT_EQ(stats.matches, 1u);
  EXPECT_EQ(stats.cancelled, 1u);
  EXPECT_EQ(stats.expired, 1u);
  EXPECT_EQ(stats.waiting_tickets, 0u);
  EXPECT_EQ(stats.waiting_players, 0);
  EXPECT_EQ(stats.oldest_wait, 0);
  EXPECT_EQ(stats.live_matches, 0u);
}

TEST(MatchTest, UnknownMatchIsNotFound) {
  GroupWorld world({DuelRules("duel")});
  for (const Reply& reply : {world.Do(GetMatchCommand{{9, 9, 0}}), world.Do(EndMatchCommand{{9, 9, 0}})}) {
    EXPECT_EQ(reply.status.code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(reply.field, "match_id");
  }
}

TEST(MatchDeathTest, TimeDoesNotGoBackwards) {
  GroupWorld world({DuelRules("duel")});
  world.Pass(1);
  EXPECT_DEATH(world.group.Advance(world.now - 1, &world.events), "CHECK failed");
}

}  // namespace
}  // namespace evenmatch
