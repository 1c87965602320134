// core_benchmark: one shard thread without gRPC, engine or store: tickets enqueued and matched, idle ticks, memory.
//
// World:   one group, one duel queue, window 100 points fixed, values uniform in 1000..2000, one required attribute.
//          Standing tickets carry a value of it that nobody shares, fresh ones do not have it. A tick after every 1'000
//          fresh tickets, 20 s of simulated time from tick to tick; hold_timeout 0. Retentions are the defaults,
//          capped: the group keeps `kept` ended tickets and as many ended matches, so in the steady state every new
//          ticket evicts one that ended more than 120 s ago, and every new match an old one. Ids have at most 15
//          characters.
// Counted: processor time of Enqueue, Tick, and of reading and clearing the events (after every 250 commands and every
//          tick). Commands and their tickets are made before the clock starts, batch by batch; freeing them counts.
// Memory:  one queue, no attributes, ids like t0123456 and p0123456: what malloc holds for a million waiting tickets,
//          the Ticket objects included.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <time.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "shard/pool_group.h"

namespace evenmatch {
namespace {

constexpr size_t kBatch = 1'000;
constexpr size_t kCommandsPerRead = 250;
constexpr Micros kStep = 20 * kSecond;

double ProcessorSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

Catalog DuelCatalog(bool with_attribute) {
  Catalog catalog;
  catalog.groups.push_back({.name = "default", .queues = {0}});
  QueueRules duel;
  duel.name = "duel";
  duel.window = {.base = 100 * kPoint, .growth_per_second = 0, .max = 100 * kPoint};
  if (with_attribute) duel.required_attributes = {"room"};
  duel.max_waiting = 10'000'000;
  duel.hold_timeout = 0;
  catalog.queues.push_back(duel);
  return catalog;
}

class World {
 public:
  World(bool with_attribute, size_t standing, size_t kept) : catalog_(DuelCatalog(with_attribute)) {
    limits_.tickets_per_group = standing + kept;
    limits_.retained_matches_per_group = kept;
    group_ = std::make_unique<PoolGroup>(catalog_, 0, 1, limits_);
  }

  Command MakeEnqueue(Micros timeout, bool alone) {
    char id[16];
    auto ticket = std::make_shared<Ticket>();
    std::snprintf(id, sizeof(id), "t%07zu", made_);
    ticket->ticket_id = id;
    ticket->queues.push_back({.queue = 0});
    std::snprintf(id, sizeof(id), "p%07zu", made_);
    ticket->players.push_back(
        {.player_id = id, .value = static_cast<MilliPoints>(random_.Between(1000 * kPoint, 2000 * kPoint))});
    if (alone) {
      std::snprintf(id, sizeof(id), "room%zu", made_);
      ticket->details = std::make_unique<const TicketDetails>(TicketDetails{.attributes = {{"room", id}}});
    }
    ticket->timeout = timeout;
    ++made_;
    return EnqueueCommand{std::move(ticket)};
  }

  void Stand(size_t count) {
    for (size_t i = 0; i < count; ++i) Enqueue(MakeEnqueue(100'000 * kHour, true));
    Tick();
  }

  void Enqueue(const Command& command) {
    if (!group_->Apply(command, now_, &events_).status.ok()) std::abort();
  }
  PoolGroup::TickStats Tick() {
    now_ += kStep;
    return group_->Tick(0, now_, &events_);
  }
  // What a committer and the streams would look at.
  void ReadEvents() {
    for (const Event& event : events_) told_ += IsTold(event.kind) ? event.sequence : 1;
    events_.clear();
  }

  // Enqueues a batch and ticks; the seconds that took.
  double Round() {
    batch_.clear();
    for (size_t i = 0; i < kBatch; ++i) batch_.push_back(MakeEnqueue(90 * kSecond, false));
    const double start = ProcessorSeconds();
    for (size_t i = 0; i < kBatch; ++i) {
      Enqueue(batch_[i]);
      std::get<EnqueueCommand>(batch_[i]).ticket.reset();
      if (i % kCommandsPerRead == 0) ReadEvents();
    }
    matched_ += 2 * Tick().matches;
    ReadEvents();
    return ProcessorSeconds() - start;
  }

  size_t matched() const { return matched_; }
  uint64_t told() const { return told_; }

 private:
  const Catalog catalog_;
  Limits limits_;
  std::unique_ptr<PoolGroup> group_;
  Random random_{1};
  Micros now_ = kHour;
  std::vector<Event> events_;
  std::vector<Command> batch_;
  size_t made_ = 0;
  size_t matched_ = 0;
  uint64_t told_ = 0;
};

void EnqueueAndMatch(benchmark::State& state) {
  const auto standing = static_cast<size_t>(state.range(0));
  const auto kept = static_cast<size_t>(state.range(1));
  World world(true, standing, kept);
  world.Stand(standing);
  world.ReadEvents();
  for (size_t i = 0; i < 2 * kept / kBatch; ++i) world.Round();  // to the steady state
  const size_t before = world.matched();
  size_t tickets = 0;
  for (auto _ : state) {
    state.SetIterationTime(world.Round());
    tickets += kBatch;
  }
  benchmark::DoNotOptimize(world.told());
  state.counters["tickets"] = benchmark::Counter(static_cast<double>(tickets), benchmark::Counter::kIsRate);
  state.counters["matched_share"] = static_cast<double>(world.matched() - before) / static_cast<double>(tickets);
}
BENCHMARK(EnqueueAndMatch)
    ->ArgNames({"standing", "kept"})
    ->Args({10'000, 20'000})
    ->Args({100'000, 20'000})
    ->Args({10'000, 200'000})
    ->Args({100'000, 200'000})
    ->UseManualTime()
    ->Iterations(500)
    ->Repetitions(5)
    ->ReportAggregatesOnly()
    ->Unit(benchmark::kMillisecond);

void IdleTick(benchmark::State& state) {
  const auto standing = static_cast<size_t>(state.range(0));
  World world(true, standing, 0);
  world.Stand(standing);
  world.ReadEvents();
  for (auto _ : state) benchmark::DoNotOptimize(world.Tick());
}
BENCHMARK(IdleTick)
    ->ArgName("standing")
    ->Arg(10'000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(0.05);

void WaitingTicketMemory(benchmark::State& state) {
  constexpr size_t kTickets = 1'000'000;
  double bytes = 0;
  for (auto _ : state) {
    const struct mallinfo2 before = mallinfo2();
    World world(false, kTickets, 0);
    for (size_t i = 0; i < kTickets; ++i) {
      world.Enqueue(world.MakeEnqueue(90 * kSecond, false));
      if (i % kBatch == 0) world.ReadEvents();
    }
    const struct mallinfo2 after = mallinfo2();
    bytes = static_cast<double>(after.uordblks + after.hblkhd - before.uordblks - before.hblkhd) / kTickets;
  }
  state.counters["bytes_per_ticket"] = bytes;
}
BENCHMARK(WaitingTicketMemory)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace evenmatch

BENCHMARK_MAIN();
