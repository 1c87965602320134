#include "tests/support/opponents.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "base/random.h"
#include "matching/window.h"
#include "tests/support/duel_world.h"

namespace evenmatch {
namespace {

constexpr OpponentKind kAll[] = {OpponentKind::kOldestFirst, OpponentKind::kSortedNeighbours, OpponentKind::kExact};

std::vector<DuelTicket> RandomTickets(Random& random, size_t count, Micros now) {
  std::vector<DuelTicket> tickets;
  for (size_t i = 0; i < count; ++i) {
    tickets.push_back(
        {static_cast<MilliPoints>(random.Between(1'400, 1'700) * kPoint), now - random.Between(0, 10) * kSecond, i});
  }
  return tickets;
}

// The best total over every way to pair those from `first` on.
int64_t BestTotal(const std::vector<DuelTicket>& tickets, const WindowRules& window, Micros now,
                  std::vector<bool>* taken, size_t first = 0) {
  while (first < tickets.size() && (*taken)[first]) ++first;
  if (first >= tickets.size()) return 0;
  (*taken)[first] = true;
  int64_t best = BestTotal(tickets, window, now, taken, first + 1);
  for (size_t other = first + 1; other < tickets.size(); ++other) {
    const DuelTicket &a = tickets[first], &b = tickets[other];
    if ((*taken)[other]) continue;
    if (std::abs(a.value - b.value) > WindowAt(window, now - std::max(a.queued_at, b.queued_at))) continue;
    (*taken)[other] = true;
    best = std::max(best, QualityOf(a, b, window, now) + BestTotal(tickets, window, now, taken, first + 1));
    (*taken)[other] = false;
  }
  (*taken)[first] = false;
  return best;
}

TEST(Opponents, PairsFitAndNobodyPlaysTwice) {
  const WindowRules window;
  const Micros now = kHour;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto tickets = RandomTickets(random, random.Below(60), now);
    for (const OpponentKind kind : kAll) {
      std::vector<int> games(tickets.size(), 0);
      for (const auto& [a, b] : MakeOpponent(kind, window)->Tick(tickets, now)) {
        ++games[a];
        ++games[b];
        EXPECT_LE(std::abs(tickets[a].value - tickets[b].value),
                  WindowAt(window, now - std::max(tickets[a].queued_at, tickets[b].queued_at)));
      }
      for (const int count : games) EXPECT_LE(count, 1);
    }
  }
}

TEST(Opponents, TheExactOneIsTheBestOfAllPairings) {
  const WindowRules window;
  const Micros now = kHour;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto tickets = RandomTickets(random, random.Below(11), now);
    std::vector<bool> taken(tickets.size(), false);
    const int64_t best = BestTotal(tickets, window, now, &taken);
    const int64_t exact =
        TotalQuality(tickets, MakeOpponent(OpponentKind::kExact, window)->Tick(tickets, now), window, now);
    // It sums finer than whole points, so a pair may lose one to rounding.
    EXPECT_NEAR(static_cast<double>(exact), static_cast<double>(best), static_cast<double>(tickets.size()));
  }
}

TEST(Opponents, OldestFirstTakesTheNearestForTheOldest) {
  const WindowRules window{.base = 100 * kPoint, .growth_per_second = 0, .max = 100 * kPoint};
  const Micros now = kHour;
  // The oldest stands in the middle and takes the nearer neighbour, which leaves two that do not fit.
  const std::vector<DuelTicket> tickets{
      {1'500'000, now - 9 * kSecond, 0}, {1'420'000, now, 1}, {1'570'000, now, 2}, {1'340'000, now, 3}};
  EXPECT_EQ(MakeOpponent(OpponentKind::kOldestFirst, window)->Tick(tickets, now), (Pairing{{0, 2}, {1, 3}}));
  const std::vector<DuelTicket> greedy{
      {1'500'000, now - 9 * kSecond, 0}, {1'420'000, now, 1}, {1'600'000, now, 2}, {1'340'000, now, 3}};
  EXPECT_EQ(MakeOpponent(OpponentKind::kOldestFirst, window)->Tick(greedy, now), (Pairing{{0, 1}}));
  EXPECT_EQ(MakeOpponent(OpponentKind::kExact, window)->Tick(greedy, now).size(), 2u);
  EXPECT_EQ(MakeOpponent(OpponentKind::kSortedNeighbours, window)->Tick(greedy, now), (Pairing{{3, 1}, {0, 2}}));
}

TEST(Opponents, TheStricterWindowOfTwoCounts) {
  const WindowRules window;
  const Micros now = kHour;
  const std::vector<DuelTicket> tickets{{1'500'000, now - 10 * kSecond, 0}, {1'700'000, now, 1}};
  for (const OpponentKind kind : kAll) EXPECT_TRUE(MakeOpponent(kind, window)->Tick(tickets, now).empty());
  for (const OpponentKind kind : kAll) {
    EXPECT_EQ(MakeOpponent(kind, window)->Tick(tickets, now + 2 * kSecond).size(), 1u);
  }
}

class DuelWorldTest : public testing::Test {
 protected:
  DuelWorldTest() {
    rules_.name = "duel";
    rules_.tick = 500 * kMillisecond;
    scenario_.arrivals.rate = 20;
    scenario_.shares = {{{"duel"}, 1}};
    scenario_.tickets = 4'000;
  }

  QueueRules rules_;
  Scenario scenario_;
};

TEST_F(DuelWorldTest, EverybodyPlaysInEveryWorld) {
  EXPECT_EQ(PlayDuels(scenario_, rules_).tickets, 4'000u);
  for (const OpponentKind kind : kAll) {
    const auto opponent = MakeOpponent(kind, rules_.window);
    const DuelOutcome outcome = PlayDuels(scenario_, rules_, *opponent);
    EXPECT_EQ(outcome.tickets, 4'000u);
    EXPECT_GT(outcome.matches, 1'950u);
    EXPECT_EQ(outcome.wait.count(), 2 * outcome.matches);
    EXPECT_EQ(outcome.gaps.count(), outcome.matches);
    EXPECT_GT(outcome.mean_gap(), 5);
    EXPECT_LT(outcome.mean_gap(), 100);
    EXPECT_LT(outcome.p95_wait(), 5);
  }
}

TEST_F(DuelWorldTest, TheSameTicksAreBetterForTheExactOneThanForTheGreedy) {
  const auto exact = MakeOpponent(OpponentKind::kExact, rules_.window);
  const auto greedy = MakeOpponent(OpponentKind::kOldestFirst, rules_.window);
  SameTicks best(rules_.window, *exact), worse(rules_.window, *greedy);
  const DuelOutcome outcome = PlayDuels(scenario_, rules_, best.watch());
  PlayDuels(scenario_, rules_, worse.watch());
  EXPECT_EQ(best.ours.matches, outcome.matches);
  EXPECT_EQ(best.ours.gap, outcome.gap);
  EXPECT_EQ(best.ours.quality, outcome.quality);
  EXPECT_EQ(worse.ours.quality, outcome.quality);
  EXPECT_GE(best.theirs.quality, best.ours.quality);
  EXPECT_LT(worse.theirs.quality, worse.ours.quality);
}

}  // namespace
}  // namespace evenmatch
