#include "tools/describe.h"

#include <limits>
#include <utility>

#include "gtest/gtest.h"
#include "tools/client.h"

namespace evenmatch {
namespace {

TEST(Describe, MatchIsOneSentence) {
  v1::Match match;
  match.set_match_id("7-1-0");
  v1::Seat* ada = match.add_teams()->add_seats();
  ada->set_player_id("ada");
  ada->set_rating(1500.4);
  v1::Team* team = match.add_teams();
  team->add_seats()->set_player_id("bob");
  team->add_seats()->set_player_id("cy");
  match.mutable_quality()->add_win_probability(0.47);
  match.mutable_quality()->add_win_probability(0.53);
  match.mutable_quality()->mutable_longest_wait()->set_nanos(300'000'000);
  EXPECT_EQ(Describe(match), "match 7-1-0: ada 1500 vs bob + cy, 47 % to 53 %, longest wait 0.3 s");
}

TEST(Describe, MatchSaysWhereItIsAndWhoDoesWhat) {
  v1::Match match;
  match.set_match_id("7-1-0");
  match.set_region("eu");
  v1::Seat* ada = match.add_teams()->add_seats();
  ada->set_player_id("ada");
  ada->set_role("tank");
  v1::Seat* bob = match.add_teams()->add_seats();
  bob->set_player_id("bob");
  bob->set_role("healer");
  bob->set_filled_in(true);
  EXPECT_EQ(Describe(match), "match 7-1-0: in eu, ada as tank vs bob as healer (filled in), longest wait 0.0 s");
}

TEST(Describe, ExplanationSaysWhatKeepsTicketsApart) {
  v1::ExplainTicketResponse explanation;
  explanation.set_ticket_id("t-7");
  explanation.set_state(v1::TICKET_STATE_WAITING);
  explanation.mutable_wait()->set_seconds(12);
  v1::QueueExplanation& queue = *explanation.add_queues();
  queue.set_queue("ranked");
  queue.set_candidates_seen(14);
  queue.set_fitting_now(3);
  v1::Refusals& refusals = *queue.add_refusals();
  refusals.set_rule(v1::RULE_MAX_DIFFERENCE);
  refusals.set_tickets(11);
  queue.mutable_nearest_miss()->set_rule(v1::RULE_TIER);
  queue.mutable_nearest_miss()->set_gap_points(45.5);
  queue.mutable_nearest_miss()->mutable_fits_in()->set_nanos(500'000'000);
  queue.set_stage(2);
  queue.mutable_next_stage_in()->set_seconds(8);
  queue.mutable_expected_wait()->mutable_p50()->set_seconds(2);
  queue.mutable_expected_wait()->mutable_p90()->set_seconds(9);
  EXPECT_EQ(Describe(explanation),
            "t-7 waiting for 12.0 s\n"
            "  queue ranked: 14 others, 3 fit now, half wait up to 2.0 s and nine in ten up to 9.0 s\n"
            "    11 kept apart by max difference\n"
            "    nearest miss: 45.5 points away, kept apart by tier for another 0.5 s\n"
            "    step 2, the next in 8.0 s");
  queue.Clear();
  queue.set_queue("duel");
  queue.mutable_nearest_miss()->set_rule(v1::RULE_BLOCK);
  queue.mutable_never()->set_message("too large a party");
  EXPECT_EQ(Describe(explanation),
            "t-7 waiting for 12.0 s\n"
            "  queue duel: 0 others, 0 fit now\n"
            "    nearest miss: 0 points away, kept apart by block for ever\n"
            "    step 0, the last\n"
            "    can never play: too large a party");
  explanation.clear_queues();
  explanation.set_state(v1::TICKET_STATE_EXPIRED);
  EXPECT_EQ(Describe(explanation), "t-7 expired");
}

TEST(Describe, ExpectedWaitStandsWhereItIsKnown) {
  v1::TicketEvent event;
  event.set_ticket_id("t-2");
  event.set_kind(v1::TICKET_EVENT_KIND_QUEUED);
  EXPECT_EQ(Describe(event, {}), "t-2 waiting");
  event.mutable_expected_wait()->mutable_p50()->set_seconds(1);
  event.mutable_expected_wait()->mutable_p90()->set_seconds(4);
  EXPECT_EQ(Describe(event, {}), "t-2 waiting, half wait up to 1.0 s and nine in ten up to 4.0 s");
}

TEST(Describe, EventsNameTheirTicketAndSayWhatAndWhy) {
  v1::TicketEvent event;
  event.set_ticket_id("t-2");
  event.set_sequence(2);
  event.set_kind(v1::TICKET_EVENT_KIND_EXPIRED);
  event.set_reason(v1::REASON_TIMEOUT);
  EXPECT_EQ(Describe(event, {}), "t-2 expired at its timeout");
  event.set_kind(v1::TICKET_EVENT_KIND_WIDENED);
  event.mutable_widening()->set_to_points(std::numeric_limits<double>::infinity());
  EXPECT_EQ(Describe(event, {"bob", "cy"}), "t-2 (bob + cy) accepts any distance now");
  event.mutable_widening()->set_to_points(150.5);
  EXPECT_EQ(Describe(event, {"bob"}), "t-2 (bob) accepts 150.5 points now");
}

TEST(Describe, AMatchTellsThePlayersOfItsTicket) {
  v1::TicketEvent event;
  event.set_ticket_id("t-2");
  event.set_kind(v1::TICKET_EVENT_KIND_MATCHED);
  event.mutable_match()->set_match_id("7-1-0");
  for (const auto& [ticket, player] : {std::pair{"t-1", "ada"}, {"t-2", "bob"}}) {
    v1::Seat* seat = event.mutable_match()->add_teams()->add_seats();
    seat->set_ticket_id(ticket);
    seat->set_player_id(player);
  }
  EXPECT_EQ(Describe(event, {}).find("t-2 (bob) matched: match 7-1-0: ada vs bob"), 0u) << Describe(event, {});
}

TEST(Describe, TicketsShowQueueWindowWaitAndMatch) {
  v1::TicketStatus ticket;
  ticket.set_ticket_id("t-1");
  ticket.set_state(v1::TICKET_STATE_WAITING);
  ticket.mutable_wait()->set_seconds(3);
  v1::QueueStatus* queue = ticket.add_queues();
  queue->set_queue("duel");
  queue->set_value_points(1500.5);
  queue->set_window_points(150);
  queue->set_stage(2);
  EXPECT_EQ(Describe(ticket), "t-1 waiting for 3.0 s\n  queue duel: at 1500.5 points, accepts 150 points (step 2)");
  ticket.clear_queues();
  ticket.set_state(v1::TICKET_STATE_MATCHED);
  ticket.mutable_match()->set_match_id("7-1-0");
  EXPECT_EQ(Describe(ticket).find("t-1 matched after 3.0 s\n  match 7-1-0: "), 0u) << Describe(ticket);
  ticket.clear_match();
  ticket.set_state(v1::TICKET_STATE_CANCELLED);
  ticket.set_reason(v1::REASON_CLIENT);
  EXPECT_EQ(Describe(ticket), "t-1 cancelled by a client after 3.0 s");
}

TEST(Describe, EndedMatchesSayWhenItWasNotThisCall) {
  v1::EndMatchResponse ended;
  ended.set_end_reason(v1::MATCH_END_REASON_END_MATCH);
  EXPECT_EQ(Describe("7-1-0", ended), "match 7-1-0 is over");
  ended.set_end_reason(v1::MATCH_END_REASON_HOLD_TIMEOUT);
  EXPECT_EQ(Describe("7-1-0", ended), "match 7-1-0 is over since its hold timeout");
}

TEST(Describe, StatesAndTablesAreReadable) {
  EXPECT_EQ(StateName(v1::TICKET_STATE_WAITING), "waiting");
  EXPECT_EQ(StateName(static_cast<v1::TicketState>(77)), "state 77");
  v1::QueueStats stats;
  stats.set_queue("a long name of a queue");
  stats.set_paused(true);
  stats.set_enqueued(12345);
  const std::string table = Table({stats, v1::QueueStats()});
  EXPECT_NE(table.find("12345"), std::string::npos);
  EXPECT_NE(table.find("paused"), std::string::npos);
}

TEST(Describe, JsonHasTheNamesOfTheContract) {
  v1::QueueStats stats;
  stats.set_queue("q");
  EXPECT_NE(ToJsonLine(stats).find("\"waiting_tickets\":\"0\""), std::string::npos) << ToJsonLine(stats);
  EXPECT_EQ(ToJsonLine(stats).find('\n'), ToJsonLine(stats).size() - 1);
}

TEST(Client, HalfOfAPairIsRefused) {
  EXPECT_EQ(OpenChannel({.address = "h:1", .tls_cert = "c.pem"}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(OpenChannel({.address = "h:1", .tls_ca = "/nowhere/ca.pem"}).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace evenmatch
