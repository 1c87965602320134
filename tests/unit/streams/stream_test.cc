#include "streams/stream.h"

#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/streams/fake_writer.h"

namespace evenmatch {
namespace {

using Sequences = std::vector<uint32_t>;

class StreamTest : public ::testing::Test {
 protected:
  Event Numbered(uint32_t sequence) { return EventOf(ticket_, 1, EventKind::kQueued, sequence); }
  Event Widened(uint32_t sequence, MilliPoints window) {
    Event event = EventOf(ticket_, 1, EventKind::kWidened, sequence);
    event.window = window;
    return event;
  }

  std::shared_ptr<const Ticket> ticket_ = TicketOfSession();
  FakeWriter writer_;
  Stream stream_{&writer_, 4, 3};
};

TEST_F(StreamTest, NothingIsWrittenBeforeFlush) {
  stream_.Offer(Numbered(1));
  EXPECT_EQ(writer_.writes, 0);
  stream_.Flush(0);
  EXPECT_EQ(writer_.sequences(), Sequences({1}));
}

TEST_F(StreamTest, FlushWithNothingToWriteDoesNothing) {
  stream_.Flush(0);
  EXPECT_EQ(writer_.writes, 0);
}

TEST_F(StreamTest, WhatGathersDuringAWriteGoesOutTogether) {
  stream_.Offer(Numbered(1));
  stream_.Flush(0);
  stream_.Offer(Numbered(2));
  stream_.Flush(0);
  stream_.Offer(Numbered(3));
  stream_.Flush(0);
  EXPECT_EQ(writer_.writes, 1);
  writer_.Complete(stream_);
  EXPECT_EQ(writer_.writes, 2);
  EXPECT_EQ(writer_.sequences(), Sequences({1, 2, 3}));
}

TEST_F(StreamTest, OneWriteTakesAtMostItsShare) {
  for (uint32_t i = 1; i <= 4; ++i) stream_.Offer(Numbered(i));
  stream_.Flush(0);
  EXPECT_EQ(writer_.sequences(), Sequences({1, 2, 3}));
  writer_.Complete(stream_);
  EXPECT_EQ(writer_.sequences(), Sequences({1, 2, 3, 4}));
}

TEST_F(StreamTest, AnswersBacklogAndEventsKeepTheirOrder) {
  stream_.AddAnswer(Answer{7, {}});
  stream_.AddBacklog({Numbered(1), Numbered(2)});
  stream_.Offer(Numbered(3));
  stream_.AddAnswer(Answer{8, {}});
  stream_.Flush(0);
  writer_.CompleteAll(stream_);
  ASSERT_EQ(writer_.written.size(), 5u);
  EXPECT_EQ(std::get<Answer>(writer_.written[0]).request, 7u);
  EXPECT_EQ(std::get<Event>(writer_.written[2]).sequence, 2u);
  EXPECT_EQ(std::get<Event>(writer_.written[3]).sequence, 3u);
  EXPECT_EQ(std::get<Answer>(writer_.written[4]).request, 8u);
}

TEST_F(StreamTest, OrderHoldsOverManyPartialWrites) {
  Stream stream(&writer_, 100, 3);
  uint32_t offered = 0;
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 5 && stream.buffered() < 90; ++i) stream.Offer(Numbered(++offered));
    stream.Flush(0);
    if (round % 3 != 0) writer_.Complete(stream);
  }
  writer_.CompleteAll(stream);
  ASSERT_EQ(writer_.written.size(), offered);
  for (uint32_t i = 0; i < offered; ++i) ASSERT_EQ(std::get<Event>(writer_.written[i]).sequence, i + 1);
}

TEST_F(StreamTest, NewerStatusOverwritesOneThatStillWaits) {
  stream_.Offer(Widened(1, 100));
  stream_.Flush(0);
  stream_.Offer(Widened(1, 200));
  stream_.Offer(Widened(1, 300));
  EXPECT_EQ(stream_.buffered(), 1u);
  writer_.Complete(stream_);
  ASSERT_EQ(writer_.written.size(), 2u);
  EXPECT_EQ(writer_.events()[1].window, 300);
}

TEST_F(StreamTest, StatusIsNotMovedBeforeALaterNumberedEvent) {
  stream_.Offer(Widened(1, 100));
  stream_.Offer(Numbered(2));
  stream_.Offer(Widened(2, 200));
  stream_.Offer(Widened(2, 300));
  stream_.Flush(0);
  writer_.CompleteAll(stream_);
  ASSERT_EQ(writer_.events().size(), 3u);
  EXPECT_EQ(writer_.events()[0].window, 100);
  EXPECT_EQ(writer_.events()[1].sequence, 2u);
  EXPECT_EQ(writer_.events()[2].window, 300);
}

