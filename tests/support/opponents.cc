#include "tests/support/opponents.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/check.h"
#include "matching/quality.h"
#include "matching/window.h"
#include "tests/support/maximum_matching.h"

namespace evenmatch {
namespace {

constexpr size_t kNobody = static_cast<size_t>(-1);

// The tickets of one tick in order of (value, arrival), with their windows.
class Line {
 public:
  Line(std::span<const DuelTicket> tickets, const WindowRules& window, Micros now) : tickets_(tickets) {
    order_.resize(tickets.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
      return std::pair(tickets[a].value, tickets[a].arrival) < std::pair(tickets[b].value, tickets[b].arrival);
    });
    for (const size_t ticket : order_) windows_.push_back(WindowAt(window, now - tickets[ticket].queued_at));
  }

  size_t size() const { return order_.size(); }
  size_t ticket(size_t place) const { return order_[place]; }
  const DuelTicket& at(size_t place) const { return tickets_[order_[place]]; }
  MilliPoints window(size_t place) const { return windows_[place]; }
  MilliPoints gap(size_t a, size_t b) const { return std::abs(at(a).value - at(b).value); }
  MilliPoints stricter(size_t a, size_t b) const { return std::min(windows_[a], windows_[b]); }
  bool Fit(size_t a, size_t b) const { return gap(a, b) <= stricter(a, b); }

 private:
  std::span<const DuelTicket> tickets_;
  std::vector<size_t> order_;
  std::vector<MilliPoints> windows_;
};

class OldestFirst : public Opponent {
 public:
  explicit OldestFirst(const WindowRules& window) : window_(window) {}

  Pairing Tick(std::span<const DuelTicket> tickets, Micros now) override {
    const Line line(tickets, window_, now);
    std::vector<size_t> by_age(line.size());
    std::iota(by_age.begin(), by_age.end(), size_t{0});
    std::sort(by_age.begin(), by_age.end(), [&](size_t a, size_t b) {
      return std::pair(line.at(a).queued_at, line.at(a).arrival) < std::pair(line.at(b).queued_at, line.at(b).arrival);
    });
    std::vector<bool> taken(line.size(), false);
    Pairing pairing;
    for (const size_t place : by_age) {
      if (taken[place]) continue;
      size_t best = kNobody;
      const auto try_one = [&](size_t other) {
        if (taken[other] || !line.Fit(place, other)) return;
        const auto worth = [&](size_t one) {
          return std::tuple(line.gap(place, one), line.at(one).queued_at, line.at(one).arrival);
        };
        if (best == kNobody || worth(other) < worth(best)) best = other;
      };
      for (size_t other = place; other-- > 0 && line.gap(place, other) <= line.window(place);) try_one(other);
      for (size_t other = place + 1; other < line.size() && line.gap(place, other) <= line.window(place); ++other) {
        try_one(other);
      }
      if (best == kNobody) continue;
      taken[place] = taken[best] = true;
      pairing.emplace_back(line.ticket(place), line.ticket(best));
    }
    return pairing;
  }

 private:
  const WindowRules window_;
};

class SortedNeighbours : public Opponent {
 public:
  explicit SortedNeighbours(const WindowRules& window) : window_(window) {}

  Pairing Tick(std::span<const DuelTicket> tickets, Micros now) override {
    const Line line(tickets, window_, now);
    Pairing pairing;
    for (size_t place = 0; place + 1 < line.size(); ++place) {
      if (!line.Fit(place, place + 1)) continue;
      pairing.emplace_back(line.ticket(place), line.ticket(place + 1));
      ++place;
    }
    return pairing;
  }

 private:
  const WindowRules window_;
};

class Exact : public Opponent {
 public:
  explicit Exact(const WindowRules& window) : window_(window) {}

  Pairing Tick(std::span<const DuelTicket> tickets, Micros now) override {
    const Line line(tickets, window_, now);
    std::vector<WeightedEdge> edges;
    for (size_t a = 0; a < line.size(); ++a) {
      for (size_t b = a + 1; b < line.size() && line.gap(a, b) <= line.window(a); ++b) {
        if (!line.Fit(a, b)) continue;
        constexpr int64_t kFine = 1'000'000'000;
        edges.push_back(
            {static_cast<int>(a), static_cast<int>(b), Closeness<kFine>(line.gap(a, b), line.stricter(a, b)) + 1});
      }
    }
    const std::vector<int> partner = MaximumMatching(static_cast<int>(line.size()), edges);
    Pairing pairing;
    for (size_t a = 0; a < line.size(); ++a) {
      if (partner[a] <= static_cast<int>(a)) continue;
      pairing.emplace_back(line.ticket(a), line.ticket(static_cast<size_t>(partner[a])));
    }
    return pairing;
  }

 private:
  const WindowRules window_;
};

}  // namespace

std::unique_ptr<Opponent> MakeOpponent(OpponentKind kind, const WindowRules& window) {
  switch (kind) {
    case OpponentKind::kOldestFirst:
      return std::make_unique<OldestFirst>(window);
    case OpponentKind::kSortedNeighbours:
      return std::make_unique<SortedNeighbours>(window);
    case OpponentKind::kExact:
      return std::make_unique<Exact>(window);
  }
  CHECK(false);
}

Quality QualityOf(const DuelTicket& a, const DuelTicket& b, const WindowRules& window, Micros now) {
  return DuelQuality(std::abs(a.value - b.value), WindowAt(window, now - std::max(a.queued_at, b.queued_at)));
}

int64_t TotalQuality(std::span<const DuelTicket> tickets, const Pairing& pairing, const WindowRules& window,
                     Micros now) {
  int64_t total = 0;
  for (const auto& [a, b] : pairing) total += QualityOf(tickets[a], tickets[b], window, now);
  return total;
}

}  // namespace evenmatch
