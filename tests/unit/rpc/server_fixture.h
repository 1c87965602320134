// A whole server in this process, on a free port, with real clients.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/metrics.h"
#include "evenmatch/v1/admin_service.grpc.pb.h"
#include "evenmatch/v1/match_service.grpc.pb.h"
#include "evenmatch/v1/matchmaking_service.grpc.pb.h"
#include "google/rpc/error_details.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "grpcpp/grpcpp.h"
#include "rpc/server.h"
#include "runtime/clock.h"
#include "tests/support/fake_store.h"
#include "tests/unit/rpc/rpc_world.h"

namespace evenmatch {

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    catalog_ = TestCatalog();
    for (QueueRules& queue : catalog_.queues) queue.tick = kMillisecond;
    options_.address = "127.0.0.1:0";
  }

  ~ServerTest() override { Stop(); }

  // In the order that a program has.
  void Stop() {
    if (engine_ != nullptr) engine_->Stop();
    server_ = nullptr;
    engine_ = nullptr;
  }

  void StartEngine() {
    metrics_ = std::make_unique<Metrics>(catalog_);
    auto engine = Engine::Start(catalog_, limits_, engine_options_, &clock_, &store_, metrics_.get());
    ASSERT_TRUE(engine.ok()) << engine.status();
    engine_ = *std::move(engine);
  }

  absl::StatusOr<std::unique_ptr<Server>> StartServer(const Server::Options& options) {
    return Server::Start(options, catalog_, limits_, engine_.get(), metrics_.get(), &clock_, [this] { ++drains_; });
  }

  void Start() {
    StartEngine();
    auto server = StartServer(options_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    Connect();
  }

  // A connection of its own.
  std::shared_ptr<grpc::Channel> NewChannel(std::shared_ptr<grpc::ChannelCredentials> credentials = nullptr,
                                            grpc::ChannelArguments arguments = {}) {
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(
        server_->address(), credentials != nullptr ? credentials : grpc::InsecureChannelCredentials(), arguments);
  }

  void Connect() {
    channel_ = NewChannel();
    matchmaking_ = v1::MatchmakingService::NewStub(channel_);
    matches_ = v1::MatchService::NewStub(channel_);
    admin_ = v1::AdminService::NewStub(channel_);
    health_ = grpc::health::v1::Health::NewStub(channel_);
  }

  // Nothing here takes long; a test that hangs should say where.
  static std::unique_ptr<grpc::ClientContext> Context() {
    auto context = std::make_unique<grpc::ClientContext>();
    context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    return context;
  }

  static v1::Ticket Solo(const std::string& name, const std::string& queue = "duel") {
    v1::Ticket ticket;
    ticket.set_ticket_id("t-" + name);
    ticket.add_queues()->set_queue(queue);
    ticket.add_players()->set_player_id("p-" + name);
    return ticket;
  }

  grpc::Status Enqueue(const v1::Ticket& ticket, v1::EnqueueResponse* response) {
    v1::EnqueueRequest request;
    *request.mutable_ticket() = ticket;
    return matchmaking_->Enqueue(Context().get(), request, response);
  }
  v1::EnqueueResponse EnqueueOk(const v1::Ticket& ticket) {
    v1::EnqueueResponse response;
    const grpc::Status status = Enqueue(ticket, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  // The events of a ticket from a cursor (-1: none) until the stream ends.
  std::vector<v1::TicketEvent> Watch(const std::string& ticket_id, int cursor, grpc::Status* status) {
    v1::WatchTicketRequest request;
    request.set_ticket_id(ticket_id);
    if (cursor >= 0) request.set_cursor(static_cast<uint32_t>(cursor));
    const auto context = Context();
    const auto reader = matchmaking_->WatchTicket(context.get(), request);
    std::vector<v1::TicketEvent> events;
    v1::WatchTicketResponse response;
    while (reader->Read(&response)) events.push_back(response.event());
    *status = reader->Finish();
    return events;
  }

  // What follows the end of a call follows it soon.
  void AwaitMetric(const std::string& line) {
    while (metrics_->Text().find(line + "\n") == std::string::npos) std::this_thread::yield();
  }

  static google::rpc::Status Details(const grpc::Status& status) {
    google::rpc::Status details;
    EXPECT_TRUE(details.ParseFromString(status.error_details()));
    return details;
  }
  static std::string Field(const grpc::Status& status) {
    google::rpc::BadRequest bad_request;
    const google::rpc::Status details = Details(status);
    for (const auto& detail : details.details()) {
      if (detail.UnpackTo(&bad_request)) return bad_request.field_violations(0).field();
    }
    return "";
  }
  static std::string Resource(const grpc::Status& status) {
    google::rpc::ResourceInfo resource;
    const google::rpc::Status details = Details(status);
    for (const auto& detail : details.details()) {
      if (detail.UnpackTo(&resource)) return resource.resource_type() + ":" + resource.resource_name();
    }
    return "";
  }
  static bool HasRetryInfo(const grpc::Status& status) {
    const google::rpc::Status details = Details(status);
    for (const auto& detail : details.details()) {
      if (detail.Is<google::rpc::RetryInfo>()) return true;
    }
    return false;
  }

  Catalog catalog_;
  Limits limits_;
  SystemClock clock_;
  FakeStore store_;
  Engine::Options engine_options_;
  Server::Options options_;
  std::unique_ptr<Metrics> metrics_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Server> server_;
  std::atomic<int> drains_ = 0;

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::MatchmakingService::Stub> matchmaking_;
  std::unique_ptr<v1::MatchService::Stub> matches_;
  std::unique_ptr<v1::AdminService::Stub> admin_;
  std::unique_ptr<grpc::health::v1::Health::Stub> health_;
};

}  // namespace evenmatch
