// Many streams at once: watchers told of their matches, against the bare fan-out.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "evenmatch/v1/admin_service.grpc.pb.h"
#include "grpc/health/v1/health.pb.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/grpcpp.h"
#include "tests/benchmark/rpc_client.h"
#include "tests/benchmark/rpc_subjects.h"

namespace evenmatch {
namespace {

// Many streams of one method, each reading until its end.
class Fleet {
 public:
  Fleet(const ServerProcess& server, std::string method) : method_(std::move(method)) {
    for (int i = 0; i < kChannels; ++i) channels_.push_back(Connect(server.address));
    // gRPC compares every operation with all that are under way on its queue, also in a client.
    for (int i = 0; i < kQueues; ++i) queues_.push_back(std::make_unique<grpc::CompletionQueue>());
    for (const auto& queue : queues_) threads_.emplace_back([this, &queue] { Work(queue.get()); });
  }

  ~Fleet() {
    for (const auto& stream : streams_) stream->context.TryCancel();
    while (ended_ < streams_.size()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (const auto& queue : queues_) queue->Shutdown();
    for (std::thread& thread : threads_) thread.join();
  }

  void Open(size_t count, const std::function<grpc::ByteBuffer(size_t)>& request) {
    for (size_t i = 0; i < count; ++i) {
      streams_.push_back(std::make_unique<Open_>(channels_[i % kChannels]));
      Open_& stream = *streams_.back();
      stream.request = request(i);
      stream.call = stream.stub.PrepareCall(&stream.context, method_, queues_[i % kQueues].get());
      stream.call->StartCall(&stream);
      // Not faster than they open, or the client's own queues are what is measured.
      while (i > received_ + 2000) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

  // Seconds from `start` until so many messages have come in all.
  double WaitFor(size_t messages, SteadyTime start) {
    target_ = messages;
    while (received_ < messages) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return std::chrono::duration<double>(reached_.load() - start).count();
  }
  size_t received() const { return received_; }

 private:
  static constexpr int kChannels = 8;
  static constexpr int kQueues = 16;

  struct Open_ {
    explicit Open_(const std::shared_ptr<grpc::Channel>& channel) : stub(channel) {}
    grpc::GenericStub stub;
    grpc::ClientContext context;
    std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call;
    grpc::ByteBuffer request, response;
    grpc::Status status;
    enum { kStarting, kWriting, kReading, kEnding } step = kStarting;
  };

  void Work(grpc::CompletionQueue* queue) {
    void* tag;
    bool ok;
    while (queue->Next(&tag, &ok)) {
      Open_& stream = *static_cast<Open_*>(tag);
      if (stream.step == Open_::kEnding) {
        ++ended_;
        continue;
      }
      if (!ok) {
        stream.step = Open_::kEnding;
        stream.call->Finish(&stream.status, &stream);
        continue;
      }
      if (stream.step == Open_::kStarting) {
        stream.step = Open_::kWriting;
        stream.call->WriteLast(stream.request, grpc::WriteOptions(), &stream);
        continue;
      }
      if (stream.step == Open_::kReading && received_.fetch_add(1) + 1 == target_) {
        reached_ = std::chrono::steady_clock::now();
      }
      stream.step = Open_::kReading;
      stream.call->Read(&stream.response, &stream);
    }
  }

  const std::string method_;
  std::vector<std::shared_ptr<grpc::Channel>> channels_;
  std::vector<std::unique_ptr<grpc::CompletionQueue>> queues_;
  std::vector<std::thread> threads_;
  std::vector<std::unique_ptr<Open_>> streams_;
  std::atomic<size_t> received_ = 0, target_ = 0, ended_ = 0;
  std::atomic<SteadyTime> reached_ = SteadyTime();
};

double BareFanOut(const ServerProcess& server, size_t streams, int rounds) {
  Fleet fleet(server, "/grpc.health.v1.Health/Watch");
  const grpc::ByteBuffer request = ToBuffer(grpc::health::v1::HealthCheckRequest());
  fleet.Open(streams, [&](size_t) { return request; });
  fleet.WaitFor(streams, std::chrono::steady_clock::now());
  std::vector<double> rates;
  for (int i = 0; i < rounds; ++i) {
    const SteadyTime start = std::chrono::steady_clock::now();
    const size_t target = fleet.received() + streams;
    const CpuMeter cpu(server);
    server.Send(ServerProcess::kToggleHealth);
    rates.push_back(static_cast<double>(streams) / fleet.WaitFor(target, start));
    std::printf("fanout: bare %.0f/s (%s)\n", rates.back(), cpu.PerOperation(static_cast<double>(streams)).c_str());
  }
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

double WatchFanOut(const ServerProcess& server, size_t streams, bool tell_memory, uint64_t* next) {
  const size_t before = server.ResidentBytes();
  const auto admin = v1::AdminService::NewStub(Connect(server.address));
  const auto pause = [&](bool paused) {
    grpc::ClientContext context;
    if (paused) {
      v1::PauseQueueRequest request;
      v1::PauseQueueResponse response;
      request.set_queue("gather");
      CHECK(admin->PauseQueue(&context, request, &response).ok());
    } else {
      v1::ResumeQueueRequest request;
      v1::ResumeQueueResponse response;
      request.set_queue("gather");
      CHECK(admin->ResumeQueue(&context, request, &response).ok());
    }
  };
  const uint64_t first = *next;
  {
    // The session does not stay: its tickets are told to their watchers only.
    SessionClient session(server, "gather-" + std::to_string(first));
    v1::SessionRequest request;
    for (size_t i = 0; i < streams; ++i) {
      v1::SessionCommand& command = *request.add_commands();
      command.set_request(i);
      // All different, so that the window of the first seconds fits nobody.
      FillTicket("gather", (*next)++, -90'000 + static_cast<double>(i), command.mutable_enqueue()->mutable_ticket());
      if (request.commands_size() == 500 || i + 1 == streams) {
        session.Send(request);
        request.clear_commands();
      }
    }
    session.Close();
    v1::SessionResponse response;
    size_t answered = 0;
    while (session.Read(&response)) {
      for (const v1::SessionResult& result : response.results()) answered += result.has_enqueue();
    }
    CHECK_EQ(answered, streams);
  }
  pause(true);
  std::this_thread::sleep_for(std::chrono::seconds(6));
  const size_t tickets = server.ResidentBytes();
  Fleet fleet(server, "/evenmatch.v1.MatchmakingService/WatchTicket");
  fleet.Open(streams, [&](size_t i) {
    v1::WatchTicketRequest request;
    request.set_ticket_id("ticket-" + std::to_string(first + i));
    return ToBuffer(request);
  });
  fleet.WaitFor(streams, std::chrono::steady_clock::now());
  const size_t after = server.ResidentBytes();
  if (tell_memory) {
    std::printf("fanout: a watched ticket that waits: %zu bytes, of which the ticket %zu (bar 20000)\n",
                (after - before) / streams, (tickets - before) / streams);
  }
  CHECK_EQ(fleet.received(), streams);
  const CpuMeter cpu(server);
  const SteadyTime start = std::chrono::steady_clock::now();
  pause(false);
  const double rate = static_cast<double>(streams) / fleet.WaitFor(2 * streams, start);
  std::printf("fanout: matches told %.0f/s (%s)\n", rate, cpu.PerOperation(static_cast<double>(streams)).c_str());
  // Nothing more comes: nobody is told twice.
  std::this_thread::sleep_for(std::chrono::seconds(2));
  CHECK_EQ(fleet.received(), 2 * streams);
  return rate;
}

}  // namespace

void BenchmarkFanOut(const ServerProcess& server, size_t streams, int rounds, uint64_t* next) {
  std::vector<double> ratios;
  for (int i = 0; i < rounds; ++i) {
    const double told = WatchFanOut(server, streams, /*tell_memory=*/i == 0, next);
    ratios.push_back(told / BareFanOut(server, streams, 3));
    const size_t closed = server.ResidentBytes();
    std::this_thread::sleep_for(std::chrono::seconds(4));
    std::printf("fanout: ratio %.3f; server with all streams closed %zu MB, after 4 s %zu MB\n", ratios.back(),
                closed >> 20, server.ResidentBytes() >> 20);
  }
  std::sort(ratios.begin(), ratios.end());
  std::printf("fanout: median ratio %.3f (bar 0.80)\n", ratios[ratios.size() / 2]);
}

}  // namespace evenmatch