TEST_F(StreamTest, StatusOfOneTicketLeavesAnotherAlone) {
  const auto other = TicketOfSession();
  stream_.Offer(Widened(1, 100));
  Event event = EventOf(other, 2, EventKind::kWidened, 1);
  event.window = 500;
  stream_.Offer(event);
  stream_.Offer(Widened(1, 200));
  stream_.Flush(0);
  ASSERT_EQ(writer_.events().size(), 2u);
  EXPECT_EQ(writer_.events()[0].window, 200);
  EXPECT_EQ(writer_.events()[1].window, 500);
}

TEST_F(StreamTest, AnEndlessStatusNeverFillsTheLine) {
  stream_.Offer(Numbered(1));
  stream_.Flush(0);
  for (int i = 0; i < 1000; ++i) stream_.Offer(Widened(1, i));
  EXPECT_FALSE(stream_.ended());
  EXPECT_EQ(stream_.buffered(), 1u);
}

TEST_F(StreamTest, OverflowWithoutAPendingWriteEndsWithResourceExhausted) {
  for (uint32_t i = 1; i <= 4; ++i) stream_.Offer(Numbered(i));
  EXPECT_FALSE(stream_.ended());
  stream_.Offer(Numbered(5));
  EXPECT_EQ(stream_.end_reason(), StreamEnd::kOverflow);
  ASSERT_TRUE(writer_.status.has_value());
  EXPECT_EQ(writer_.status->code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(StreamTest, OverflowWithAPendingWriteBreaksOff) {
  stream_.Offer(Numbered(0));
  stream_.Flush(0);
  for (uint32_t i = 1; i <= 5; ++i) stream_.Offer(Numbered(i));
  EXPECT_EQ(stream_.end_reason(), StreamEnd::kOverflow);
  EXPECT_TRUE(writer_.broken);
  writer_.pending = false;
  stream_.Written(false, 0);  // comes back, and nothing follows
  EXPECT_EQ(writer_.writes, 1);
  EXPECT_EQ(stream_.end_reason(), StreamEnd::kOverflow);
}

TEST_F(StreamTest, AnswersDoNotCountAgainstTheCapacity) {
  for (int i = 0; i < 100; ++i) stream_.AddAnswer({});
  for (uint32_t i = 1; i <= 4; ++i) stream_.Offer(Numbered(i));
  EXPECT_FALSE(stream_.ended());
}

TEST_F(StreamTest, BacklogMakesRoomForItselfUntilItIsRead) {
  std::vector<Event> backlog;
  for (uint32_t i = 1; i <= 50; ++i) backlog.push_back(Numbered(i));
  stream_.AddBacklog(backlog);
  for (uint32_t i = 51; i <= 54; ++i) stream_.Offer(Numbered(i));
  EXPECT_FALSE(stream_.ended());
  stream_.Flush(0);
  writer_.CompleteAll(stream_);
  EXPECT_EQ(writer_.written.size(), 54u);
  for (uint32_t i = 55; i <= 59; ++i) stream_.Offer(Numbered(i));
  EXPECT_TRUE(stream_.ended());
}

TEST_F(StreamTest, StalledWriteEndsTheStream) {
  stream_.Offer(Numbered(1));
  stream_.Flush(1 * kSecond);
  stream_.EndIfStalled(6 * kSecond, 5 * kSecond);
  EXPECT_FALSE(stream_.ended());
  stream_.EndIfStalled(6 * kSecond + 1, 5 * kSecond);
  EXPECT_EQ(stream_.end_reason(), StreamEnd::kStalled);
  EXPECT_TRUE(writer_.broken);
}

TEST_F(StreamTest, StreamWithoutAPendingWriteIsNeverStalled) {
  stream_.Offer(Numbered(1));
  stream_.Flush(0);
  writer_.Complete(stream_, 0);
  stream_.EndIfStalled(kHour, kSecond);
  EXPECT_FALSE(stream_.ended());
}

TEST_F(StreamTest, EachWriteHasItsOwnTimeLimit) {
  for (uint32_t i = 1; i <= 4; ++i) stream_.Offer(Numbered(i));
  stream_.Flush(0);
  writer_.Complete(stream_, 10 * kSecond);  // starts the second write
  stream_.EndIfStalled(11 * kSecond, 5 * kSecond);
  EXPECT_FALSE(stream_.ended());
}

TEST_F(StreamTest, FinishWaitsForEverythingInTheLine) {
  for (uint32_t i = 1; i <= 4; ++i) stream_.Offer(Numbered(i));
  stream_.FinishWhenWritten(absl::OkStatus(), StreamEnd::kDone);
  stream_.Offer(Numbered(5));  // too late
  stream_.Flush(0);
  writer_.Complete(stream_);
  EXPECT_FALSE(stream_.ended());
  EXPECT_FALSE(writer_.status.has_value());
  writer_.Complete(stream_);
  EXPECT_EQ(stream_.end_reason(), StreamEnd::kDone);
  ASSERT_TRUE(writer_.status.has_value());
  EXPECT_TRUE(writer_.status->ok());
  EXPECT_EQ(writer_.sequences(), Sequences({1, 2, 3, 4}));
}

TEST_F(StreamTest, FinishWithAnEmptyLineIsImmediate) {
  stream_.FinishWhenWritten(absl::UnavailableError("x"), StreamEnd::kDrained);
  EXPECT_EQ(stream_.end_reason(), StreamEnd::kDrained);
  EXPECT_EQ(writer_.status->code(), absl::StatusCode::kUnavailable);
}

TEST_F(StreamTest, FinishAfterWriteDropsTheLineButNotThePendingWrite) {
  for (uint32_t i = 1; i <= 3; ++i) stream_.Offer(Numbered(i));
  stream_.Flush(0);
  stream_.Offer(Numbered(4));
  stream_.Offer(Widened(4, 1));
  stream_.FinishAfterWrite(absl::AbortedError("x"), StreamEnd::kReplaced);
  stream_.Offer(Numbered(5));
  EXPECT_FALSE(writer_.broken);
  EXPECT_FALSE(stream_.ended());
  writer_.Complete(stream_);
  EXPECT_EQ(writer_.status->code(), absl::StatusCode::kAborted);
  EXPECT_EQ(stream_.end_reason(), StreamEnd::kReplaced);
  EXPECT_EQ(writer_.sequences(), Sequences({1, 2, 3}));
  EXPECT_EQ(stream_.buffered(), 0u);
}

TEST_F(StreamTest, FinishAfterWriteWithoutOneIsImmediate) {
  stream_.Offer(Numbered(1));
  stream_.FinishAfterWrite(absl::AbortedError("x"), StreamEnd::kReplaced);
  EXPECT_EQ(writer_.status->code(), absl::StatusCode::kAborted);
  EXPECT_EQ(writer_.writes, 0);
}

TEST_F(StreamTest, FinishingStreamMayStillStall) {
  stream_.Offer(Numbered(1));
  stream_.Flush(0);
  stream_.FinishWhenWritten(absl::OkStatus(), StreamEnd::kDone);
  stream_.EndIfStalled(10 * kSecond, 5 * kSecond);
  EXPECT_EQ(stream_.end_reason(), StreamEnd::kStalled);
  EXPECT_TRUE(writer_.broken);
}

TEST_F(StreamTest, FailedWriteMeansTheClientIsGone) {
  stream_.Offer(Numbered(1));
  stream_.Flush(0);
  writer_.pending = false;
  stream_.Written(false, 0);
  EXPECT_EQ(stream_.end_reason(), StreamEnd::kClient);
  EXPECT_FALSE(writer_.status.has_value());
  EXPECT_FALSE(writer_.broken);
}

TEST_F(StreamTest, CallThatIsOverWithItsLastWriteEndsAsItWasMeantTo) {
  stream_.Offer(Numbered(1));
  stream_.FinishWhenWritten(absl::OkStatus(), StreamEnd::kDone);
  stream_.Flush(0);
  stream_.ClientGone();
  EXPECT_EQ(stream_.end_reason(), StreamEnd::kDone);
  writer_.pending = false;
  stream_.Written(true, 0);
  EXPECT_FALSE(writer_.status.has_value());
}

TEST_F(StreamTest, ClientThatLeavesBeforeTheLastWriteIsTheReason) {
  stream_.Offer(Numbered(1));
  stream_.FinishWhenWritten(absl::OkStatus(), StreamEnd::kDone);
  stream_.ClientGone();
  EXPECT_EQ(stream_.end_reason(), StreamEnd::kClient);
}

TEST_F(StreamTest, EndedStreamTakesNothingAndCallsNobody) {
  stream_.ClientGone();
  stream_.Offer(Numbered(1));
  stream_.AddAnswer({});
  stream_.AddBacklog({Numbered(1)});
  stream_.Flush(0);
  stream_.FinishWhenWritten(absl::OkStatus(), StreamEnd::kDone);
  stream_.End(absl::AbortedError("x"), StreamEnd::kReplaced);
  stream_.EndIfStalled(kHour, 0);
  EXPECT_EQ(stream_.end_reason(), StreamEnd::kClient);
  EXPECT_EQ(stream_.buffered(), 0u);
  EXPECT_EQ(writer_.writes, 0);
  EXPECT_FALSE(writer_.status.has_value());
}

TEST_F(StreamTest, WhatWasWrittenIsHeldNoLonger) {
  for (uint32_t i = 1; i <= 4; ++i) stream_.Offer(Numbered(i));
  EXPECT_EQ(ticket_.use_count(), 5);
  stream_.Flush(0);  // three of four
  writer_.written.clear();
  EXPECT_EQ(ticket_.use_count(), 2);
}

TEST_F(StreamTest, EndedStreamHoldsNothing) {
  for (uint32_t i = 1; i <= 4; ++i) stream_.Offer(Numbered(i));
  stream_.End(absl::AbortedError("x"), StreamEnd::kReplaced);
  EXPECT_EQ(ticket_.use_count(), 1);
  EXPECT_EQ(stream_.buffered(), 0u);
}

}  // namespace
}  // namespace evenmatch
