// Unary calls: Enqueue against an empty call.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "evenmatch/v1/matchmaking_service.grpc.pb.h"
#include "grpc/health/v1/health.pb.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/grpcpp.h"
#include "tests/benchmark/rpc_client.h"
#include "tests/benchmark/rpc_subjects.h"

namespace evenmatch {
namespace {

// Calls of one method, so many outstanding, for so long.
class UnaryLoad {
 public:
  using MakeRequest = std::function<grpc::ByteBuffer(Random* random)>;

  UnaryLoad(const std::vector<std::shared_ptr<grpc::Channel>>& channels, std::string method, MakeRequest make)
      : channels_(channels), method_(std::move(method)), make_(std::move(make)) {}

  // Calls a second.
  double Run(double seconds, int outstanding_per_channel) {
    std::vector<std::thread> threads;
    std::atomic<uint64_t> calls = 0;
    const SteadyTime start = std::chrono::steady_clock::now();
    constexpr size_t kThreads = 2;
    for (size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        Random random(t + 1);
        grpc::CompletionQueue queue;
        std::vector<std::unique_ptr<Slot>> slots;
        for (size_t c = t; c < channels_.size(); c += kThreads) {
          for (int i = 0; i < outstanding_per_channel; ++i) {
            slots.push_back(std::make_unique<Slot>(channels_[c]));
            Begin(slots.back().get(), &random, &queue);
          }
        }
        size_t open = slots.size();
        uint64_t done = 0;
        void* tag;
        bool ok;
        while (open > 0 && queue.Next(&tag, &ok)) {
          Slot* slot = static_cast<Slot*>(tag);
          if (!slot->status.ok()) std::printf("call failed: %s\n", slot->status.error_message().c_str());
          CHECK(slot->status.ok());
          const bool more = SecondsSince(start) < seconds;
          if (more) {
            ++done;
            Begin(slot, &random, &queue);
          } else {
            --open;
          }
        }
        calls += done;
      });
    }
    for (std::thread& thread : threads) thread.join();
    return static_cast<double>(calls) / seconds;
  }

 private:
  struct Slot {
    explicit Slot(const std::shared_ptr<grpc::Channel>& channel) : stub(channel) {}
    grpc::GenericStub stub;
    std::unique_ptr<grpc::ClientContext> context;
    std::unique_ptr<grpc::GenericClientAsyncResponseReader> call;
    grpc::ByteBuffer response;
    grpc::Status status;
  };

  void Begin(Slot* slot, Random* random, grpc::CompletionQueue* queue) {
    slot->call = nullptr;
    slot->context = std::make_unique<grpc::ClientContext>();
    slot->call = slot->stub.PrepareUnaryCall(slot->context.get(), method_, make_(random), queue);
    slot->call->StartCall();
    slot->call->Finish(&slot->response, &slot->status, slot);
  }

  const std::vector<std::shared_ptr<grpc::Channel>>& channels_;
  const std::string method_;
  const MakeRequest make_;
};

}  // namespace

void BenchmarkUnary(const ServerProcess& server, double seconds, int rounds) {
  std::vector<std::shared_ptr<grpc::Channel>> channels;
  for (int i = 0; i < 4; ++i) channels.push_back(Connect(server.address));
  const grpc::ByteBuffer empty_request = ToBuffer(grpc::health::v1::HealthCheckRequest());
  UnaryLoad empty(channels, "/grpc.health.v1.Health/Check", [&](Random*) { return empty_request; });
  std::atomic<uint64_t> next = 0;
  UnaryLoad enqueue(channels, "/evenmatch.v1.MatchmakingService/Enqueue", [&](Random* random) {
    thread_local v1::EnqueueRequest request;
    FillTicket("duel", next++, static_cast<double>(random->Between(1'000'000, 2'000'000)) / 1000,
               request.mutable_ticket());
    return ToBuffer(request);
  });
  empty.Run(1, 256);
  enqueue.Run(1, 256);
  std::vector<double> ratios;
  for (int i = 0; i < rounds; ++i) {
    const CpuMeter bare_cpu(server);
    const double bare = empty.Run(seconds, 256);
    std::printf("unary: empty %.0f/s (%s)\n", bare, bare_cpu.PerOperation(bare * seconds).c_str());
    const CpuMeter full_cpu(server);
    const double full = enqueue.Run(seconds, 256);
    ratios.push_back(full / bare);
    std::printf("unary: Enqueue %.0f/s (%s), ratio %.3f\n", full, full_cpu.PerOperation(full * seconds).c_str(),
                full / bare);
  }
  std::sort(ratios.begin(), ratios.end());
  std::printf("unary: median ratio %.3f (bar 0.65)\n", ratios[ratios.size() / 2]);
}

}  // namespace evenmatch
