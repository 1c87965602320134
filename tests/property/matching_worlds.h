// Random pools for matching, and the dumb twins that say what is true of them. For tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "matching/quality.h"
#include "matching/window.h"
#include "model/queue_rules.h"
#include "pool/pool.h"

namespace evenmatch {

// A waiting ticket as the twins see it.
struct Standing {
  PoolEntry entry;
  Pool::Slot slot = Pool::kNoSlot;
};

inline bool Fits(const WindowRules& rules, const PoolEntry& a, const PoolEntry& b, Micros now) {
  return a.affinity == b.affinity && std::abs(a.value - b.value) <= std::min(WindowAt(rules, now - a.queued_at),
                                                                             WindowAt(rules, now - b.queued_at));
}

inline Quality PairQuality(const WindowRules& rules, const PoolEntry& a, const PoolEntry& b, Micros now) {
  return DuelQuality(std::abs(a.value - b.value),
                     std::min(WindowAt(rules, now - a.queued_at), WindowAt(rules, now - b.queued_at)));
}

inline bool Older(const PoolEntry& a, const PoolEntry& b) {
  return a.queued_at != b.queued_at ? a.queued_at < b.queued_at : a.arrival < b.arrival;
}

// The best total quality of any set of disjoint pairs; at most 16 waiters.
inline int64_t BestTotal(const WindowRules& rules, const std::vector<PoolEntry>& waiters, Micros now) {
  const size_t count = waiters.size();
  std::vector<std::vector<int64_t>> quality(count, std::vector<int64_t>(count, -1));
  for (size_t a = 0; a < count; ++a) {
    for (size_t b = 0; b < count; ++b) {
      if (a != b && Fits(rules, waiters[a], waiters[b], now)) {
        quality[a][b] = PairQuality(rules, waiters[a], waiters[b], now);
      }
    }
  }
  std::vector<int64_t> best(size_t{1} << count, 0);
  for (size_t used = 1; used < best.size(); ++used) {
    const size_t a = static_cast<size_t>(__builtin_ctzll(used));
    const size_t rest = used & (used - 1);
    best[used] = best[rest];
    for (size_t left = rest; left != 0; left &= left - 1) {
      const size_t b = static_cast<size_t>(__builtin_ctzll(left));
      if (quality[a][b] >= 0) {
        best[used] = std::max(best[used], quality[a][b] + best[rest & ~(size_t{1} << b)]);
      }
    }
  }
  return best.back();
}

// Oldest first, each takes its best.
inline int64_t GreedyTotal(const WindowRules& rules, std::vector<PoolEntry> waiters, Micros now) {
  std::sort(waiters.begin(), waiters.end(), Older);
  std::vector<bool> taken(waiters.size());
  int64_t total = 0;
  for (size_t a = 0; a < waiters.size(); ++a) {
    if (taken[a]) continue;
    int64_t best = -1;
    size_t with = 0;
    for (size_t b = a + 1; b < waiters.size(); ++b) {
      if (taken[b] || !Fits(rules, waiters[a], waiters[b], now)) continue;
      const int64_t quality = PairQuality(rules, waiters[a], waiters[b], now);
      if (quality > best) {
        best = quality;
        with = b;
      }
    }
    if (best < 0) continue;
    total += best;
    taken[with] = true;
  }
  return total;
}

// Whether these tickets, all of them, fill the teams.
inline bool FillsTeams(const QueueRules& rules, const std::vector<PoolEntry>& tickets) {
  std::vector<int32_t> room(static_cast<size_t>(rules.team_count), rules.team_size);
  const std::function<bool(size_t)> place = [&](size_t ticket) {
    if (ticket == tickets.size()) {
      return std::all_of(room.begin(), room.end(), [](int32_t left) { return left == 0; });
    }
    for (int32_t& left : room) {
      if (left < tickets[ticket].heads) continue;
      left -= tickets[ticket].heads;
      const bool found = place(ticket + 1);
      left += tickets[ticket].heads;
      if (found) return true;
    }
    return false;
  };
  return place(0);
}

// Some set of the waiters that could play now, by trying all; empty when there is none. At most 16 waiters. When
// `with` is given, one that contains this arrival.
inline std::vector<PoolEntry> AnySet(const QueueRules& rules, const std::vector<PoolEntry>& waiters, Micros now,
                                     uint64_t with = 0) {
  std::vector<PoolEntry> set;
  for (size_t mask = 1; mask < size_t{1} << waiters.size(); ++mask) {
    set.clear();
    int32_t heads = 0;
    bool fits = with == 0;
    for (size_t i = 0; i < waiters.size(); ++i) {
      if ((mask >> i & 1) == 0) continue;
      set.push_back(waiters[i]);
      heads += waiters[i].heads;
      fits |= waiters[i].arrival == with;
    }
    if (heads != rules.players_per_match() || !fits) continue;
    for (size_t i = 0; i < set.size() && fits; ++i) {
      for (size_t j = i + 1; j < set.size() && fits; ++j) fits = Fits(rules.window, set[i], set[j], now);
    }
    if (fits && FillsTeams(rules, set)) return set;
  }
  return {};
}

// Every set of the waiters that could play now, with the quality of its evenest teams; at most 16 waiters and 12
// players a match.
struct PlayableSet {
  uint32_t mask = 0;
  Quality quality = 0;
};
inline std::vector<PlayableSet> PlayableSets(const QueueRules& rules, const std::vector<PoolEntry>& waiters,
                                             Micros now) {
  std::vector<PlayableSet> sets;
  for (uint32_t mask = 1; mask < uint32_t{1} << waiters.size(); ++mask) {
    std::vector<PoolEntry> set;
    int32_t heads = 0;
    for (size_t i = 0; i < waiters.size(); ++i) {
      if ((mask >> i & 1) == 0) continue;
      set.push_back(waiters[i]);
      heads += waiters[i].heads;
    }
    if (heads != rules.players_per_match()) continue;
    const QualityRules weights = QualityRules::Teams();
    int64_t distance = 0;  // what the worst pair costs
    bool fits = true;
    for (const PoolEntry& a : set) {
      for (const PoolEntry& b : set) {
        fits &= Fits(rules.window, a, b, now);
        const MilliPoints window =
            std::min(WindowAt(rules.window, now - a.queued_at), WindowAt(rules.window, now - b.queued_at));
        distance = std::max(distance, TermCostOf(weights[QualityTerm::kDistance], std::abs(a.value - b.value), window));
      }
    }
    if (!fits) continue;
    // Every way to fill the teams, by depth first search.
    std::vector<int32_t> room(static_cast<size_t>(rules.team_count), rules.team_size);
    std::vector<int64_t> sums(room.size());
    std::vector<BasisPoints> chances(room.size());
    Quality best = -1;
    const std::function<void(size_t)> place = [&](size_t ticket) {
      if (ticket == set.size()) {
        TeamWinChances(sums, std::vector<int32_t>(sums.size(), rules.team_size), {}, chances);
        const auto [low, high] = std::minmax_element(chances.begin(), chances.end());
        const int64_t costs = distance + TermCostOf(weights[QualityTerm::kEvenness], *high - *low, 0);
        best = std::max(best, static_cast<Quality>(kBestQuality - costs));
        return;
      }
      for (size_t team = 0; team < room.size(); ++team) {
        if (room[team] < set[ticket].heads) continue;
        room[team] -= set[ticket].heads;
        sums[team] += int64_t{set[ticket].value} * set[ticket].heads;
        place(ticket + 1);
        room[team] += set[ticket].heads;
        sums[team] -= int64_t{set[ticket].value} * set[ticket].heads;
      }
    };
    place(0);
    if (best >= 0) sets.push_back({mask, best});
  }
  return sets;
}

// The best total quality of any choice of disjoint sets.
inline int64_t BestTotal(const std::vector<PlayableSet>& sets, size_t waiters) {
  std::vector<int64_t> best(size_t{1} << waiters, 0);
  std::vector<std::vector<PlayableSet>> by_lowest(waiters);
  for (const PlayableSet& set : sets) by_lowest[__builtin_ctz(set.mask)].push_back(set);
  for (size_t free = 1; free < best.size(); ++free) {
    best[free] = best[free & (free - 1)];
    for (const PlayableSet& set : by_lowest[__builtin_ctzll(free)]) {
      if ((set.mask & ~free) == 0) best[free] = std::max(best[free], set.quality + best[free & ~size_t{set.mask}]);
    }
  }
  return best.back();
}

// Oldest first, each takes its best set.
inline int64_t GreedyTotal(const std::vector<PlayableSet>& sets, const std::vector<PoolEntry>& waiters) {
  std::vector<size_t> order(waiters.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return Older(waiters[a], waiters[b]); });
  uint32_t taken = 0;
  int64_t total = 0;
  for (const size_t ticket : order) {
    const PlayableSet* best = nullptr;
    for (const PlayableSet& set : sets) {
      if ((set.mask >> ticket & 1) == 0 || (set.mask & taken) != 0) continue;
      if (best == nullptr || set.quality > best->quality) best = &set;
    }
    if (best == nullptr) continue;
    taken |= best->mask;
    total += best->quality;
  }
  return total;
}

// Rules of many kinds: linear, fixed, stepped, narrow, unlimited.
inline WindowRules RandomWindow(Random& random) {
  WindowRules rules;
  rules.base = static_cast<MilliPoints>(random.Between(0, 150) * kPoint);
  rules.growth_per_second = static_cast<MilliPoints>(random.Between(0, 80) * kPoint);
  rules.max = rules.base + static_cast<MilliPoints>(random.Between(0, 600) * kPoint);
  if (random.Percent(30)) {
    Micros after = 0;
    MilliPoints width = rules.base;
    for (int64_t steps = random.Between(1, 4); steps > 0; --steps) {
      rules.steps.push_back({after, width});
      after += random.Between(1, 8) * kSecond;
      width += static_cast<MilliPoints>(random.Between(0, 300) * kPoint);
    }
    if (random.Percent(30)) rules.steps.back().width = kUnlimitedWindow;
  }
  return rules;
}

}  // namespace evenmatch
