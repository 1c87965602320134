#include "engine/group_runner.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/engine/runner_world.h"

namespace evenmatch {
namespace {

using Act = FakeStore::Act;
using Heard = std::vector<std::pair<EventKind, uint32_t>>;

class GroupRunnerTest : public RunnerWorld {};

TEST_F(GroupRunnerTest, EnqueueIsAnsweredOnceItIsStored) {
  ASSERT_TRUE(Enqueue(1, "a").ok());
  Run();
  ASSERT_TRUE(sink.answered(1));
  EXPECT_EQ(std::get<EnqueueReply>(sink.replies[1].value).ticket.state, TicketState::kWaiting);
  ASSERT_EQ(store.stored().size(), 1u);
  EXPECT_EQ(store.stored()[0].kind, EventKind::kQueued);
}

TEST_F(GroupRunnerTest, NothingLeavesBeforeItIsApplied) {
  FastClient client;
  ASSERT_TRUE(Enqueue(1, "a").ok());
  ASSERT_TRUE(Attach(2, "a", client).ok());
  Run();
  client.Read();
  store.Script({Act::kHold});
  ASSERT_TRUE(Cancel(3, "a").ok());
  Run();
  client.Read();
  EXPECT_FALSE(sink.answered(3));
  EXPECT_EQ(client.events.size(), 1u);
  // Neither what was decided later, although it stores nothing itself: it tells what is not stored yet.
  ASSERT_TRUE(Get(4, "a").ok());
  Run();
  EXPECT_FALSE(sink.answered(4));
  store.FinishHeld();
  Run();
  client.Read();
  EXPECT_TRUE(sink.answered(3));
  EXPECT_EQ(std::get<TicketView>(sink.replies[4].value).state, TicketState::kCancelled);
  EXPECT_EQ(client.heard(), Heard({{EventKind::kQueued, 1}, {EventKind::kCancelled, 2}}));
  EXPECT_TRUE(client.status.ok());
}

TEST_F(GroupRunnerTest, AnswerOfTheStoreWakesTheShard) {
  store.Script({Act::kHold});
  ASSERT_TRUE(Enqueue(1, "a").ok());
  waker->Sleep(kNever);  // woken by the command
  Run();
  store.FinishHeld();
  waker->Sleep(kNever);  // would hang
  Run();
  EXPECT_TRUE(sink.answered(1));
}

TEST_F(GroupRunnerTest, UnknownOutcomeIsResolvedWithTheSameBatch) {
  store.Script({Act::kApplySayUnknown, Act::kSayUnknown, Act::kApply});
  ASSERT_TRUE(Enqueue(1, "a").ok());
  Run();
  EXPECT_FALSE(sink.answered(1));
  Pass(1 * kMillisecond);
  EXPECT_FALSE(sink.answered(1));
  Pass(1 * kMillisecond);
  EXPECT_EQ(store.attempts().size(), 2u);  // the pause has doubled
  Pass(1 * kMillisecond);
  EXPECT_TRUE(sink.answered(1));
  const auto attempts = store.attempts();
  ASSERT_EQ(attempts.size(), 3u);
  for (const auto& attempt : attempts) {
    EXPECT_EQ(attempt.batch_id, 1u);
    EXPECT_EQ(attempt.events, attempts[0].events);
  }
  EXPECT_EQ(store.stored().size(), 1u);
}

TEST_F(GroupRunnerTest, PauseBeforeSendingAgainEndsAtASecondAndStartsAnewWithTheNextBatch) {
  store.SetDefault(Act::kSayUnknown);
  ASSERT_TRUE(Enqueue(1, "a").ok());
  Run();
  for (int i = 0; i < 12; ++i) Pass(1 * kSecond);
  const size_t attempts = store.attempts().size();
  Pass(1 * kSecond);
  EXPECT_EQ(store.attempts().size(), attempts + 1);
  store.SetDefault(Act::kApply);
  Pass(1 * kSecond);
  EXPECT_TRUE(sink.answered(1));
  store.Script({Act::kSayUnknown});
  ASSERT_TRUE(Enqueue(2, "b", 2000).ok());
  Run();
  EXPECT_FALSE(sink.answered(2));
  Pass(1 * kMillisecond);
  EXPECT_TRUE(sink.answered(2));
}

TEST_F(GroupRunnerTest, OneBatchIsInFlightAndTheNextGathers) {
  store.Script({Act::kHold});
  ASSERT_TRUE(Enqueue(1, "a").ok());
  Run();
  ASSERT_TRUE(Enqueue(2, "b", 1900).ok());
  Run();
  ASSERT_TRUE(Enqueue(3, "c", 1100).ok());
  Run();
  EXPECT_EQ(store.attempts().size(), 1u);
  store.FinishHeld();
  Run();
  const auto attempts = store.attempts();
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_EQ(attempts[1].batch_id, 2u);
  EXPECT_EQ(attempts[1].events, 2u);
  EXPECT_TRUE(sink.answered(3));
}

TEST_F(GroupRunnerTest, WhatStoresNothingAsksTheStoreNothing) {
  ASSERT_TRUE(Get(1, "a").ok());
  Run();
  EXPECT_EQ(sink.code(1), absl::StatusCode::kNotFound);
  EXPECT_TRUE(store.attempts().empty());
}

TEST_F(GroupRunnerTest, FencedGroupIsDroppedAndItsCallersAndStreamsAreTold) {
  FastClient watcher, session;
  ASSERT_TRUE(Enqueue(1, "a").ok());
  ASSERT_TRUE(Attach(2, "a", watcher).ok());
  ASSERT_TRUE(Submit(3, AttachSessionCommand{"s"}, session.stream).ok());
  Run();
  watcher.Read();
  store.Script({Act::kHold});
  ASSERT_TRUE(Cancel(4, "a").ok());
  Run();
  ASSERT_TRUE(Enqueue(5, "b").ok());
  Run();
  store.FinishHeld(Act::kFence);
  ASSERT_TRUE(Enqueue(6, "c").ok());  // still in the inbox
  Run();
  watcher.Read();
  for (const uint64_t tag : {4, 5, 6}) EXPECT_EQ(sink.code(tag), absl::StatusCode::kUnavailable) << tag;
  EXPECT_EQ(Enqueue(7, "d").code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(watcher.heard(), Heard({{EventKind::kQueued, 1}}));  // the cancel is never told
  EXPECT_EQ(watcher.stream->end_reason(), StreamEnd::kUnavailable);
  EXPECT_EQ(session.stream->end_reason(), StreamEnd::kUnavailable);
  EXPECT_EQ(watcher.stream.use_count(), 1);
  const size_t attempts = store.attempts().size();
  Pass(10 * kSecond);
  EXPECT_EQ(store.attempts().size(), attempts);
}

TEST_F(GroupRunnerTest, TwoWhoFitAreMatchedByTheTickAndBothAreTold) {
  FastClient a, b;
  ASSERT_TRUE(Enqueue(1, "a").ok());
  ASSERT_TRUE(Enqueue(2, "b").ok());
  ASSERT_TRUE(Attach(3, "a", a).ok());
  ASSERT_TRUE(Attach(4, "b", b).ok());
  Run();
  a.Read();
  b.Read();
  Pass(99 * kMillisecond);
  EXPECT_EQ(a.events.size(), 1u);
  Pass(1 * kMillisecond);
  for (FastClient* client : {&a, &b}) {
    client->Read();
    EXPECT_EQ(client->heard(), Heard({{EventKind::kQueued, 1}, {EventKind::kMatched, 2}}));
    EXPECT_TRUE(client->status.ok());
    EXPECT_NE(client->events[1].match, nullptr);
  }
}

TEST_F(GroupRunnerTest, AttachInTheMiddleOfABatchHearsNothingTwiceAndMissesNothing) {
  FastClient early, late;
  ASSERT_TRUE(Enqueue(1, "a").ok());
  ASSERT_TRUE(Attach(2, "a", early).ok());
  ASSERT_TRUE(Cancel(3, "a").ok());
  ASSERT_TRUE(Attach(4, "a", late).ok());
  Run();  // all in one batch
  ASSERT_EQ(store.attempts().size(), 1u);
  early.Read();
  late.Read();
  EXPECT_EQ(early.heard(), Heard({{EventKind::kQueued, 1}, {EventKind::kCancelled, 2}}));
  EXPECT_EQ(late.heard(), Heard({{EventKind::kCancelled, 2}}));
  EXPECT_TRUE(early.status.ok());
  EXPECT_TRUE(late.status.ok());
}

TEST_F(GroupRunnerTest, AttachToAnUnknownTicketLeavesTheStreamToItsCaller) {
  FastClient client;
  ASSERT_TRUE(Attach(1, "a", client).ok());
  Run();
  EXPECT_EQ(sink.code(1), absl::StatusCode::kNotFound);
  EXPECT_FALSE(client.stream->ended());
  EXPECT_EQ(client.stream.use_count(), 1);
}

TEST_F(GroupRunnerTest, RepliesAndEventsKeepTheOrderOfDecisions) {
  FastClient client(1024, &log);
  ASSERT_TRUE(Enqueue(1, "a").ok());
  ASSERT_TRUE(Attach(2, "a", client).ok());
  Run();
  client.Read();
  for (uint64_t tag = 3; tag < 6; ++tag) ASSERT_TRUE(Get(tag, "a").ok());
  ASSERT_TRUE(Cancel(6, "a").ok());
  Run();
  client.Read();
  EXPECT_EQ(log, std::vector<std::string>(
                     {"reply 1", "reply 2", "event 1", "reply 3", "reply 4", "reply 5", "reply 6", "event 2"}));
}

TEST_F(GroupRunnerTest, DetachedStreamHearsNothing) {
  FastClient client;
  ASSERT_TRUE(Enqueue(1, "a").ok());
  ASSERT_TRUE(Attach(2, "a", client).ok());
  Run();
  client.Read();
  const uint64_t handle = std::get<AttachReply>(sink.replies[2].value).handle;
  ASSERT_TRUE(Submit(3, DetachCommand{handle}, client.stream).ok());
  ASSERT_TRUE(Cancel(4, "a").ok());
  Run();
  EXPECT_EQ(client.events.size(), 1u);
  EXPECT_EQ(client.stream.use_count(), 1);
}

TEST_F(GroupRunnerTest, SessionHearsOfItsTicketsAndResumesWithTheirState) {
  FastClient first, second;
  const auto ticket = [](const std::string& id, int rating) {
    return EnqueueCommand{MakeTicket({.id = id, .players = {{"player-" + id, rating}}, .session = "s"})};
  };
  ASSERT_TRUE(Submit(1, AttachSessionCommand{"s"}, first.stream).ok());
  ASSERT_TRUE(Submit(2, ticket("a", 1500)).ok());
  ASSERT_TRUE(Submit(3, ticket("b", 1500)).ok());
  ASSERT_TRUE(Submit(4, ticket("c", 2500)).ok());
  Run();
  EXPECT_TRUE(first.events.empty());  // the answers say it
  Pass(100 * kMillisecond);
  first.Read();
  EXPECT_EQ(first.heard(), Heard({{EventKind::kMatched, 2}, {EventKind::kMatched, 2}}));
  ASSERT_TRUE(Submit(5, AttachSessionCommand{"s"}, second.stream).ok());
  Run();
  second.Read();
  EXPECT_EQ(first.stream->end_reason(), StreamEnd::kReplaced);
  ASSERT_EQ(second.events.size(), 3u);  // nothing is acknowledged yet
  for (const Event& event : second.events) EXPECT_TRUE(event.snapshot);
  EXPECT_TRUE(Exposes("evenmatch_resumes_total{kind=\"session\"} 1"));
}

TEST_F(GroupRunnerTest, DrainingAnswersEnqueueOnlyWithUnavailable) {
  ASSERT_TRUE(Enqueue(1, "a").ok());
  Run();
  draining = true;
  ASSERT_TRUE(Enqueue(2, "b").ok());
  ASSERT_TRUE(Get(3, "a").ok());
  ASSERT_TRUE(Cancel(4, "a").ok());
  Run();
  EXPECT_EQ(sink.code(2), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(sink.replies[3].status.ok());
  EXPECT_TRUE(sink.replies[4].status.ok());
  EXPECT_TRUE(Exposes("evenmatch_refusals_total{reason=\"unavailable\"} 1"));
}

TEST_F(GroupRunnerTest, ConsecutiveRepliesToASinkAreOneRun) {
  RecordingSink other;
  std::vector<Request> requests;
  for (uint64_t tag = 10; tag < 14; ++tag) requests.push_back({GetTicketCommand{{.ticket_id = "x"}}, tag, &other});
  ASSERT_TRUE(Enqueue(1, "a").ok());
  ASSERT_TRUE(runner->Submit(&requests).ok());
  EXPECT_TRUE(requests.empty());
  ASSERT_TRUE(Enqueue(2, "b").ok());
  Run();
  EXPECT_EQ(other.replies.size(), 4u);
  EXPECT_EQ(other.runs, 1);
  EXPECT_EQ(sink.runs, 2);
}

TEST_F(GroupRunnerTest, RequestWithoutASinkIsDoneAndAnswersNobody) {
  std::vector<Request> requests;
  requests.push_back({EnqueueCommand{MakeTicket({.id = "a", .players = {{"p", 1500}}})}});
  ASSERT_TRUE(runner->Submit(&requests).ok());
  ASSERT_TRUE(Get(1, "a").ok());
  Run();
  EXPECT_TRUE(sink.replies[1].status.ok());
}

TEST_F(GroupRunnerTest, LateTicksAreSkippedAndCountedAndTheRhythmIsKept) {
  Run();
  Pass(1050 * kMillisecond);
  EXPECT_TRUE(Exposes("evenmatch_tick_overruns_total{queue=\"duel\"} 9"));
  EXPECT_TRUE(Exposes("evenmatch_tick_duration_seconds_count{queue=\"duel\"} 1"));
  Pass(50 * kMillisecond);
  EXPECT_TRUE(Exposes("evenmatch_tick_duration_seconds_count{queue=\"duel\"} 2"));
  EXPECT_TRUE(Exposes("evenmatch_tick_overruns_total{queue=\"duel\"} 9"));
}

TEST_F(GroupRunnerTest, TicketRunsOutWithoutAnyCommand) {
  FastClient client;
  ASSERT_TRUE(Enqueue(1, "a").ok());
  ASSERT_TRUE(Attach(2, "a", client).ok());
  Run();
  client.Read();
  const Micros end = clock.Now() + 90 * kSecond;
  while (clock.Now() < end) {
    const Micros next = runner->NextWork();
    ASSERT_GT(next, clock.Now());
    Pass(next - clock.Now());
  }
  client.Read();
  EXPECT_EQ(client.heard(), Heard({{EventKind::kQueued, 1}, {EventKind::kExpired, 2}}));
  EXPECT_TRUE(Exposes("evenmatch_expiries_total{queue=\"duel\",stage=\"0\"} 1"));
}

TEST_F(GroupRunnerTest, WriteThatIsPendingTooLongEndsItsStreamOnly) {
  FastClient slow, fast;
  ASSERT_TRUE(Enqueue(1, "a").ok());
  ASSERT_TRUE(Attach(2, "a", slow).ok());
  ASSERT_TRUE(Attach(3, "a", fast).ok());
  Run();
  fast.Read();
  for (int i = 0; i < 7; ++i) Pass(1 * kSecond);
  EXPECT_EQ(slow.stream->end_reason(), StreamEnd::kStalled);
  EXPECT_TRUE(slow.broken);
  EXPECT_FALSE(fast.stream->ended());
}

TEST_F(GroupRunnerTest, StopAnswersEverythingTaken) {
  FastClient client;
  ASSERT_TRUE(Enqueue(1, "a").ok());
  ASSERT_TRUE(Attach(2, "a", client).ok());
  Run();
  client.Read();
  store.Script({Act::kHold});
  ASSERT_TRUE(Cancel(3, "a").ok());
  Run();
  ASSERT_TRUE(Enqueue(4, "b").ok());
  runner->BeginStop(clock.Now() + 5 * kSecond);
  EXPECT_EQ(Enqueue(5, "c").code(), absl::StatusCode::kUnavailable);
  Run();
  EXPECT_FALSE(runner->finished());
  store.FinishHeld();
  Run();
  client.Read();
  EXPECT_TRUE(runner->finished());
  EXPECT_TRUE(sink.replies[3].status.ok());
  EXPECT_TRUE(sink.replies[4].status.ok());
  EXPECT_EQ(client.stream->end_reason(), StreamEnd::kDone);
  EXPECT_EQ(runner->depth(), 0u);
}

TEST_F(GroupRunnerTest, StopEndsOpenStreamsAsDrained) {
  FastClient watcher, session;
  ASSERT_TRUE(Enqueue(1, "a").ok());
  ASSERT_TRUE(Attach(2, "a", watcher).ok());
  ASSERT_TRUE(Submit(3, AttachSessionCommand{"s"}, session.stream).ok());
  runner->BeginStop(kNever);
  Run();
  watcher.Read();
  EXPECT_EQ(watcher.heard(), Heard({{EventKind::kQueued, 1}}));
  EXPECT_EQ(watcher.stream->end_reason(), StreamEnd::kDrained);
  EXPECT_EQ(session.stream->end_reason(), StreamEnd::kDrained);
  EXPECT_EQ(watcher.status.code(), absl::StatusCode::kUnavailable);
}

TEST_F(GroupRunnerTest, StopGivesUpOnAnUnknownOutcomeAndSaysSo) {
  store.SetDefault(Act::kSayUnknown);
  ASSERT_TRUE(Enqueue(1, "a").ok());
  Run();
  ASSERT_TRUE(Enqueue(2, "b").ok());
  const Micros stop = clock.Now();
  runner->BeginStop(stop + 5 * kSecond);
  Run();
  while (!runner->finished()) {
    ASSERT_TRUE(sink.replies.empty());
    ASSERT_LT(clock.Now(), stop + 5 * kSecond);
    ASSERT_GT(runner->NextWork(), clock.Now());
    Pass(runner->NextWork() - clock.Now());
  }
  EXPECT_EQ(sink.code(1), absl::StatusCode::kUnavailable);
  EXPECT_EQ(sink.code(2), absl::StatusCode::kUnavailable);
}

TEST_F(GroupRunnerTest, GroupStandsStillWhileTheStoreDoesAndGoesOnAfterwards) {
  store.Script({Act::kHold});
  ASSERT_TRUE(Enqueue(0, "first").ok());
  Run();
  // Each command gathers a reply that cannot leave. At some point the inbox fills and Submit refuses.
  uint64_t taken = 0;
  for (;;) {
    std::vector<Request> requests;
    for (int i = 0; i < 1024; ++i) requests.push_back({GetTicketCommand{{.ticket_id = "x"}}, 1 + taken + i, &sink});
    if (!runner->Submit(&requests).ok()) break;
    taken += 1024;
    runner->Step(clock.Now());
    ASSERT_LT(taken, 1'000'000u);
  }
  EXPECT_GE(taken, limits.inbox_commands);
  EXPECT_EQ(runner->NextWork(), kNever);
  clock.Advance(1 * kSecond);
  runner->Step(clock.Now());
  EXPECT_TRUE(Exposes("evenmatch_tick_duration_seconds_count{queue=\"duel\"} 0"));
  store.FinishHeld();
  for (int i = 0; i < 1000 && sink.replies.size() <= taken; ++i) {
    runner->Step(clock.Now());
    egress.Step(clock.Now());
  }
  EXPECT_EQ(sink.replies.size(), taken + 1);
  EXPECT_TRUE(Exposes("evenmatch_tick_duration_seconds_count{queue=\"duel\"} 1"));
}

TEST_F(GroupRunnerTest, GroupStandsStillWhileEgressDoesAndIsWokenByIt) {
  uint64_t taken = 0;
  while (runner->NextWork() != kNever) {
    std::vector<Request> requests;
    for (int i = 0; i < 1024; ++i) requests.push_back({GetTicketCommand{{.ticket_id = "x"}}, 1 + taken + i, &sink});
    ASSERT_TRUE(runner->Submit(&requests).ok());
    taken += 1024;
    runner->Step(clock.Now());
    ASSERT_LT(taken, 1'000'000u);
  }
  waker->Sleep(0);
  ASSERT_TRUE(egress.Step(clock.Now()));
  waker->Sleep(kNever);  // would hang
  Run();
  EXPECT_EQ(sink.replies.size(), taken);
}

class SmallInboxTest : public RunnerWorld {
 protected:
  SmallInboxTest() : RunnerWorld({DuelRules("duel")}, {.inbox_commands = 8}) {}
};

TEST_F(SmallInboxTest, FullInboxRefusesAtOnceAndTakesNothing) {
  for (uint64_t tag = 1; tag <= 8; ++tag) ASSERT_TRUE(Enqueue(tag, std::to_string(tag)).ok());
  EXPECT_EQ(Enqueue(9, "9").code(), absl::StatusCode::kResourceExhausted);
  std::vector<Request> requests(2);
  EXPECT_EQ(runner->Submit(&requests).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(requests.size(), 2u);
  Run();
  EXPECT_EQ(sink.replies.size(), 8u);
  EXPECT_FALSE(sink.answered(9));
  EXPECT_TRUE(Enqueue(10, "10").ok());
}

TEST_F(SmallInboxTest, DetachIsTakenHoweverFullTheInboxIs) {
  for (uint64_t tag = 1; tag <= 8; ++tag) ASSERT_TRUE(Enqueue(tag, std::to_string(tag)).ok());
  FastClient client;
  EXPECT_TRUE(Submit(9, DetachCommand{1}, client.stream).ok());
  EXPECT_TRUE(Submit(10, DetachSessionCommand{"s"}, client.stream).ok());
  EXPECT_FALSE(Submit(11, AttachSessionCommand{"s"}, client.stream).ok());
}

}  // namespace
}  // namespace evenmatch
