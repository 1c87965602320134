// How long one tick of the matcher takes. Every world is stated in its name and comment; figures are per tick, with
// items (fresh tickets) a second and what was formed as counters. Ratings are in points.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "base/random.h"
#include "matching/matcher.h"
#include "model/queue_rules.h"
#include "pool/pool.h"

namespace evenmatch {
namespace {

constexpr Micros kStart = 1'700'000'000 * kSecond;

// N(mean, deviation) by Box and Muller.
MilliPoints Normal(Random& random, double mean, double deviation) {
  const double radius = std::sqrt(-2 * std::log(1 - random.Unit()));
  return static_cast<MilliPoints>((mean + deviation * radius * std::cos(2 * std::numbers::pi * random.Unit())) *
                                  kPoint);
}

QueueRules Duel(MilliPoints base, MilliPoints growth, MilliPoints max) {
  QueueRules rules;
  rules.window.base = base;
  rules.window.growth_per_second = growth;
  rules.window.max = max;
  return rules;
}

PoolEntry Entry(MilliPoints value, uint64_t arrival, uint32_t affinity = 0, int32_t heads = 1,
                Micros queued_at = kStart) {
  PoolEntry entry;
  entry.value = value;
  entry.heads = heads;
  entry.affinity = affinity;
  entry.queued_at = queued_at;
  entry.arrival = arrival;
  return entry;
}

// Ticks a fresh copy of the pool made by `fill`, outside the clock, in each iteration.
template <typename Fill>
void TickFresh(benchmark::State& state, const QueueRules& rules, int64_t fresh, const Fill& fill) {
  std::vector<Proposal> proposals;
  std::unique_ptr<Pool> pool;
  const RuleBook book(rules);
  const TraitTable traits;
  Matcher matcher(book);
  for (auto _ : state) {
    state.PauseTiming();
    proposals.clear();
    pool = std::make_unique<Pool>();
    fill(*pool, matcher);
    state.ResumeTiming();
    size_t due = 0;
    matcher.Tick(*pool, traits, kStart, &proposals, &due);
  }
  double spread = 0, quality = 0;
  for (const Proposal& proposal : proposals) {
    spread += proposal.spread;
    quality += proposal.quality;
  }
  const double formed = std::max<double>(1, static_cast<double>(proposals.size()));
  state.SetItemsProcessed(fresh * state.iterations());
  state.counters["formed"] = static_cast<double>(proposals.size());
  state.counters["mean_spread"] = spread / formed / kPoint;
  state.counters["mean_quality"] = quality / formed;
}

// The mean spread of taking neighbours of the sorted order together: the first `count`, the next, and so on, where they
// fit.
double SortedNeighboursSpread(std::vector<MilliPoints> values, size_t count, MilliPoints window) {
  std::sort(values.begin(), values.end());
  double sum = 0, games = 0;
  for (size_t i = 0; i + count <= values.size(); i += count) {
    const MilliPoints spread = values[i + count - 1] - values[i];
    if (spread > window) continue;
    sum += spread;
    ++games;
  }
  return sum / games / kPoint;
}

// 1v1, every ticket fresh, window +-100 fixed, ratings N(1500, 300).
void BM_DuelFullPool(benchmark::State& state) {
  Random random(1);
  std::vector<MilliPoints> values(static_cast<size_t>(state.range(0)));
  for (MilliPoints& value : values) value = Normal(random, 1'500, 300);
  TickFresh(state, Duel(100 * kPoint, 0, 100 * kPoint), static_cast<int64_t>(values.size()), [&](Pool& pool, Matcher&) {
    for (size_t i = 0; i < values.size(); ++i) pool.Insert(Entry(values[i], i + 1));
  });
  state.counters["sorted_neighbours_spread"] = SortedNeighboursSpread(values, 2, 100 * kPoint);
}
BENCHMARK(BM_DuelFullPool)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

// The same with windows +-100 that grow by 50 a second and tickets that came at any time of the last three seconds.
void BM_DuelFullPoolMixedAges(benchmark::State& state) {
  Random random(2);
  std::vector<PoolEntry> entries;
  for (int64_t i = 0; i < state.range(0); ++i) {
    const Micros queued_at = kStart - (state.range(0) - i) * 3 * kSecond / state.range(0);
    entries.push_back(Entry(Normal(random, 1'500, 300), static_cast<uint64_t>(i) + 1, 0, 1, queued_at));
  }
  TickFresh(state, Duel(100 * kPoint, 50 * kPoint, 800 * kPoint), static_cast<int64_t>(entries.size()),
            [&](Pool& pool, Matcher&) {
              for (const PoolEntry& entry : entries) pool.Insert(entry);
            });
}
BENCHMARK(BM_DuelFullPoolMixedAges)->Arg(1'000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

// Far more room than tickets: uniform ratings 0..100 a ticket, mixed ages, so that windows decide who meets.
void BM_DuelSparseMixedAges(benchmark::State& state) {
  Random random(3);
  std::vector<PoolEntry> entries;
  for (int64_t i = 0; i < state.range(0); ++i) {
    const Micros queued_at = kStart - (state.range(0) - i) * 10 * kSecond / state.range(0);
    entries.push_back(Entry(static_cast<MilliPoints>(random.Between(0, state.range(0) * 100) * kPoint),
                            static_cast<uint64_t>(i) + 1, 0, 1, queued_at));
  }
  TickFresh(state, Duel(50 * kPoint, 25 * kPoint, 1'000 * kPoint), static_cast<int64_t>(entries.size()),
            [&](Pool& pool, Matcher&) {
              for (const PoolEntry& entry : entries) pool.Insert(entry);
            });
}
BENCHMARK(BM_DuelSparseMixedAges)->Arg(1'000)->Unit(benchmark::kMillisecond);

// 10'000 fresh tickets of one affinity, uniform 1000..2000, among standing ones over the same range that each have an
// affinity of their own. All are in one index, but affinity leads its order: no walk meets a stranger, so what this
// measures is that strangers cost nothing, not that stepping over them is fast.
void BM_DuelAmongStrangers(benchmark::State& state) {
  Random random(4);
  const QueueRules rules = Duel(100 * kPoint, 0, 100 * kPoint);
  TickFresh(state, rules, 10'000, [&](Pool& pool, Matcher& matcher) {
    const uint64_t standing = static_cast<uint64_t>(state.range(0));
    const auto value = [&] { return static_cast<MilliPoints>(random.Between(1'000 * kPoint, 2'000 * kPoint)); };
    for (uint64_t i = 1; i <= standing; ++i) {
      pool.Insert(Entry(value(), i, static_cast<uint32_t>(i), 1, kStart - kSecond));
    }
    std::vector<Proposal> none;
    size_t due = 0;
    matcher.Tick(pool, TraitTable(), kStart - kSecond, &none, &due);
    for (uint64_t i = 1; i <= 10'000; ++i) pool.Insert(Entry(value(), standing + i));
  });
}
BENCHMARK(BM_DuelAmongStrangers)->Arg(0)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

// 100 fresh tickets among standing ones of the same affinity that stand too far from each other to meet.
void BM_DuelAmongStanding(benchmark::State& state) {
  Random random(5);
  const MilliPoints apart = 2 * kMaxValue / static_cast<MilliPoints>(state.range(0) + 1);
  const QueueRules rules = Duel(apart - 1, 0, apart - 1);
  TickFresh(state, rules, 100, [&](Pool& pool, Matcher& matcher) {
    for (int64_t i = 0; i < state.range(0); ++i) {
      pool.Insert(
          Entry(static_cast<MilliPoints>(i * apart - kMaxValue), static_cast<uint64_t>(i) + 1, 0, 1, kStart - kSecond));
    }
    std::vector<Proposal> none;
    size_t due = 0;
    matcher.Tick(pool, TraitTable(), kStart - kSecond, &none, &due);
    for (int64_t i = 0; i < 100; ++i) {
      pool.Insert(Entry(static_cast<MilliPoints>(random.Between(-kMaxValue, kMaxValue)),
                        static_cast<uint64_t>(state.range(0) + i) + 1));
    }
  });
}
BENCHMARK(BM_DuelAmongStanding)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);

QueueRules Squad(int32_t teams, int32_t team_size) {
  QueueRules rules = Duel(100 * kPoint, 50 * kPoint, 800 * kPoint);
  rules.team_count = teams;
  rules.team_size = team_size;
  return rules;
}

// Players N(1500, 300), each ticket of 1 or, in `percent_parties` of the cases, of 2..team_size players.
std::vector<PoolEntry> Crowd(Random& random, int64_t players, int32_t team_size, uint32_t percent_parties,
                             Micros over) {
  std::vector<PoolEntry> entries;
  for (int64_t seated = 0; seated < players;) {
    const int32_t heads =
        team_size > 1 && random.Percent(percent_parties) ? static_cast<int32_t>(random.Between(2, team_size)) : 1;
    const Micros queued_at = kStart - over + over * seated / players;
    entries.push_back(Entry(Normal(random, 1'500, 300), entries.size() + 1, 0, heads, queued_at));
    seated += heads;
  }
  return entries;
}

// N teams of M, 10'000 players, all fresh and of one age, window +-100; the last argument is the percentage of tickets
// that are parties.
void BM_TeamsFullPool(benchmark::State& state) {
  Random random(7);
  const QueueRules rules = Squad(static_cast<int32_t>(state.range(0)), static_cast<int32_t>(state.range(1)));
  const std::vector<PoolEntry> entries =
      Crowd(random, 10'000, rules.team_size, static_cast<uint32_t>(state.range(2)), 0);
  TickFresh(state, rules, static_cast<int64_t>(entries.size()), [&](Pool& pool, Matcher&) {
    for (const PoolEntry& entry : entries) pool.Insert(entry);
  });
  if (state.range(2) > 0) return;
  std::vector<MilliPoints> values;
  for (const PoolEntry& entry : entries) values.push_back(entry.value);
  state.counters["sorted_neighbours_spread"] =
      SortedNeighboursSpread(values, static_cast<size_t>(rules.players_per_match()), 100 * kPoint);
}
BENCHMARK(BM_TeamsFullPool)
    ->Args({2, 5, 0})
    ->Args({2, 5, 30})
    ->Args({2, 3, 30})
    ->Args({4, 3, 30})
    ->Args({2, 32, 10})
    ->Args({20, 3, 30})
    ->Args({100, 1, 0})
    ->Unit(benchmark::kMillisecond);

// 5v5, 30 % parties, players arriving over a minute in ticks of 100 ms at the given rate a second: the whole minute.
void BM_TeamsMinute(benchmark::State& state) {
  Random random(8);
  const QueueRules rules = Squad(2, 5);
  const std::vector<PoolEntry> entries = Crowd(random, state.range(0) * 60, 5, 30, kMinute);
  const RuleBook book(rules);
  const TraitTable traits;
  Matcher matcher(book);
  double formed = 0, quality = 0, spread = 0, due_in_all = 0;
  size_t left = 0;
  for (auto _ : state) {
    Pool pool;
    std::vector<Proposal> proposals;
    formed = quality = spread = due_in_all = 0;
    size_t next = 0;
    for (Micros now = kStart - kMinute; now <= kStart; now += 100 * kMillisecond) {
      while (next < entries.size() && entries[next].queued_at <= now) pool.Insert(entries[next++]);
      proposals.clear();
      size_t due = 0;
      matcher.Tick(pool, traits, now, &proposals, &due);
      due_in_all += static_cast<double>(due);
      for (const Proposal& proposal : proposals) {
        ++formed;
        quality += proposal.quality;
        spread += proposal.spread;
        for (const Proposal::Place& place : proposal.places) pool.Remove(place.slot);
      }
    }
    left = pool.size();
  }
  state.SetItemsProcessed(static_cast<int64_t>(entries.size()) * state.iterations());
  state.counters["formed"] = formed;
  state.counters["left"] = static_cast<double>(left);
  state.counters["looks_per_ticket"] = due_in_all / static_cast<double>(entries.size());
  state.counters["mean_quality"] = quality / formed;
  state.counters["mean_spread"] = spread / formed / kPoint;
}
BENCHMARK(BM_TeamsMinute)->Arg(1)->Arg(20)->Arg(500)->Unit(benchmark::kMillisecond);

// Nothing new: standing tickets, each with an affinity of its own.
void BM_TickWithNothingDue(benchmark::State& state) {
  Random random(6);
  const QueueRules rules = Duel(100 * kPoint, 50 * kPoint, 800 * kPoint);
  Pool pool;
  const RuleBook book(rules);
  const TraitTable traits;
  Matcher matcher(book);
  for (int64_t i = 1; i <= state.range(0); ++i) {
    pool.Insert(Entry(static_cast<MilliPoints>(random.Between(1'000 * kPoint, 2'000 * kPoint)),
                      static_cast<uint64_t>(i), static_cast<uint32_t>(i)));
  }
  std::vector<Proposal> proposals;
  size_t due = 0;
  matcher.Tick(pool, traits, kStart, &proposals, &due);
  Micros now = kStart;
  for (auto _ : state) {
    matcher.Tick(pool, traits, now += 100 * kMillisecond, &proposals, &due);
    benchmark::DoNotOptimize(due);
  }
}
BENCHMARK(BM_TickWithNothingDue)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace evenmatch

BENCHMARK_MAIN();
