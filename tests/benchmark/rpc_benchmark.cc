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

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#include "absl/synchronization/mutex.h"
#include "base/check.h"
#include "grpcpp/grpcpp.h"
#include "tests/benchmark/rpc_subjects.h"
#include "tests/benchmark/server_process.h"

namespace evenmatch {
namespace {

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
