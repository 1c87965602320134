// Matching against dumb twins, on seeded random worlds.

#include <cstdio>
#include <iostream>
#include <vector>

#include "base/random.h"
#include "matching/duel_pairing.h"
#include "matching/matcher.h"
#include "matching/quality.h"
#include "matching/window.h"
#include "pool/pool.h"
#include "rating/win_chance.h"
#include "tests/property/matching_worlds.h"

namespace evenmatch {
namespace {

constexpr Micros kStart = 1'700'000'000 * kSecond;

// A queue under test with the twin's list of who waits in it.
class World {
 public:
  World(const QueueRules& rules, uint64_t seed) : rules_(rules), matcher_(rules), random_(seed) {}

  void Arrive(MilliPoints value, int32_t heads, uint32_t affinity, Micros queued_at) {
    PoolEntry entry;
    entry.value = value;
    entry.heads = heads;
    entry.affinity = affinity;
    entry.queued_at = queued_at;
    entry.arrival = ++arrivals_;
    entry.ticket = entry.arrival;
    const Pool::Slot slot = pool_.Insert(entry);
    waiting_[slot] = entry;
  }

  void CancelOne() {
    if (waiting_.empty()) return;
    auto it = waiting_.begin();
    std::advance(it, random_.Below(waiting_.size()));
    pool_.Remove(it->first);
    waiting_.erase(it);
  }

  // Ticks and removes what was proposed, except that now and then a proposal is refused and some of its tickets leave.
  const std::vector<Proposal>& Tick(Micros now, uint32_t refuse_percent = 0) {
    proposals_.clear();
    size_t due = 0;
    matcher_.Tick(pool_, now, &proposals_, &due);
    refused_ = false;
    for (const Proposal& proposal : proposals_) CheckProposal(proposal, now);
    for (const Proposal& proposal : proposals_) {
      const bool refuse = random_.Percent(refuse_percent);
      refused_ |= refuse;
      for (const Proposal::Place& place : proposal.places) {
        if (refuse && random_.Percent(60)) {
          pool_.SetDue(place.slot, now);
          continue;
        }
        pool_.Remove(place.slot);
        EXPECT_EQ(waiting_.erase(place.slot), 1u) << "a ticket twice";
      }
    }
    return proposals_;
  }

  void CheckProposal(const Proposal& proposal, Micros now) {
    std::vector<int32_t> heads(rules_.team_count), sums(rules_.team_count);
    MilliPoints low = kUnlimitedWindow, high = -kUnlimitedWindow;
    int32_t stage = 0;
    const Proposal::Place* before = nullptr;
    for (const Proposal::Place& place : proposal.places) {
      ASSERT_TRUE(waiting_.contains(place.slot));
      const PoolEntry& entry = waiting_.at(place.slot);
      heads[place.team] += entry.heads;
      low = std::min(low, entry.value);
      high = std::max(high, entry.value);
      stage = std::max(stage, StageAt(rules_.window, now - entry.queued_at));
      for (const Proposal::Place& other : proposal.places) {
        ASSERT_TRUE(waiting_.contains(other.slot));
        ASSERT_TRUE(Fits(rules_.window, entry, waiting_.at(other.slot), now)) << "a pair outside its window";
      }
      if (before != nullptr) {
        ASSERT_TRUE(before->team < place.team ||
                    (before->team == place.team && waiting_.at(before->slot).arrival < entry.arrival))
            << "places out of order";
      }
      before = &place;
    }
    for (const int32_t team : heads) ASSERT_EQ(team, rules_.team_size);
    BasisPoints chances = 0;
    for (const BasisPoints chance : proposal.win_chance) chances += chance;
    ASSERT_EQ(proposal.win_chance.size(), static_cast<size_t>(rules_.team_count));
    ASSERT_EQ(chances, kCertain);
    ASSERT_EQ(proposal.spread, high - low);
    ASSERT_EQ(proposal.stage, stage);
    ASSERT_GE(proposal.quality, 0);
    ASSERT_LE(proposal.quality, kBestQuality);
  }

  // A pair that fits and was left; the promise is that there is none.
  bool HasPair(Micros now) const {
    for (auto a = waiting_.begin(); a != waiting_.end(); ++a) {
      for (auto b = std::next(a); b != waiting_.end(); ++b) {
        if (Fits(rules_.window, a->second, b->second, now)) return true;
      }
    }
    return false;
  }

  bool refused() const { return refused_; }
  const std::map<Pool::Slot, PoolEntry>& waiting() const { return waiting_; }
  std::vector<PoolEntry> entries() const {
    std::vector<PoolEntry> entries;
    for (const auto& [slot, entry] : waiting_) entries.push_back(entry);
    return entries;
  }
  Pool& pool() { return pool_; }

