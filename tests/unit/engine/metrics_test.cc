#include "engine/metrics.h"

#include <memory>
#include <string>

#include "engine/event_tally.h"
#include "gtest/gtest.h"
#include "tests/support/tickets.h"

namespace evenmatch {
namespace {

class MetricsTest : public ::testing::Test {
 protected:
  MetricsTest() {
    QueueRules stepped = DuelRules("stepped");
    stepped.window.steps = {{0, 100 * kPoint}, {10 * kSecond, 200 * kPoint}, {30 * kSecond, kUnlimitedWindow}};
    catalog_ = MakeCatalog({DuelRules("duel"), stepped});
    metrics_ = std::make_unique<Metrics>(catalog_, 2);
    tally_ = std::make_unique<EventTally>(metrics_.get());
  }

  bool Exposes(const std::string& sample) const { return metrics_->Text().find(sample + "\n") != std::string::npos; }

  Event Of(EventKind kind, std::vector<uint32_t> queues, Micros wait = 0) {
    Event event;
    event.kind = kind;
    event.at = 1000 * kSecond;
    event.queued_at = event.at - wait;
    event.ticket = MakeTicket({.id = "a", .players = {{"p", 1500}}, .queues = std::move(queues)});
    return event;
  }
  Event OfMatch(EventKind kind, uint32_t queue) {
    auto match = std::make_shared<Match>();
    match->queue = queue;
    match->spread = 40 * kPoint;
    match->quality = 6'000;
    match->win_chance = {4'200, 5'800};
    Event event = Of(kind, {queue}, 2 * kSecond);
    event.match = match;
    return event;
  }

