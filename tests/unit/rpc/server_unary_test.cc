#include "grpcpp/generic/generic_stub.h"
#include "tests/unit/rpc/server_fixture.h"

namespace evenmatch {
namespace {

class UnaryTest : public ServerTest {
 protected:
  // Bytes that no generated client would send.
  grpc::Status CallRaw(const std::string& method, const std::string& bytes) {
    grpc::GenericStub stub(channel_);
    grpc::Slice slice(bytes);
    grpc::ByteBuffer request(&slice, 1), response;
    const auto context = Context();
    grpc::CompletionQueue queue;
    auto call = stub.PrepareUnaryCall(context.get(), method, request, &queue);
    call->StartCall();
    grpc::Status status;
    call->Finish(&response, &status, nullptr);
    void* tag;
    bool ok;
    queue.Next(&tag, &ok);
    return status;
  }

  static constexpr char kEnqueue[] = "/evenmatch.v1.MatchmakingService/Enqueue";
};

TEST_F(UnaryTest, TwoPlayersAreMatchedAndTheMatchEnds) {
  Start();
  const v1::EnqueueResponse first = EnqueueOk(Solo("a"));
  EXPECT_EQ(first.ticket_id(), "t-a");
  EXPECT_FALSE(first.existing());
  EXPECT_EQ(first.state(), v1::TICKET_STATE_WAITING);
  EXPECT_EQ(first.sequence(), 1u);
  EnqueueOk(Solo("b"));
  grpc::Status status;
  const std::vector<v1::TicketEvent> events = Watch("t-a", 1, &status);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(events.back().kind(), v1::TICKET_EVENT_KIND_MATCHED);
  EXPECT_FALSE(events.back().match().teams(0).seats(0).has_rating());
  const std::string match_id = events.back().match().match_id();

  v1::GetTicketRequest get;
  v1::GetTicketResponse got;
  get.set_player_id("p-b");
  ASSERT_TRUE(matchmaking_->GetTicket(Context().get(), get, &got).ok());
  EXPECT_EQ(got.ticket().state(), v1::TICKET_STATE_MATCHED);
  EXPECT_EQ(got.ticket().match().match_id(), match_id);

  v1::GetMatchRequest get_match;
  v1::GetMatchResponse match;
  get_match.set_match_id(match_id);
  ASSERT_TRUE(matches_->GetMatch(Context().get(), get_match, &match).ok());
  EXPECT_EQ(match.state(), v1::MATCH_STATE_FORMED);
  EXPECT_EQ(match.match().teams(0).seats(0).rating(), 1500);

  // A player of a live match is in the way of a new ticket, and the answer says which match.
  v1::EnqueueResponse refused;
  v1::Ticket again = Solo("a");
  again.set_ticket_id("t-again");
  status = Enqueue(again, &refused);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(Resource(status), "match:" + match_id);

  v1::EndMatchRequest end;
  v1::EndMatchResponse ended;
  end.set_match_id(match_id);
  ASSERT_TRUE(matches_->EndMatch(Context().get(), end, &ended).ok());
  EXPECT_EQ(ended.state(), v1::MATCH_STATE_ENDED);
  EXPECT_EQ(ended.end_reason(), v1::MATCH_END_REASON_END_MATCH);
  EXPECT_TRUE(Enqueue(again, &refused).ok());
}

TEST_F(UnaryTest, RepeatsAreTheSameTicketAndOtherContentIsRefused) {
  Start();
  EnqueueOk(Solo("a"));
  EXPECT_TRUE(EnqueueOk(Solo("a")).existing());
  v1::Ticket other = Solo("a");
  other.mutable_players(0)->set_rating(1234);
  v1::EnqueueResponse response;
  grpc::Status status = Enqueue(other, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Field(status), "ticket.ticket_id");
  other.set_ticket_id("t-other");
  status = Enqueue(other, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::ALREADY_EXISTS);
  EXPECT_EQ(Resource(status), "ticket:t-a");
}

TEST_F(UnaryTest, CancelHasADefiniteAnswer) {
  Start();
  v1::CancelRequest request;
  v1::CancelResponse response;
  request.set_ticket_id("t-a");
  EXPECT_EQ(matchmaking_->Cancel(Context().get(), request, &response).error_code(), grpc::StatusCode::NOT_FOUND);
  EnqueueOk(Solo("a"));
  ASSERT_TRUE(matchmaking_->Cancel(Context().get(), request, &response).ok());
  EXPECT_EQ(response.outcome(), v1::CANCEL_OUTCOME_CANCELLED);
  ASSERT_TRUE(matchmaking_->Cancel(Context().get(), request, &response).ok());
  EXPECT_EQ(response.outcome(), v1::CANCEL_OUTCOME_ALREADY_ENDED);
  EXPECT_EQ(response.state(), v1::TICKET_STATE_CANCELLED);
}

TEST_F(UnaryTest, AcknowledgeIsTaken) {
  Start();
  EnqueueOk(Solo("a"));
  v1::AcknowledgeRequest request;
  v1::AcknowledgeResponse response;
  request.set_ticket_id("t-a");
  request.set_sequence(1);
  EXPECT_TRUE(matchmaking_->Acknowledge(Context().get(), request, &response).ok());
}

TEST_F(UnaryTest, BadInputNamesTheFieldAndHarmsNobody) {
  Start();
  v1::Ticket bad = Solo("a");
  bad.mutable_players(0)->set_rating(-1e9);
  v1::EnqueueResponse response;
  const grpc::Status status = Enqueue(bad, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Field(status), "ticket.players[0].rating");
  EnqueueOk(Solo("a"));
}

TEST_F(UnaryTest, TextThatIsNotUtf8NamesTheField) {
  Start();
  v1::EnqueueRequest request;
  *request.mutable_ticket() = Solo("a");
  request.mutable_ticket()->mutable_players(0)->set_player_id("\xff");
  const grpc::Status status = CallRaw(kEnqueue, request.SerializeAsString());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
  EXPECT_EQ(Field(status), "ticket.players[0].player_id");
}

TEST_F(UnaryTest, BytesThatAreNoMessageAreInvalid) {
  Start();
  EXPECT_EQ(CallRaw(kEnqueue, "\xff\xff\xff").error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(UnaryTest, MessagesOverTheLimitAreInvalid) {
  limits_.message_bytes = 1024;
  Start();
  v1::Ticket large = Solo("a");
  for (int i = 0; i < 100; ++i) large.mutable_players(0)->add_block(std::string(100, 'x'));
  v1::EnqueueResponse response;
  EXPECT_EQ(Enqueue(large, &response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  // The library reads no further than this.
  const grpc::Status unread = CallRaw(kEnqueue, std::string(5 << 20, 'x'));
  EXPECT_EQ(unread.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(unread.error_details().empty()) << "no retry cures it";
  EnqueueOk(Solo("a"));
}

TEST_F(UnaryTest, QueuesArePausedResumedListedAndCounted) {
  Start();
  v1::PauseQueueRequest pause;
  v1::PauseQueueResponse paused;
  pause.set_queue("duel");
  ASSERT_TRUE(admin_->PauseQueue(Context().get(), pause, &paused).ok());
  v1::EnqueueResponse response;
  const grpc::Status refused = Enqueue(Solo("a"), &response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(HasRetryInfo(refused));

  v1::ListQueuesResponse list;
  ASSERT_TRUE(admin_->ListQueues(Context().get(), v1::ListQueuesRequest(), &list).ok());
  ASSERT_EQ(list.queues_size(), 3);
  EXPECT_EQ(list.queues(0).queue(), "duel");
  EXPECT_TRUE(list.queues(0).paused());
  EXPECT_FALSE(list.queues(1).paused());
  EXPECT_EQ(list.queues(2).pool_group(), "other");

  v1::ResumeQueueRequest resume;
  v1::ResumeQueueResponse resumed;
  resume.set_queue("duel");
  ASSERT_TRUE(admin_->ResumeQueue(Context().get(), resume, &resumed).ok());
  EnqueueOk(Solo("a"));
  v1::GetQueueStatsRequest get;
  v1::GetQueueStatsResponse stats;
  get.set_queue("duel");
  ASSERT_TRUE(admin_->GetQueueStats(Context().get(), get, &stats).ok());
  EXPECT_EQ(stats.stats().waiting_tickets(), 1u);
  EXPECT_EQ(stats.stats().enqueued(), 1u);
  get.set_queue("nosuch");
  EXPECT_EQ(admin_->GetQueueStats(Context().get(), get, &stats).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(UnaryTest, DrainAsksTheProgram) {
  Start();
  v1::DrainResponse response;
  ASSERT_TRUE(admin_->Drain(Context().get(), v1::DrainRequest(), &response).ok());
  EXPECT_EQ(drains_, 1);
}

TEST_F(UnaryTest, HealthKnowsTheServerAndItsServices) {
  Start();
  grpc::health::v1::HealthCheckRequest request;
  grpc::health::v1::HealthCheckResponse response;
  for (const char* service : {"", "evenmatch.v1.MatchmakingService", "evenmatch.v1.MatchService",
                              "evenmatch.v1.AdminService", "grpc.health.v1.Health"}) {
    request.set_service(service);
    ASSERT_TRUE(health_->Check(Context().get(), request, &response).ok()) << service;
    EXPECT_EQ(response.status(), grpc::health::v1::HealthCheckResponse::SERVING);
  }
  server_->SetServing(false);
  ASSERT_TRUE(health_->Check(Context().get(), request, &response).ok());
  EXPECT_EQ(response.status(), grpc::health::v1::HealthCheckResponse::NOT_SERVING);
  request.set_service("nosuch");
  EXPECT_EQ(health_->Check(Context().get(), request, &response).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(UnaryTest, OneClientHasSoManyCommandsUnderWayAndNoMore) {
  limits_.commands_in_flight_per_peer = 1;
  Start();
  store_.SetDefault(FakeStore::Act::kHold);
  v1::EnqueueRequest request;
  *request.mutable_ticket() = Solo("a");
  const auto context = Context();
  grpc::CompletionQueue queue;
  v1::EnqueueResponse response;
  grpc::Status status;
  const auto call = matchmaking_->AsyncEnqueue(context.get(), request, &queue);
  call->Finish(&response, &status, nullptr);
  while (store_.held() == 0) std::this_thread::yield();

  v1::EnqueueResponse other;
  const grpc::Status refused = Enqueue(Solo("b"), &other);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(HasRetryInfo(refused));
  store_.SetDefault(FakeStore::Act::kApply);
  store_.FinishHeld();
  void* tag;
  bool ok;
  queue.Next(&tag, &ok);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EnqueueOk(Solo("b"));
}

TEST_F(UnaryTest, NothingIsAnsweredBeforeItIsKept) {
  Start();
  store_.SetDefault(FakeStore::Act::kHold);
  v1::EnqueueRequest request;
  *request.mutable_ticket() = Solo("a");
  const auto context = Context();
  grpc::CompletionQueue queue;
  v1::EnqueueResponse response;
  grpc::Status status;
  const auto call = matchmaking_->AsyncEnqueue(context.get(), request, &queue);
  call->Finish(&response, &status, nullptr);
  while (store_.held() == 0) std::this_thread::yield();
  void* tag;
  bool ok;
  EXPECT_EQ(queue.AsyncNext(&tag, &ok, std::chrono::system_clock::now()), grpc::CompletionQueue::TIMEOUT);
  store_.SetDefault(FakeStore::Act::kApply);
  store_.FinishHeld();
  queue.Next(&tag, &ok);
  EXPECT_TRUE(status.ok());
}

TEST_F(UnaryTest, ReflectionIsServedWhenConfigured) {
  // Answered or not is all there is to see without the generated client.
  const auto code = [this] {
    const auto context = Context();
    grpc::GenericStub stub(channel_);
    grpc::CompletionQueue queue;
    auto call =
        stub.PrepareCall(context.get(), "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue);
    void* tag;
    bool ok;
    call->StartCall(nullptr);
    queue.Next(&tag, &ok);
    call->WritesDone(nullptr);
    queue.Next(&tag, &ok);
    grpc::Status status;
    call->Finish(&status, nullptr);
    queue.Next(&tag, &ok);
    return status.error_code();
  };
  Start();
  EXPECT_EQ(code(), grpc::StatusCode::OK);
  Stop();
  options_.reflection = false;
  Start();
  EXPECT_EQ(code(), grpc::StatusCode::UNIMPLEMENTED);
}

}  // namespace
}  // namespace evenmatch
