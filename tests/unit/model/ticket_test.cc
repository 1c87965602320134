#include "model/ticket.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>
#include <vector>

#include "tests/support/tickets.h"

namespace evenmatch {
namespace {

TicketSpec Pair() { return {.id = "t1", .players = {{"p1", 1500}, {"p2", 1601}}, .queues = {0, 3}}; }

TEST(ContentTest, EqualContentIsTheSameRequest) {
  EXPECT_EQ(Digest(*MakeTicket(Pair())), Digest(*MakeTicket(Pair())));
  EXPECT_TRUE(SameContent(*MakeTicket(Pair()), *MakeTicket(Pair())));
}

TEST(ContentTest, SessionAndPeerAreNotContent) {
  TicketSpec other = Pair();
  other.session = "s";
  other.peer = 5;
  EXPECT_EQ(Digest(*MakeTicket(Pair())), Digest(*MakeTicket(other)));
  EXPECT_TRUE(SameContent(*MakeTicket(Pair()), *MakeTicket(other)));
}

TEST(ContentTest, EveryPartOfTheContentCounts) {
  const std::vector<std::function<void(Ticket&)>> changes = {
      [](Ticket&) {},
      [](Ticket& t) { t.ticket_id = "t2"; },
      [](Ticket& t) { t.queues.pop_back(); },
      [](Ticket& t) { t.queues[0].queue = 1; },
      [](Ticket& t) { t.queues[0].preference = 1; },
      [](Ticket& t) {
        t.queues[0].ratings = std::make_unique<const std::vector<QueueChoice::Rating>>(
            std::vector<QueueChoice::Rating>{{.player = 0, .value = 1, .deviation = 2}});
      },
      [](Ticket& t) { t.players.pop_back(); },
      [](Ticket& t) { t.players[0].player_id = "p3"; },
      [](Ticket& t) { t.players[0].value = kNoValue; },
      [](Ticket& t) { t.players[0].value = 0; },
      [](Ticket& t) { t.players[0].deviation = 1; },
      [](Ticket& t) { t.players[0].details = std::make_unique<const PlayerDetails>(PlayerDetails{.tier = "gold"}); },
      [](Ticket& t) { t.players[1].details = std::make_unique<const PlayerDetails>(PlayerDetails{.tier = "gold"}); },
      [](Ticket& t) { t.players[1].details = std::make_unique<const PlayerDetails>(PlayerDetails{.roles = {"gold"}}); },
      [](Ticket& t) { t.details = std::make_unique<const TicketDetails>(TicketDetails{.party_id = "a"}); },
      [](Ticket& t) {
        t.details = std::make_unique<const TicketDetails>(TicketDetails{.attributes = {{"a", "b"}}});
      },
      [](Ticket& t) {
        t.details = std::make_unique<const TicketDetails>(TicketDetails{.attributes = {{"a", 1.0}}});
      },
      [](Ticket& t) { t.presence = Presence::kStream; },
      [](Ticket& t) { t.accepts_bots = true; },
      [](Ticket& t) { t.timeout = 1; },
  };
  std::set<uint64_t> digests;
  std::vector<std::shared_ptr<const Ticket>> tickets;
  for (const auto& change : changes) {
    const auto ticket = MakeTicket(Pair());
    change(*ticket);
    digests.insert(Digest(*ticket));
    for (const auto& other : tickets) EXPECT_FALSE(SameContent(*ticket, *other));
    EXPECT_TRUE(SameContent(*ticket, *ticket));
    tickets.push_back(ticket);
  }
  EXPECT_EQ(digests.size(), changes.size());
}

TEST(WithTest, CopiesAllButTheIdOrTheSession) {
  const auto ticket = MakeTicket(Pair());
  ticket->queues[1].ratings = std::make_unique<const std::vector<QueueChoice::Rating>>(
      std::vector<QueueChoice::Rating>{{.player = 1, .value = 5, .deviation = 6}});
  ticket->players[0].details = std::make_unique<const PlayerDetails>(PlayerDetails{.latency_ms = {{"eu", 20}}});
  ticket->details =
      std::make_unique<const TicketDetails>(TicketDetails{.party_id = "crew", .attributes = {{"map", "dust"}}});
  ticket->session = std::make_shared<const std::string>("s");
  ticket->group = 2;
  ticket->peer = 9;
  ticket->presence = Presence::kStream;
  ticket->accepts_bots = true;

  const auto copy = WithId(*ticket, "minted");
  EXPECT_EQ(copy->ticket_id, "minted");
  EXPECT_EQ(copy->session, ticket->session);
  EXPECT_EQ(copy->group, 2u);
  EXPECT_EQ(copy->peer, 9u);
  const auto back = WithId(*copy, ticket->ticket_id);
  EXPECT_TRUE(SameContent(*back, *ticket));
  EXPECT_FALSE(SameContent(*copy, *ticket));

  const auto moved = WithSession(*ticket, std::make_shared<const std::string>("other"));
  EXPECT_EQ(*moved->session, "other");
  EXPECT_EQ(moved->peer, 9u);
  EXPECT_TRUE(SameContent(*moved, *ticket));
}

TEST(TicketValueTest, MeanOfThePartyRoundedTowardsZero) {
  const auto ticket = MakeTicket({.players = {{"a", 0}, {"b", 0}}});
  ticket->players[0].value = 1;
  EXPECT_EQ(ValueIn(*ticket, ticket->queues[0], 0), 0);
  ticket->players[1].value = 2;
  EXPECT_EQ(ValueIn(*ticket, ticket->queues[0], 0), 1);
  ticket->players[0].value = -2;
  ticket->players[1].value = -1;
  EXPECT_EQ(ValueIn(*ticket, ticket->queues[0], 0), -1);
}

TEST(TicketValueTest, QueueRatingOverrulesPlayerAndStartValueFillsIn) {
  const auto ticket = MakeTicket({.players = {{"a", 1000}, {"b", 2000}}});
  ticket->players[0].value = kNoValue;
  EXPECT_EQ(ValueIn(*ticket, ticket->queues[0], 1500 * kPoint), 1750 * kPoint);
  ticket->queues[0].ratings = std::make_unique<const std::vector<QueueChoice::Rating>>(
      std::vector<QueueChoice::Rating>{{.player = 1, .value = 500 * kPoint}});
  EXPECT_EQ(ValueIn(*ticket, ticket->queues[0], 1500 * kPoint), 1000 * kPoint);
}

TEST(TicketValueTest, ExtremeValuesDoNotOverflow) {
  TicketSpec spec{.players = {}};
  for (int i = 0; i < 64; ++i) spec.players.push_back({Name("p", i), 0});
  const auto ticket = MakeTicket(spec);
  for (Player& player : ticket->players) player.value = -kMaxValue;
  EXPECT_EQ(ValueIn(*ticket, ticket->queues[0], 0), -kMaxValue);
}

TEST(TicketStateTest, FinalStatesAreNeverLeft) {
  using enum TicketState;
  for (TicketState from : {kMatched, kCancelled, kExpired}) {
    EXPECT_TRUE(IsFinal(from));
    for (TicketState to : {kWaiting, kProposed, kMatched, kCancelled, kExpired}) EXPECT_FALSE(MayFollow(from, to));
  }
  EXPECT_TRUE(MayFollow(kWaiting, kProposed));
  EXPECT_TRUE(MayFollow(kProposed, kWaiting));
  EXPECT_FALSE(MayFollow(kWaiting, kWaiting));
}

}  // namespace
}  // namespace evenmatch
