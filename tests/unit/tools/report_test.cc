#include "tools/report.h"

#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tools/load.h"
#include "tools/run.h"

namespace evenmatch {
namespace {

Report SomeReport() {
  Report report;
  report.run = "abcdef";
  report.queue = "du\"el";
  report.mode = "session";
  report.tickets = 1000;
  report.accepted = 900;
  report.matched = 800;
  report.sending_seconds = 2;
  report.tally.last_accepted_at = 3 * kSecond;
  report.tally.matched_in_time = 700;
  report.tally.refused[8] = 100;
  for (int i = 1; i <= 100; ++i) report.tally.enqueue_us.Add(static_cast<uint64_t>(i) * 1000);
  for (int i = 1; i <= 100; ++i) report.tally.gap.Add(static_cast<uint64_t>(i) * 1000);
  return report;
}

google::protobuf::Struct Parsed(const std::string& json) {
  google::protobuf::Struct object;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(json, &object).ok()) << json;
  return object;
}

TEST(Report, RatesCountTheTimeTheyTook) {
  const Report report = SomeReport();
  EXPECT_DOUBLE_EQ(report.enqueued_per_s(), 300);  // the last answer came after 3 s
  EXPECT_DOUBLE_EQ(report.matched_per_s(), 350);   // 700 in the 2 s of sending
  EXPECT_EQ(Report().enqueued_per_s(), 0);
  EXPECT_EQ(Report().matched_per_s(), 0);
}

TEST(Report, JsonHasTheNamesThatProgramsReadIt) {
  const auto fields = Parsed(SomeReport().Json()).fields();
  EXPECT_EQ(fields.at("queue").string_value(), "du\"el");
  EXPECT_EQ(fields.at("enqueued_per_s").number_value(), 300);
  EXPECT_EQ(fields.at("lost").number_value(), 0);
  EXPECT_EQ(fields.at("doubled").number_value(), 0);
  EXPECT_NEAR(fields.at("enqueue_p99_ms").number_value(), 99, 1);
  EXPECT_NEAR(fields.at("gap_mean").number_value(), 50.5, 0.01);
  EXPECT_EQ(fields.at("refused_by_code").struct_value().fields().at("RESOURCE_EXHAUSTED").number_value(), 100);
  for (const char* name :
       {"matched_per_s", "match_p50_ms", "match_p99_ms", "match_p999_ms", "enqueue_p50_ms", "enqueue_p90_ms",
        "enqueue_p999_ms", "gap_p50", "gap_p90", "gap_p99", "spread_mean", "favourite_mean", "waiting", "expired"}) {
    EXPECT_TRUE(fields.contains(name)) << name;
  }
  EXPECT_FALSE(fields.contains("file_gap_mean"));
}

TEST(Report, AnyBrokenPromiseMakesItUnsound) {
  EXPECT_TRUE(SomeReport().sound());
  EXPECT_NE(SomeReport().Text().find(": kept"), std::string::npos);
  Report lost = SomeReport(), doubled = SomeReport(), contradicted = SomeReport(), malformed = SomeReport();
  lost.lost = 1;
  doubled.tally.doubled = 1;
  contradicted.tally.contradicted = 1;
  malformed.tally.malformed = 1;
  for (const Report& report : {lost, doubled, contradicted, malformed}) {
    EXPECT_FALSE(report.sound());
    EXPECT_NE(report.Text().find("BROKEN"), std::string::npos);
  }
}

TEST(Report, MatchesWithOthersAreCountedApart) {
  Report report = SomeReport();
  EXPECT_EQ(report.Text().find("with others"), std::string::npos);
  report.tally.with_others = 3;
  EXPECT_TRUE(report.sound());
  EXPECT_NE(report.Text().find("3 of them with others"), std::string::npos);
  EXPECT_EQ(Parsed(report.Json()).fields().at("with_others").number_value(), 3);
}

TEST(Report, ShowsTheFilesOwnGapsBesideOurs) {
  Report report = SomeReport();
  report.file_gap.emplace();
  report.file_gap->Add(52'000);
  EXPECT_NE(report.Text().find("in file"), std::string::npos);
  EXPECT_EQ(Parsed(report.Json()).fields().at("file_gap_mean").number_value(), 52);
}

TEST(LoadRun, SummaryAccountsForEveryTicket) {
  const Population population = Population::Draw(8, {}, {}, 1);
  const RunIds ids("abcdef");
  LoadOptions options;
  v1::QueueInfo queue;
  queue.set_team_count(2);
  queue.set_team_size(1);
  evenmatch::Run run(options, queue, population, ids, nullptr, 1);
  Tally tally;
  for (uint32_t ticket = 0; ticket < 7; ++ticket) run.OnSent(ticket, 1000 * ticket);
  run.OnAnswer(0, 8, 5, &tally);
  for (uint32_t ticket = 1; ticket < 6; ++ticket) run.OnAnswer(ticket, 0, run.Intended(ticket) + 5, &tally);
  run.OnEnd(1, v1::TICKET_STATE_MATCHED, "m", run.Intended(1) + 7, &tally);
  run.OnAllSent();
  run.OnEnd(2, v1::TICKET_STATE_MATCHED, "m", run.Intended(2) + 7, &tally);
  run.OnEnd(6, v1::TICKET_STATE_MATCHED, "n", kNever, &tally);  // learnt by asking: no latency
  run.OnEnd(3, v1::TICKET_STATE_EXPIRED, "", 9, &tally);
  run.OnEnd(4, v1::TICKET_STATE_CANCELLED, "", 9, &tally);
  run.OnLeftWaiting();
  const Report report = run.Summarize(tally);
  EXPECT_EQ(report.tickets, 8u);
  EXPECT_EQ(report.unsent, 1u);
  EXPECT_EQ(report.unanswered, 0u);
  EXPECT_EQ(report.refused, 1u);
  EXPECT_EQ(report.accepted, 6u);
  EXPECT_EQ(report.matched, 3u);
  EXPECT_EQ(report.tally.match_us.count(), 2u);
  EXPECT_EQ(report.expired, 1u);
  EXPECT_EQ(report.waiting, 1u);
  EXPECT_EQ(report.cancelled, 0u);
  EXPECT_EQ(report.lost, 1u);
  EXPECT_EQ(report.tally.matched_in_time, 1u);
  EXPECT_EQ(report.tally.enqueue_us.max(), 5u);  // from the intended start, not from the send
  EXPECT_EQ(report.tally.match_us.max(), 7u);
  EXPECT_DOUBLE_EQ(report.sending_seconds, 0.006);
}

}  // namespace
}  // namespace evenmatch
