#include <thread>

#include "tests/unit/rpc/server_fixture.h"
#include "tests/unit/rpc/tls_files.h"

namespace evenmatch {
namespace {

class LifeTest : public ServerTest {};

TEST_F(LifeTest, TellsTheRealPort) {
  Start();
  EXPECT_EQ(server_->address().rfind("127.0.0.1:", 0), 0u);
  EXPECT_NE(server_->address(), "127.0.0.1:0");
}

TEST_F(LifeTest, ASecondServerOnTheSamePortIsAnError) {
  Start();
  Server::Options same = options_;
  same.address = server_->address();
  const auto second = StartServer(same);
  ASSERT_FALSE(second.ok());
  EXPECT_TRUE(absl::IsUnavailable(second.status())) << second.status();
  EnqueueOk(Solo("a"));
}

TEST_F(LifeTest, AnAddressThatIsNoneIsAnError) {
  StartEngine();
  options_.address = "nonsense";
  EXPECT_FALSE(StartServer(options_).ok());
}

TEST_F(LifeTest, StoppingEndsOpenStreamsAndTellsWhy) {
  Start();
  EnqueueOk(Solo("a"));
  const auto watch_context = Context();
  v1::WatchTicketRequest request;
  request.set_ticket_id("t-a");
  const auto watch = matchmaking_->WatchTicket(watch_context.get(), request);
  v1::WatchTicketResponse event;
  ASSERT_TRUE(watch->Read(&event));
  const auto session_context = Context();
  const auto session = matchmaking_->Session(session_context.get());
  v1::SessionRequest first;
  first.set_session_id("s1");
  ASSERT_TRUE(session->Write(first));
  v1::SessionResponse response;
  ASSERT_TRUE(session->Read(&response));
  // A client that has asked for nothing yet.
  const auto silent_context = Context();
  const auto silent = matchmaking_->Session(silent_context.get());
  const auto stats_context = Context();
  v1::WatchQueueStatsRequest stats_request;
  stats_request.set_queue("duel");
  const auto stats = admin_->WatchQueueStats(stats_context.get(), stats_request);
  v1::WatchQueueStatsResponse stats_response;
  ASSERT_TRUE(stats->Read(&stats_response));

  engine_->Stop();
  server_->Shutdown(kHour);
  EXPECT_FALSE(watch->Read(&event));
  EXPECT_EQ(watch->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_FALSE(session->Read(&response));
  EXPECT_EQ(session->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  while (stats->Read(&stats_response)) {
  }
  EXPECT_EQ(stats->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(silent->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  v1::EnqueueResponse refused;
  EXPECT_EQ(Enqueue(Solo("b"), &refused).error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(LifeTest, ShutdownCancelsStreamsOfARunningEngineAfterTheGrace) {
  Start();
  EnqueueOk(Solo("a"));
  const auto context = Context();
  v1::WatchTicketRequest request;
  request.set_ticket_id("t-a");
  const auto watch = matchmaking_->WatchTicket(context.get(), request);
  v1::WatchTicketResponse event;
  ASSERT_TRUE(watch->Read(&event));
  server_->Shutdown(1 * kMillisecond);
  EXPECT_FALSE(watch->Read(&event));
  EXPECT_FALSE(watch->Finish().ok());
}

TEST_F(LifeTest, CallsUnderWayAreAnsweredWhenTheEngineStops) {
  Start();
  store_.SetDefault(FakeStore::Act::kHold);
  engine_options_.stop_patience = 0;
  v1::EnqueueRequest request;
  *request.mutable_ticket() = Solo("a");
  const auto context = Context();
  grpc::CompletionQueue queue;
  v1::EnqueueResponse response;
  grpc::Status status;
  const auto call = matchmaking_->AsyncEnqueue(context.get(), request, &queue);
  call->Finish(&response, &status, nullptr);
  while (store_.held() == 0) std::this_thread::yield();
  store_.SetDefault(FakeStore::Act::kApply);
  std::thread stop([this] { Stop(); });
  store_.FinishHeld();
  void* tag;
  bool ok;
  queue.Next(&tag, &ok);
  EXPECT_TRUE(status.ok()) << status.error_message();
  stop.join();
}

TEST_F(LifeTest, AReaderThatNeverReadsIsEndedAndOthersGoOn) {
  // Everything the client takes without reading fits into this much.
  engine_options_.write_stall = 1 * kMillisecond;
  Start();
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 4096);
  const auto slow_channel = NewChannel(nullptr, arguments);
  const auto slow_stub = v1::MatchmakingService::NewStub(slow_channel);
  const auto context = Context();
  const auto slow = slow_stub->Session(context.get());
  v1::SessionRequest request;
  request.set_session_id("slow");
  // Refused at the door, each with an answer; nothing is read, so the writes pile up until one stays pending. Write
  // fails once the server has ended the stream.
  for (int i = 0; i < 100; ++i) request.add_commands()->set_request(static_cast<uint64_t>(i));
  while (slow->Write(request)) {
    request.clear_session_id();
  }
  v1::SessionResponse response;
  while (slow->Read(&response)) {
  }
  EXPECT_FALSE(slow->Finish().ok());
  EnqueueOk(Solo("a"));
}

TEST_F(LifeTest, ServesTlsAndTakesANewPairOnlyWhenItIsWhole) {
  const TestIdentity one("one"), two("two");
  const TestFolder folder;
  options_.tls.certificate = folder.Write("certificate", one.certificate());
  options_.tls.key = folder.Write("key", one.key());
  options_.refresh_interval = 1 * kMillisecond;
  Start();
  const auto code = [&](const TestIdentity& trusted) {
    grpc::SslCredentialsOptions ssl;
    ssl.pem_root_certs = trusted.certificate();
    grpc::ChannelArguments arguments;
    arguments.SetSslTargetNameOverride("localhost");
    const auto stub = grpc::health::v1::Health::NewStub(NewChannel(grpc::SslCredentials(ssl), arguments));
    grpc::health::v1::HealthCheckResponse response;
    return stub->Check(Context().get(), {}, &response).error_code();
  };
  EXPECT_EQ(code(one), grpc::StatusCode::OK);
  EXPECT_EQ(code(two), grpc::StatusCode::UNAVAILABLE);

  // Half of a new pair changes nothing.
  folder.Write("certificate", two.certificate());
  while (metrics_->Text().find("evenmatch_tls_reloads_total{result=\"failure\"} 1") == std::string::npos) {
    std::this_thread::yield();
  }
  EXPECT_EQ(code(one), grpc::StatusCode::OK);
  folder.Write("key", two.key());
  while (code(two) != grpc::StatusCode::OK) std::this_thread::yield();
  EXPECT_EQ(code(one), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(LifeTest, MutualTlsAsksClientsForACertificate) {
  const TestIdentity authority("authority"), server("server"), client("client", &authority), stranger("stranger");
  const TestFolder folder;
  options_.tls.certificate = folder.Write("certificate", server.certificate());
  options_.tls.key = folder.Write("key", server.key());
  options_.tls.client_ca = folder.Write("ca", authority.certificate());
  Start();
  const auto code = [&](const TestIdentity* identity) {
    grpc::SslCredentialsOptions ssl;
    ssl.pem_root_certs = server.certificate();
    if (identity != nullptr) {
      ssl.pem_cert_chain = identity->certificate();
      ssl.pem_private_key = identity->key();
    }
    grpc::ChannelArguments arguments;
    arguments.SetSslTargetNameOverride("localhost");
    const auto stub = v1::AdminService::NewStub(NewChannel(grpc::SslCredentials(ssl), arguments));
    v1::GetQueueStatsRequest request;
    request.set_queue("duel");
    v1::GetQueueStatsResponse response;
    return stub->GetQueueStats(Context().get(), request, &response).error_code();
  };
  EXPECT_EQ(code(&client), grpc::StatusCode::OK);
  EXPECT_EQ(code(nullptr), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(code(&stranger), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(LifeTest, TlsFilesThatDoNotFitAreAnError) {
  StartEngine();
  const TestIdentity one("one"), two("two");
  const TestFolder folder;
  options_.tls.certificate = folder.Write("certificate", one.certificate());
  options_.tls.key = folder.Write("key", two.key());
  EXPECT_TRUE(absl::IsInvalidArgument(StartServer(options_).status()));
}

}  // namespace
}  // namespace evenmatch
