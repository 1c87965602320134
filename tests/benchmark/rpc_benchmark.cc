// The API over gRPC on loopback: a server process and a client process, forked from this one, share the machine.
//
//   rpc_benchmark [unary|session|fanout|latency]... [--streams N] [--seconds N] [--rounds N]
//
// unary    Enqueue (4 channels x 256 outstanding) against an empty call (Health.Check) through the same adapter, in
//          turns.
// session  Session: tickets in and their matches out, batches of 256, closed loop.
// fanout   N open WatchTicket streams, each told of its match, against N open Health.Watch streams, each told of a
//          change (the bare fan-out: one prepared message written to each); memory of a watched ticket that waits.
// latency  From the moment a ticket should be sent, 5 000 a second, until its match is told.
//
// The world: memory store, one shard, one egress thread, queue "duel" with a tick of 100 ms and the default window,
// ratings uniform from 1000 to 2000, every player new; nobody acknowledges, so room for 40 million tickets.
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "base/check.h"
#include "base/random.h"
#include "evenmatch/v1/admin_service.grpc.pb.h"
#include "evenmatch/v1/matchmaking_service.grpc.pb.h"
#include "grpc/health/v1/health.pb.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/grpcpp.h"
#include "tests/benchmark/server_process.h"

namespace evenmatch {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

double SecondsSince(SteadyTime start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::shared_ptr<grpc::Channel> Connect(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt("grpc.minimal_stack", 1);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

grpc::ByteBuffer ToBuffer(const google::protobuf::Message& message) {
  grpc::Slice slice(message.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

void FillTicket(const std::string& queue, uint64_t number, double rating, v1::Ticket* ticket) {
  const std::string name = std::to_string(number);
  ticket->set_ticket_id("ticket-" + name);
  if (ticket->queues().empty()) ticket->add_queues();
  ticket->mutable_queues(0)->set_queue(queue);
  if (ticket->players().empty()) ticket->add_players();
  ticket->mutable_players(0)->set_player_id("player-" + name);
  ticket->mutable_players(0)->set_rating(rating);
}

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

// One Session stream with a reader of its own.
class SessionClient {
 public:
  SessionClient(const ServerProcess& server, std::string session_id)
      : stub_(v1::MatchmakingService::NewStub(Connect(server.address))), stream_(stub_->Session(&context_)) {
    v1::SessionRequest first;
    first.set_session_id(std::move(session_id));
    CHECK(stream_->Write(first));
  }

  void Send(const v1::SessionRequest& request) { CHECK(stream_->Write(request)); }
  bool Read(v1::SessionResponse* response) { return stream_->Read(response); }
  void Close() { stream_->WritesDone(); }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<v1::MatchmakingService::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionResponse>> stream_;
};

uint64_t NumberOf(const std::string& ticket_id) { return std::strtoull(ticket_id.c_str() + 7, nullptr, 10); }

void BenchmarkSession(const ServerProcess& server, double seconds, int rounds, uint64_t* next) {
  constexpr int kBatch = 256;
  constexpr int64_t kUnmatched = 100'000;  // closed loop: so many tickets on their way at most
  std::vector<double> rates;
  for (int round = 0; round < rounds; ++round) {
    SessionClient session(server, "session-" + std::to_string(round));
    const uint64_t first = *next;
    std::atomic<int64_t> sent = 0, answered = 0, matched = 0;
    std::atomic<bool> all_sent = false;
    std::vector<uint8_t> seen(20'000'000);
    std::thread reader([&] {
      v1::SessionResponse response;
      while (session.Read(&response)) {
        for (const v1::SessionResult& result : response.results()) CHECK(result.has_enqueue());
        answered += response.results_size();
        int64_t now_matched = 0;
        for (const v1::TicketEvent& event : response.events()) {
          if (event.kind() != v1::TICKET_EVENT_KIND_MATCHED) continue;
          ++now_matched;
          // Nobody is matched twice.
          CHECK_EQ(seen[NumberOf(event.ticket_id()) - first]++, 0);
        }
        matched += now_matched;
      }
    });
    Random random(static_cast<uint64_t>(round) + 1);
    v1::SessionRequest request;
    for (int i = 0; i < kBatch; ++i) request.add_commands();
    const auto send_for = [&](double time) {
      const SteadyTime start = std::chrono::steady_clock::now();
      while (SecondsSince(start) < time) {
        if (sent - matched > kUnmatched) {
          std::this_thread::sleep_for(std::chrono::microseconds(200));
          continue;
        }
        for (v1::SessionCommand& command : *request.mutable_commands()) {
          command.set_request(*next);
          FillTicket("duel", (*next)++, static_cast<double>(random.Between(1'000'000, 2'000'000)) / 1000,
                     command.mutable_enqueue()->mutable_ticket());
        }
        session.Send(request);
        sent += kBatch;
      }
      return SecondsSince(start);
    };
    send_for(1);
    const int64_t sent_before = sent, matched_before = matched;
    const CpuMeter cpu(server);
    const double elapsed = send_for(seconds);
    const int64_t sent_now = sent - sent_before, matched_now = matched - matched_before;
    rates.push_back(static_cast<double>(matched_now) / elapsed);
    const std::string used = cpu.PerOperation(static_cast<double>(matched_now));
    session.Close();
    reader.join();
    std::printf("session: %.0f tickets/s in, %.0f tickets/s matched and told (%s); %" PRId64 " sent, %" PRId64
                " answered\n",
                static_cast<double>(sent_now) / elapsed, rates.back(), used.c_str(), sent.load(), answered.load());
  }
  std::sort(rates.begin(), rates.end());
  std::printf("session: median %.0f tickets/s matched and told (bar 250000)\n", rates[rates.size() / 2]);
}

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

void BenchmarkLatency(const ServerProcess& server, double seconds, uint64_t* next) {
  constexpr int kRate = 5000;
  constexpr int kBatch = 10;
  SessionClient session(server, "latency");
  const uint64_t first = *next;
  const size_t count = static_cast<size_t>(kRate * seconds) / kBatch * kBatch;
  const SteadyTime start = std::chrono::steady_clock::now();
  const auto due = [&](size_t i) {
    return start + std::chrono::microseconds(static_cast<int64_t>(i / kBatch * kBatch * 1'000'000 / kRate));
  };
  std::vector<double> waits;
  std::thread reader([&] {
    v1::SessionResponse response;
    while (waits.size() < count && session.Read(&response)) {
      for (const v1::TicketEvent& event : response.events()) {
        if (event.kind() == v1::TICKET_EVENT_KIND_MATCHED) {
          waits.push_back(1e3 * SecondsSince(due(NumberOf(event.ticket_id()) - first)));
        }
      }
      // The last ones may wait for a partner who does not come.
      if (SecondsSince(start) > seconds + 1) break;
    }
  });
  Random random(1);
  for (size_t i = 0; i < count; i += kBatch) {
    std::this_thread::sleep_until(due(i));
    v1::SessionRequest request;
    for (int k = 0; k < kBatch; ++k) {
      FillTicket("duel", (*next)++, static_cast<double>(random.Between(1'000'000, 2'000'000)) / 1000,
                 request.add_commands()->mutable_enqueue()->mutable_ticket());
    }
    session.Send(request);
  }
  std::this_thread::sleep_for(std::chrono::seconds(1));
  session.Close();
  reader.join();
  std::sort(waits.begin(), waits.end());
  const auto at = [&](double share) {
    return waits[static_cast<size_t>(share * static_cast<double>(waits.size() - 1))];
  };
  std::printf(
      "latency: %zu of %zu matched; enqueue to match told p50 %.1f ms, p99 %.1f ms, p99.9 %.1f ms (bar p99 115 "
      "ms: one tick + 15 ms)\n",
      waits.size(), count, at(0.5), at(0.99), at(0.999));
}

std::string CpuName() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

int Main(int argc, char** argv) {
  std::set<std::string> chosen;
  size_t streams = 50'000;
  double seconds = 3;
  int rounds = 5;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::atof(argv[++i]) : 0; };
    if (argument == "--streams") {
      streams = static_cast<size_t>(number());
    } else if (argument == "--seconds") {
      seconds = number();
    } else if (argument == "--rounds") {
      rounds = static_cast<int>(number());
    } else {
      chosen.insert(argument);
    }
  }
  const auto wanted = [&](const char* name) { return chosen.empty() || chosen.contains(name); };

  std::printf("machine: %u x %s\n", std::thread::hardware_concurrency(), CpuName().c_str());
  std::printf("world: see the head of rpc_benchmark.cc; gRPC %s\n", grpc::Version().c_str());
  std::fflush(stdout);
  // A server each, so that none begins with what another left behind.
  const auto run = [](auto benchmark) {
    const ServerProcess server = ServerProcess::Fork();
    // The client in a process of its own, too: gRPC does not survive a fork, and the next server is one.
    const pid_t client = fork();
    CHECK(client >= 0);
    if (client == 0) {
      absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
      uint64_t next = 0;
      benchmark(server, &next);
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    waitpid(client, &status, 0);
    server.Stop();
    return status == 0;
  };
  bool ok = true;
  if (wanted("unary")) {
    ok &= run([&](const ServerProcess& server, uint64_t*) { BenchmarkUnary(server, seconds, rounds); });
  }
  if (wanted("session")) {
    ok &= run([&](const ServerProcess& server, uint64_t* next) { BenchmarkSession(server, seconds, rounds, next); });
  }
  if (wanted("fanout")) {
    ok &= run([&](const ServerProcess& server, uint64_t* next) { BenchmarkFanOut(server, streams, rounds, next); });
  }
  if (wanted("latency")) {
    ok &= run([&](const ServerProcess& server, uint64_t* next) { BenchmarkLatency(server, 3 * seconds, next); });
  }
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace evenmatch

int main(int argc, char** argv) { return evenmatch::Main(argc, argv); }
