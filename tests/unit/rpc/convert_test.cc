#include "rpc/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <memory>
#include <set>

#include "tests/unit/rpc/rpc_world.h"

namespace evenmatch {
namespace {

class ConvertTest : public testing::Test {
 protected:
  static std::shared_ptr<const Ticket> MakeTicket(const std::string& id, MilliPoints value) {
    auto ticket = std::make_shared<Ticket>();
    ticket->ticket_id = id;
    ticket->queues.emplace_back();
    ticket->players.emplace_back();
    ticket->players[0].player_id = "player-" + id;
    if (value != 0) ticket->players[0].value = value;
    return ticket;
  }
  static Match MakeMatch() {
    Match match;
    match.id = {3, 4, 1};
    match.sides.push_back({MakeTicket("a", 1400 * kPoint), 1, 0, 0});
    match.sides.push_back({MakeTicket("b", 0), 2, 1, 0});
    match.win_chance = {3600, 6400};
    match.quality = 8000;
    match.spread = 100 * kPoint;
    match.longest_wait = 2'500'000;
    match.stage = 1;
    match.formed_at = 1'700'000'000'250'000;
    return match;
  }

  const Catalog catalog_ = TestCatalog();
};

TEST_F(ConvertTest, MatchHasTeamsSeatsAndQuality) {
  v1::Match match;
  ToProto(MakeMatch(), catalog_, Ratings::kShown, &match);
  EXPECT_EQ(match.match_id(), "3-4-other");
  EXPECT_EQ(match.queue(), "duel");
  ASSERT_EQ(match.teams_size(), 2);
  ASSERT_EQ(match.teams(0).seats_size(), 1);
  EXPECT_EQ(match.teams(0).seats(0).player_id(), "player-a");
  EXPECT_EQ(match.teams(0).seats(0).ticket_id(), "a");
  EXPECT_EQ(match.teams(0).seats(0).rating(), 1400);
  EXPECT_EQ(match.teams(1).seats(0).rating(), 1500) << "the start value of the queue";
  EXPECT_EQ(match.quality().score(), 8000);
  EXPECT_EQ(match.quality().win_probability(0), 0.36);
  EXPECT_EQ(match.quality().win_probability(1), 0.64);
  EXPECT_EQ(match.quality().spread_points(), 100);
  EXPECT_EQ(match.quality().longest_wait().seconds(), 2);
  EXPECT_EQ(match.quality().longest_wait().nanos(), 500'000'000);
  EXPECT_EQ(match.quality().stage(), 1);
  EXPECT_EQ(match.formed_at().seconds(), 1'700'000'000);
  EXPECT_EQ(match.formed_at().nanos(), 250'000'000);
}

TEST_F(ConvertTest, SeatsHaveTheirRolesInOrderOfPlayers) {
  Catalog catalog = catalog_;
  catalog.queues[0].roles.roles = {{"tank", 1}, {"healer", 1}};
  Match match = MakeMatch();
  match.roles = {{1, false}, {0, true}};
  v1::Match out;
  ToProto(match, catalog, Ratings::kHidden, &out);
  EXPECT_EQ(out.teams(0).seats(0).role(), "healer");
  EXPECT_FALSE(out.teams(0).seats(0).filled_in());
  EXPECT_EQ(out.teams(1).seats(0).role(), "tank");
  EXPECT_TRUE(out.teams(1).seats(0).filled_in());
}

TEST_F(ConvertTest, MatchNamesItsRegionWhenThereIsOne) {
  Catalog catalog = catalog_;
  catalog.queues[0].regions.regions = {"eu", "us"};
  Match match = MakeMatch();
  v1::Match nowhere, somewhere;
  ToProto(match, catalog, Ratings::kHidden, &nowhere);
  EXPECT_EQ(nowhere.region(), "");
  match.region = 1;
  ToProto(match, catalog, Ratings::kHidden, &somewhere);
  EXPECT_EQ(somewhere.region(), "us");
}

TEST_F(ConvertTest, ASmallerMatchHasTheTeamsItHas) {
  Catalog catalog = catalog_;
  catalog.queues[0].team_count = 4;
  v1::Match out;
  ToProto(MakeMatch(), catalog, Ratings::kHidden, &out);
  EXPECT_EQ(out.teams_size(), 2);
}

TEST_F(ConvertTest, CostsHaveTheUnitOfTheirTerm) {
  struct Case {
    QualityTerm term;
    int64_t measure;
    v1::QualityTerm out;
    double out_measure;
  };
  const Case cases[] = {{QualityTerm::kDistance, 12'500, v1::QUALITY_TERM_DISTANCE, 12.5},
                        {QualityTerm::kEvenness, 2'500, v1::QUALITY_TERM_EVENNESS, 0.25},
                        {QualityTerm::kLatency, 30, v1::QUALITY_TERM_LATENCY, 30},
                        {QualityTerm::kParty, 2, v1::QUALITY_TERM_PARTY, 2},
                        {QualityTerm::kFill, 200, v1::QUALITY_TERM_FILL, 0.2},
                        {QualityTerm::kPreference, 3, v1::QUALITY_TERM_PREFERENCE, 3},
                        {QualityTerm::kRecent, 500, v1::QUALITY_TERM_RECENT, 0.5},
                        {QualityTerm::kAvoid, 1'500, v1::QUALITY_TERM_AVOID, 1.5},
                        {QualityTerm::kAttributes, 1'000, v1::QUALITY_TERM_ATTRIBUTES, 1}};
  static_assert(std::size(cases) == kQualityTerms);
  Match match = MakeMatch();
  for (const Case& c : cases) match.costs.push_back({c.term, c.measure, 77});
  v1::Match out;
  ToProto(match, catalog_, Ratings::kHidden, &out);
  ASSERT_EQ(out.quality().costs_size(), static_cast<int>(kQualityTerms));
  for (size_t i = 0; i < kQualityTerms; ++i) {
    const v1::QualityCost& cost = out.quality().costs(static_cast<int>(i));
    EXPECT_EQ(cost.term(), cases[i].out);
    EXPECT_EQ(cost.measure(), cases[i].out_measure);
    EXPECT_EQ(cost.cost(), 77);
  }
}

TEST_F(ConvertTest, PlayersDoNotSeeRatings) {
  v1::Match match;
  ToProto(MakeMatch(), catalog_, Ratings::kHidden, &match);
  EXPECT_FALSE(match.teams(0).seats(0).has_rating());
}

TEST_F(ConvertTest, EveryToldEventHasItsKind) {
  const std::pair<EventKind, v1::TicketEventKind> kinds[] = {
      {EventKind::kQueued, v1::TICKET_EVENT_KIND_QUEUED},   {EventKind::kWidened, v1::TICKET_EVENT_KIND_WIDENED},
      {EventKind::kMatched, v1::TICKET_EVENT_KIND_MATCHED}, {EventKind::kCancelled, v1::TICKET_EVENT_KIND_CANCELLED},
      {EventKind::kExpired, v1::TICKET_EVENT_KIND_EXPIRED},
  };
  for (const auto& [kind, expected] : kinds) {
    Event event;
    event.kind = kind;
    event.ticket = MakeTicket("a", 0);
    event.sequence = 3;
    event.at = 1'000'001;
    event.reason = Reason::kTimeout;
    event.snapshot = true;
    v1::TicketEvent out;
    ToProto(event, &out);
    EXPECT_EQ(out.kind(), expected);
    EXPECT_EQ(out.ticket_id(), "a");
    EXPECT_EQ(out.sequence(), 3u);
    EXPECT_EQ(out.reason(), v1::REASON_TIMEOUT);
    EXPECT_EQ(out.at().seconds(), 1);
    EXPECT_EQ(out.at().nanos(), 1000);
    EXPECT_TRUE(out.snapshot());
    EXPECT_EQ(out.has_widening(), kind == EventKind::kWidened);
  }
}

TEST_F(ConvertTest, ExpectedWaitIsToldWhereItIsKnown) {
  for (const EventKind kind : {EventKind::kQueued, EventKind::kWidened}) {
    Event event;
    event.kind = kind;
    event.ticket = MakeTicket("a", 0);
    v1::TicketEvent unknown, known;
    ToProto(event, &unknown);
    EXPECT_FALSE(unknown.has_expected_wait());
    event.expected_p50 = 1'500 * kMillisecond;
    event.expected_p90 = 4 * kSecond;
    ToProto(event, &known);
    EXPECT_EQ(known.expected_wait().p50().seconds(), 1);
    EXPECT_EQ(known.expected_wait().p50().nanos(), 500'000'000);
    EXPECT_EQ(known.expected_wait().p90().seconds(), 4);
  }
  TicketView view;
  view.ticket = MakeTicket("a", 0);
  view.queues = {{.queue = 0, .expected_p50 = kSecond, .expected_p90 = 3 * kSecond}, {.queue = 1}};
  v1::TicketStatus status;
  ToProto(view, catalog_, 0, &status);
  EXPECT_EQ(status.queues(0).expected_wait().p50().seconds(), 1);
  EXPECT_EQ(status.queues(0).expected_wait().p90().seconds(), 3);
  EXPECT_FALSE(status.queues(1).has_expected_wait());
}

TEST_F(ConvertTest, UnlimitedWindowIsInfinity) {
  Event event;
  event.kind = EventKind::kWidened;
  event.ticket = MakeTicket("a", 0);
  event.window_from = 100 * kPoint;
  event.window = kUnlimitedWindow;
  event.stage = 2;
  v1::TicketEvent out;
  ToProto(event, &out);
  EXPECT_EQ(out.widening().from_points(), 100);
  EXPECT_TRUE(std::isinf(out.widening().to_points()));
  EXPECT_EQ(out.widening().stage(), 2);
}

TEST_F(ConvertTest, TicketStatusTellsTheWaitUntilNowOrItsEnd) {
  TicketView view;
  view.ticket = MakeTicket("a", 0);
  view.queued_at = 10 * kSecond;
  view.expires_at = 100 * kSecond;
  view.queues = {{0, 1500 * kPoint, 100 * kPoint, 1}};
  v1::TicketStatus waiting;
  ToProto(view, catalog_, 13 * kSecond, &waiting);
  EXPECT_EQ(waiting.pool_group(), "default");
  EXPECT_EQ(waiting.state(), v1::TICKET_STATE_WAITING);
  EXPECT_EQ(waiting.wait().seconds(), 3);
  EXPECT_FALSE(waiting.has_ended_at());
  EXPECT_EQ(waiting.queues(0).queue(), "duel");
  EXPECT_EQ(waiting.queues(0).value_points(), 1500);
  EXPECT_EQ(waiting.queues(0).window_points(), 100);

  view.state = TicketState::kCancelled;
  view.reason = Reason::kPresenceLost;
  view.ended_at = 12 * kSecond;
  v1::TicketStatus ended;
  ToProto(view, catalog_, 99 * kSecond, &ended);
  EXPECT_EQ(ended.state(), v1::TICKET_STATE_CANCELLED);
  EXPECT_EQ(ended.reason(), v1::REASON_PRESENCE_LOST);
  EXPECT_EQ(ended.wait().seconds(), 2);
  EXPECT_EQ(ended.ended_at().seconds(), 12);
}

TEST_F(ConvertTest, WarningsOfEnqueueAreTold) {
  EnqueueReply reply;
  reply.ticket.ticket = MakeTicket("a", 0);
  reply.warnings = {"one", "two"};
  v1::EnqueueResponse out;
  ToProto(reply, &out);
  ASSERT_EQ(out.warnings_size(), 2);
  EXPECT_EQ(out.warnings(1), "two");
}

TEST_F(ConvertTest, ExplanationLeavesOutWhatThereIsNot) {
  ExplainReply reply;
  reply.ticket.ticket = MakeTicket("a", 0);
  reply.ticket.queued_at = 10 * kSecond;
  reply.ticket.queues = {{.queue = 1}};
  reply.queues.push_back({.queue = 1, .seen = 5, .fitting = 5});
  v1::ExplainTicketResponse out;
  ToProto(reply, catalog_, 12 * kSecond, &out);
  EXPECT_EQ(out.ticket_id(), "a");
  EXPECT_EQ(out.state(), v1::TICKET_STATE_WAITING);
  EXPECT_EQ(out.wait().seconds(), 2);
  ASSERT_EQ(out.queues_size(), 1);
  EXPECT_EQ(out.queues(0).queue(), "squad");
  EXPECT_EQ(out.queues(0).candidates_seen(), 5u);
  EXPECT_EQ(out.queues(0).fitting_now(), 5u);
  EXPECT_TRUE(out.queues(0).refusals().empty());
  EXPECT_FALSE(out.queues(0).has_nearest_miss());
  EXPECT_FALSE(out.queues(0).has_next_stage_in());
  EXPECT_FALSE(out.queues(0).has_never());
  EXPECT_FALSE(out.queues(0).has_expected_wait());
}

TEST_F(ConvertTest, ExplanationNamesEveryRule) {
  ExplainReply reply;
  reply.ticket.ticket = MakeTicket("a", 0);
  reply.ticket.queues = {{.queue = 0, .expected_p50 = 2 * kSecond, .expected_p90 = 7 * kSecond}};
  Explanation& queue = reply.queues.emplace_back();
  for (size_t rule = 1; rule < kRules; ++rule) queue.refused[rule] = 100 + rule;
  queue.nearest = {.rule = Rule::kTier, .in = 1'500 * kMillisecond, .gap = 12'500};
  queue.stage = 2;
  queue.next_stage_in = 3 * kSecond;
  queue.never = Rule::kRegion;
  queue.never_field = "ticket.players[0].latency_ms";
  queue.never_reason = "too far";
  v1::ExplainTicketResponse out;
  ToProto(reply, catalog_, 0, &out);
  const v1::QueueExplanation& told = out.queues(0);
  ASSERT_EQ(told.refusals_size(), static_cast<int>(kRules) - 1);
  std::set<int> rules;
  for (const v1::Refusals& refusals : told.refusals()) {
    EXPECT_NE(refusals.rule(), v1::RULE_UNSPECIFIED);
    rules.insert(refusals.rule());
  }
  EXPECT_EQ(rules.size(), kRules - 1);
  EXPECT_EQ(told.refusals(0).rule(), v1::RULE_WINDOW);
  EXPECT_EQ(told.refusals(0).tickets(), 101u);
  EXPECT_EQ(told.nearest_miss().rule(), v1::RULE_TIER);
  EXPECT_EQ(told.nearest_miss().fits_in().nanos(), 500'000'000);
  EXPECT_EQ(told.nearest_miss().gap_points(), 12.5);
  EXPECT_EQ(told.stage(), 2);
  EXPECT_EQ(told.next_stage_in().seconds(), 3);
  EXPECT_EQ(told.never().rule(), v1::RULE_REGION);
  EXPECT_EQ(told.never().field(), "ticket.players[0].latency_ms");
  EXPECT_EQ(told.never().message(), "too far");
  EXPECT_EQ(told.expected_wait().p50().seconds(), 2);
  EXPECT_EQ(told.expected_wait().p90().seconds(), 7);
  reply.queues[0].nearest->in = kNever;
  v1::ExplainTicketResponse never;
  ToProto(reply, catalog_, 0, &never);
  EXPECT_FALSE(never.queues(0).nearest_miss().has_fits_in());
}

TEST_F(ConvertTest, CancelOutcomesComeWithTheMatchOnlyWhenMatched) {
  CancelReply reply;
  reply.ticket.ticket = MakeTicket("a", 0);
  reply.ticket.state = TicketState::kCancelled;
  v1::CancelResponse out;
  ToProto(reply, catalog_, Ratings::kHidden, &out);
  EXPECT_EQ(out.outcome(), v1::CANCEL_OUTCOME_CANCELLED);
  EXPECT_FALSE(out.has_match());
  reply.outcome = CancelOutcome::kAlreadyMatched;
  reply.ticket.state = TicketState::kMatched;
  reply.ticket.match = std::make_shared<Match>(MakeMatch());
  ToProto(reply, catalog_, Ratings::kHidden, &out);
  EXPECT_EQ(out.outcome(), v1::CANCEL_OUTCOME_ALREADY_MATCHED);
  EXPECT_EQ(out.state(), v1::TICKET_STATE_MATCHED);
  EXPECT_EQ(out.match().match_id(), "3-4-other");
}

TEST_F(ConvertTest, RefusalNamesWhatIsInTheWay) {
  Reply reply;
  reply.conflict.ticket = MakeTicket("a", 0);
  reply.conflict.match = std::make_shared<Match>(MakeMatch());
  reply.status = absl::AlreadyExistsError("x");
  EXPECT_EQ(ToFault(reply, catalog_).ticket_id, "a");
  EXPECT_EQ(ToFault(reply, catalog_).match_id, "");
  reply.status = absl::FailedPreconditionError("x");
  EXPECT_EQ(ToFault(reply, catalog_).ticket_id, "");
  EXPECT_EQ(ToFault(reply, catalog_).match_id, "3-4-other");
}

TEST_F(ConvertTest, MatchViewTellsStateAndEnd) {
  v1::GetMatchResponse out;
  ToProto(MatchView{std::make_shared<Match>(MakeMatch()), MatchState::kEnded, MatchEnd::kHoldTimeout, 5 * kSecond},
          catalog_, &out);
  EXPECT_EQ(out.state(), v1::MATCH_STATE_ENDED);
  EXPECT_EQ(out.end_reason(), v1::MATCH_END_REASON_HOLD_TIMEOUT);
  EXPECT_EQ(out.ended_at().seconds(), 5);
  EXPECT_TRUE(out.match().teams(0).seats(0).has_rating());
}

TEST_F(ConvertTest, QueueInfoAndStatsAreComplete) {
  v1::QueueInfo info;
  ToProto(catalog_.queues[1], catalog_, true, &info);
  EXPECT_EQ(info.queue(), "squad");
  EXPECT_EQ(info.pool_group(), "default");
  EXPECT_EQ(info.team_count(), 2);
  EXPECT_EQ(info.team_size(), 5);
  EXPECT_EQ(info.tick().nanos(), 100'000'000);
  EXPECT_TRUE(info.paused());
  EXPECT_TRUE(info.sides().empty());
  Catalog catalog = catalog_;
  catalog.queues[1].sides = {1, 4};
  catalog.queues[1].roles.roles = {{"tank", 1}, {"damage", 2}};
  catalog.queues[1].regions.regions = {"eu"};
  v1::QueueInfo all;
  ToProto(catalog.queues[1], catalog, false, &all);
  EXPECT_EQ(all.sides_size(), 2);
  EXPECT_EQ(all.sides(1), 4);
  ASSERT_EQ(all.roles_size(), 3);
  EXPECT_EQ(all.roles(2), "damage");
  EXPECT_EQ(all.regions(0), "eu");
  v1::QueueStats stats;
  ToProto(QueueStats{1, true, 2, 3, 4 * kSecond, 5, 6, 7, 8, 9, 10}, catalog_, &stats);
  EXPECT_EQ(stats.queue(), "squad");
  EXPECT_TRUE(stats.paused());
  EXPECT_EQ(stats.waiting_tickets(), 2u);
  EXPECT_EQ(stats.waiting_players(), 3u);
  EXPECT_EQ(stats.oldest_wait().seconds(), 4);
  EXPECT_EQ(stats.enqueued(), 5u);
  EXPECT_EQ(stats.matched_tickets(), 6u);
  EXPECT_EQ(stats.matches(), 7u);
  EXPECT_EQ(stats.cancelled(), 8u);
  EXPECT_EQ(stats.expired(), 9u);
  EXPECT_EQ(stats.live_matches(), 10u);
}

}  // namespace
}  // namespace evenmatch
