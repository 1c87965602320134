// What the duel matcher reaches, held against other ways to pair the same players: prints tables that are the same on
// every machine.
//
// World unless said otherwise: Poisson arrivals of solo players N(1500, 300), tick 500 ms. Gaps in points, waits in
// seconds, from queued to the tick that makes the match. The first minutes do not count where a target is learned.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/duel_history.h"
#include "tests/support/duel_world.h"

namespace evenmatch {
namespace {

constexpr Micros kTicks[] = {500 * kMillisecond, 100 * kMillisecond};
constexpr double kRates[] = {20, 200};

Micros SpanFor(double rate) { return static_cast<Micros>(40'000 / rate) * kSecond; }

// Window 100 + 50 a second up to 800. "exact" has, at each tick, the pool that the matcher has there.
void FixedWindow() {
  std::printf(
      "\nwindow 100 + 50/s up to 800        gap                              p95 wait          of exact, same ticks\n");
  std::printf("%6s %5s  %7s %9s %10s %7s  %7s %7s %6s  %8s %8s\n", "rate", "tick", "ours", "greedy", "neighbours",
              "saved", "ours", "greedy", "ratio", "quality", "gap");
  for (const double rate : kRates) {
    for (const Micros tick : kTicks) {
      const Scenario scenario = DuelScenario(rate, SpanFor(rate));
      const QueueRules rules = DuelQueue(100, 50, tick);
      const auto exact = MakeOpponent(OpponentKind::kExact, rules.window);
      SameTicks same(rules.window, *exact);
      const DuelOutcome ours = PlayDuels(scenario, rules, same.watch());
      const DuelOutcome greedy = PlayDuels(scenario, rules, *MakeOpponent(OpponentKind::kOldestFirst, rules.window));
      const DuelOutcome neighbours =
          PlayDuels(scenario, rules, *MakeOpponent(OpponentKind::kSortedNeighbours, rules.window));
      std::printf("%6.0f %5lld  %7.2f %9.2f %10.2f %6.1f%%  %7.2f %7.2f %6.2f  %7.2f%% %7.2f%%\n", rate,
                  static_cast<long long>(tick / kMillisecond), ours.mean_gap(), greedy.mean_gap(),
                  neighbours.mean_gap(), 100 * (1 - ours.mean_gap() / greedy.mean_gap()), ours.p95_wait(),
                  greedy.p95_wait(), ours.p95_wait() / greedy.p95_wait(),
                  100.0 * static_cast<double>(same.ours.quality) / static_cast<double>(same.theirs.quality),
                  100 * same.ours.mean_gap() / same.theirs.mean_gap());
    }
  }
}

// The least mean gap of linear windows whose P95 is at most the target.
struct Best {
  double gap = 1e9, p95 = 0, base = 0, growth = 0;
};
// Over the whole, or in `each` two minutes, where it may exceed it by a tenth as ours may.
std::vector<Best> BestFixed(const Scenario& scenario, Micros tick, Micros warm_up, double scale,
                            const std::vector<Micros>& targets, bool each = false) {
  std::vector<Best> best(targets.size());
  for (const double base : {0.0, 5.0, 8.0, 12.0, 18.0, 26.0, 34.0, 50.0, 70.0, 88.0, 110.0}) {
    for (const double growth : {0.0, 3.0, 7.0, 12.0, 17.0, 25.0, 40.0}) {
      if (base + 5 * growth < 15 || base + growth > 160) continue;
      DuelHistory history;
      PlayDuels(scenario, DuelQueue(base * scale, growth * scale, tick), history.watch());
      const double p95 =
          each ? history.worst_p95_wait(warm_up, scenario.duration) / 1.1 : history.p95_wait({.from = warm_up});
      const Best one = {history.mean_gap(warm_up), p95, base * scale, growth * scale};
      for (size_t i = 0; i < targets.size(); ++i) {
        if (one.p95 * kSecond <= static_cast<double>(targets[i]) * 1.002 && one.gap < best[i].gap) best[i] = one;
      }
    }
  }
  return best;
}

const std::vector<Micros> kTargets = {1'500 * kMillisecond, 2'500 * kMillisecond, 5'000 * kMillisecond};

void TargetWait() {
  std::printf("\ntarget_wait_p95                     best linear window                          p95 wait of\n");
  std::printf("%6s %5s %7s  %7s %6s  %7s %6s %14s %7s  %8s %7s %6s\n", "rate", "tick", "target", "gap", "p95", "gap",
              "p95", "window", "saved", "median", "top 1%", "ratio");
  for (const double rate : kRates) {
    for (const Micros tick : kTicks) {
      const Scenario scenario = DuelScenario(rate, SpanFor(rate));
      const Micros warm_up = kMinute;
      const std::vector<Best> best = BestFixed(scenario, tick, warm_up, 20 / rate, kTargets);
      for (size_t i = 0; i < kTargets.size(); ++i) {
        DuelHistory history;
        PlayDuels(scenario, PatientQueue(kTargets[i], tick), history.watch());
        const double gap = history.mean_gap(warm_up);
        const double middle = history.p95_wait(
            {.from = warm_up, .lowest = 1'462 * kPoint, .highest = 1'538 * kPoint});  // the middle tenth
        const double top = history.p95_wait({.from = warm_up, .lowest = 2'198 * kPoint});
        std::printf("%6.0f %5lld %7.1f  %7.3f %6.2f  %7.3f %6.2f %7.1f+%4.1f/s %6.1f%%  %8.2f %7.2f %6.2f\n", rate,
                    static_cast<long long>(tick / kMillisecond), static_cast<double>(kTargets[i]) / kSecond, gap,
                    history.p95_wait({.from = warm_up}), best[i].gap, best[i].p95, best[i].base, best[i].growth,
                    100 * (1 - gap / best[i].gap), middle, top, top / middle);
      }
    }
  }
}

// Ten times as many for ten minutes, from the tenth on.
void Jump() {
  std::printf("\narrivals 20/s, ten times that for ten minutes, 20/s again: p95 wait\n");
  std::printf("%7s  %8s %18s %22s %18s %22s\n", "target", "before", "first two minutes", "third to tenth minute",
              "two minutes after", "third to tenth after");
  for (const Micros target : kTargets) {
    Scenario scenario = DuelScenario(20, 30 * kMinute);
    scenario.arrivals.bursts = {{10 * kMinute, 10 * kMinute, 10}};
    DuelHistory history;
    PlayDuels(scenario, PatientQueue(target, 500 * kMillisecond), history.watch());
    const auto p95 = [&](int64_t from, int64_t to) {
      return history.p95_wait({.from = from * kMinute, .to = to * kMinute});
    };
    std::printf("%7.1f  %8.2f %18.2f %22.2f %18.2f %22.2f\n", static_cast<double>(target) / kSecond, p95(2, 10),
                p95(10, 12), p95(12, 20), p95(20, 22), p95(22, 30));
  }
}

// The best single window by its P95 over the whole, most of which is the busy time; and the best one that keeps the
// target in every two minutes, as the target does.
void Swing() {
  std::printf("\narrivals swing between 20/s and 200/s every ten minutes; worst: p95 of the worst two minutes\n");
  std::printf("%7s  %7s %6s %6s | overall: %7s %14s %7s | always: %7s %14s %7s\n", "target", "gap", "p95", "worst",
              "gap", "window", "saved", "gap", "window", "saved");
  Scenario scenario = DuelScenario(20, 20 * kMinute);
  scenario.arrivals.peak = 200;
  scenario.arrivals.period = 10 * kMinute;
  constexpr Micros kTick = 500 * kMillisecond;
  const auto best = [&](bool each) {
    std::vector<Best> best = BestFixed(scenario, kTick, kMinute, 0.3, kTargets, each);
    const std::vector<Best> wider = BestFixed(scenario, kTick, kMinute, 1, kTargets, each);
    for (size_t i = 0; i < best.size(); ++i) best[i] = wider[i].gap < best[i].gap ? wider[i] : best[i];
    return best;
  };
  const std::vector<Best> overall = best(false), always = best(true);
  for (size_t i = 0; i < kTargets.size(); ++i) {
    DuelHistory history;
    PlayDuels(scenario, PatientQueue(kTargets[i], kTick), history.watch());
    const double gap = history.mean_gap(kMinute);
    std::printf("%7.1f  %7.3f %6.2f %6.2f | %16.3f %7.1f+%4.1f/s %6.1f%% | %15.3f %7.1f+%4.1f/s %6.1f%%\n",
                static_cast<double>(kTargets[i]) / kSecond, gap, history.p95_wait({.from = kMinute}),
                history.worst_p95_wait(kMinute, scenario.duration), overall[i].gap, overall[i].base, overall[i].growth,
                100 * (1 - gap / overall[i].gap), always[i].gap, always[i].base, always[i].growth,
                100 * (1 - gap / always[i].gap));
  }
}

}  // namespace
}  // namespace evenmatch

// Without arguments all, else those named: window, target, jump, swing.
int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // it takes minutes
  const std::pair<const char*, void (*)()> tables[] = {{"window", evenmatch::FixedWindow},
                                                       {"target", evenmatch::TargetWait},
                                                       {"jump", evenmatch::Jump},
                                                       {"swing", evenmatch::Swing}};
  for (const auto& [name, table] : tables) {
    if (argc == 1 || std::find(argv + 1, argv + argc, std::string(name)) != argv + argc) table();
  }
}
