#include "rpc/server.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/impl/server_builder_option.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "rpc/core.h"
#include "rpc/credentials.h"
#include "rpc/health.h"
#include "rpc/latest_call.h"
#include "rpc/log.h"
#include "rpc/session_call.h"
#include "rpc/stream_call.h"
#include "rpc/unary_call.h"
#include "spdlog/spdlog.h"

// Of tcmalloc, where the program is linked with it.
extern "C" void MallocExtension_ReleaseFreeMemory() __attribute__((weak));

namespace evenmatch {
namespace {

constexpr size_t kMinReceiveBytes = 4 << 20;
constexpr int kMilli = 1000;
constexpr int64_t kMassOfCalls = 4096;

// Linking gRPC's reflection makes every server have it; this takes it away again.
class NoReflection final : public grpc::ServerBuilderOption {
 public:
  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override { plugins->clear(); }
};

// The plugin that serves reflection, whether or not linking the library has added it.
class WithReflection final : public grpc::ServerBuilderOption {
 public:
  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    plugins->clear();
    plugins->push_back(std::make_unique<grpc::reflection::ProtoServerReflectionPlugin>());
  }
};

void SetArguments(grpc::ServerBuilder* builder, size_t message_bytes) {
  // By default two servers may share a port without a word.
  builder->AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20 * kMilli);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5 * kMilli);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5 * kMilli);
  // So that clients meet new certificates and new servers; without a grace a stream would hold its connection for ever.
  builder->AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS, 30 * 60 * kMilli);
  builder->AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, 60 * kMilli);
  builder->AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 5 * kMilli);
  builder->SetDefaultCompressionAlgorithm(GRPC_COMPRESS_NONE);
  builder->SetMaxReceiveMessageSize(static_cast<int>(std::max(kMinReceiveBytes, 4 * message_bytes)));
  // Reflection is the only synchronous service.
  builder->SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
  builder->SetSyncServerOption(grpc::ServerBuilder::MIN_POLLERS, 1);
  builder->SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, 1);
}

}  // namespace

class Server::Impl {
 public:
  Impl(const Options& options, const Catalog& catalog, const Limits& limits, Engine* engine, Metrics* metrics,
       Clock* clock, std::function<void()> on_drain_requested)
      : options_(options),
        core_(
            catalog, limits, engine, metrics, clock, std::move(on_drain_requested), [this] { WakeHousekeeper(); },
            !options.tls.client_ca.empty()) {}

  ~Impl() { Shutdown(0); }

