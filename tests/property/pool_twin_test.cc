// The pool and its parts against dumb twins: sorted containers that are searched from end to end.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "pool/indexed_heap.h"
#include "pool/pool.h"
#include "pool/rating_index.h"

namespace evenmatch {
namespace {

constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();
constexpr int32_t kHighest = std::numeric_limits<int32_t>::max();

// A world decides how crowded values and affinities are: from everybody equal to hardly ever a tie, with the extremes.
struct World {
  Random random;
  MilliPoints spread;
  uint32_t affinities;

  explicit World(uint64_t seed) : random(seed) {
    constexpr MilliPoints kSpreads[] = {0, 1, 5, 100, 2'000'000, kMaxValue};
    constexpr uint32_t kAffinities[] = {1, 1, 3, 50};
    spread = kSpreads[random.Below(std::size(kSpreads))];
    affinities = kAffinities[random.Below(std::size(kAffinities))];
  }

  MilliPoints Value() { return static_cast<MilliPoints>(random.Between(-spread, spread)); }
  uint32_t Affinity() { return static_cast<uint32_t>(random.Below(affinities)); }
  // A value to ask for: near the inhabited ones, or an extreme.
  MilliPoints Question() {
    constexpr MilliPoints kExtremes[] = {kLowest, kLowest + 1, -kMaxValue, kMaxValue, kHighest - 1, kHighest};
    if (random.Percent(10)) return kExtremes[random.Below(std::size(kExtremes))];
    return std::clamp(Value() + static_cast<MilliPoints>(random.Between(-1, 1)), -kMaxValue, kMaxValue);
  }
};

struct TwinKey {
  uint32_t affinity;
  MilliPoints value;
  uint64_t arrival;
  auto operator<=>(const TwinKey&) const = default;
};
struct TwinRest {
  uint32_t slot;
  int32_t heads;
};
using Twin = std::map<TwinKey, TwinRest>;

int64_t TwinHeads(const Twin& twin, uint32_t affinity, MilliPoints low, MilliPoints high) {
  int64_t heads = 0;
  for (const auto& [key, rest] : twin) {
    if (key.affinity == affinity && key.value >= low && key.value <= high) heads += rest.heads;
  }
  return heads;
}

template <typename Cursor>
void ExpectAt(const Cursor& cursor, const Twin& twin, Twin::const_iterator place) {
  ASSERT_EQ(cursor.valid(), place != twin.end());
  if (place == twin.end()) return;
  ASSERT_EQ(cursor.affinity(), place->first.affinity);
  ASSERT_EQ(cursor.value(), place->first.value);
  ASSERT_EQ(cursor.arrival(), place->first.arrival);
  ASSERT_EQ(cursor.slot(), place->second.slot);
  ASSERT_EQ(cursor.heads(), place->second.heads);
}

// Walks a few steps to and fro from the same place in both, beyond the ends too.
template <typename Cursor>
void ExpectSameWalk(Random& random, Cursor cursor, const Twin& twin, Twin::const_iterator place) {
  bool before_first = false;
  ExpectAt(cursor, twin, place);
  for (int step = 0; step < 30; ++step) {
    if (random.Percent(50)) {
      cursor.Next();
      if (before_first) {
        before_first = false;
      } else if (place != twin.end()) {
        ++place;
      }
    } else {
      cursor.Prev();
      if (place == twin.begin()) {
        before_first = true;
      } else if (!before_first) {
        --place;
      }
    }
    if (before_first) {
      ASSERT_FALSE(cursor.valid());
    } else {
      ExpectAt(cursor, twin, place);
    }
  }
}

template <typename Index>
void ExpectSameOrder(const Index& index, const Twin& twin) {
  index.CheckInvariants();
  ASSERT_EQ(index.size(), twin.size());
  auto cursor = index.LowerBound(0, kLowest);
  for (auto place = twin.begin(); place != twin.end(); ++place, cursor.Next()) ExpectAt(cursor, twin, place);
  ASSERT_FALSE(cursor.valid());
  for (auto place = twin.rbegin(); place != twin.rend(); ++place) {
    cursor.Prev();
    ExpectAt(cursor, twin, std::prev(place.base()));
  }
}

template <typename Index>
void LiveThrough(uint64_t seed, int steps) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  World world(seed);
  Random& random = world.random;
  Index index;
  Twin twin;
  uint64_t arrivals = random.Percent(10) ? (uint64_t{1} << 48) - static_cast<uint64_t>(steps) - 1 : 0;
  uint32_t growth = 60;  // percent of inserts among the changes
  for (int step = 0; step < steps; ++step) {
    if (random.Percent(2)) growth = static_cast<uint32_t>(random.Between(10, 90));
    if (twin.empty() || random.Percent(growth)) {
      const TwinKey key{world.Affinity(), world.Value(), arrivals++};
      const TwinRest rest{static_cast<uint32_t>(random.Next()), static_cast<int32_t>(random.Between(0, 70))};
      index.Insert({key.affinity, key.value, key.arrival, rest.slot, rest.heads});
      twin.emplace(key, rest);
    } else {
      auto place = std::next(twin.begin(), static_cast<int64_t>(random.Below(twin.size())));
      index.Erase(place->first.affinity, place->first.value, place->first.arrival);
      twin.erase(place);
    }
    if (random.Percent(10)) {
      index.CheckInvariants();
      const uint32_t affinity = world.Affinity();
      const MilliPoints value = world.Question();
      ExpectSameWalk(random, index.LowerBound(affinity, value), twin, twin.lower_bound({affinity, value, 0}));
      int64_t below = 0;
      for (auto place = twin.begin(); place != twin.lower_bound({affinity, value, 0}); ++place) {
        below += place->second.heads;
      }
      ASSERT_EQ(index.HeadsBelow(affinity, value), below);
      if (!twin.empty()) {
        auto place = std::next(twin.begin(), static_cast<int64_t>(random.Below(twin.size())));
        const TwinKey& key = place->first;
        ExpectSameWalk(random, index.Find(key.affinity, key.value, key.arrival), twin, place);
      }
    }
    if (testing::Test::HasFatalFailure()) return;
  }
  ExpectSameOrder(index, twin);
  while (!twin.empty()) {
    auto place = std::next(twin.begin(), static_cast<int64_t>(random.Below(twin.size())));
    index.Erase(place->first.affinity, place->first.value, place->first.arrival);
    twin.erase(place);
  }
  ExpectSameOrder(index, twin);
}

TEST(RatingIndexTwinTest, SmallBlocksAgreeWithAnOrderedMap) {
  for (uint64_t seed = 1; seed <= 1000 && !HasFatalFailure(); ++seed) LiveThrough<BasicRatingIndex<8>>(seed, 400);
}

TEST(RatingIndexTwinTest, TallIndexOfSmallBlocksAgreesWithAnOrderedMap) {
  for (uint64_t seed = 1; seed <= 4 && !HasFatalFailure(); ++seed) LiveThrough<BasicRatingIndex<8>>(seed, 6'000);
}

TEST(RatingIndexTwinTest, BlocksOfTheProductAgreeWithAnOrderedMap) {
  for (uint64_t seed = 1; seed <= 20 && !HasFatalFailure(); ++seed) LiveThrough<RatingIndex>(seed, 3'000);
}

struct Places {
  std::vector<uint32_t>* places;
  uint32_t& Place(uint32_t id) const { return (*places)[id]; }
  bool Before(uint32_t a, uint32_t b) const { return a < b; }
};

TEST(IndexedHeapTwinTest, AgreesWithAnOrderedSet) {
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    constexpr uint32_t kIds = 200;
    const int64_t spread = random.Between(0, 300);
    std::vector<uint32_t> places(kIds, 0xffffffff);
    IndexedHeap<int64_t, Places> heap({&places});
    std::set<std::pair<int64_t, uint32_t>> twin;
    std::map<uint32_t, int64_t> keys;
    for (int step = 0; step < 400; ++step) {
      const uint32_t id = static_cast<uint32_t>(random.Below(kIds));
      const int64_t key = random.Between(-spread, spread);
      ASSERT_EQ(heap.Contains(id), keys.contains(id));
      switch (random.Below(4)) {
        case 0:
        case 1:
          heap.Set(id, key);
          if (keys.contains(id)) twin.erase({keys[id], id});
          keys[id] = key;
          twin.emplace(key, id);
          break;
        case 2:
          if (!keys.contains(id)) break;
          heap.Remove(id);
          twin.erase({keys[id], id});
          keys.erase(id);
          break;
        case 3:
          if (twin.empty()) break;
          keys.erase(twin.begin()->second);
          ASSERT_EQ(heap.Pop(), twin.begin()->second);
          twin.erase(twin.begin());
          break;
      }
      ASSERT_EQ(heap.size(), twin.size());
      if (twin.empty()) continue;
      ASSERT_EQ(heap.top_key(), twin.begin()->first);
      ASSERT_EQ(heap.top(), twin.begin()->second);
    }
    while (!twin.empty()) {
      ASSERT_EQ(heap.Pop(), twin.begin()->second);
      twin.erase(twin.begin());
    }
    ASSERT_TRUE(heap.empty());
  }
}

// Everything a pool promises, by searching a list of all tickets.
struct TwinTicket {
  PoolEntry entry;
  Micros due;
};
using TwinPool = std::map<Pool::Slot, TwinTicket>;

void ExpectSamePool(World& world, const Pool& pool, const TwinPool& twin) {
  Twin order;
  int64_t heads = 0;
  Micros next_due = kNever;
  Pool::Slot oldest = Pool::kNoSlot;
  for (const auto& [slot, ticket] : twin) {
    const PoolEntry& entry = ticket.entry;
    order.emplace(TwinKey{entry.affinity, entry.value, entry.arrival}, TwinRest{slot, entry.heads});
    heads += entry.heads;
    next_due = std::min(next_due, ticket.due);
    ASSERT_EQ(pool.Get(slot).ticket, entry.ticket);
    ASSERT_EQ(pool.Get(slot).arrival, entry.arrival);
    if (oldest == Pool::kNoSlot || std::pair(entry.queued_at, entry.arrival) <
                                       std::pair(twin.at(oldest).entry.queued_at, twin.at(oldest).entry.arrival)) {
      oldest = slot;
    }
  }
  ASSERT_EQ(pool.size(), twin.size());
  ASSERT_EQ(pool.empty(), twin.empty());
  ASSERT_EQ(pool.heads(), heads);
  ASSERT_EQ(pool.NextDue(), next_due);
  ASSERT_EQ(pool.Oldest(), oldest);
  for (uint32_t affinity = 0; affinity <= world.affinities; ++affinity) {
    ASSERT_EQ(pool.CountWithAffinity(affinity),
              static_cast<size_t>(std::count_if(twin.begin(), twin.end(), [&](const auto& slot_and_ticket) {
                return slot_and_ticket.second.entry.affinity == affinity;
              })));
  }
  for (int i = 0; i < 3; ++i) {
    const uint32_t affinity = world.Affinity();
    const MilliPoints low = world.Question(), high = world.Question();  // inverted half of the time
    ASSERT_EQ(pool.HeadsWithin(affinity, low, high), TwinHeads(order, affinity, low, high));
    ExpectSameWalk(world.random, pool.LowerBound(affinity, low), order, order.lower_bound({affinity, low, 0}));
  }
  if (!twin.empty()) {
    const auto& [slot, ticket] = *std::next(twin.begin(), static_cast<int64_t>(world.random.Below(twin.size())));
    ExpectSameWalk(world.random, pool.At(slot), order,
                   order.find({ticket.entry.affinity, ticket.entry.value, ticket.entry.arrival}));
  }
}

TEST(PoolTwinTest, AgreesWithAListOfTickets) {
  for (uint64_t seed = 1; seed <= 1000 && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    World world(seed);
    Random& random = world.random;
    Pool pool;
    TwinPool twin;
    std::vector<Pool::Slot> free;  // slots of removed tickets
    Micros now = random.Percent(50) ? 0 : 1'700'000'000'000'000;
    uint64_t arrivals = 0;
    const uint32_t growth = static_cast<uint32_t>(random.Between(30, 60));
    const int steps = seed % 50 == 0 ? 3'000 : 300;
    for (int step = 0; step < steps; ++step) {
      if (random.Percent(30)) now += random.Between(0, 20);
      const uint32_t dice = static_cast<uint32_t>(random.Below(100));
      auto anyone = [&] { return std::next(twin.begin(), static_cast<int64_t>(random.Below(twin.size()))); };
      if (twin.empty() || dice < growth) {
        // Mostly queued now; sometimes one comes back with its age and number.
        const Micros queued_at = random.Percent(80) ? now : now - random.Between(0, 100);
        PoolEntry entry{.value = world.Value(),
                        .heads = static_cast<int32_t>(random.Between(1, 5)),
                        .affinity = world.Affinity(),
                        .ticket = static_cast<uint32_t>(random.Next()),
                        .queued_at = queued_at,
                        .arrival = arrivals++};
        const Pool::Slot slot = pool.Insert(entry);
        ASSERT_FALSE(twin.contains(slot));
        if (!free.empty()) {
          ASSERT_TRUE(std::erase(free, slot) == 1) << "a free slot was there to be used";
        }
        twin[slot] = {entry, queued_at};
      } else if (dice < 75) {
        auto place = anyone();
        if (random.Percent(20)) {  // comes back as it was
          const PoolEntry entry = pool.Get(place->first);
          pool.Remove(place->first);
          twin.erase(place);
          twin[pool.Insert(entry)] = {entry, entry.queued_at};
        } else {
          pool.Remove(place->first);
          free.push_back(place->first);
          twin.erase(place);
        }
      } else if (dice < 95) {
        auto place = anyone();
        const Micros due = random.Percent(20) ? kNever : now + random.Between(-10, 50);
        pool.SetDue(place->first, due);
        place->second.due = due;
      } else {
        std::vector<Pool::Slot> due;
        pool.TakeDue(now, &due);
        std::vector<std::tuple<Micros, uint64_t, Pool::Slot>> expected;
        for (auto& [slot, ticket] : twin) {
          if (ticket.due > now) continue;
          expected.emplace_back(ticket.due, ticket.entry.arrival, slot);
          ticket.due = kNever;
        }
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(due.size(), expected.size());
        for (size_t i = 0; i < due.size(); ++i) ASSERT_EQ(due[i], std::get<2>(expected[i]));
      }
      if (random.Percent(5)) ExpectSamePool(world, pool, twin);
      if (HasFatalFailure()) return;
    }
    ExpectSamePool(world, pool, twin);
  }
}

}  // namespace
}  // namespace evenmatch
