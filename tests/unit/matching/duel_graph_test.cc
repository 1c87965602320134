#include "matching/duel_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "base/random.h"

namespace evenmatch {
namespace {

using Edges = std::vector<DuelGraph::Edge>;
constexpr int32_t kAlone = DuelGraph::kAlone;

// Nodes that came one after the other, the first the oldest.
std::vector<DuelGraph::Node> Nodes(size_t count) {
  std::vector<DuelGraph::Node> nodes(count);
  for (size_t i = 0; i < count; ++i) nodes[i] = {static_cast<Micros>(i), i, false};
  return nodes;
}

std::vector<int32_t> Choose(const std::vector<DuelGraph::Node>& nodes, Edges edges) {
  std::vector<int32_t> partner;
  DuelGraph graph;
  graph.Choose(nodes, &edges, &partner);
  return partner;
}

int64_t Total(const std::vector<int32_t>& partner, const Edges& edges) {
  int64_t total = 0;
  for (size_t i = 0; i < partner.size(); ++i) {
    if (partner[i] <= static_cast<int32_t>(i)) continue;
    int64_t worth = 0;
    for (const DuelGraph::Edge& edge : edges) {
      if (std::minmax(edge.a, edge.b) == std::minmax(static_cast<int32_t>(i), partner[i])) {
        worth = std::max(worth, edge.worth);
      }
    }
    EXPECT_GT(worth, 0) << i << " and " << partner[i] << " have no edge";
    total += worth;
  }
  return total;
}

// The best total of disjoint edges, by trying all; at most 16 nodes.
int64_t BestTotal(size_t count, const Edges& edges) {
  std::vector<int64_t> best(size_t{1} << count, 0);
  for (size_t set = 1; set < best.size(); ++set) {
    best[set] = best[set & (set - 1)];
    for (const DuelGraph::Edge& edge : edges) {
      const size_t pair = size_t{1} << edge.a | size_t{1} << edge.b;
      if ((set & pair) == pair) best[set] = std::max(best[set], edge.worth + best[set & ~pair]);
    }
  }
  return best.back();
}

TEST(DuelGraphTest, NobodyToMeetNobodyMet) {
  EXPECT_TRUE(Choose({}, {}).empty());
  EXPECT_EQ(Choose(Nodes(2), {}), (std::vector<int32_t>{kAlone, kAlone}));
}

TEST(DuelGraphTest, TwoGoodPairsBeatTheBestOne) {
  EXPECT_EQ(Choose(Nodes(4), {{0, 1, 8}, {1, 2, 10}, {2, 3, 8}}), (std::vector<int32_t>{1, 0, 3, 2}));
}

TEST(DuelGraphTest, EqualWorthGoesToTheOlder) {
  EXPECT_EQ(Choose(Nodes(3), {{1, 2, 5}, {0, 2, 5}}), (std::vector<int32_t>{2, kAlone, 0}));
}

TEST(DuelGraphTest, OldestOverdueSitsThoughItCostsTheOthers) {
  std::vector<DuelGraph::Node> nodes = Nodes(3);
  nodes[0].overdue = true;
  EXPECT_EQ(Choose(nodes, {{1, 2, 1'000}, {0, 1, 1}}), (std::vector<int32_t>{1, 0, kAlone}));
  nodes[2].overdue = true;
  EXPECT_EQ(Choose(nodes, {{1, 2, 1'000}, {0, 1, 1}}), (std::vector<int32_t>{1, 0, kAlone})) << "it is the older";
  nodes[0].overdue = false;
  EXPECT_EQ(Choose(nodes, {{1, 2, 1}, {0, 1, 1'000}}), (std::vector<int32_t>{kAlone, 2, 1}));
}

TEST(DuelGraphTest, WhoLosesHisPartnerToAnOverdueOneTakesAnother) {
  std::vector<DuelGraph::Node> nodes = Nodes(4);
  nodes[0].overdue = true;
  EXPECT_EQ(Choose(nodes, {{1, 2, 1'000}, {0, 1, 1}, {2, 3, 1}}), (std::vector<int32_t>{1, 0, 3, 2}));
}

TEST(DuelGraphTest, SmallGraphsAreSolvedExactlyAndLargerOnesNearlySo) {
  for (const size_t count : {size_t{DuelGraph::kExact}, size_t{16}}) {
    int64_t ours = 0, best = 0;
    for (uint64_t seed = 1; seed <= 150; ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed);
      Random random(seed);
      Edges edges;
      for (int32_t a = 0; a < static_cast<int32_t>(count); ++a) {
        for (int32_t b = a + 1; b < static_cast<int32_t>(count); ++b) {
          if (random.Percent(25)) edges.push_back({a, b, random.Between(1, 1'000)});
        }
      }
      const std::vector<int32_t> partner = Choose(Nodes(count), edges);
      for (const DuelGraph::Edge& edge : edges) {
        EXPECT_FALSE(partner[static_cast<size_t>(edge.a)] == kAlone && partner[static_cast<size_t>(edge.b)] == kAlone);
      }
      const int64_t total = Total(partner, edges), optimum = BestTotal(count, edges);
      if (count <= DuelGraph::kExact) {
        ASSERT_EQ(total, optimum);
      }
      ASSERT_LE(total, optimum);
      ours += total;
      best += optimum;
    }
    std::printf("%zu nodes: %.2f %% of the best total\n", count, 100.0 * static_cast<double>(ours) / best);
    EXPECT_GE(ours * 1'000, best * 985);
  }
}

}  // namespace
}  // namespace evenmatch
