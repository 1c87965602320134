// DuelHistory: what became of every ticket and match of a world of duels, to be asked afterwards by time and rating.
//
// How to use it:
//   DuelHistory history;
//   PlayDuels(scenario, rules, history.watch());
//   history.mean_gap(kMinute), history.p95_wait({.from = kMinute, .lowest = 2'200 * kPoint});
//
// Who runs out counts with the wait until then.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/world.h"

namespace evenmatch {

class DuelHistory {
 public:
  struct Filter {
    Micros from = -kHour, to = kNever;  // when queued, since the first tick
    MilliPoints lowest = -kMaxValue, highest = kMaxValue;
  };

  WorldWatch watch() {
    WorldWatch watch;
    watch.tick = [this](uint32_t, Micros now) {
      if (first_tick_ == kNever) first_tick_ = now;
    };
    watch.event = [this](const Event& event) {
      if (event.kind == EventKind::kMatched || event.kind == EventKind::kExpired) {
        waits_.push_back({event.queued_at, event.at - event.queued_at, event.ticket->players[0].value});
      } else if (event.kind == EventKind::kMatchFormed) {
        gaps_.push_back({event.at, event.match->spread});
      }
    };
    return watch;
  }

  // In points.
  double mean_gap(Micros from = -kHour) const {
    double sum = 0, count = 0;
    for (const Gap& gap : gaps_) {
      if (gap.at - first_tick_ < from) continue;
      sum += gap.gap;
      ++count;
    }
    return count == 0 ? 0 : sum / count / kPoint;
  }

  // In seconds.
  double p95_wait(const Filter& filter) const {
    std::vector<Micros> waits;
    for (const Wait& wait : waits_) {
      const Micros queued = wait.queued_at - first_tick_;
      if (queued < filter.from || queued >= filter.to) continue;
      if (wait.value < filter.lowest || wait.value > filter.highest) continue;
      waits.push_back(wait.wait);
    }
    if (waits.empty()) return 0;
    const auto at = waits.begin() + static_cast<int64_t>(waits.size() * 95 / 100);
    std::nth_element(waits.begin(), at, waits.end());
    return static_cast<double>(*at) / kSecond;
  }

  // The worst of any two minutes between.
  double worst_p95_wait(Micros from, Micros to) const {
    double worst = 0;
    for (; from + 2 * kMinute <= to; from += kMinute) {
      worst = std::max(worst, p95_wait({.from = from, .to = from + 2 * kMinute}));
    }
    return worst;
  }

 private:
  struct Wait {
    Micros queued_at, wait;
    MilliPoints value;
  };
  struct Gap {
    Micros at;
    MilliPoints gap;
  };
  std::vector<Wait> waits_;
  std::vector<Gap> gaps_;
  Micros first_tick_ = kNever;
};

// Poisson arrivals of solo players N(1500, 300).
inline Scenario DuelScenario(double rate, Micros duration, uint64_t seed = 1) {
  Scenario scenario;
  scenario.arrivals.rate = rate;
  scenario.shares = {{{"duel"}, 1}};
  scenario.duration = duration;
  scenario.seed = seed;
  return scenario;
}

// Linear windows, in points.
inline QueueRules DuelQueue(double base, double growth, Micros tick, double widest = 800) {
  QueueRules rules;
  rules.name = "duel";
  rules.window.base = static_cast<MilliPoints>(base * kPoint);
  rules.window.growth_per_second = static_cast<MilliPoints>(growth * kPoint);
  rules.window.max = static_cast<MilliPoints>(widest * kPoint);
  rules.tick = tick;
  return rules;
}

// Holds out up to a target; anybody within 800 points may meet.
inline QueueRules PatientQueue(Micros target, Micros tick) {
  QueueRules rules = DuelQueue(800, 0, tick);
  rules.target_wait_p95 = target;
  return rules;
}

}  // namespace evenmatch
