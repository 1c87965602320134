#include "pool/rating_index.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace evenmatch {
namespace {

using SmallIndex = BasicRatingIndex<8>;

std::vector<uint32_t> Slots(const SmallIndex& index) {
  std::vector<uint32_t> slots;
  for (auto cursor = index.LowerBound(0, std::numeric_limits<MilliPoints>::min()); cursor.valid(); cursor.Next()) {
    slots.push_back(cursor.slot());
  }
  return slots;
}

TEST(RatingIndexTest, OrdersByAffinityThenValueThenArrival) {
  SmallIndex index;
  index.Insert({.value = 20, .arrival = 1, .slot = 1});
  index.Insert({.value = -20, .arrival = 2, .slot = 2});
  index.Insert({.value = 20, .arrival = 0, .slot = 3});
  index.Insert({.value = 0, .arrival = 9, .slot = 4});
  index.Insert({.affinity = 1, .value = -30, .arrival = 8, .slot = 5});
  EXPECT_EQ(Slots(index), (std::vector<uint32_t>{2, 4, 3, 1, 5}));
  EXPECT_EQ(index.LowerBound(0, 21).slot(), 5u);
  EXPECT_EQ(index.LowerBound(0, kMaxValue).slot(), 5u);
  EXPECT_FALSE(index.LowerBound(1, -29).valid());
}

TEST(RatingIndexTest, CursorTellsWhatWasInserted) {
  SmallIndex index;
  index.Insert(
      {.affinity = 0xffffffff, .value = kMaxValue, .arrival = (uint64_t{1} << 48) - 1, .slot = 7, .heads = 65'535});
  const SmallIndex::Cursor cursor = index.Find(0xffffffff, kMaxValue, (uint64_t{1} << 48) - 1);
  ASSERT_TRUE(cursor.valid());
  EXPECT_EQ(cursor.value(), kMaxValue);
  EXPECT_EQ(cursor.arrival(), (uint64_t{1} << 48) - 1);
  EXPECT_EQ(cursor.slot(), 7u);
  EXPECT_EQ(cursor.affinity(), 0xffffffffu);
  EXPECT_EQ(cursor.heads(), 65'535);
}

TEST(RatingIndexTest, CursorComesBackFromBeyondEitherEnd) {
  SmallIndex index;
  for (uint32_t i = 0; i < 100; ++i) index.Insert({.value = static_cast<MilliPoints>(i), .arrival = i, .slot = i});
  SmallIndex::Cursor cursor = index.LowerBound(0, 99);
  cursor.Next();
  EXPECT_FALSE(cursor.valid());
  cursor.Next();
  EXPECT_FALSE(cursor.valid());
  cursor.Prev();
  ASSERT_TRUE(cursor.valid());
  EXPECT_EQ(cursor.slot(), 99u);

  cursor = index.LowerBound(0, 0);
  cursor.Prev();
  EXPECT_FALSE(cursor.valid());
  cursor.Prev();
  EXPECT_FALSE(cursor.valid());
  cursor.Next();
  ASSERT_TRUE(cursor.valid());
  EXPECT_EQ(cursor.slot(), 0u);

  cursor = index.LowerBound(0, 1000);
  EXPECT_FALSE(cursor.valid());
  cursor.Prev();
  ASSERT_TRUE(cursor.valid());
  EXPECT_EQ(cursor.slot(), 99u);
}

TEST(RatingIndexTest, CursorOfEmptyIndexIsInvalidBothWays) {
  SmallIndex index;
  SmallIndex::Cursor cursor = index.LowerBound(0, 0);
  EXPECT_FALSE(cursor.valid());
  cursor.Prev();
  EXPECT_FALSE(cursor.valid());
  cursor.Next();
  EXPECT_FALSE(cursor.valid());
}

TEST(RatingIndexTest, CountsHeadsBelowAnyPlace) {
  SmallIndex index;
  for (uint32_t i = 0; i < 1000; ++i) {
    index.Insert({.value = static_cast<MilliPoints>(i / 10 * 10), .arrival = i, .slot = i, .heads = 2});
  }
  EXPECT_EQ(index.heads(), 2000);
  EXPECT_EQ(index.HeadsBelow(0, 0), 0);
  EXPECT_EQ(index.HeadsBelow(0, 1), 20);
  EXPECT_EQ(index.HeadsBelow(0, 500), 1000);
  EXPECT_EQ(index.HeadsBelow(0, 501), 1020);
  EXPECT_EQ(index.HeadsBelow(0, std::numeric_limits<int64_t>::max()), 2000);
  EXPECT_EQ(index.HeadsBelow(0, std::numeric_limits<int64_t>::min()), 0);
  EXPECT_EQ(index.HeadsBelow(1, std::numeric_limits<int64_t>::min()), 2000);
}

TEST(RatingIndexTest, EqualValuesInOrderOfArrivalFillBlocksThreeQuarters) {
  RatingIndex index;
  constexpr uint32_t kEntries = 100'000;
  for (uint32_t i = 0; i < kEntries; ++i) index.Insert({.value = 1'500'000, .arrival = i, .slot = i});
  index.CheckInvariants();
  EXPECT_LT(index.bytes(), kEntries * 33);
}

TEST(RatingIndexTest, ErasingEverythingLeavesAnIndexThatWorks) {
  SmallIndex index;
  for (int round = 0; round < 3; ++round) {
    for (uint32_t i = 0; i < 500; ++i)
      index.Insert({.value = static_cast<MilliPoints>(i * 7919 % 500), .arrival = i, .slot = i});
    for (uint32_t i = 0; i < 500; ++i) index.Erase(0, static_cast<MilliPoints>(i * 7919 % 500), i);
    EXPECT_EQ(index.size(), 0u);
    EXPECT_EQ(index.heads(), 0);
    index.CheckInvariants();
    EXPECT_FALSE(index.LowerBound(0, -1).valid());
  }
}

TEST(RatingIndexDeathTest, RefusesWhatOnlyABugCanAsk) {
  SmallIndex index;
  index.Insert({.value = 5, .arrival = 5});
  EXPECT_DEATH(index.Insert({.value = 5, .arrival = 5}), "CHECK failed");
  EXPECT_DEATH(index.Insert({.value = kMaxValue + 1, .arrival = 6}), "CHECK failed");
  EXPECT_DEATH(index.Insert({.value = 5, .arrival = uint64_t{1} << 48}), "CHECK failed");
  EXPECT_DEATH(index.Insert({.value = 5, .arrival = 6, .heads = 65'536}), "CHECK failed");
  EXPECT_DEATH(index.Erase(0, 5, 6), "CHECK failed");
  EXPECT_DEATH(index.Find(0, 4, 5), "CHECK failed");
}

}  // namespace
}  // namespace evenmatch
