// Duels under rules against a dumb twin that tries every pair, on seeded random worlds.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

#include "base/random.h"
#include "matching/matcher.h"
#include "matching/patience.h"
#include "matching/rule_book.h"
#include "matching/ruled_duels.h"
#include "pool/pool.h"
#include "tests/support/waiters.h"

namespace evenmatch {
namespace {

constexpr Micros kStart = 1'700'000'000 * kSecond;

// Some of the rules that stand between two tickets, by chance.
QueueRules RandomRules(Random& random) {
  QueueRules rules;
  rules.tick = random.Between(50, 600) * kMillisecond;
  rules.window.base = static_cast<MilliPoints>(random.Between(50, 300) * kPoint);
  rules.window.growth_per_second = static_cast<MilliPoints>(random.Between(0, 60) * kPoint);
  rules.window.max = rules.window.base + static_cast<MilliPoints>(random.Between(0, 600) * kPoint);
  rules.wait_basis = static_cast<WaitBasis>(random.Below(3));
  if (random.Percent(30)) rules.window.deviation_factor = 500;
  if (random.Percent(30)) rules.max_difference = 500 * kPoint;
  if (random.Percent(40)) {
    rules.tiers.groups = {{"low"}, {"middle"}, {"high"}, {.name = "peak", .isolated = true}};
    for (uint32_t group = 0; group < 4; ++group) {
      rules.tiers.tiers.push_back({Name("tier", group), group, static_cast<MilliPoints>(group * 500 * kPoint)});
    }
    rules.tiers.neighbours_after = 2 * kSecond;
    rules.tiers.all_after = 5 * kSecond;
  }
  if (random.Percent(40)) {
    rules.regions.regions = {"north", "south", "west"};
    rules.regions.steps = {{0, 20, 100}, {3 * kSecond, 60, 200}, {6 * kSecond}};
    rules.quality[QualityTerm::kLatency] = {.weight = 300, .scale = 60};
    rules.quality[QualityTerm::kDistance] = {.weight = 700, .scale = 0};
  }
  if (random.Percent(30)) {
    rules.attributes = {{.name = "mode", .required_for = 4 * kSecond}};
    rules.quality[QualityTerm::kAttributes] = {.weight = 200, .scale = 1'000};
    rules.quality[QualityTerm::kDistance] = {.weight = 800, .scale = 0};
  }
  if (random.Percent(30)) rules.shelter = {.games_below = 10, .own_pool_for = 3 * kSecond, .widest = 150 * kPoint};
  if (random.Percent(30)) rules.streak = {.losses = 3, .after = 2 * kSecond};
  if (random.Percent(30)) rules.priority.scarcity_weight = 500;
  if (random.Percent(20)) rules.variety.within = 300;
  if (!RuledDuels::Needed(RuleBook(rules))) rules.max_difference = 2'000 * kPoint;
  return rules;
}

class World {
 public:
  World(const QueueRules& rules, uint64_t seed) : rules_(rules), book_(rules_), matcher_(book_), random_(seed) {}

  void Arrive(Micros queued_at) {
    const uint64_t number = ++arrivals_;
    PlayerDetails details;
    const MilliPoints value = static_cast<MilliPoints>(random_.Between(0, 2'000) * kPoint);
    for (const std::string& region : rules_.regions.regions) {
      if (random_.Percent(80)) details.latency_ms[region] = static_cast<int32_t>(random_.Between(10, 180));
    }
    details.games_played = static_cast<int32_t>(random_.Between(0, 30));
    details.loss_streak = static_cast<int32_t>(random_.Between(0, 5));
    if (random_.Percent(80)) details.attributes["mode"] = Name("mode", random_.Below(3));
    for (auto* people : {&details.block, &details.avoid, &details.recent_opponents}) {
      if (random_.Percent(30)) people->push_back(Name("p", number - std::min(number, random_.Below(8))));
    }
    auto ticket = std::make_shared<Ticket>();
    ticket->queues.push_back({.queue = 0});
    Player player = {.player_id = Name("p", number), .value = value};
    player.deviation = static_cast<MilliPoints>(random_.Between(0, 200) * kPoint);
    player.details = std::make_unique<const PlayerDetails>(std::move(details));
    ticket->players.push_back(std::move(player));
    PoolEntry entry;
    entry.value = book_.ValueOf(*ticket, ticket->queues[0]);
    entry.queued_at = queued_at;
    entry.arrival = number;
    const Pool::Slot slot = pool_.Insert(entry);
    traits_.Add(slot, book_.TraitsOf(*ticket, ticket->queues[0]));
    waiting_[slot] = entry;
  }

  void Remove(Pool::Slot slot) {
    pool_.Remove(slot);
    traits_.Remove(slot);
    ASSERT_EQ(waiting_.erase(slot), 1u) << "a ticket twice";
  }

  void CancelOne() {
    if (waiting_.empty()) return;
    auto it = waiting_.begin();
    std::advance(it, random_.Below(waiting_.size()));
    Remove(it->first);
  }

  // Ticks, checks and removes what was proposed.
  const std::vector<Proposal>& Tick(Micros now) {
    proposals_.clear();
    size_t due = 0;
    matcher_.Tick(pool_, traits_, now, &proposals_, &due);
    for (const Proposal& proposal : proposals_) {
      const Waiter a = At(proposal.places[0].slot), b = At(proposal.places[1].slot);
      EXPECT_TRUE(MayMeet(a, b, now));
      int32_t region = -1;
      const Waiter both[] = {a, b};
      EXPECT_TRUE(book_.RegionFor(both, book_.WaitOf(a, b, now), &region));
      EXPECT_EQ(proposal.region, region);
      EXPECT_EQ(proposal.quality, QualityOf(a, b, now));
      int64_t costs = 0;
      for (const TermCost& term : proposal.costs) costs += term.cost;
      EXPECT_EQ(proposal.quality, std::max<int64_t>(kBestQuality - costs, 0));
      EXPECT_LT(a.entry->arrival, b.entry->arrival);
    }
    return proposals_;
  }
  void RemoveProposed() {
    for (const Proposal& proposal : proposals_) {
      for (const Proposal::Place& place : proposal.places) Remove(place.slot);
    }
  }

  Waiter At(Pool::Slot slot) const { return {&waiting_.at(slot), traits_.Find(slot)}; }
  bool MayMeet(const Waiter& a, const Waiter& b, Micros now) const {
    bool refused = false;
    book_.ForEachRefusal(a, b, book_.WaitOf(a, b, now), [&](Rule, Micros) { refused = true; });
    return !refused;
  }
  Quality QualityOf(const Waiter& a, const Waiter& b, Micros now) const {
    int32_t region = -1;
    const Waiter both[] = {a, b};
    book_.RegionFor(both, book_.WaitOf(a, b, now), &region);
    return static_cast<Quality>(std::max<int64_t>(kBestQuality - book_.PairCost(a, b, now, region), 0));
  }

  // The best total quality of disjoint pairs; at most 14 wait.
  int64_t BestTotal(Micros now) const {
    std::vector<Pool::Slot> slots;
    for (const auto& [slot, entry] : waiting_) slots.push_back(slot);
    std::vector<int64_t> best(size_t{1} << slots.size(), 0);
    for (size_t set = 1; set < best.size(); ++set) {
      const auto i = static_cast<size_t>(__builtin_ctzll(set));
      const size_t rest = set & (set - 1);
      best[set] = best[rest];
      for (size_t left = rest; left != 0; left &= left - 1) {
        const auto j = static_cast<size_t>(__builtin_ctzll(left));
        const Waiter a = At(slots[i]), b = At(slots[j]);
        if (!MayMeet(a, b, now)) continue;
        best[set] = std::max(best[set], QualityOf(a, b, now) + best[rest & ~(size_t{1} << j)]);
      }
    }
    return best.back();
  }

  const RuleBook& book() const { return book_; }
  const std::map<Pool::Slot, PoolEntry>& waiting() const { return waiting_; }

 private:
  QueueRules rules_;
  RuleBook book_;
  Matcher matcher_;
  Random random_;
  Pool pool_;
  TraitTable traits_;
  std::map<Pool::Slot, PoolEntry> waiting_;
  std::vector<Proposal> proposals_;
  uint64_t arrivals_ = 0;
};

bool IsOlder(const PoolEntry& a, const PoolEntry& b) {
  return a.queued_at != b.queued_at ? a.queued_at < b.queued_at : a.arrival < b.arrival;
}

TEST(RuledDuelTwinTest, PairsMayMeetAndWhoMayMeetDoesNotStand) {
  int64_t formed = 0, stood = 0;
  for (uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const QueueRules rules = RandomRules(random);
    World world(rules, seed);
    const int64_t rate = random.Between(1, 6);
    Micros now = kStart;
    std::map<std::pair<uint64_t, uint64_t>, int> left;  // pairs that may meet, and in how many ticks
    for (int step = 0; step < 50; ++step, now += rules.tick) {
      for (int64_t arriving = random.Between(0, rate); arriving > 0; --arriving) {
        world.Arrive(now - (random.Percent(10) ? random.Between(0, 10'000) : random.Between(0, 50)) * kMillisecond);
      }
      if (random.Percent(20)) world.CancelOne();
      formed += static_cast<int64_t>(world.Tick(now).size());
      world.RemoveProposed();
      if (HasFailure()) return;
      std::map<std::pair<uint64_t, uint64_t>, int> still;
      for (auto a = world.waiting().begin(); a != world.waiting().end(); ++a) {
        for (auto b = std::next(a); b != world.waiting().end(); ++b) {
          if (!world.MayMeet(world.At(a->first), world.At(b->first), now)) continue;
          const std::pair pair(a->second.arrival, b->second.arrival);
          still[pair] = left[pair] + 1;
          ++stood;
          ASSERT_LE(still[pair], 1) << "step " << step << ": " << pair.first << " and " << pair.second;
        }
      }
      left = still;
    }
  }
  std::printf("%lld matches; pairs stood for a tick %lld times\n", static_cast<long long>(formed),
              static_cast<long long>(stood));
  EXPECT_GT(formed, 10'000);
  EXPECT_LT(stood * 200, formed);
}

TEST(RuledDuelTwinTest, OldestOverdueLosesNoSeatToAYoungerOne) {
  int64_t seated = 0, left = 0;
  for (uint64_t seed = 1; seed <= 1'000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    QueueRules rules = RandomRules(random);
    if (random.Percent(60)) rules.target_wait_p95 = random.Between(300, 3'000) * kMillisecond;
    World world(rules, seed);
    const Patience patience(rules);
    Micros now = kStart;
    for (int step = 0; step < 40; ++step, now += rules.tick) {
      for (int64_t arriving = random.Between(0, 5); arriving > 0; --arriving) {
        world.Arrive(now - (random.Percent(10) ? random.Between(0, 20'000) : random.Between(0, 50)) * kMillisecond);
      }
      if (random.Percent(10)) world.CancelOne();
      const std::vector<Proposal>& proposals = world.Tick(now);
      const auto oldest = std::min_element(world.waiting().begin(), world.waiting().end(),
                                           [](const auto& a, const auto& b) { return IsOlder(a.second, b.second); });
      if (oldest != world.waiting().end()) {
        const Micros wait = now - oldest->second.queued_at;
        const bool overdue = world.book().PastLastStage(wait) || (patience.on() && patience.Over(wait));
        bool sits = false, could = false;
        for (const Proposal& proposal : proposals) {
          for (const Proposal::Place& place : proposal.places) {
            sits |= place.slot == oldest->first;
            could |= place.slot != oldest->first && world.MayMeet(world.At(oldest->first), world.At(place.slot), now);
          }
        }
        if (overdue) {
          ASSERT_TRUE(sits || !could) << "step " << step << ": " << oldest->second.arrival;
          ++(sits ? seated : left);
        }
      }
      world.RemoveProposed();
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(seated, 500);
  EXPECT_GT(left, 500);
}

// Of the best total that could be had in worlds small enough to try everything, all due.
TEST(RuledDuelTwinTest, TotalQualityIsNearTheOptimum) {
  int64_t ours = 0, best = 0;
  double worst = 1;
  for (uint64_t seed = 1; seed <= 800; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    QueueRules rules = RandomRules(random);
    rules.variety.within = 0;
    rules.priority = {};
    rules.window.max = 4'000 * kPoint;  // nobody is past the last stage
    if (rules.window.growth_per_second == 0) continue;
    World world(rules, seed);
    for (int64_t count = random.Between(2, 13); count > 0; --count) {
      world.Arrive(kStart - random.Between(0, 4'000) * kMillisecond);
    }
    const int64_t optimum = world.BestTotal(kStart);
    int64_t total = 0;
    for (const Proposal& proposal : world.Tick(kStart)) total += proposal.quality;
    ASSERT_LE(total, optimum);
    ours += total;
    best += optimum;
    if (optimum > 0) worst = std::min(worst, static_cast<double>(total) / static_cast<double>(optimum));
  }
  std::printf("under rules: %.3f %% of the optimum, worst world %.1f %%\n", 100.0 * static_cast<double>(ours) / best,
              100 * worst);
  EXPECT_GE(ours * 1'000, best * 995);
}

TEST(RuledDuelTwinTest, SameHistoryGivesTheSameProposals) {
  const auto play = [](uint64_t seed, uint64_t variety) {
    Random random(seed);
    QueueRules rules = RandomRules(random);
    rules.variety = {.within = 500, .seed = variety};
    if (seed % 2 == 0) rules.target_wait_p95 = kSecond;
    World world(rules, seed);
    std::vector<uint64_t> seats;
    Micros now = kStart;
    for (int step = 0; step < 30; ++step, now += rules.tick) {
      for (int64_t arriving = random.Between(0, 10); arriving > 0; --arriving) world.Arrive(now);
      for (const Proposal& proposal : world.Tick(now)) {
        for (const Proposal::Place& place : proposal.places) seats.push_back(world.At(place.slot).entry->arrival);
      }
      world.RemoveProposed();
    }
    return seats;
  };
  int differ = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    EXPECT_EQ(play(seed, 1), play(seed, 1)) << seed;
    differ += play(seed, 1) != play(seed, 2);
  }
  EXPECT_GT(differ, 20) << "another seed, other games";
}

}  // namespace
}  // namespace evenmatch
