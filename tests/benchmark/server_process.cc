#include "tests/benchmark/server_process.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "absl/synchronization/mutex.h"
#include "base/check.h"
#include "engine/engine.h"
#include "rpc/server.h"
#include "store/memory_store.h"

namespace evenmatch {
namespace {

Catalog BenchmarkCatalog() {
  QueueRules duel;
  duel.name = "duel";
  // Nobody fits anybody for five seconds, then everybody does: tickets gather, and all are matched in one tick.
  QueueRules gather = duel;
  gather.name = "gather";
  gather.window.steps = {{0, 0}, {5 * kSecond, kUnlimitedWindow}};
  gather.default_timeout = kHour;
  Catalog catalog;
  catalog.queues = {duel, gather};
  catalog.groups = {{"default", {0, 1}}};
  return catalog;
}

[[noreturn]] void RunServer(int commands, int address) {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  const Catalog catalog = BenchmarkCatalog();
  Limits limits;
  // Nobody acknowledges or ends a match here, so every ticket of a run is still kept at its end.
  limits.tickets_per_group = 40'000'000;
  SystemClock clock;
  MemoryStore store(1);
  Metrics metrics(catalog);
  auto engine = Engine::Start(catalog, limits, {}, &clock, &store, &metrics);
  CHECK(engine.ok());
  Server::Options options;
  options.address = "127.0.0.1:0";
  auto server = Server::Start(options, catalog, limits, engine->get(), &metrics, &clock, [] {});
  CHECK(server.ok());
  const std::string line = (*server)->address() + "\n";
  CHECK(write(address, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
  bool serving = true;
  char command;
  while (read(commands, &command, 1) == 1) {
    if (command == ServerProcess::kToggleHealth) (*server)->SetServing(serving = !serving);
  }
  _exit(0);
}

double OwnCpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

ServerProcess ServerProcess::Fork() {
  int in[2], out[2];
  CHECK(pipe(in) == 0 && pipe(out) == 0);
  ServerProcess server;
  server.pid = fork();
  CHECK(server.pid >= 0);
  if (server.pid == 0) {
    close(in[1]);
    close(out[0]);
    RunServer(in[0], out[1]);
  }
  close(in[0]);
  close(out[1]);
  server.commands = in[1];
  char c;
  while (read(out[0], &c, 1) == 1 && c != '\n') server.address += c;
  CHECK(!server.address.empty());
  return server;
}

void ServerProcess::Send(char command) const { CHECK(write(commands, &command, 1) == 1); }

void ServerProcess::Stop() const {
  close(commands);
  waitpid(pid, nullptr, 0);
}

size_t ServerProcess::ResidentBytes() const {
  std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
  size_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

double ServerProcess::CpuSeconds() const {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(stat, line);
  unsigned long user = 0, system = 0;
  std::sscanf(line.c_str() + line.rfind(')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
              &system);
  return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

CpuMeter::CpuMeter(const ServerProcess& server)
    : server_(server), server_start_(server.CpuSeconds()), own_start_(OwnCpuSeconds()) {}

std::string CpuMeter::PerOperation(double operations) const {
  char text[80];
  std::snprintf(text, sizeof text, "server %.1f us, client %.1f us each",
                1e6 * (server_.CpuSeconds() - server_start_) / operations,
                1e6 * (OwnCpuSeconds() - own_start_) / operations);
  return text;
}

}  // namespace evenmatch
