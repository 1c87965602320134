#include "rpc/parse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/unit/rpc/rpc_world.h"

namespace evenmatch {
namespace {

class ParseTest : public testing::Test {
 protected:
  static v1::EnqueueRequest Solo() {
    v1::EnqueueRequest request;
    v1::Ticket& ticket = *request.mutable_ticket();
    ticket.set_ticket_id("t1");
    ticket.add_queues()->set_queue("duel");
    ticket.add_players()->set_player_id("p1");
    return request;
  }
  static v1::EnqueueRequest Party() {
    v1::EnqueueRequest request;
    v1::Ticket& ticket = *request.mutable_ticket();
    ticket.add_queues()->set_queue("squad");
    ticket.add_players()->set_player_id("p1");
    ticket.add_players()->set_player_id("p2");
    return request;
  }
  Parsed Parse(const v1::EnqueueRequest& request) {
    return parser_.Parse(request, Origin{7, std::make_shared<std::string>("s")});
  }
  const Ticket& ParseOk(const v1::EnqueueRequest& request) {
    last_ = Parse(request);
    EXPECT_TRUE(last_.status.ok()) << last_.status;
    return *std::get<EnqueueCommand>(last_.command).ticket;
  }

  const Catalog catalog_ = TestCatalog();
  const Limits limits_;
  const Parser parser_{catalog_, limits_};
  Parsed last_;
};

struct BadTicket {
  const char* field;
  std::function<void(v1::Ticket*)> spoil;
};

TEST_F(ParseTest, RefusesEveryBadTicketNamingTheField) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string long_id(129, 'x');
  const auto value = [](const char* text) {
    v1::AttributeValue v;
    v.set_text(text);
    return v;
  };
  const std::vector<BadTicket> cases = {
      // Numbers.
      {"ticket.players[1].rating", [&](auto* t) { t->mutable_players(1)->set_rating(nan); }},
      {"ticket.players[1].rating", [&](auto* t) { t->mutable_players(1)->set_rating(infinity); }},
      {"ticket.players[1].rating", [&](auto* t) { t->mutable_players(1)->set_rating(-infinity); }},
      {"ticket.players[0].rating", [&](auto* t) { t->mutable_players(0)->set_rating(100'000.1); }},
      {"ticket.players[0].rating", [&](auto* t) { t->mutable_players(0)->set_rating(-100'001); }},
      {"ticket.players[0].rating_deviation", [&](auto* t) { t->mutable_players(0)->set_rating_deviation(-0.5); }},
      {"ticket.players[0].rating_deviation", [&](auto* t) { t->mutable_players(0)->set_rating_deviation(10'001); }},
      {"ticket.players[0].rating_deviation", [&](auto* t) { t->mutable_players(0)->set_rating_deviation(nan); }},
      {"ticket.players[0].games_played", [&](auto* t) { t->mutable_players(0)->set_games_played(-1); }},
      {"ticket.players[0].loss_streak", [&](auto* t) { t->mutable_players(0)->set_loss_streak(-1); }},
      {"ticket.players[0].latency_ms[\"eu\"]",
       [&](auto* t) { (*t->mutable_players(0)->mutable_latency_ms())["eu"] = -1; }},
      {"ticket.players[0].latency_ms[\"eu\"]",
       [&](auto* t) { (*t->mutable_players(0)->mutable_latency_ms())["eu"] = 10'001; }},
      // Ids.
      {"ticket.ticket_id", [&](auto* t) { t->set_ticket_id(long_id); }},
      {"ticket.ticket_id", [&](auto* t) { t->set_ticket_id("\xff"); }},
      {"ticket.ticket_id", [&](auto* t) { t->set_ticket_id("a\nb"); }},
      {"ticket.party_id", [&](auto* t) { t->set_party_id(long_id); }},
      {"ticket.players[1].player_id", [&](auto* t) { t->mutable_players(1)->clear_player_id(); }},
      {"ticket.players[1].player_id", [&](auto* t) { t->mutable_players(1)->set_player_id(long_id); }},
      {"ticket.players[1].player_id", [&](auto* t) { t->mutable_players(1)->set_player_id("\xc3"); }},
      {"ticket.players[1].player_id", [&](auto* t) { t->mutable_players(1)->set_player_id(std::string("a\0b", 3)); }},
      {"ticket.players[1].player_id", [&](auto* t) { t->mutable_players(1)->set_player_id("p1"); }},
      {"ticket.players[0].tier", [&](auto* t) { t->mutable_players(0)->set_tier(long_id); }},
      {"ticket.players[0].latency_ms[\"\"]", [&](auto* t) { (*t->mutable_players(0)->mutable_latency_ms())[""] = 1; }},
      {"ticket.players[0].roles[1]",
       [&](auto* t) {
         t->mutable_players(0)->add_roles("tank");
         t->mutable_players(0)->add_roles("");
       }},
      {"ticket.players[0].roles[1]",
       [&](auto* t) {
         t->mutable_players(0)->add_roles("tank");
         t->mutable_players(0)->add_roles("tank");
       }},
      {"ticket.players[0].avoid[0]", [&](auto* t) { t->mutable_players(0)->add_avoid(""); }},
      {"ticket.players[0].block[0]", [&](auto* t) { t->mutable_players(0)->add_block(long_id); }},
      {"ticket.players[0].recent_opponents[0]", [&](auto* t) { t->mutable_players(0)->add_recent_opponents("\x80"); }},
      // Too many.
      {"ticket.players",
       [&](auto* t) {
         for (int i = 0; i < 63; ++i) t->add_players()->set_player_id(std::to_string(i));
       }},
      {"ticket.queues",
       [&](auto* t) {
         for (int i = 0; i < 16; ++i) t->add_queues()->set_queue("squad");
       }},
      {"ticket.attributes",
       [&](auto* t) {
         for (int i = 0; i < 65; ++i) (*t->mutable_attributes())[std::to_string(i)] = value("");
       }},
      {"ticket.players[0].attributes",
       [&](auto* t) {
         for (int i = 0; i < 65; ++i) (*t->mutable_players(0)->mutable_attributes())[std::to_string(i)] = value("");
       }},
      {"ticket.players[0].latency_ms",
       [&](auto* t) {
         for (int i = 0; i < 65; ++i) (*t->mutable_players(0)->mutable_latency_ms())[std::to_string(i)] = 1;
       }},
      {"ticket.players[0].roles",
       [&](auto* t) {
         for (int i = 0; i < 65; ++i) t->mutable_players(0)->add_roles(std::to_string(i));
       }},
      {"ticket.players[0].block",
       [&](auto* t) {
         for (int i = 0; i < 257; ++i) t->mutable_players(0)->add_block(std::to_string(i));
       }},
      // Attributes.
      {"ticket.attributes[\"a\"]", [&](auto* t) { (*t->mutable_attributes())["a"]; }},
      {"ticket.attributes[\"\"]", [&](auto* t) { (*t->mutable_attributes())[""] = value("x"); }},
      {"ticket.attributes[\"a\"].text",
       [&](auto* t) { (*t->mutable_attributes())["a"] = value(std::string(257, 'x').c_str()); }},
      {"ticket.attributes[\"a\"].text", [&](auto* t) { (*t->mutable_attributes())["a"] = value("\xff"); }},
      {"ticket.attributes[\"a\"].number", [&](auto* t) { (*t->mutable_attributes())["a"].set_number(nan); }},
      {"ticket.attributes[\"a\"].texts.values",
       [&](auto* t) {
         auto* texts = (*t->mutable_attributes())["a"].mutable_texts();
         texts->add_values(std::string(200, 'x'));
         texts->add_values(std::string(57, 'x'));
       }},
      {"ticket.attributes[\"a\"].texts.values",
       [&](auto* t) {
         for (int i = 0; i < 257; ++i) (*t->mutable_attributes())["a"].mutable_texts()->add_values("");
       }},
      // Players and queues.
      {"ticket.players", [&](auto* t) { t->clear_players(); }},
      {"ticket.players", [&](auto* t) { t->add_queues()->set_queue("duel"); }},
      {"ticket.queues", [&](auto* t) { t->clear_queues(); }},
      {"ticket.queues[0].queue", [&](auto* t) { t->mutable_queues(0)->set_queue("nosuch"); }},
      {"ticket.queues[0].queue", [&](auto* t) { t->mutable_queues(0)->clear_queue(); }},
      {"ticket.queues[1].queue", [&](auto* t) { t->add_queues()->set_queue("squad"); }},
      {"ticket.queues[1].queue", [&](auto* t) { t->add_queues()->set_queue("arena"); }},
      {"ticket.pool_group", [&](auto* t) { t->set_pool_group("other"); }},
      {"ticket.pool_group", [&](auto* t) { t->set_pool_group("nosuch"); }},
      {"ticket.queues[0].preference", [&](auto* t) { t->mutable_queues(0)->set_preference(1001); }},
      {"ticket.queues[0].preference", [&](auto* t) { t->mutable_queues(0)->set_preference(-1001); }},
      {"ticket.queues[0].ratings[\"p3\"]", [&](auto* t) { (*t->mutable_queues(0)->mutable_ratings())["p3"]; }},
      {"ticket.queues[0].ratings[\"p2\"].value",
       [&](auto* t) { (*t->mutable_queues(0)->mutable_ratings())["p2"].set_value(nan); }},
      {"ticket.queues[0].ratings[\"p2\"].deviation",
       [&](auto* t) { (*t->mutable_queues(0)->mutable_ratings())["p2"].set_deviation(-1); }},
      // Time and kinds.
      {"ticket.timeout", [&](auto* t) { t->mutable_timeout(); }},
      {"ticket.timeout", [&](auto* t) { t->mutable_timeout()->set_seconds(-1); }},
      {"ticket.timeout", [&](auto* t) { t->mutable_timeout()->set_nanos(-1); }},
      {"ticket.timeout", [&](auto* t) { t->mutable_timeout()->set_seconds(86'401); }},
      {"ticket.timeout",
       [&](auto* t) {
         t->mutable_timeout()->set_seconds(86'400);
         t->mutable_timeout()->set_nanos(1);
       }},
      {"ticket.timeout", [&](auto* t) { t->mutable_timeout()->set_seconds(std::numeric_limits<int64_t>::max()); }},
      {"ticket.timeout", [&](auto* t) { t->mutable_timeout()->set_nanos(1'000'000'000); }},
      {"ticket.timeout",
       [&](auto* t) {
         t->mutable_timeout()->set_seconds(1);
         t->mutable_timeout()->set_nanos(-1);
       }},
      {"ticket.presence", [&](auto* t) { t->set_presence(static_cast<v1::Presence>(3)); }},
  };
  for (const BadTicket& bad : cases) {
    v1::EnqueueRequest request = Party();
    bad.spoil(request.mutable_ticket());
    const Parsed parsed = Parse(request);
    EXPECT_TRUE(absl::IsInvalidArgument(parsed.status)) << bad.field << ": " << parsed.status;
    EXPECT_EQ(parsed.field, bad.field) << parsed.status;
    EXPECT_EQ(parsed.status.message().find(bad.field), 0u) << parsed.status;
  }
}

TEST_F(ParseTest, RefusesAMissingTicket) {
  const Parsed parsed = Parse(v1::EnqueueRequest());
  EXPECT_TRUE(absl::IsInvalidArgument(parsed.status));
  EXPECT_EQ(parsed.field, "ticket");
}

TEST_F(ParseTest, AcceptsValuesOnTheirLimits) {
  v1::EnqueueRequest request = Party();
  v1::Ticket& in = *request.mutable_ticket();
  in.set_ticket_id(std::string(128, 'x'));
  in.set_party_id("fünf ☃");
  in.mutable_players(0)->set_rating(100'000);
  in.mutable_players(1)->set_rating(-100'000);
  in.mutable_players(1)->set_rating_deviation(10'000);
  (*in.mutable_players(0)->mutable_latency_ms())["eu"] = 10'000;
  (*in.mutable_players(0)->mutable_latency_ms())["us"] = 0;
  for (int i = 0; i < 64; ++i) (*in.mutable_attributes())[std::to_string(i)].set_text(std::string(256, 'x'));
  for (int i = 0; i < 256; ++i) in.mutable_players(0)->add_block(std::to_string(i));
  in.mutable_queues(0)->set_preference(-1000);
  in.mutable_timeout()->set_seconds(86'400);
  in.set_pool_group("default");
  const Ticket& ticket = ParseOk(request);
  EXPECT_EQ(ticket.players[0].value, kMaxValue);
  EXPECT_EQ(ticket.players[1].value, -kMaxValue);
  EXPECT_EQ(ticket.players[1].deviation, 10'000 * kPoint);
  EXPECT_EQ(ticket.timeout, 24 * kHour);
  EXPECT_EQ(ticket.details->attributes.size(), 64u);
}

TEST_F(ParseTest, KeepsEverythingTheClientSaid) {
  v1::EnqueueRequest request = Party();
  v1::Ticket& in = *request.mutable_ticket();
  in.set_ticket_id("t");
  in.set_party_id("party");
  in.set_presence(v1::PRESENCE_STREAM);
  in.set_accepts_bots(true);
  in.mutable_timeout()->set_nanos(1'500'001);
  v1::QueueChoice& choice = *in.mutable_queues(0);
  choice.set_preference(3);
  (*choice.mutable_ratings())["p2"].set_value(1700);
  (*choice.mutable_ratings())["p1"].set_value(1600);
  (*choice.mutable_ratings())["p1"].set_deviation(80);
  v1::Player& player = *in.mutable_players(0);
  player.set_rating(1500.0004);
  player.set_tier("gold");
  player.set_games_played(9);
  player.set_loss_streak(2);
  (*player.mutable_latency_ms())["eu"] = 20;
  player.add_roles("tank");
  (*player.mutable_attributes())["n"].set_number(2.5);
  (*player.mutable_attributes())["l"].mutable_texts()->add_values("a");
  player.add_recent_opponents("r");
  player.add_avoid("a");
  player.add_block("b");

  const Ticket& ticket = ParseOk(request);
  EXPECT_EQ(ticket.ticket_id, "t");
  EXPECT_EQ(ticket.details->party_id, "party");
  EXPECT_EQ(*ticket.session, "s");
  EXPECT_EQ(ticket.peer, 7u);
  EXPECT_EQ(ticket.presence, Presence::kStream);
  EXPECT_TRUE(ticket.accepts_bots);
  EXPECT_EQ(ticket.timeout, 1501);
  EXPECT_EQ(last_.group, 0u);
  ASSERT_EQ(ticket.queues.size(), 1u);
  EXPECT_EQ(ticket.queues[0].queue, 1u);
  EXPECT_EQ(ticket.queues[0].preference, 3);
  ASSERT_EQ(ticket.queues[0].ratings->size(), 2u);
  EXPECT_EQ((*ticket.queues[0].ratings)[0].player, 0u);
  EXPECT_EQ((*ticket.queues[0].ratings)[0].value, 1600 * kPoint);
  EXPECT_EQ((*ticket.queues[0].ratings)[0].deviation, 80 * kPoint);
  EXPECT_EQ((*ticket.queues[0].ratings)[1].player, 1u);
  EXPECT_EQ(ticket.players[0].value, 1500 * kPoint);
  EXPECT_EQ(ticket.players[1].value, kNoValue);
  EXPECT_EQ(ticket.players[1].details, nullptr);
  const PlayerDetails& details = *ticket.players[0].details;
  EXPECT_EQ(details.tier, "gold");
  EXPECT_EQ(details.games_played, 9);
  EXPECT_EQ(details.loss_streak, 2);
  EXPECT_EQ(details.latency_ms.at("eu"), 20);
  EXPECT_EQ(details.roles, std::vector<std::string>{"tank"});
  EXPECT_EQ(std::get<double>(details.attributes.at("n")), 2.5);
  EXPECT_EQ(std::get<std::vector<std::string>>(details.attributes.at("l")), std::vector<std::string>{"a"});
  EXPECT_EQ(details.recent_opponents, std::vector<std::string>{"r"});
  EXPECT_EQ(details.avoid, std::vector<std::string>{"a"});
  EXPECT_EQ(details.block, std::vector<std::string>{"b"});
}

TEST_F(ParseTest, RoundsRatingsToTheNearestThousandth) {
  v1::EnqueueRequest request = Solo();
  request.mutable_ticket()->mutable_players(0)->set_rating(1499.9996);
  EXPECT_EQ(ParseOk(request).players[0].value, 1'500'000);
  request.mutable_ticket()->mutable_players(0)->set_rating(-0.0014);
  EXPECT_EQ(ParseOk(request).players[0].value, -1);
}

TEST_F(ParseTest, UnsetTimeoutIsTheShortestDefaultOfTheQueues) {
  v1::EnqueueRequest request = Solo();
  EXPECT_EQ(ParseOk(request).timeout, 90 * kSecond);
  request.mutable_ticket()->add_queues()->set_queue("squad");
  EXPECT_EQ(ParseOk(request).timeout, 60 * kSecond);
}

TEST_F(ParseTest, DigestDoesNotDependOnTheOrderOfMaps) {
  v1::EnqueueRequest one = Party(), other = Party();
  for (const char* player : {"p1", "p2"}) {
    (*one.mutable_ticket()->mutable_queues(0)->mutable_ratings())[player].set_value(player[1]);
  }
  for (const char* player : {"p2", "p1"}) {
    (*other.mutable_ticket()->mutable_queues(0)->mutable_ratings())[player].set_value(player[1]);
  }
  EXPECT_EQ(Digest(ParseOk(one)), Digest(ParseOk(other)));
}

TEST_F(ParseTest, LoweredLimitsHold) {
  Limits limits;
  limits.ticket_timeout = 30 * kSecond;
  const Parser parser(catalog_, limits);
  v1::EnqueueRequest request = Solo();
  EXPECT_EQ(std::get<EnqueueCommand>(parser.Parse(request, {}).command).ticket->timeout, 30 * kSecond);
  request.mutable_ticket()->mutable_timeout()->set_seconds(31);
  EXPECT_EQ(parser.Parse(request, {}).field, "ticket.timeout");
}

TEST_F(ParseTest, NamesATicketByExactlyOneOfItsNames) {
  v1::CancelRequest request;
  EXPECT_EQ(parser_.Parse(request, {}).field, "ticket_id");
  request.set_ticket_id("t");
  EXPECT_EQ(std::get<CancelCommand>(parser_.Parse(request, {}).command).name.ticket_id, "t");
  request.set_player_id("p");
  EXPECT_EQ(parser_.Parse(request, {}).field, "ticket_id");
  request.clear_ticket_id();
  EXPECT_EQ(std::get<CancelCommand>(parser_.Parse(request, {}).command).name.player_id, "p");
  request.set_player_id("p\x01");
  EXPECT_EQ(parser_.Parse(request, {}).field, "player_id");
}

TEST_F(ParseTest, EmptyPoolGroupIsDefaultAndUnknownOnesAreRefused) {
  v1::GetTicketRequest request;
  request.set_ticket_id("t");
  EXPECT_EQ(parser_.Parse(request, {}).group, 0u);
  request.set_pool_group("other");
  EXPECT_EQ(parser_.Parse(request, {}).group, 1u);
  request.set_pool_group("nosuch");
  EXPECT_TRUE(absl::IsInvalidArgument(parser_.Parse(request, {}).status));
  EXPECT_EQ(parser_.Parse(request, {}).field, "pool_group");
}

TEST_F(ParseTest, ExplainNamesATicketOrAPlayer) {
  v1::ExplainTicketRequest request;
  EXPECT_EQ(parser_.Parse(request, {}).field, "ticket_id");
  request.set_player_id("p");
  request.set_pool_group("other");
  const Parsed parsed = parser_.Parse(request, {});
  ASSERT_TRUE(parsed.status.ok());
  EXPECT_EQ(parsed.group, 1u);
  EXPECT_EQ(std::get<ExplainTicketCommand>(parsed.command).name.player_id, "p");
}

TEST_F(ParseTest, CursorMayBeUnset) {
  v1::WatchTicketRequest request;
  request.set_ticket_id("t");
  EXPECT_FALSE(std::get<AttachCommand>(parser_.Parse(request, {}).command).from_cursor);
  request.set_cursor(0);
  EXPECT_TRUE(std::get<AttachCommand>(parser_.Parse(request, {}).command).from_cursor);
}

TEST_F(ParseTest, AcknowledgeNeedsATicket) {
  v1::AcknowledgeRequest request;
  request.set_player_id("p");
  EXPECT_EQ(parser_.Parse(request, {}).field, "ticket_id");
  request.set_ticket_id("t");
  request.set_sequence(3);
  const Parsed parsed = parser_.Parse(request, {});
  const auto& command = std::get<AcknowledgeCommand>(parsed.command);
  EXPECT_EQ(command.name.ticket_id, "t");
  EXPECT_EQ(command.player_id, "p");
  EXPECT_EQ(command.sequence, 3u);
}

TEST_F(ParseTest, MatchIdsOfOthersAreNotFound) {
  v1::GetMatchRequest request;
  EXPECT_TRUE(absl::IsInvalidArgument(parser_.Parse(request, {}).status));
  for (const char* id : {"x", "1-2", "1-2-", "1-2-nosuch", "99999999999999999999-1-default", "-1-2-default"}) {
    request.set_match_id(id);
    EXPECT_TRUE(absl::IsNotFound(parser_.Parse(request, {}).status)) << id;
  }
  request.set_match_id("3-4-other");
  const Parsed parsed = parser_.Parse(request, {});
  EXPECT_EQ(std::get<GetMatchCommand>(parsed.command).id, (MatchId{3, 4, 1}));
  EXPECT_EQ(parsed.group, 1u);
}

TEST_F(ParseTest, OperatorsQueueIsLookedUp) {
  v1::PauseQueueRequest request;
  EXPECT_TRUE(absl::IsInvalidArgument(parser_.Parse(request, {}).status));
  request.set_queue("nosuch");
  EXPECT_TRUE(absl::IsNotFound(parser_.Parse(request, {}).status));
  request.set_queue("arena");
  const Parsed parsed = parser_.Parse(request, {});
  EXPECT_EQ(parsed.group, 1u);
  EXPECT_EQ(std::get<PauseQueueCommand>(parsed.command).queue, 2u);
  EXPECT_TRUE(std::get<PauseQueueCommand>(parsed.command).paused);
}

TEST_F(ParseTest, IntervalOfStatsIsBounded) {
  v1::WatchQueueStatsRequest request;
  request.set_queue("duel");
  Micros interval = 0;
  EXPECT_TRUE(parser_.Parse(request, &interval).status.ok());
  EXPECT_EQ(interval, kSecond);
  request.mutable_interval()->set_nanos(99'999'999);
  EXPECT_TRUE(parser_.Parse(request, &interval).status.ok()) << "rounded up";
  request.mutable_interval()->set_nanos(99'000'000);
  EXPECT_EQ(parser_.Parse(request, &interval).field, "interval");
  request.mutable_interval()->set_seconds(3601);
  EXPECT_EQ(parser_.Parse(request, &interval).field, "interval");
}

TEST_F(ParseTest, SessionIdsAreChecked) {
  EXPECT_EQ(parser_.ParseSessionId("").field, "session_id");
  EXPECT_EQ(parser_.ParseSessionId(std::string(129, 'x')).field, "session_id");
  EXPECT_TRUE(parser_.ParseSessionId("s").status.ok());
}

TEST_F(ParseTest, SessionCommandsAreParsedLikeTheUnaryCalls) {
  v1::SessionCommand command;
  EXPECT_EQ(parser_.Parse(command, {}).field, "command");
  command.mutable_enqueue()->mutable_ticket()->add_players();
  EXPECT_EQ(parser_.Parse(command, {}).field, "ticket.players[0].player_id");
  command.mutable_cancel()->set_ticket_id("t");
  EXPECT_TRUE(std::holds_alternative<CancelCommand>(parser_.Parse(command, {}).command));
}

}  // namespace
}  // namespace evenmatch
