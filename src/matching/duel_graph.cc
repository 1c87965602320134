#include "matching/duel_graph.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "matching/age_bonus.h"

namespace evenmatch {
namespace {

// More rounds change next to nothing.
constexpr int kRounds = 8;

}  // namespace

int64_t DuelGraph::WorthOf(int32_t a, int32_t b) const {
  int64_t worth = 0;
  for (const Link& link : LinksOf(a)) {
    if (link.to == b) worth = std::max(worth, link.worth);
  }
  return worth;
}

int64_t DuelGraph::Held(int32_t node) const {
  const int32_t with = (*partner_)[static_cast<size_t>(node)];
  return with == kAlone ? 0 : WorthOf(node, with);
}

// The best link to somebody free other than `but`; its worth is 0 when there is none.
DuelGraph::Link DuelGraph::BestFree(int32_t node, int32_t but) const {
  Link best = {kAlone, 0};
  for (const Link& link : LinksOf(node)) {
    if (link.to == but || (*partner_)[static_cast<size_t>(link.to)] != kAlone) continue;
    if (link.worth > best.worth) best = link;
  }
  return best;
}

void DuelGraph::Join(int32_t a, int32_t b) {
  (*partner_)[static_cast<size_t>(a)] = b;
  (*partner_)[static_cast<size_t>(b)] = a;
}

void DuelGraph::Part(int32_t node) {
  const int32_t with = (*partner_)[static_cast<size_t>(node)];
  if (with == kAlone) return;
  (*partner_)[static_cast<size_t>(with)] = kAlone;
  (*partner_)[static_cast<size_t>(node)] = kAlone;
}

void DuelGraph::Choose(std::span<const Node> nodes, std::vector<Edge>* edges, std::vector<int32_t>* partner) {
  nodes_ = nodes;
  partner_ = partner;
  partner->assign(nodes.size(), kAlone);
  std::sort(edges->begin(), edges->end(), [&](const Edge& a, const Edge& b) {
    if (a.worth != b.worth) return a.worth > b.worth;
    const auto arrivals = [&](const Edge& edge) {
      return std::minmax(nodes[static_cast<size_t>(edge.a)].arrival, nodes[static_cast<size_t>(edge.b)].arrival);
    };
    return arrivals(a) < arrivals(b);
  });
  ConnectAll(*edges);
  TakeBestFirst(*edges);
  SolveComponents();
  SeatOverdue();
  TakeBestFirst(*edges);
}

// The links of every node, best first.
void DuelGraph::ConnectAll(const std::vector<Edge>& edges) {
  first_link_.assign(nodes_.size() + 1, 0);
  for (const Edge& edge : edges) {
    ++first_link_[static_cast<size_t>(edge.a) + 1];
    ++first_link_[static_cast<size_t>(edge.b) + 1];
  }
  std::partial_sum(first_link_.begin(), first_link_.end(), first_link_.begin());
  links_.resize(edges.size() * 2);
  order_.assign(nodes_.size(), 0);  // links written so far
  const auto add = [&](int32_t from, int32_t to, int64_t worth) {
    const size_t node = static_cast<size_t>(from);
    links_[first_link_[node] + static_cast<size_t>(order_[node]++)] = {to, worth};
  };
  for (const Edge& edge : edges) {
    add(edge.a, edge.b, edge.worth);
    add(edge.b, edge.a, edge.worth);
  }
}

void DuelGraph::TakeBestFirst(const std::vector<Edge>& edges) {
  for (const Edge& edge : edges) {
    if ((*partner_)[static_cast<size_t>(edge.a)] == kAlone && (*partner_)[static_cast<size_t>(edge.b)] == kAlone) {
      Join(edge.a, edge.b);
    }
  }
}

void DuelGraph::SolveComponents() {
  const size_t count = nodes_.size();
  root_.resize(count);
  std::iota(root_.begin(), root_.end(), 0);
  const auto find = [&](int32_t node) {
    while (root_[static_cast<size_t>(node)] != node) {
      node = root_[static_cast<size_t>(node)] = root_[static_cast<size_t>(root_[static_cast<size_t>(node)])];
    }
    return node;
  };
  for (size_t node = 0; node < count; ++node) {
    for (const Link& link : LinksOf(static_cast<int32_t>(node))) {
      const int32_t a = find(static_cast<int32_t>(node)), b = find(link.to);
      if (a != b) root_[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
    }
  }
  order_.clear();
  for (size_t node = 0; node < count; ++node) {
    root_[node] = find(static_cast<int32_t>(node));
    if (!LinksOf(static_cast<int32_t>(node)).empty()) order_.push_back(static_cast<int32_t>(node));
  }
  std::sort(order_.begin(), order_.end(), [&](int32_t a, int32_t b) {
    return std::pair(root_[static_cast<size_t>(a)], a) < std::pair(root_[static_cast<size_t>(b)], b);
  });
  for (size_t first = 0, last; first < order_.size(); first = last) {
    for (last = first + 1; last < order_.size() &&
                           root_[static_cast<size_t>(order_[last])] == root_[static_cast<size_t>(order_[first])];) {
      ++last;
    }
    const std::span<const int32_t> component(order_.data() + first, last - first);
    if (component.size() <= 2) continue;
    // Nobody can do better than his best link.
    const bool best = std::all_of(component.begin(), component.end(),
                                  [&](int32_t node) { return Held(node) == LinksOf(node).front().worth; });
    if (best) continue;
    if (component.size() <= kExact) {
      SolveExactly(component);
      continue;
    }
    for (int round = 0; round < kRounds; ++round) {
      bool changed = false;
      for (const int32_t node : component) changed |= Improve(node);
      if (!changed) break;
    }
  }
}

// Whether the total rose: `node` leaves its partner, if it has one, for another, who leaves his; the two left behind
// take each other or the best that is free.
bool DuelGraph::Improve(int32_t node) {
  const int32_t mine = (*partner_)[static_cast<size_t>(node)];
  const int64_t held = Held(node);
  int32_t chosen = kAlone;
  int64_t chosen_gain = 0;
  for (const Link& link : LinksOf(node)) {
    if (link.to == mine) continue;
    const int32_t theirs = (*partner_)[static_cast<size_t>(link.to)];
    int64_t gain = link.worth - held - Held(link.to);
    // At best, the two left behind do as well as they can.
    const auto most = [&](int32_t left) { return left == kAlone ? 0 : LinksOf(left).front().worth; };
    if (gain + most(mine) + most(theirs) <= chosen_gain) continue;
    const Link mine_next = mine == kAlone ? Link{kAlone, 0} : BestFree(mine, link.to);
    Link theirs_next = theirs == kAlone ? Link{kAlone, 0} : BestFree(theirs, node);
    if (theirs_next.to != kAlone && theirs_next.to == mine_next.to) theirs_next.worth = 0;
    int64_t next = mine_next.worth + theirs_next.worth;
    if (mine != kAlone && theirs != kAlone) next = std::max(next, WorthOf(mine, theirs));
    gain += next;
    if (gain <= chosen_gain) continue;
    chosen = link.to;
    chosen_gain = gain;
  }
  if (chosen == kAlone) return false;
  const int32_t theirs = (*partner_)[static_cast<size_t>(chosen)];
  Part(node);
  Part(chosen);
  Join(node, chosen);
  if (mine != kAlone && theirs != kAlone && WorthOf(mine, theirs) > 0) {
    const int64_t together = WorthOf(mine, theirs);
    const Link a = BestFree(mine, theirs), b = BestFree(theirs, mine);
    const int64_t apart = a.worth + (b.to == a.to ? 0 : b.worth);
    if (together >= apart) {
      Join(mine, theirs);
      return true;
    }
  }
  for (const int32_t left : {mine, theirs}) {
    if (left == kAlone || (*partner_)[static_cast<size_t>(left)] != kAlone) continue;
    if (const Link next = BestFree(left, kAlone); next.to != kAlone) Join(left, next.to);
  }
  return true;
}

// By dynamic programming over the sets of those still free.
void DuelGraph::SolveExactly(std::span<const int32_t> component) {
  const size_t count = component.size();
  std::array<std::array<int64_t, kExact>, kExact> worth{};
  for (size_t i = 0; i < count; ++i) {
    for (const Link& link : LinksOf(component[i])) {
      const size_t j =
          static_cast<size_t>(std::lower_bound(component.begin(), component.end(), link.to) - component.begin());
      worth[i][j] = std::max(worth[i][j], link.worth);
    }
  }
  const size_t sets = size_t{1} << count;
  best_.assign(sets, 0);
  choice_.assign(sets, -1);
  for (size_t set = 1; set < sets; ++set) {
    const int i = std::countr_zero(set);
    const size_t rest = set & (set - 1);
    best_[set] = best_[rest];
    for (size_t left = rest; left != 0; left &= left - 1) {
      const int j = std::countr_zero(left);
      const int64_t pair = worth[static_cast<size_t>(i)][static_cast<size_t>(j)];
      if (pair == 0) continue;
      const int64_t total = pair + best_[rest & ~(size_t{1} << j)];
      if (total < best_[set] || (total == best_[set] && choice_[set] >= 0)) continue;
      best_[set] = total;
      choice_[set] = static_cast<int8_t>(j);
    }
  }
  for (const int32_t node : component) (*partner_)[static_cast<size_t>(node)] = kAlone;
  for (size_t set = sets - 1; set != 0;) {
    const int i = std::countr_zero(set);
    const int8_t j = choice_[set];
    set &= set - 1;
    if (j < 0) continue;
    Join(component[static_cast<size_t>(i)], component[static_cast<size_t>(j)]);
    set &= ~(size_t{1} << j);
  }
}

void DuelGraph::SeatOverdue() {
  const auto older = [this](int32_t a, int32_t b) {
    return Older(nodes_[static_cast<size_t>(a)], nodes_[static_cast<size_t>(b)]);
  };
  order_.clear();
  for (size_t node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].overdue && (*partner_)[node] == kAlone) order_.push_back(static_cast<int32_t>(node));
  }
  std::sort(order_.begin(), order_.end(), older);
  for (size_t next = 0; next < order_.size(); ++next) {
    const int32_t ticket = order_[next];
    if ((*partner_)[static_cast<size_t>(ticket)] != kAlone) continue;
    int32_t chosen = kAlone;
    int64_t chosen_gain = 0;
    for (const Link& link : LinksOf(ticket)) {
      int64_t gain = link.worth;
      if (const int32_t third = (*partner_)[static_cast<size_t>(link.to)]; third != kAlone) {
        if (nodes_[static_cast<size_t>(third)].overdue && older(third, ticket)) continue;
        gain += BestFree(third, ticket).worth - Held(third);
      }
      if (chosen != kAlone && gain <= chosen_gain) continue;
      chosen = link.to;
      chosen_gain = gain;
    }
    if (chosen == kAlone) continue;
    const int32_t third = (*partner_)[static_cast<size_t>(chosen)];
    Part(chosen);
    Join(ticket, chosen);
    if (third != kAlone && nodes_[static_cast<size_t>(third)].overdue) {
      order_.insert(std::upper_bound(order_.begin() + static_cast<int64_t>(next) + 1, order_.end(), third, older),
                    third);
    }
  }
}

}  // namespace evenmatch