  absl::StatusOr<std::string> Start() {
    RouteLibraryLogs();
    std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
    if (!options_.tls.certificate.empty()) {
      ASSIGN_OR_RETURN(credentials_, Credentials::Open(options_.tls));
      credentials = credentials_->ForServer();
    }
    grpc::ServerBuilder builder;
    SetArguments(&builder, core_.limits.message_bytes);
    if (options_.reflection) {
      builder.SetOption(std::make_unique<WithReflection>());
    } else {
      builder.SetOption(std::make_unique<NoReflection>());
    }
    builder.RegisterService(&core_.services.matchmaking);
    builder.RegisterService(&core_.services.match);
    builder.RegisterService(&core_.services.admin);
    builder.RegisterService(&core_.services.health);
    core_.queues = std::make_unique<Queues>(&builder, options_.unary_queues);
    int port = 0;
    builder.AddListeningPort(options_.address, credentials, &port);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port <= 0) {
      // gRPC complains of queues that end before a server which it did not start.
      const NoLibraryLogs quiet;
      core_.queues->Shutdown();
      return absl::UnavailableError(absl::StrCat("cannot listen on ", Quote(options_.address)));
    }
    for (const auto& queue : core_.queues->unary()) {
      UnaryCall::ListenAll(&core_, queue.get());
      SessionCall::ListenAll(&core_, queue.get());
    }
    StreamCall::ListenAll(&core_);
    core_.queues->Start();
    housekeeper_ = std::thread([this] { KeepHouse(); });
    return absl::StrCat(options_.address.substr(0, options_.address.rfind(':')), ":", port);
  }

  void SetServing(bool serving) {
    if (core_.serving.exchange(serving) == serving) return;  // who watches is told of changes only
    const grpc::ByteBuffer health = Encode(HealthOf(core_));
    core_.latest_calls.ForEach([&](LatestCall& call) { call.HealthChanged(health); });
  }

  void Shutdown(Micros grace) {
    std::lock_guard lock(shutdown_mutex_);
    if (server_ != nullptr) {
      SetServing(false);
      core_.latest_calls.Close();
      core_.latest_calls.ForEach([](LatestCall& call) { call.End(ToGrpcStatus(ServerStops())); });
      core_.nameless_sessions.Close();
      core_.nameless_sessions.ForEach([](SessionCall& call) { call.EndDrained(); });
      server_->Shutdown(std::chrono::system_clock::now() + std::chrono::microseconds(grace));
      // Calls are over, but the engine may still owe some of them a reply.
      while (core_.calls.load(std::memory_order_acquire) != 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (housekeeper_.joinable()) {
      {
        std::lock_guard house_lock(house_mutex_);
        house_closed_ = true;
      }
      house_wakes_.notify_all();
      housekeeper_.join();
    }
    // What the library had asked for by itself comes back on the queues, too, and looks for the server.
    if (core_.queues != nullptr) core_.queues->Shutdown();
    server_ = nullptr;
  }

 private:
  // What has no other thread: farewells when there are any, the rest at every refresh interval.
  void KeepHouse() {
    Micros next_refresh = core_.clock.Now();
    bool farewells = false;
    std::unique_lock lock(house_mutex_);
    while (true) {
      const Micros pause = farewells ? Farewells::kWindow : std::max<Micros>(0, next_refresh - core_.clock.Now());
      house_wakes_.wait_for(lock, std::chrono::microseconds(pause), [this] { return house_closed_ || house_called_; });
      if (house_closed_) return;
      house_called_ = false;
      lock.unlock();
      const Micros now = core_.clock.Now();
      farewells = core_.farewells.Turn(now);
      if (now >= next_refresh) {
        next_refresh = now + options_.refresh_interval;
        core_.latest_calls.ForEach([&](LatestCall& call) { call.EndIfStalled(now, options_.write_stall); });
        core_.nameless_sessions.ForEach([&](SessionCall& call) { call.EndIfSilent(now, options_.first_message); });
        if (credentials_ != nullptr) RefreshCredentials();
        GiveMemoryBack();
      }
      lock.lock();
    }
  }

  // The allocator keeps what thousands of closed streams leave behind, unless it is told. That takes a tenth of a
  // second, so it waits until the closing is over.
  void GiveMemoryBack() {
    const int64_t calls = core_.calls.load(std::memory_order_relaxed);
    const bool settled = std::abs(calls - std::exchange(last_calls_, calls)) < kMassOfCalls / 16;
    most_calls_ = std::max(most_calls_, calls);
    if (!settled || most_calls_ - calls < kMassOfCalls || calls > most_calls_ / 2) return;
    most_calls_ = calls;
    if (MallocExtension_ReleaseFreeMemory != nullptr) {
      MallocExtension_ReleaseFreeMemory();
    } else {
      malloc_trim(0);
    }
  }

  void WakeHousekeeper() {
    {
      std::lock_guard lock(house_mutex_);
      house_called_ = true;
    }
    house_wakes_.notify_all();
  }

  void RefreshCredentials() {
    const absl::StatusOr<bool> taken = credentials_->Refresh();
    if (!taken.ok()) {
      spdlog::error("TLS files were not taken, the former ones stay: {}", taken.status().ToString());
      core_.metrics.CountTlsReload(false);
    } else if (*taken) {
      spdlog::info("TLS files were read anew");
      core_.metrics.CountTlsReload(true);
    }
  }

  const Options options_;
  Core core_;
  std::unique_ptr<Credentials> credentials_;
  std::unique_ptr<grpc::Server> server_;
  std::mutex shutdown_mutex_;
  std::mutex house_mutex_;
  std::condition_variable house_wakes_;
  bool house_closed_ = false;
  bool house_called_ = false;
  // Of the housekeeper: call objects at the last look, and the most since memory was given back.
  int64_t last_calls_ = 0;
  int64_t most_calls_ = 0;
  std::thread housekeeper_;
};

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const Options& options, const Catalog& catalog,
                                                      const Limits& limits, Engine* engine, Metrics* metrics,
                                                      Clock* clock, std::function<void()> on_drain_requested) {
  auto impl = std::make_unique<Impl>(options, catalog, limits, engine, metrics, clock, std::move(on_drain_requested));
  ASSIGN_OR_RETURN(std::string address, impl->Start());
  std::unique_ptr<Server> server(new Server(std::move(impl)));
  server->address_ = std::move(address);
  return server;
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() = default;

void Server::SetServing(bool serving) { impl_->SetServing(serving); }

void Server::Shutdown(Micros grace) { impl_->Shutdown(grace); }

}  // namespace evenmatch
