// Matching against dumb twins, on seeded random worlds.

#include <cstdio>
#include <iostream>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "matching/duel_pairing.h"
#include "matching/matcher.h"
#include "matching/patience.h"
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
  World(const QueueRules& rules, uint64_t seed) : rules_(rules), book_(rules_), matcher_(book_), random_(seed) {}

  void Arrive(MilliPoints value, int32_t heads, uint32_t affinity, Micros queued_at) {
    PoolEntry entry;
    entry.value = value;
    entry.heads = heads;
    entry.affinity = affinity;
    entry.queued_at = queued_at;
    entry.arrival = ++arrivals_;
    entry.ticket = static_cast<uint32_t>(entry.arrival);
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
    matcher_.Tick(pool_, traits_, now, &proposals_, &due);
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
      stage = std::max(stage, book_.StageAt(now - entry.queued_at));
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
  RuleBook book_;
  TraitTable traits_;
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
          const auto affinity = static_cast<uint32_t>(random.Between(0, affinities - 1));
          world.Arrive(static_cast<MilliPoints>(random.Between(0, range)), 1, affinity, now - wait);
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

// With and without a target wait: when the oldest of those past their last stage, or whose patience is over, is left,
// then nobody it fits was there, neither left nor seated with another.
TEST(DuelTwinTest, OldestOverdueLosesNoSeatToAYoungerOne) {
  int64_t seated = 0, contested = 0, left = 0;
  for (uint64_t seed = 1; seed <= 3'000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    QueueRules rules;
    rules.window = RandomWindow(random);
    rules.tick = random.Between(50, 600) * kMillisecond;
    if (random.Percent(75)) rules.target_wait_p95 = random.Between(200, 4'000) * kMillisecond;
    const Patience patience(rules);
    const RuleBook book(rules);
    const auto overdue = [&](const PoolEntry& entry, Micros now) {
      return book.PastLastStage(now - entry.queued_at) || (patience.on() && patience.Over(now - entry.queued_at));
    };
    World world(rules, seed);
    const int64_t affinities = random.Between(1, 3);
    const MilliPoints range = static_cast<MilliPoints>(random.Between(50, 3'000) * kPoint);
    const int64_t rate = random.Between(1, 8);
    Micros now = kStart;
    for (int step = 0; step < 40; ++step, now += rules.tick) {
      for (int64_t arriving = random.Between(0, rate); arriving > 0; --arriving) {
        const Micros wait = random.Percent(10) ? random.Between(0, 20) * kSecond : random.Between(0, rules.tick);
        const auto affinity = static_cast<uint32_t>(random.Between(0, affinities - 1));
        world.Arrive(static_cast<MilliPoints>(random.Between(0, range)), 1, affinity, now - wait);
      }
      if (random.Percent(10)) world.CancelOne();
      const std::vector<PoolEntry> before = world.entries();
      const size_t formed = world.Tick(now).size();
      if (HasFatalFailure()) return;
      const PoolEntry* oldest = nullptr;
      for (const PoolEntry& entry : before) {
        if (overdue(entry, now) && (oldest == nullptr || Older(entry, *oldest))) oldest = &entry;
      }
      if (oldest == nullptr) continue;
      const std::vector<PoolEntry> after = world.entries();
      if (std::none_of(after.begin(), after.end(), [&](const PoolEntry& e) { return e.arrival == oldest->arrival; })) {
        ++seated;
        contested += formed > 1;
        continue;
      }
      ++left;
      for (const PoolEntry& entry : before) {
        if (entry.arrival == oldest->arrival) continue;
        ASSERT_FALSE(Fits(rules.window, entry, *oldest, now))
            << "step " << step << ": " << oldest->arrival << " waits, " << entry.arrival << " would have fitted";
      }
    }
  }
  EXPECT_GT(contested, 1'000);
  EXPECT_GT(seated, 1'000);
  EXPECT_GT(left, 1'000);
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
        const uint64_t longest = random.Percent(50) ? 2 : 15;
        const Micros wait = kind.same_age ? 0 : static_cast<Micros>(random.Below(longest)) * kSecond;
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

// Teams in worlds of few tickets: whatever set the twin finds has lost a ticket (to a match or by leaving) before it
// has stood for longer than the matcher promises.
TEST(TeamTwinTest, NoSetThatFitsStandsLongerThanTheRecheck) {
  int64_t formed = 0, late = 0, found_sets = 0;
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    QueueRules rules;
    rules.window = RandomWindow(random);
    do {
      rules.team_count = static_cast<int32_t>(random.Between(2, 4));
      rules.team_size = static_cast<int32_t>(random.Between(1, 4));
    } while (rules.duel() || rules.players_per_match() > 9);
    World world(rules, seed);
    const int64_t affinities = random.Between(1, 2);
    const int64_t range = random.Between(0, 1'000) * kPoint;
    const uint32_t solos = static_cast<uint32_t>(random.Below(100));
    const Micros tick = random.Between(50, 400) * kMillisecond;
    Micros now = kStart;
    std::vector<PoolEntry> standing_set;
    Micros standing_since = 0;
    for (int step = 0; step < 60; ++step, now += tick) {
      for (int64_t arriving = random.Percent(30) ? random.Between(1, 4) : 0; arriving > 0; --arriving) {
        if (world.waiting().size() >= 9) break;
        const int32_t heads = random.Percent(solos) ? 1 : static_cast<int32_t>(random.Between(1, rules.team_size));
        const Micros wait = random.Percent(10) ? random.Between(0, 20) * kSecond : random.Between(0, tick);
        const auto affinity = static_cast<uint32_t>(random.Between(0, affinities - 1));
        world.Arrive(static_cast<MilliPoints>(random.Between(0, range)), heads, affinity, now - wait);
      }
      if (random.Percent(5) || (world.waiting().size() >= 9 && random.Percent(50))) world.CancelOne();
      formed += static_cast<int64_t>(world.Tick(now, seed % 5 == 0 ? 5 : 0).size());
      if (HasFatalFailure()) return;
      const std::vector<PoolEntry> entries = world.entries();
      const bool still_stands =
          !standing_set.empty() && std::all_of(standing_set.begin(), standing_set.end(), [&](const PoolEntry& one) {
            return std::any_of(entries.begin(), entries.end(),
                               [&](const PoolEntry& other) { return other.arrival == one.arrival; });
          });
      if (still_stands) {
        ASSERT_LT(now - standing_since, kSecond + tick) << "step " << step;
        ++late;
        continue;
      }
      standing_set = AnySet(rules, entries, now);
      standing_since = now;
      found_sets += !standing_set.empty();
    }
  }
  std::printf("teams: %lld matches; %lld sets stood for a while, %lld ticks in all\n", static_cast<long long>(formed),
              static_cast<long long>(found_sets), static_cast<long long>(late));
  EXPECT_GT(formed, 500);
}

// A new ticket is due, so with all windows at rest every set that contains one is found at once.
TEST(TeamTwinTest, SetThatANewTicketCompletesIsFoundInItsTick) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    QueueRules rules;
    rules.window.base = rules.window.max = static_cast<MilliPoints>(random.Between(50, 500) * kPoint);
    rules.window.growth_per_second = 0;
    rules.team_count = 2;
    rules.team_size = static_cast<int32_t>(random.Between(2, 4));
    World world(rules, seed);
    Micros now = kStart;
    for (int step = 0; step < 40; ++step, now += 100 * kMillisecond) {
      for (int64_t arriving = random.Between(0, 3); arriving > 0 && world.waiting().size() < 10; --arriving) {
        const auto heads = static_cast<int32_t>(random.Between(1, rules.team_size));
        world.Arrive(static_cast<MilliPoints>(random.Between(0, 900) * kPoint), heads, 0, now);
      }
      if (world.waiting().size() >= 9) world.CancelOne();
      world.Tick(now);
      if (HasFatalFailure()) return;
      ASSERT_TRUE(AnySet(rules, world.entries(), now).empty()) << "step " << step;
    }
  }
}

// The oldest ticket past its last stage has a seat in every tick in which somebody due would let it play.
TEST(TeamTwinTest, OldestPastItsLastStageIsSeatedFirst) {
  int64_t contested = 0;
  for (uint64_t seed = 1; seed <= 3'000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    QueueRules rules;
    rules.window.base = 100 * kPoint;
    rules.window.growth_per_second = 50 * kPoint;
    rules.window.max = 300 * kPoint;
    rules.team_count = 2;
    rules.team_size = static_cast<int32_t>(random.Between(1, 3));
    World world(rules, seed);
    world.Arrive(0, 1, 0, kStart - kMinute);
    world.Tick(kStart - kSecond);  // it stands
    for (int64_t arriving = random.Between(2, 8); arriving > 0; --arriving) {
      const auto heads = static_cast<int32_t>(random.Between(1, rules.team_size));
      const Micros wait = random.Between(0, 3) * kSecond;
      world.Arrive(static_cast<MilliPoints>(random.Between(-150, 150) * kPoint), heads, 0, kStart - wait);
    }
    const bool could_play = !AnySet(rules, world.entries(), kStart, 1).empty();
    const bool formed = !world.Tick(kStart).empty();
    if (HasFatalFailure()) return;
    const std::vector<PoolEntry> left = world.entries();
    const bool waits = std::any_of(left.begin(), left.end(), [](const PoolEntry& entry) { return entry.arrival == 1; });
    ASSERT_EQ(waits, !could_play);
    contested += formed && !waits;
  }
  EXPECT_GT(contested, 300);
}

// How much of the best total the tick reaches in worlds small enough to try every choice of matches.
TEST(TeamTwinTest, TotalQualityIsNearTheOptimumAndAboveGreedy) {
  struct Kind {
    const char* name;
    bool same_age;
    uint32_t parties;
  };
  for (const Kind kind : {Kind{"solos of one age", true, 0}, Kind{"solos", false, 0}, Kind{"parties", false, 40}}) {
    int64_t ours = 0, best = 0, greedy = 0, worlds = 0, below_greedy = 0;
    double worst = 1;
    for (uint64_t seed = 1; worlds < 250; ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed);
      Random random(seed);
      QueueRules rules;
      rules.window.base = static_cast<MilliPoints>(random.Between(50, 250) * kPoint);
      rules.window.growth_per_second = 20 * kPoint;
      rules.window.max = 4'000 * kPoint;  // nobody is past the last stage
      rules.team_count = static_cast<int32_t>(random.Between(2, 3));
      rules.team_size = rules.team_count == 3 ? 1 : 2;
      World world(rules, seed);
      const int64_t count = random.Between(4, 13);
      const int64_t range = random.Between(50, 1'000) * kPoint;
      for (int64_t i = 0; i < count; ++i) {
        const uint64_t longest = random.Percent(50) ? 2 : 15;
        const Micros wait = kind.same_age ? 0 : static_cast<Micros>(random.Below(longest)) * kSecond;
        const int32_t heads = random.Percent(kind.parties) ? rules.team_size : 1;
        world.Arrive(static_cast<MilliPoints>(random.Between(0, range)), heads, 0, kStart - wait);
      }
      const std::vector<PoolEntry> entries = world.entries();
      const std::vector<PlayableSet> sets = PlayableSets(rules, entries, kStart);
      if (sets.size() < 2) continue;
      int64_t total = 0;
      for (const Proposal& proposal : world.Tick(kStart)) total += proposal.quality;
      if (HasFatalFailure()) return;
      const int64_t optimum = BestTotal(sets, entries.size());
      const int64_t greedy_total = GreedyTotal(sets, entries);
      ASSERT_LE(total, optimum);
      ours += total;
      best += optimum;
      greedy += greedy_total;
      below_greedy += total < greedy_total;
      worst = std::min(worst, static_cast<double>(total) / static_cast<double>(optimum));
      ++worlds;
    }
    std::printf(
        "teams, %s: %.2f %% of the optimum (worst world %.1f %%), greedy %.2f %%; below greedy in %lld of %lld\n",
        kind.name, 100.0 * ours / best, 100 * worst, 100.0 * greedy / best, static_cast<long long>(below_greedy),
        static_cast<long long>(worlds));
    EXPECT_GE(ours, greedy);
    EXPECT_GE(ours * 100, best * 98);
  }
}

// One number for what the matcher does in many worlds. It is the same under every compiler and build; a change that is
// meant to change behaviour changes it, any other must not.
TEST(MatchingSignatureTest, IsTheSameInEveryBuild) {
  uint64_t signature = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    QueueRules rules;
    rules.window = RandomWindow(random);
    rules.team_size = static_cast<int32_t>(1 + seed % 5);
    World world(rules, seed);
    Micros now = kStart;
    for (int step = 0; step < 40; ++step, now += 250 * kMillisecond) {
      for (int64_t arriving = random.Between(0, 8); arriving > 0; --arriving) {
        const auto heads = static_cast<int32_t>(random.Between(1, rules.team_size));
        const Micros wait = random.Between(0, 250) * kMillisecond;
        world.Arrive(static_cast<MilliPoints>(random.Between(0, 1'500 * kPoint)), heads, 0, now - wait);
      }
      for (const Proposal& proposal : world.Tick(now)) {
        signature = HashMix(signature, static_cast<uint64_t>(proposal.quality));
        signature = HashMix(signature, static_cast<uint64_t>(proposal.spread));
        for (const Proposal::Place& place : proposal.places) {
          signature = HashMix(signature, uint64_t{place.slot} << 32 | static_cast<uint32_t>(place.team));
        }
        for (const BasisPoints chance : proposal.win_chance)
          signature = HashMix(signature, static_cast<uint64_t>(chance));
      }
    }
  }
  EXPECT_EQ(signature, 14209259466408878561u);
}

}  // namespace
}  // namespace evenmatch
