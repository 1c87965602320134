#include "tests/support/maximum_matching.h"

#include <lemon/matching.h>
#include <lemon/smart_graph.h>

namespace evenmatch {

std::vector<int> MaximumMatching(int nodes, const std::vector<WeightedEdge>& edges) {
  using Graph = lemon::SmartGraph;
  Graph graph;
  graph.reserveNode(nodes);
  graph.reserveEdge(static_cast<int>(edges.size()));
  for (int i = 0; i < nodes; ++i) graph.addNode();
  Graph::EdgeMap<int64_t> weights(graph);
  for (const WeightedEdge& edge : edges) {
    weights[graph.addEdge(graph.nodeFromId(edge.a), graph.nodeFromId(edge.b))] = edge.weight;
  }
  lemon::MaxWeightedMatching<Graph, Graph::EdgeMap<int64_t>> matching(graph, weights);
  matching.run();
  std::vector<int> partner(static_cast<size_t>(nodes), -1);
  for (int i = 0; i < nodes; ++i) {
    const Graph::Node mate = matching.mate(graph.nodeFromId(i));
    if (mate != lemon::INVALID) partner[static_cast<size_t>(i)] = graph.id(mate);
  }
  return partner;
}

}  // namespace evenmatch