 private:
  QueueRules rules_;
  Matcher matcher_;
  Random random_;
  Pool pool_;
  std::map<Pool::Slot, PoolEntry> waiting_;
  std::vector<Proposal> proposals_;
  uint64_t arrivals_ = 0;
  bool refused_ = false;
};

TEST(DuelTwinTest, NoPairThatFitsIsLeftAfterAnyTick) {
  for (uint64_t seed = 1; seed <= 2'000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    QueueRules rules;
    rules.window = RandomWindow(random);
    World world(rules, seed);
    const int64_t affinities = random.Between(1, 4);
    const MilliPoints range = static_cast<MilliPoints>(random.Between(50, 4'000) * kPoint);
    const int64_t rate = random.Between(1, 8);
    const Micros tick = random.Between(20, 700) * kMillisecond;
    const uint32_t refuse = random.Percent(30) ? 10 : 0;
    Micros now = kStart;
    for (int step = 0; step < 80; ++step, now += tick) {
      if (!random.Percent(30)) {
        for (int64_t arriving = random.Between(0, rate); arriving > 0; --arriving) {
          // Now and then one comes back with its age.
          const Micros wait = random.Percent(10) ? random.Between(0, 20) * kSecond : random.Between(0, tick);
          world.Arrive(static_cast<MilliPoints>(random.Between(0, range)), 1,
                       static_cast<uint32_t>(random.Between(0, affinities - 1)), now - wait);
        }
      }
      if (random.Percent(20)) world.CancelOne();
      world.Tick(now, refuse);
      if (HasFatalFailure()) return;
      if (!world.refused()) {
        ASSERT_FALSE(world.HasPair(now)) << "step " << step;
      }
    }
  }
}

// How much of the best total the tick reaches in worlds small enough to try everything.
TEST(DuelTwinTest, TotalQualityIsNearTheOptimumAndAboveGreedy) {
  struct Kind {
    const char* name;
    bool same_age;
  };
  for (const Kind kind : {Kind{"one window", true}, Kind{"mixed windows", false}}) {
    int64_t ours = 0, best = 0, greedy = 0, exact = 0, worlds = 0, below_greedy = 0;
    double worst = 1;
    for (uint64_t seed = 1; seed <= 1'500; ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed);
      Random random(seed);
      QueueRules rules;
      rules.window.base = static_cast<MilliPoints>(random.Between(20, 150) * kPoint);
      rules.window.growth_per_second = static_cast<MilliPoints>(random.Between(5, 80) * kPoint);
      rules.window.max = 4'000 * kPoint;  // nobody is past the last stage
      World world(rules, seed);
      const int64_t count = random.Between(2, 14);
      const int64_t range = random.Between(50, 1'500) * kPoint;
      for (int64_t i = 0; i < count; ++i) {
        const Micros wait = kind.same_age ? 0 : random.Below(random.Percent(50) ? 2 : 15) * kSecond;
        world.Arrive(static_cast<MilliPoints>(random.Between(0, range)), 1, 0, kStart - wait);
      }
      const std::vector<PoolEntry> entries = world.entries();
      int64_t total = 0;
      for (const Proposal& proposal : world.Tick(kStart)) total += proposal.quality;
      if (HasFatalFailure()) return;
      const int64_t optimum = BestTotal(rules.window, entries, kStart);
      const int64_t greedy_total = GreedyTotal(rules.window, entries, kStart);
      ASSERT_LE(total, optimum);
      ours += total;
      best += optimum;
      greedy += greedy_total;
      exact += optimum - total <= count / 2;  // less than a point of rounding a pair
      below_greedy += total < greedy_total;
      if (optimum > 0) worst = std::min(worst, static_cast<double>(total) / static_cast<double>(optimum));
      ++worlds;
    }
    std::printf(
        "%s: %.3f %% of the optimum (worst world %.1f %%), greedy %.3f %%; optimal in %lld of %lld worlds, below "
        "greedy in %lld\n",
        kind.name, 100.0 * ours / best, 100 * worst, 100.0 * greedy / best, static_cast<long long>(exact),
        static_cast<long long>(worlds), static_cast<long long>(below_greedy));
    EXPECT_GE(ours * 1'000, best * 995);
    EXPECT_GE(ours, greedy);
    if (kind.same_age) {
      EXPECT_EQ(exact, worlds);
    }
  }
}

}  // namespace
}  // namespace evenmatch
