#include "streams/hub.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/streams/fake_writer.h"

namespace evenmatch {
namespace {

using Sequences = std::vector<uint32_t>;

struct Client {
  explicit Client(size_t capacity = 64) : stream(std::make_shared<Stream>(&writer, capacity, 16)) {}
  FakeWriter writer;
  std::shared_ptr<Stream> stream;
};

class HubTest : public ::testing::Test {
 protected:
  Hub hub_;
  std::shared_ptr<const Ticket> ticket_ = TicketOfSession();
};

TEST_F(HubTest, EveryWatcherHearsOfItsTicketOnly) {
  Client a, b, other;
  hub_.Watch(1, a.stream, {}, false);
  hub_.Watch(1, b.stream, {}, false);
  hub_.Watch(2, other.stream, {}, false);
  hub_.Tell(EventOf(ticket_, 1, EventKind::kWidened, 1));
  hub_.FlushTouched(0);
  EXPECT_EQ(a.writer.sequences(), Sequences({1}));
  EXPECT_EQ(b.writer.sequences(), Sequences({1}));
  EXPECT_EQ(other.writer.writes, 0);
}

TEST_F(HubTest, BacklogComesBeforeWhatFollows) {
  Client a;
  hub_.Watch(1, a.stream, {EventOf(ticket_, 1, EventKind::kQueued, 1)}, false);
  hub_.Tell(EventOf(ticket_, 1, EventKind::kCancelled, 2));
  hub_.FlushTouched(0);
  EXPECT_EQ(a.writer.sequences(), Sequences({1, 2}));
}

TEST_F(HubTest, WatcherFinishesAfterTheFinalEvent) {
  Client a;
  hub_.Watch(1, a.stream, {}, false);
  hub_.Tell(EventOf(ticket_, 1, EventKind::kCancelled, 2));
  hub_.FlushTouched(0);
  EXPECT_EQ(hub_.watched_tickets(), 0u);
  EXPECT_FALSE(a.stream->ended());
  a.writer.Complete(*a.stream);
  EXPECT_EQ(a.stream->end_reason(), StreamEnd::kDone);
  EXPECT_TRUE(a.writer.status->ok());
}

TEST_F(HubTest, WatcherOfAnEndedTicketIsToldAndFinishes) {
  Client a;
  hub_.Watch(1, a.stream, {EventOf(ticket_, 1, EventKind::kCancelled, 2)}, true);
  EXPECT_EQ(hub_.watched_tickets(), 0u);
  hub_.FlushTouched(0);
  a.writer.Complete(*a.stream);
  EXPECT_EQ(a.writer.sequences(), Sequences({2}));
  EXPECT_EQ(a.stream->end_reason(), StreamEnd::kDone);
}

TEST_F(HubTest, WatcherThatNeverReadsItsFinalEventIsStalledAndForgotten) {
  Client a;
  hub_.Watch(1, a.stream, {}, false);
  hub_.Tell(EventOf(ticket_, 1, EventKind::kCancelled, 2));
  hub_.FlushTouched(0);
  std::weak_ptr<Stream> gone = a.stream;
  a.stream.reset();
  EXPECT_FALSE(gone.expired());
  hub_.EndStalled(10 * kSecond, 5 * kSecond);
  EXPECT_TRUE(a.writer.broken);
  EXPECT_TRUE(gone.expired());
}

TEST_F(HubTest, UnwatchedStreamHearsNothing) {
  Client a, b;
  hub_.Watch(1, a.stream, {}, false);
  hub_.Watch(1, b.stream, {}, false);
  hub_.Unwatch(1, a.stream.get());
  hub_.Unwatch(9, a.stream.get());
  hub_.Tell(EventOf(ticket_, 1, EventKind::kWidened, 1));
  hub_.FlushTouched(0);
  EXPECT_EQ(a.writer.writes, 0);
  EXPECT_EQ(b.writer.writes, 1);
  hub_.Unwatch(1, b.stream.get());
  EXPECT_EQ(hub_.watched_tickets(), 0u);
}

TEST_F(HubTest, SessionHearsOfItsTicketsButNotThatTheyAreQueued) {
  Client a;
  const auto mine = TicketOfSession("s"), foreign = TicketOfSession("t");
  hub_.OpenSession("s", a.stream, {});
  hub_.Tell(EventOf(mine, 1, EventKind::kQueued, 1));
  hub_.Tell(EventOf(foreign, 2, EventKind::kMatched, 2));
  hub_.Tell(EventOf(ticket_, 3, EventKind::kMatched, 2));
  hub_.Tell(EventOf(mine, 1, EventKind::kMatched, 2));
  hub_.FlushTouched(0);
  EXPECT_EQ(a.writer.sequences(), Sequences({2}));
  EXPECT_EQ(a.writer.events()[0].handle, 1u);
  EXPECT_FALSE(a.stream->ended());  // a session does not end with a ticket
}

TEST_F(HubTest, NewerStreamReplacesTheOlderOfItsSession) {
  Client old_client, new_client;
  const auto mine = TicketOfSession("s");
  hub_.OpenSession("s", old_client.stream, {});
  hub_.Tell(EventOf(mine, 1, EventKind::kWidened, 1));
  hub_.OpenSession("s", new_client.stream, {EventOf(mine, 1, EventKind::kQueued, 1)});
  EXPECT_EQ(old_client.stream->end_reason(), StreamEnd::kReplaced);
  EXPECT_EQ(old_client.writer.status->code(), absl::StatusCode::kAborted);
  hub_.CloseSession("s", old_client.stream.get());  // its detach comes late
  hub_.Tell(EventOf(mine, 1, EventKind::kMatched, 2));
  hub_.FlushTouched(0);
  EXPECT_EQ(old_client.writer.writes, 0);
  EXPECT_EQ(new_client.writer.sequences(), Sequences({1, 2}));
  hub_.CloseSession("s", new_client.stream.get());
  EXPECT_EQ(hub_.sessions(), 0u);
}

TEST_F(HubTest, ReplacedStreamFinishesItsWriteUnlessThatStalls) {
  Client reading, stuck, newest;
  const auto mine = TicketOfSession("s");
  for (const Client* client : {&reading, &stuck, &newest}) {
    hub_.OpenSession("s", client->stream, {EventOf(mine, 1, EventKind::kQueued, 1)});
    hub_.FlushTouched(0);
  }
  EXPECT_FALSE(reading.writer.broken);
  reading.writer.Complete(*reading.stream);
  EXPECT_EQ(reading.writer.status->code(), absl::StatusCode::kAborted);
  EXPECT_EQ(reading.stream->end_reason(), StreamEnd::kReplaced);
  newest.writer.Complete(*newest.stream);
  hub_.EndStalled(6 * kSecond, 5 * kSecond);
  EXPECT_TRUE(stuck.writer.broken);
  EXPECT_EQ(stuck.stream->end_reason(), StreamEnd::kStalled);
  EXPECT_EQ(reading.stream.use_count(), 1);
  EXPECT_EQ(stuck.stream.use_count(), 1);
  EXPECT_FALSE(newest.stream->ended());
}

TEST_F(HubTest, SessionIsFlushedInEveryRound) {
  Client a;
  const auto mine = TicketOfSession("s");
  hub_.OpenSession("s", a.stream, {});
  for (uint32_t i = 2; i < 5; ++i) {
    hub_.Tell(EventOf(mine, i, EventKind::kMatched, 2));
    hub_.Tell(EventOf(mine, i + 100, EventKind::kMatched, 2));
    hub_.FlushTouched(0);
    a.writer.CompleteAll(*a.stream);
    EXPECT_EQ(a.writer.written.size(), 2 * (i - 1));
  }
}

TEST_F(HubTest, SlowReaderHindersNobodyElse) {
  Client slow(4), fast(4);
  hub_.Watch(1, slow.stream, {}, false);
  hub_.Watch(1, fast.stream, {}, false);
  for (uint32_t i = 1; i <= 20; ++i) {
    hub_.Tell(EventOf(ticket_, 1, EventKind::kQueued, i));
    hub_.FlushTouched(0);
    fast.writer.CompleteAll(*fast.stream);
  }
  EXPECT_EQ(slow.stream->end_reason(), StreamEnd::kOverflow);
  EXPECT_TRUE(slow.writer.broken);
  EXPECT_EQ(fast.writer.written.size(), 20u);
  hub_.EndStalled(0, kSecond);
  slow.writer.written.clear();
  EXPECT_EQ(slow.stream.use_count(), 1);  // forgotten by the hub
  EXPECT_EQ(fast.stream.use_count(), 2);
}

TEST_F(HubTest, EndAllEndsWatchersSessionsAndWhoFinishes) {
  Client watcher, session, finishing;
  hub_.Watch(1, watcher.stream, {}, false);
  hub_.OpenSession("s", session.stream, {});
  hub_.Watch(2, finishing.stream, {EventOf(ticket_, 2, EventKind::kCancelled, 2)}, true);
  hub_.FlushTouched(0);
  hub_.EndAll(absl::UnavailableError("x"), StreamEnd::kUnavailable);
  for (const Client* client : {&watcher, &session, &finishing}) {
    EXPECT_EQ(client->stream->end_reason(), StreamEnd::kUnavailable);
    EXPECT_EQ(client->stream.use_count(), 1);
  }
  EXPECT_TRUE(finishing.writer.broken);
  EXPECT_EQ(watcher.writer.status->code(), absl::StatusCode::kUnavailable);
}

TEST_F(HubTest, FinishAllTellsWhatIsLeftFirst) {
  Client watcher, session;
  const auto mine = TicketOfSession("s");
  hub_.Watch(1, watcher.stream, {}, false);
  hub_.OpenSession("s", session.stream, {});
  hub_.Tell(EventOf(mine, 1, EventKind::kWidened, 1));
  hub_.FinishAll(absl::UnavailableError("x"), StreamEnd::kDrained, 0);
  for (Client* client : {&watcher, &session}) {
    client->writer.CompleteAll(*client->stream);
    EXPECT_EQ(client->stream->end_reason(), StreamEnd::kDrained);
    EXPECT_EQ(client->writer.written.size(), 1u);
  }
}

}  // namespace
}  // namespace evenmatch
