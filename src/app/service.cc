#include "app/service.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "app/http_server.h"
#include "app/listener_check.h"
#include "app/signals.h"
#include "base/strings.h"
#include "engine/engine.h"
#include "engine/metrics.h"
#include "rpc/log.h"
#include "rpc/server.h"
#include "runtime/clock.h"
#include "spdlog/spdlog.h"
#include "store/memory_store.h"

namespace evenmatch {
namespace {

constexpr rlim_t kFewDescriptors = 4096;
// The part of the grace in which clients still find everybody, and the longest it may be.
constexpr int kNoticePart = 10;
constexpr Micros kLongestNotice = 1 * kSecond;
// After the grace, until the process is cut off.
constexpr auto kPastGrace = std::chrono::seconds(1);

// Running out of descriptors ends the accepting of connections for good, so there should be as many as we may have.
void RaiseDescriptorLimit() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < kFewDescriptors) {
    spdlog::warn(
        "only {} file descriptors: a connection needs one, and running out of them ends the accepting of new "
        "connections; raise the limit (LimitNOFILE, ulimit -n) to {} or more",
        limit.rlim_cur, kFewDescriptors);
  } else {
    spdlog::info("may open {} file descriptors", limit.rlim_cur);
  }
}

// Opened once, by whoever asks first for the end.
class DrainGate {
 public:
  void Open(const char* why) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(open_, true)) return;
    spdlog::info("draining: {}", why);
    opened_.notify_all();
  }
  void Wait() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
};

// Ends the process when a drain hangs.
class CutOff {
 public:
  explicit CutOff(std::chrono::steady_clock::duration after) : thread_([this, after] { Run(after); }) {}
  ~CutOff() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }

 private:
  void Run(std::chrono::steady_clock::duration after) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, after, [this] { return over_; })) return;
    spdlog::error("the drain did not end within its grace: ending at once");
    _exit(1);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

Server::Options ServerOptions(const ServerSettings& settings) {
  Server::Options options;
  options.address = settings.grpc_address.Text();
  if (settings.tls.has_value()) {
    options.tls = {settings.tls->certificate, settings.tls->key, settings.tls->client_ca};
  }
  options.reflection = settings.reflection;
  return options;
}

int Fail(const absl::Status& status) {
  spdlog::error("{}", ToStd(status.message()));
  return 1;
}

}  // namespace

int Serve(const Settings& settings) {
  RouteLibraryLogs();
  RaiseDescriptorLimit();
  DrainGate gate;
  const SignalThread signals([&gate](const char* name) { gate.Open(name); });

  SystemClock clock;
  // Ids minted after a restart must not repeat older ones; seconds rise.
  MemoryStore store(static_cast<uint64_t>(clock.Now() / kSecond));
  const ServerSettings& options = settings.server;
  Metrics metrics(settings.catalog, options.shards);
  const auto engine =
      Engine::Start(settings.catalog, settings.limits, {.shards = options.shards}, &clock, &store, &metrics);
  if (!engine.ok()) return Fail(engine.status());
  const auto server = Server::Start(ServerOptions(options), settings.catalog, settings.limits, engine->get(), &metrics,
                                    &clock, [&gate] { gate.Open("AdminService.Drain"); });
  if (!server.ok()) return Fail(server.status());

  std::atomic<bool> ready{true};
  const std::string grpc_address = (*server)->address();
  const uint16_t grpc_port = ParseHostPort(grpc_address).value_or(options.grpc_address).port;
  ListenerCheck listener(options.grpc_address.host, grpc_port, options.tls.has_value());
  const auto http = HttpServer::Start(options.http_address,
                                      {
                                          // A server that drains has no listener towards its end, and that is no fault.
                                          .fault = [&] { return ready ? listener.Fault() : std::string(); },
                                          .ready = [&] { return ready.load(); },
                                          .metrics = [&] { return metrics.Text(); },
                                      });
  if (!http.ok()) return Fail(http.status());

  spdlog::info("serving {} queues in {} pool groups on {} shards{}", settings.catalog.queues.size(),
               settings.catalog.groups.size(), options.shards, options.tls.has_value() ? ", with TLS" : "");
  std::printf("listening grpc=%s http=%s\n", grpc_address.c_str(), (*http)->address().Text().c_str());
  std::fflush(stdout);

  gate.Wait();
  const Micros began = clock.Now();
  const CutOff cut_off(std::chrono::microseconds(options.drain_grace) + kPastGrace);
  ready = false;
  (*server)->SetServing(false);
  (*engine)->Drain();
  std::this_thread::sleep_for(std::chrono::microseconds(std::min(options.drain_grace / kNoticePart, kLongestNotice)));
  (*engine)->Stop();
  (*server)->Shutdown(std::max<Micros>(options.drain_grace - (clock.Now() - began), 0));
  spdlog::info("drained in {} ms", (clock.Now() - began) / kMillisecond);
  return 0;
}

}  // namespace evenmatch
