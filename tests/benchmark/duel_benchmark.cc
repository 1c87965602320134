// How long a tick of duels takes where all rules are in use. Ten thousand tickets come each second, and a hundred
// thousand stand: some because they hold out for a better game (target wait), some because rules keep them apart.

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "base/random.h"
#include "matching/matcher.h"
#include "matching/rule_book.h"
#include "model/queue_rules.h"
#include "pool/pool.h"

namespace evenmatch {
namespace {

constexpr Micros kStart = 1'700'000'000 * kSecond;

QueueRules AllRules(Micros target) {
  QueueRules rules;
  rules.name = "duel";
  rules.tick = 100 * kMillisecond;
  rules.window = {.base = 200 * kPoint, .growth_per_second = 50 * kPoint, .max = 800 * kPoint};
  rules.window.deviation_factor = 500;
  rules.wait_basis = WaitBasis::kAverage;
  rules.max_difference = 900 * kPoint;
  rules.tiers.groups = {{"low"}, {"middle"}, {"high"}, {.name = "peak", .isolated = true}};
  rules.tiers.tiers = {
      {"bronze", 0, 0}, {"gold", 1, 1'300 * kPoint}, {"star", 2, 1'700 * kPoint}, {"peak", 3, 2'300 * kPoint}};
  rules.regions.regions = {"r0", "r1", "r2", "r3", "r4", "r5"};
  rules.regions.steps = {{0, 20, 80}, {15 * kSecond, 60, 120}, {30 * kSecond, 100, 200}};
  rules.attributes = {{.name = "mode"}, {.name = "input", .required = false}};
  rules.shelter = {.games_below = 10, .own_pool_for = 10 * kSecond, .widest = 150 * kPoint};
  rules.streak = {.losses = 3};
  rules.quality[QualityTerm::kDistance] = {.weight = 1'000, .scale = 200 * kPoint};
  rules.quality[QualityTerm::kLatency] = {.weight = 300, .scale = 60};
  rules.quality[QualityTerm::kPreference] = {.weight = 50, .scale = 1};
  rules.quality[QualityTerm::kRecent] = {.weight = 500, .scale = 1'000};
  rules.quality[QualityTerm::kAvoid] = {.weight = 500, .scale = 1'000};
  rules.quality[QualityTerm::kAttributes] = {.weight = 100, .scale = 1'000};
  rules.priority.scarcity_weight = 200;
  rules.variety.within = 20;
  rules.target_wait_p95 = target;
  return rules;
}

// Of the processor, so that others on the machine do not count.
double ThreadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::string Id(const char* prefix, uint64_t number) { return prefix + std::to_string(number); }

Ticket RandomTicket(Random& random, uint64_t number) {
  PlayerDetails details;
  details.games_played = static_cast<int32_t>(random.Between(0, 100));
  details.loss_streak = static_cast<int32_t>(random.Between(0, 4));
  const uint64_t home = random.Below(6);
  for (uint64_t region = 0; region < 6; ++region) {
    const uint64_t away = std::min((region + 6 - home) % 6, (home + 6 - region) % 6);
    details.latency_ms[Id("r", region)] = static_cast<int32_t>(15 + 60 * away + random.Below(30));
  }
  details.attributes["mode"] = Id("mode", random.Below(2));
  details.attributes["input"] = Id("input", random.Below(2));
  for (auto* people : {&details.block, &details.avoid, &details.recent_opponents}) {
    for (int i = 0; i < 3; ++i) people->push_back(Id("p", number - std::min(number, random.Below(100'000))));
  }
  Ticket ticket;
  ticket.queues.push_back({.queue = 0, .preference = static_cast<int32_t>(random.Below(2))});
  ticket.queues.push_back({.queue = 1});
  const double radius = std::sqrt(-2 * std::log(1 - random.Unit()));
  Player player = {.player_id = Id("p", number)};
  player.value =
      static_cast<MilliPoints>((1'500 + 300 * radius * std::cos(2 * std::numbers::pi * random.Unit())) * kPoint);
  player.deviation = static_cast<MilliPoints>(random.Between(40, 200) * kPoint);
  player.details = std::make_unique<const PlayerDetails>(std::move(details));
  ticket.players.push_back(std::move(player));
  return ticket;
}

// Arguments: tickets a second, target wait in seconds. Until waits have settled nothing is measured.
void BM_DuelsUnderAllRules(benchmark::State& state) {
  const int64_t rate = state.range(0);
  const QueueRules rules = AllRules(state.range(1) * kSecond);
  const RuleBook book(rules);
  Random random(1);
  Pool pool;
  TraitTable traits;
  Matcher matcher(book);
  uint64_t arrivals = 0;
  Micros now = kStart;
  std::vector<Proposal> proposals;
  std::vector<Micros> waits;
  double due_in_all = 0, quality = 0;
  const auto tick = [&] {
    now += rules.tick;
    for (int64_t i = 0; i < rate * rules.tick / kSecond; ++i) {
      const Ticket ticket = RandomTicket(random, ++arrivals);
      PoolEntry entry;
      entry.value = book.ValueOf(ticket, ticket.queues[0]);
      entry.queued_at = now - static_cast<Micros>(random.Below(static_cast<uint64_t>(rules.tick)));
      entry.arrival = arrivals;
      traits.Add(pool.Insert(entry), book.TraitsOf(ticket, ticket.queues[0]));
    }
    proposals.clear();
    size_t due = 0;
    const double start = ThreadSeconds();
    matcher.Tick(pool, traits, now, &proposals, &due);
    const double seconds = ThreadSeconds() - start;
    due_in_all += static_cast<double>(due);
    for (const Proposal& proposal : proposals) {
      quality += proposal.quality;
      for (const Proposal::Place& place : proposal.places) {
        waits.push_back(now - pool.Get(place.slot).queued_at);
        pool.Remove(place.slot);
        traits.Remove(place.slot);
      }
    }
    return seconds;
  };
  for (int i = 0; i < 50 * state.range(1); ++i) tick();
  waits.clear();
  due_in_all = quality = 0;
  std::vector<double> seconds;
  for (auto _ : state) {
    seconds.push_back(tick());
    state.SetIterationTime(seconds.back());
  }
  std::sort(seconds.begin(), seconds.end());
  std::sort(waits.begin(), waits.end());
  state.counters["median_ms"] = 1'000 * seconds[seconds.size() / 2];
  state.counters["max_ms"] = 1'000 * seconds.back();
  state.counters["standing"] = static_cast<double>(pool.size());
  state.counters["due"] = due_in_all / static_cast<double>(seconds.size());
  state.counters["p95_wait"] = static_cast<double>(waits[waits.size() * 95 / 100]) / kSecond;
  state.counters["mean_quality"] = quality / static_cast<double>(waits.size() / 2);
}
BENCHMARK(BM_DuelsUnderAllRules)
    ->Args({10'000, 14})
    ->Args({1'000, 5})
    ->UseManualTime()
    ->Iterations(200)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace evenmatch

BENCHMARK_MAIN();
