// The engine without gRPC: tickets in, their matches out.
//
// World: one 1v1 queue, window +-100 without growth, ratings uniform in 1000..2000, a tick every 100 ms, one player a
//        ticket, ids of 16 bytes; `standing` tickets wait in the same pool and never match (a required attribute that
//        nobody shares). Memory store. Tickets are made before the clock runs, as parsing them is another's work.
//   Threads   one producer that submits requests of `batch` tickets as fast as they are taken, one shard, one egress
//             thread, a sink that counts. Real time from the first Submit until the last answer and match.
//             shard_ns, egress_ns: time of those threads on a processor, a ticket.
//   Runner    the shard's share alone, on one thread: Step of the runner, without Submit and egress; one microsecond of
//             world time a ticket, so a tick has 100'000 new tickets. Processor time.
//   Group     the pool group alone, in the same world: what Runner adds is the engine's cost on the shard's thread.

#include <benchmark/benchmark.h>
#include <dirent.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "engine/engine.h"
#include "engine/group_runner.h"
#include "shard/pool_group.h"
#include "store/memory_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/tickets.h"

namespace evenmatch {
namespace {

constexpr size_t kTickets = 400'000;  // of one iteration
using TicketPtr = std::shared_ptr<const Ticket>;

Catalog OneQueue() {
  QueueRules rules = DuelRules("duel");
  rules.required_attributes = {"realm"};
  return MakeCatalog({rules});
}

// Fresh tickets, each with a player of its own.
class TicketSource {
 public:
  std::vector<TicketPtr> Make(size_t count) {
    std::vector<TicketPtr> tickets;
    tickets.reserve(count);
    for (size_t i = 0; i < count; ++i) tickets.push_back(MakeTicket(Spec()));
    return tickets;
  }
  std::vector<TicketPtr> MakeStanding(size_t count) {
    std::vector<TicketPtr> tickets;
    for (size_t i = 0; i < count; ++i) {
      TicketSpec spec = Spec();
      spec.timeout = 24 * kHour;
      spec.attributes["realm"] = spec.id;
      tickets.push_back(MakeTicket(spec));
    }
    return tickets;
  }

 private:
  TicketSpec Spec() {
    char id[17], player[17];
    std::snprintf(id, sizeof(id), "ticket-%09llu", static_cast<unsigned long long>(next_));
    std::snprintf(player, sizeof(player), "player-%09llu", static_cast<unsigned long long>(next_++));
    return {.id = id, .players = {{player, static_cast<int>(random_.Between(1000, 2000))}}};
  }

  Random random_{1};
  uint64_t next_ = 0;
};

class CountingSink final : public ReplySink {
 public:
  void OnReply(uint64_t, Reply reply) override {
    if (!reply.status.ok()) std::abort();
    ++replies_;
  }
  void OnRepliesEnd() override { seen.store(replies_, std::memory_order_release); }
  std::atomic<size_t> seen = 0;

