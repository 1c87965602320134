#include "tests/unit/rpc/server_fixture.h"

namespace evenmatch {
namespace {

class WatchTest : public ServerTest {};

TEST_F(WatchTest, BeginsWithThePresentStateAndEndsWithTheFinalEvent) {
  Start();
  EnqueueOk(Solo("a"));
  const auto context = Context();
  v1::WatchTicketRequest request;
  request.set_ticket_id("t-a");
  const auto reader = matchmaking_->WatchTicket(context.get(), request);
  v1::WatchTicketResponse response;
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.event().kind(), v1::TICKET_EVENT_KIND_QUEUED);
  EXPECT_TRUE(response.event().snapshot());
  EXPECT_EQ(response.event().sequence(), 1u);
  EnqueueOk(Solo("b"));
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.event().kind(), v1::TICKET_EVENT_KIND_MATCHED);
  EXPECT_EQ(response.event().sequence(), 2u);
  EXPECT_EQ(response.event().match().teams_size(), 2);
  EXPECT_FALSE(reader->Read(&response));
  EXPECT_TRUE(reader->Finish().ok());
}

TEST_F(WatchTest, ResumesAfterItsCursor) {
  Start();
  EnqueueOk(Solo("a"));
  EnqueueOk(Solo("b"));
  grpc::Status status;
  std::vector<v1::TicketEvent> events = Watch("t-a", 1, &status);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].sequence(), 2u);
  EXPECT_FALSE(events[0].snapshot());
  EXPECT_TRUE(status.ok());
  // Until it is acknowledged the final event is told on each attach, then no more.
  EXPECT_EQ(Watch("t-a", -1, &status).size(), 1u);
  events = Watch("t-a", 0, &status);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind(), v1::TICKET_EVENT_KIND_QUEUED);
}

TEST_F(WatchTest, ACursorFromTheFutureIsInvalid) {
  Start();
  EnqueueOk(Solo("a"));
  grpc::Status status;
  EXPECT_TRUE(Watch("t-a", 7, &status).empty());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Field(status), "cursor");
  AwaitMetric("evenmatch_stream_ends_total{kind=\"watch\",reason=\"refused\"} 1");
  AwaitMetric("evenmatch_open_streams{kind=\"watch\"} 0");
}

TEST_F(WatchTest, UnknownTicketsAndBadRequestsAreRefused) {
  Start();
  grpc::Status status;
  Watch("t-nosuch", -1, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  Watch("", -1, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Field(status), "ticket_id");
}

TEST_F(WatchTest, ATicketThatNeedsItsStreamIsCancelledWhenTheClientGoesAway) {
  catalog_.presence_grace = 500 * kMillisecond;
  Start();
  v1::Ticket ticket = Solo("a");
  ticket.set_presence(v1::PRESENCE_STREAM);
  EnqueueOk(ticket);
  v1::WatchTicketRequest request;
  request.set_ticket_id("t-a");
  const auto context = Context();
  const auto reader = matchmaking_->WatchTicket(context.get(), request);
  v1::WatchTicketResponse response;
  ASSERT_TRUE(reader->Read(&response));
  context->TryCancel();
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);

  v1::GetTicketRequest get;
  v1::GetTicketResponse got;
  get.set_ticket_id("t-a");
  do {
    ASSERT_TRUE(matchmaking_->GetTicket(Context().get(), get, &got).ok());
  } while (got.ticket().state() == v1::TICKET_STATE_WAITING);
  EXPECT_EQ(got.ticket().state(), v1::TICKET_STATE_CANCELLED);
  EXPECT_EQ(got.ticket().reason(), v1::REASON_PRESENCE_LOST);
}

TEST_F(WatchTest, ManyWatchersOfManyTicketsAreAllTold) {
  Start();
  constexpr int kTickets = 200;
  grpc::CompletionQueue queue;
  struct Open {
    std::unique_ptr<grpc::ClientContext> context;
    std::unique_ptr<grpc::ClientAsyncReader<v1::WatchTicketResponse>> reader;
    v1::WatchTicketResponse response;
    grpc::Status status;
    int step = 0;
    std::vector<v1::TicketEventKind> kinds;
  };
  std::vector<Open> open(kTickets);
  for (int i = 0; i < kTickets; ++i) EnqueueOk(Solo(std::to_string(i), "squad"));
  for (int i = 0; i < kTickets; ++i) {
    v1::WatchTicketRequest request;
    request.set_ticket_id("t-" + std::to_string(i));
    request.set_cursor(1);
    open[i].context = Context();
    open[i].reader = matchmaking_->PrepareAsyncWatchTicket(open[i].context.get(), request, &queue);
    open[i].reader->StartCall(&open[i]);
  }
  int ended = 0;
  void* tag;
  bool ok;
  while (ended < kTickets && queue.Next(&tag, &ok)) {
    Open& stream = *static_cast<Open*>(tag);
    if (stream.step == 2) {
      ++ended;
      continue;
    }
    if (stream.step == 1 && ok) stream.kinds.push_back(stream.response.event().kind());
    if (stream.step == 1 && !ok) {
      stream.step = 2;
      stream.reader->Finish(&stream.status, &stream);
      continue;
    }
    stream.step = 1;
    stream.reader->Read(&stream.response, &stream);
  }
  for (const Open& stream : open) {
    EXPECT_TRUE(stream.status.ok()) << stream.status.error_message();
    ASSERT_FALSE(stream.kinds.empty());
    EXPECT_EQ(stream.kinds.back(), v1::TICKET_EVENT_KIND_MATCHED);
  }
}

class LatestTest : public ServerTest {};

TEST_F(LatestTest, QueueStatsAreToldAgainAndAgain) {
  Start();
  v1::WatchQueueStatsRequest request;
  request.set_queue("duel");
  request.mutable_interval()->set_nanos(100'000'000);
  const auto context = Context();
  const auto reader = admin_->WatchQueueStats(context.get(), request);
  v1::WatchQueueStatsResponse response;
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.stats().waiting_tickets(), 0u);
  EnqueueOk(Solo("a"));
  do {
    ASSERT_TRUE(reader->Read(&response));
  } while (response.stats().waiting_tickets() == 0);
  context->TryCancel();
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(LatestTest, QueueStatsOfNoQueueAreRefused) {
  Start();
  v1::WatchQueueStatsRequest request;
  request.set_queue("nosuch");
  const auto context = Context();
  const auto reader = admin_->WatchQueueStats(context.get(), request);
  v1::WatchQueueStatsResponse response;
  EXPECT_FALSE(reader->Read(&response));
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(LatestTest, HealthWatchersHearOfChanges) {
  Start();
  using Response = grpc::health::v1::HealthCheckResponse;
  grpc::health::v1::HealthCheckRequest request;
  const auto context = Context();
  const auto reader = health_->Watch(context.get(), request);
  Response response;
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.status(), Response::SERVING);
  server_->SetServing(false);
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.status(), Response::NOT_SERVING);
  server_->SetServing(true);
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.status(), Response::SERVING);

  request.set_service("nosuch");
  const auto other_context = Context();
  const auto other = health_->Watch(other_context.get(), request);
  ASSERT_TRUE(other->Read(&response));
  EXPECT_EQ(response.status(), Response::SERVICE_UNKNOWN);
  Stop();
  EXPECT_EQ(other->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace evenmatch