  Catalog catalog_;
  std::unique_ptr<Metrics> metrics_;
  std::unique_ptr<EventTally> tally_;
};

TEST_F(MetricsTest, EverySampleIsThereFromTheStart) {
  for (const char* sample : {"evenmatch_waiting_tickets{queue=\"duel\"} 0",
                             "evenmatch_waiting_players{queue=\"duel\"} 0",
                             "evenmatch_oldest_wait_seconds{queue=\"duel\"} 0",
                             "evenmatch_live_matches{queue=\"duel\"} 0",
                             "evenmatch_queue_paused{queue=\"duel\"} 0",
                             "evenmatch_enqueues_total{queue=\"duel\"} 0",
                             "evenmatch_matches_total{queue=\"duel\",stage=\"0\"} 0",
                             "evenmatch_filled_in_players_total{queue=\"duel\"} 0",
                             "evenmatch_match_ends_total{end=\"client\",queue=\"duel\"} 0",
                             "evenmatch_expiries_total{queue=\"stepped\",stage=\"2\"} 0",
                             "evenmatch_tick_overruns_total{queue=\"duel\"} 0",
                             "evenmatch_inbox_commands{shard=\"1\"} 0",
                             "evenmatch_refusals_total{reason=\"peer_cap\"} 0",
                             "evenmatch_store_commits_total{outcome=\"unknown\"} 0",
                             "evenmatch_open_streams{kind=\"watch\"} 0",
                             "evenmatch_stream_ends_total{kind=\"session\",reason=\"overflow\"} 0",
                             "evenmatch_resumes_total{kind=\"watch\"} 0",
                             "evenmatch_tls_reloads_total{result=\"failure\"} 0",
                             "evenmatch_draining 0",
                             "evenmatch_store_batch_duration_seconds_count 0",
                             "evenmatch_store_batch_events_count 0",
                             "evenmatch_tick_duration_seconds_count{queue=\"duel\"} 0",
                             "evenmatch_tick_due_tickets_count{queue=\"duel\"} 0",
                             "evenmatch_match_spread_points_count{queue=\"duel\"} 0",
                             "evenmatch_match_win_probability_count{queue=\"duel\"} 0",
                             "evenmatch_match_quality_ratio_count{queue=\"duel\"} 0"}) {
    EXPECT_TRUE(Exposes(sample)) << sample;
  }
  EXPECT_NE(metrics_->Text().find("evenmatch_build_info{version=\""), std::string::npos);
  EXPECT_NE(metrics_->Text().find("# TYPE evenmatch_wait_seconds histogram"), std::string::npos);
}

TEST_F(MetricsTest, TicketCountsInEachOfItsQueuesOnceItIsPublished) {
  tally_->Count(Of(EventKind::kQueued, {0, 1}));
  tally_->Count(Of(EventKind::kQueued, {1}));
  EXPECT_TRUE(Exposes("evenmatch_enqueues_total{queue=\"duel\"} 0"));
  tally_->Publish();
  tally_->Publish();
  EXPECT_TRUE(Exposes("evenmatch_enqueues_total{queue=\"duel\"} 1"));
  EXPECT_TRUE(Exposes("evenmatch_enqueues_total{queue=\"stepped\"} 2"));
}

TEST_F(MetricsTest, WaitsAreToldByOutcomeInSeconds) {
  tally_->Count(OfMatch(EventKind::kMatched, 1));
  tally_->Count(Of(EventKind::kCancelled, {0}, 250 * kMillisecond));
  Event lost = Of(EventKind::kCancelled, {0}, 7 * kSecond);
  lost.reason = Reason::kPresenceLost;
  tally_->Count(lost);
  tally_->Publish();
  EXPECT_TRUE(Exposes("evenmatch_wait_seconds_sum{outcome=\"matched\",queue=\"stepped\"} 2"));
  EXPECT_TRUE(Exposes("evenmatch_wait_seconds_bucket{outcome=\"matched\",queue=\"stepped\",le=\"1\"} 0"));
  EXPECT_TRUE(Exposes("evenmatch_wait_seconds_bucket{outcome=\"matched\",queue=\"stepped\",le=\"2.5\"} 1"));
  // A bound belongs to its bucket.
  EXPECT_TRUE(Exposes("evenmatch_wait_seconds_bucket{outcome=\"cancelled\",queue=\"duel\",le=\"0.1\"} 0"));
  EXPECT_TRUE(Exposes("evenmatch_wait_seconds_bucket{outcome=\"cancelled\",queue=\"duel\",le=\"0.25\"} 1"));
  EXPECT_TRUE(Exposes("evenmatch_wait_seconds_sum{outcome=\"abandoned\",queue=\"duel\"} 7"));
  EXPECT_TRUE(Exposes("evenmatch_wait_seconds_count{outcome=\"expired\",queue=\"duel\"} 0"));
}

TEST_F(MetricsTest, ExpiriesAreToldByTheStageReached) {
  for (const int32_t stage : {0, 2, 2, 99}) {
    Event expired = Of(EventKind::kExpired, {1}, 9 * kSecond);
    expired.stage = stage;
    tally_->Count(expired);
  }
  tally_->Publish();
  EXPECT_TRUE(Exposes("evenmatch_expiries_total{queue=\"stepped\",stage=\"0\"} 1"));
  EXPECT_TRUE(Exposes("evenmatch_expiries_total{queue=\"stepped\",stage=\"1\"} 0"));
  EXPECT_TRUE(Exposes("evenmatch_expiries_total{queue=\"stepped\",stage=\"2\"} 3"));
}

TEST_F(MetricsTest, MatchesTellTheirSpreadQualityAndFavourite) {
  tally_->Count(OfMatch(EventKind::kMatchFormed, 0));
  Event ended = OfMatch(EventKind::kMatchEnded, 0);
  ended.match_end = MatchEnd::kHoldTimeout;
  tally_->Count(ended);
  tally_->Publish();
  EXPECT_TRUE(Exposes("evenmatch_matches_total{queue=\"duel\",stage=\"0\"} 1"));
  EXPECT_TRUE(Exposes("evenmatch_match_spread_points_sum{queue=\"duel\"} 40"));
  EXPECT_TRUE(Exposes("evenmatch_match_quality_ratio_sum{queue=\"duel\"} 0.6"));
  EXPECT_TRUE(Exposes("evenmatch_match_win_probability_sum{queue=\"duel\"} 0.58"));
  EXPECT_TRUE(Exposes("evenmatch_match_ends_total{end=\"timeout\",queue=\"duel\"} 1"));
  EXPECT_TRUE(Exposes("evenmatch_match_ends_total{end=\"client\",queue=\"duel\"} 0"));
}

TEST_F(MetricsTest, MatchesAreToldByTheirStageAndFilledInPlayersAreCounted) {
  Event formed = OfMatch(EventKind::kMatchFormed, 1);
  auto match = std::make_shared<Match>(*formed.match);
  match->stage = 2;
  match->roles = {{0, true}, {1, false}, {0, true}};
  formed.match = match;
  tally_->Count(formed);
  tally_->Publish();
  EXPECT_TRUE(Exposes("evenmatch_matches_total{queue=\"stepped\",stage=\"1\"} 0"));
  EXPECT_TRUE(Exposes("evenmatch_matches_total{queue=\"stepped\",stage=\"2\"} 1"));
  EXPECT_TRUE(Exposes("evenmatch_filled_in_players_total{queue=\"stepped\"} 2"));
}

TEST_F(MetricsTest, StreamsAreCountedWhileOpenAndByTheirEnd) {
  metrics_->StreamOpened(StreamKind::kWatch);
  metrics_->StreamOpened(StreamKind::kWatch);
  metrics_->StreamEnded(StreamKind::kWatch, StreamEnd::kStalled);
  EXPECT_TRUE(Exposes("evenmatch_open_streams{kind=\"watch\"} 1"));
  EXPECT_TRUE(Exposes("evenmatch_stream_ends_total{kind=\"watch\",reason=\"stalled\"} 1"));
}

TEST_F(MetricsTest, QueueStateIsWhatTheLastTickSaw) {
  metrics_->SetQueue({.queue = 1,
                      .paused = true,
                      .waiting_tickets = 3,
                      .waiting_players = 5,
                      .oldest_wait = 1500 * kMillisecond,
                      .live_matches = 2});
  EXPECT_TRUE(Exposes("evenmatch_waiting_tickets{queue=\"stepped\"} 3"));
  EXPECT_TRUE(Exposes("evenmatch_waiting_players{queue=\"stepped\"} 5"));
  EXPECT_TRUE(Exposes("evenmatch_oldest_wait_seconds{queue=\"stepped\"} 1.5"));
  EXPECT_TRUE(Exposes("evenmatch_live_matches{queue=\"stepped\"} 2"));
  EXPECT_TRUE(Exposes("evenmatch_queue_paused{queue=\"stepped\"} 1"));
}

}  // namespace
}  // namespace evenmatch
