#include "pool/pool.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace evenmatch {
namespace {

using Slots = std::vector<Pool::Slot>;

Slots Due(Pool& pool, Micros now) {
  Slots due;
  pool.TakeDue(now, &due);
  return due;
}

TEST(PoolTest, InsertMakesTicketDueAtItsQueueingAndFindableInRatingOrder) {
  Pool pool;
  const Pool::Slot slot =
      pool.Insert({.value = 1'500'000, .heads = 2, .affinity = 3, .ticket = 77, .queued_at = 10, .arrival = 1});
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(pool.heads(), 2);
  EXPECT_EQ(pool.Get(slot).ticket, 77u);
  EXPECT_EQ(pool.CountWithAffinity(3), 1u);
  EXPECT_EQ(pool.CountWithAffinity(2), 0u);
  EXPECT_EQ(pool.CountWithAffinity(1'000'000), 0u);
  EXPECT_EQ(pool.Oldest(), slot);
  EXPECT_EQ(pool.NextDue(), 10);
  const Pool::Cursor cursor = pool.At(slot);
  ASSERT_TRUE(cursor.valid());
  EXPECT_EQ(cursor.slot(), slot);
  EXPECT_EQ(cursor.value(), 1'500'000);
  EXPECT_EQ(cursor.affinity(), 3u);
  EXPECT_EQ(cursor.heads(), 2);
  EXPECT_TRUE(Due(pool, 9).empty());
  EXPECT_EQ(Due(pool, 10), Slots{slot});
}

TEST(PoolTest, RemoveTakesTicketOutOfEveryIndex) {
  Pool pool;
  const Pool::Slot gone = pool.Insert({.value = 1, .heads = 5, .affinity = 1, .queued_at = 1, .arrival = 1});
  const Pool::Slot left = pool.Insert({.value = 2, .heads = 1, .affinity = 1, .queued_at = 2, .arrival = 2});
  pool.Remove(gone);
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(pool.heads(), 1);
  EXPECT_EQ(pool.CountWithAffinity(1), 1u);
  EXPECT_EQ(pool.Oldest(), left);
  EXPECT_EQ(pool.NextDue(), 2);
  EXPECT_EQ(pool.LowerBound(1, 0).slot(), left);
  EXPECT_EQ(pool.HeadsWithin(1, 0, 10), 1);
  EXPECT_EQ(Due(pool, 100), Slots{left});
}

TEST(PoolTest, RemovedSlotIsReused) {
  Pool pool;
  const Pool::Slot first = pool.Insert({.ticket = 1, .arrival = 1});
  pool.Remove(first);
  const Pool::Slot second = pool.Insert({.ticket = 2, .arrival = 2});
  EXPECT_EQ(first, second);
  EXPECT_EQ(pool.Get(second).ticket, 2u);
  EXPECT_EQ(Due(pool, 0), Slots{second});
}

TEST(PoolTest, OldestGoesByQueueingThenArrival) {
  Pool pool;
  const Pool::Slot a = pool.Insert({.queued_at = 5, .arrival = 2});
  const Pool::Slot b = pool.Insert({.queued_at = 5, .arrival = 1});
  const Pool::Slot c = pool.Insert({.queued_at = 4, .arrival = 3});
  EXPECT_EQ(pool.Oldest(), c);
  pool.Remove(c);
  EXPECT_EQ(pool.Oldest(), b);
  pool.Remove(b);
  EXPECT_EQ(pool.Oldest(), a);
  pool.Remove(a);
  EXPECT_EQ(pool.Oldest(), Pool::kNoSlot);
}

TEST(PoolTest, DueTicketsComeByTimeThenArrivalAndOnlyOnce) {
  Pool pool;
  const Pool::Slot a = pool.Insert({.queued_at = 0, .arrival = 3});
  const Pool::Slot b = pool.Insert({.queued_at = 0, .arrival = 2});
  const Pool::Slot c = pool.Insert({.queued_at = 0, .arrival = 1});
  pool.SetDue(c, 50);
  EXPECT_EQ(Due(pool, 49), (Slots{b, a}));
  EXPECT_TRUE(Due(pool, 49).empty());
  pool.SetDue(a, 50);
  EXPECT_EQ(pool.NextDue(), 50);
  EXPECT_EQ(Due(pool, 50), (Slots{c, a}));
  EXPECT_EQ(pool.NextDue(), kNever);
  EXPECT_EQ(pool.size(), 3u);
}

TEST(PoolTest, SetDueReplacesTheEarlierTimeAndNeverTakesItOff) {
  Pool pool;
  const Pool::Slot slot = pool.Insert({.queued_at = 10, .arrival = 1});
  pool.SetDue(slot, 20);
  EXPECT_EQ(pool.NextDue(), 20);
  pool.SetDue(slot, 5);
  EXPECT_EQ(pool.NextDue(), 5);
  pool.SetDue(slot, kNever);
  EXPECT_EQ(pool.NextDue(), kNever);
  pool.SetDue(slot, kNever);
  EXPECT_TRUE(Due(pool, kNever).empty());
  pool.Remove(slot);
  EXPECT_TRUE(pool.empty());
}

TEST(PoolTest, HeadsWithinCountsItsAffinityBothEndsAndNothingWhenInverted) {
  Pool pool;
  for (int32_t i = -5; i <= 5; ++i) pool.Insert({.value = i * 10, .heads = 3, .arrival = static_cast<uint64_t>(i + 5)});
  pool.Insert({.value = 0, .heads = 50, .affinity = 1, .arrival = 100});
  EXPECT_EQ(pool.HeadsWithin(0, -10, 10), 9);
  EXPECT_EQ(pool.HeadsWithin(0, -9, 9), 3);
  EXPECT_EQ(pool.HeadsWithin(0, 10, -10), 0);
  EXPECT_EQ(pool.HeadsWithin(0, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()), 33);
  EXPECT_EQ(pool.HeadsWithin(1, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()), 50);
}

TEST(PoolDeathTest, RefusesSlotsNotInUse) {
  Pool pool;
  EXPECT_DEATH(pool.Get(0), "CHECK failed");
  const Pool::Slot slot = pool.Insert({});
  pool.Remove(slot);
  EXPECT_DEATH(pool.Get(slot), "CHECK failed");
  EXPECT_DEATH(pool.Remove(slot), "CHECK failed");
  EXPECT_DEATH(pool.SetDue(slot, 1), "CHECK failed");
  EXPECT_DEATH(pool.At(slot), "CHECK failed");
}

}  // namespace
}  // namespace evenmatch
