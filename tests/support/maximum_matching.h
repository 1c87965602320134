// MaximumMatching: the pairs of a graph with the greatest total weight, exactly.
//
// Shape:   Edmonds' algorithm as LEMON has it (lemon/matching.h). A header of its own, in C++17, because LEMON cannot
//          be compiled as C++20 and is slow to compile.
// Cost:    O(nodes * edges * log nodes): a tenth of a second for 300 nodes of which each fits each.
// Threads: pure function.
#pragma once

#include <cstdint>
#include <vector>

namespace evenmatch {

struct WeightedEdge {
  int a = 0, b = 0;
  int64_t weight = 0;  // edges of no positive weight are never taken; below 2^40
};

// For each node its partner, or -1.
std::vector<int> MaximumMatching(int nodes, const std::vector<WeightedEdge>& edges);

}  // namespace evenmatch