 private:
  size_t replies_ = 0;
};

std::vector<Request> RequestsFor(const TicketPtr* tickets, size_t count, ReplySink* sink) {
  std::vector<Request> requests;
  requests.reserve(count);
  for (size_t i = 0; i < count; ++i) requests.push_back({EnqueueCommand{tickets[i]}, i, sink});
  return requests;
}

// Nanoseconds that the thread of this name has spent on a processor.
double ProcessorTime(const std::string& name) {
  double total = 0;
  DIR* tasks = opendir("/proc/self/task");
  while (const dirent* task = readdir(tasks)) {
    if (task->d_name[0] == '.') continue;
    const std::string path = std::string("/proc/self/task/") + task->d_name;
    std::string comm;
    std::getline(std::ifstream(path + "/comm"), comm);
    double spent = 0;
    std::ifstream(path + "/schedstat") >> spent;
    if (comm == name) total += spent;
  }
  closedir(tasks);
  return total;
}

void Threads(benchmark::State& state) {
  const auto batch = static_cast<size_t>(state.range(0));
  const Catalog catalog = OneQueue();
  const Limits limits;
  SystemClock clock;
  MemoryStore store(1);
  Metrics metrics(catalog);
  CountingSink sink;
  auto engine = Engine::Start(catalog, limits, {}, &clock, &store, &metrics).value();
  TicketSource source;
  size_t expected = 0;
  const auto submit = [&](const std::vector<TicketPtr>& tickets) {
    for (size_t i = 0; i < tickets.size(); i += batch) {
      std::vector<Request> requests = RequestsFor(&tickets[i], std::min(batch, tickets.size() - i), &sink);
      expected += requests.size();
      while (!engine->Submit(0, &requests).ok()) std::this_thread::yield();
    }
    while (sink.seen.load(std::memory_order_acquire) < expected) std::this_thread::yield();
  };
  submit(source.MakeStanding(static_cast<size_t>(state.range(1))));

  const auto matches = [&] {
    size_t count = 0;
    struct Asking final : ReplySink {
      void OnReply(uint64_t, Reply reply) override { got = std::get<QueueStats>(reply.value).matched_tickets; }
      void OnRepliesEnd() override { done.store(true); }
      size_t got = 0;
      std::atomic<bool> done = false;
    } asking;
    while (!engine->Submit(0, {GetQueueStatsCommand{0}, 0, &asking}).ok()) std::this_thread::yield();
    while (!asking.done.load()) std::this_thread::yield();
    count = asking.got;
    return count;
  };

  double shard = 0, egress = 0;
  size_t total = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const std::vector<TicketPtr> tickets = source.Make(kTickets);
    const double shard_before = ProcessorTime("em-shard-0"), egress_before = ProcessorTime("em-egress-0");
    state.ResumeTiming();
    submit(tickets);
    total += tickets.size();
    // All but the few whose neighbours are all taken.
    while (matches() + 1000 < total) std::this_thread::yield();
    state.PauseTiming();
    shard += ProcessorTime("em-shard-0") - shard_before;
    egress += ProcessorTime("em-egress-0") - egress_before;
    state.ResumeTiming();
  }
  engine->Stop();
  state.SetItemsProcessed(static_cast<int64_t>(total));
  state.counters["shard_ns"] = shard / static_cast<double>(total);
  state.counters["egress_ns"] = egress / static_cast<double>(total);
}
BENCHMARK(Threads)
    ->ArgNames({"batch", "standing"})
    ->ArgsProduct({{64, 256}, {10'000, 100'000}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(3);

// Seconds that this thread has spent on a processor, so that others on the machine disturb little.
double Spent() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void Runner(benchmark::State& state) {
  const auto batch = static_cast<size_t>(state.range(0));
  const Catalog catalog = OneQueue();
  const Limits limits;
  ManualClock clock;
  MemoryStore store(1);
  Metrics metrics(catalog);
  CountingSink sink;
  const std::atomic<bool> draining = false;
  const uint64_t fence = store.Claim("default").value();
  Egress egress(&metrics, 5 * kSecond);
  GroupRunner runner({&catalog, &limits, &clock, &store, &metrics, &draining}, 0,
                     std::make_unique<PoolGroup>(catalog, 0, fence, limits), fence, std::make_shared<Waker>(), &egress);
  TicketSource source;
  const auto run = [&](const std::vector<TicketPtr>& tickets) {
    double spent = 0;
    for (size_t i = 0; i < tickets.size(); i += batch) {
      std::vector<Request> requests = RequestsFor(&tickets[i], std::min(batch, tickets.size() - i), &sink);
      if (!runner.Submit(&requests).ok()) std::abort();
      clock.Advance(static_cast<Micros>(batch));
      const double start = Spent();
      while (runner.Step(clock.Now())) {
      }
      spent += Spent() - start;
      while (egress.Step(clock.Now())) {
      }
    }
    return spent;
  };
  run(source.MakeStanding(static_cast<size_t>(state.range(1))));
  for (auto _ : state) state.SetIterationTime(run(source.Make(kTickets)));
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * kTickets));
}

void Group(benchmark::State& state) {
  const auto batch = static_cast<size_t>(state.range(0));
  const Catalog catalog = OneQueue();
  const Limits limits;
  ManualClock clock;
  PoolGroup group(catalog, 0, 1, limits);
  TicketSource source;
  std::vector<Event> events;
  std::vector<Reply> replies;
  Micros next_tick = clock.Now();
  const auto run = [&](const std::vector<TicketPtr>& tickets) {
    double spent = 0;
    for (size_t i = 0; i < tickets.size(); i += batch) {
      const size_t end = std::min(tickets.size(), i + batch);
      std::vector<Command> commands;
      for (size_t k = i; k < end; ++k) commands.push_back(EnqueueCommand{tickets[k]});
      clock.Advance(static_cast<Micros>(batch));
      const double start = Spent();
      for (const Command& command : commands) replies.push_back(group.Apply(command, clock.Now(), &events));
      if (clock.Now() >= next_tick) {
        group.Tick(0, clock.Now(), &events);
        next_tick += 100 * kMillisecond;
      }
      spent += Spent() - start;
      events.clear();
      replies.clear();
    }
    return spent;
  };
  run(source.MakeStanding(static_cast<size_t>(state.range(1))));
  for (auto _ : state) state.SetIterationTime(run(source.Make(kTickets)));
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * kTickets));
}

void OneThread(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"batch", "standing"})
      ->ArgsProduct({{64, 256}, {10'000, 100'000}})
      ->Unit(benchmark::kMillisecond)
      ->UseManualTime()
      ->Iterations(3);
}
BENCHMARK(Runner)->Apply(OneThread);
BENCHMARK(Group)->Apply(OneThread);

}  // namespace
}  // namespace evenmatch

BENCHMARK_MAIN();
