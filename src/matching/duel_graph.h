// DuelGraph: which of the tickets that could meet in pairs should, so that their total worth is highest.
//
// Shape:   who could meet whom is given as edges. Best edges first make a start. A component of up to kExact tickets is
//          solved exactly, unless the start cannot be bettered; in larger ones a ticket takes another's partner, and
//          who is left over takes the best of what is free or of what a third can spare, while the total rises. Then
//          every overdue ticket without a seat, oldest first, takes one that does not belong to an older overdue one,
//          where that costs the least. Last, whoever is left and still has somebody free.
// Promise: nobody twice; no edge between two who are left; the oldest overdue ticket has a seat if it has an edge.
//          Equal worth goes to the older.
// Cost:    O(e log e) for e edges, and a bounded number of rounds over them; 2 ** kExact a small component.
// Threads: none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/units.h"

namespace evenmatch {

class DuelGraph {
 public:
  static constexpr int32_t kAlone = -1;
  static constexpr int kExact = 10;

  struct Node {
    Micros queued_at = 0;
    uint64_t arrival = 0;
    bool overdue = false;
  };
  struct Edge {
    int32_t a = 0, b = 0;  // nodes; an edge may come twice
    int64_t worth = 0;     // above 0
  };

  // Sets partner[i] to the node that i should meet, or kAlone. Reorders `edges`.
  void Choose(std::span<const Node> nodes, std::vector<Edge>* edges, std::vector<int32_t>* partner);

 private:
  struct Link {
    int32_t to;
    int64_t worth;
  };

  std::span<const Link> LinksOf(int32_t node) const {
    return {links_.data() + first_link_[static_cast<size_t>(node)],
            links_.data() + first_link_[static_cast<size_t>(node) + 1]};
  }
  int64_t WorthOf(int32_t a, int32_t b) const;  // 0: no edge
  int64_t Held(int32_t node) const;             // worth of its pair, 0 when alone
  Link BestFree(int32_t node, int32_t but) const;
  void Join(int32_t a, int32_t b);
  void Part(int32_t node);

  void ConnectAll(const std::vector<Edge>& edges);
  void TakeBestFirst(const std::vector<Edge>& edges);
  bool Improve(int32_t node);
  void SolveExactly(std::span<const int32_t> component);
  void SolveComponents();
  void SeatOverdue();

  // Of the call under way.
  std::span<const Node> nodes_;
  std::vector<int32_t>* partner_ = nullptr;

  // Scratch.
  std::vector<size_t> first_link_;
  std::vector<Link> links_;
  std::vector<int32_t> root_, order_;
  std::vector<int64_t> best_;
  std::vector<int8_t> choice_;
};

}  // namespace evenmatch
