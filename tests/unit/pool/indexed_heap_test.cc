#include "pool/indexed_heap.h"

#include <gtest/gtest.h>

#include <vector>

namespace evenmatch {
namespace {

constexpr uint32_t kNowhere = 0xffffffff;

struct Home {
  std::vector<uint32_t>* places;
  uint32_t& Place(uint32_t id) const { return (*places)[id]; }
  bool Before(uint32_t a, uint32_t b) const { return a < b; }
};
using Heap = IndexedHeap<int64_t, Home>;

class IndexedHeapTest : public testing::Test {
 protected:
  std::vector<uint32_t> places_ = std::vector<uint32_t>(1000, kNowhere);
  Heap heap_{{&places_}};
};

TEST_F(IndexedHeapTest, PopsByKeyAndEqualKeysAsHomeSays) {
  heap_.Push(5, 10);
  heap_.Push(3, 10);
  heap_.Push(4, -10);
  heap_.Push(9, 20);
  EXPECT_EQ(heap_.top_key(), -10);
  EXPECT_EQ(heap_.Pop(), 4u);
  EXPECT_EQ(heap_.Pop(), 3u);
  EXPECT_EQ(heap_.Pop(), 5u);
  EXPECT_EQ(heap_.Pop(), 9u);
  EXPECT_TRUE(heap_.empty());
}

TEST_F(IndexedHeapTest, RemovesFromAnyPlaceAndForgetsThePlace) {
  for (uint32_t id = 0; id < 1000; ++id) heap_.Push(id, id * 7919 % 1000);
  for (uint32_t id = 0; id < 1000; id += 2) {
    EXPECT_TRUE(heap_.Contains(id));
    heap_.Remove(id);
    EXPECT_FALSE(heap_.Contains(id));
    EXPECT_EQ(places_[id], kNowhere);
  }
  int64_t last = -1;
  while (!heap_.empty()) {
    const int64_t key = heap_.top_key();
    EXPECT_LT(last, key);
    EXPECT_EQ(heap_.Pop() * 7919 % 1000, key);
    last = key;
  }
}

TEST_F(IndexedHeapTest, SetPushesAndMovesBothWays) {
  for (uint32_t id = 0; id < 100; ++id) heap_.Set(id, 100 + id);
  heap_.Set(99, 0);
  EXPECT_EQ(heap_.top(), 99u);
  heap_.Set(99, 1000);
  EXPECT_EQ(heap_.top(), 0u);
  heap_.Set(0, 100);
  EXPECT_EQ(heap_.top(), 0u);
  EXPECT_EQ(heap_.size(), 100u);
}

TEST_F(IndexedHeapTest, RefusesWhatOnlyABugCanAsk) {
  heap_.Push(1, 1);
  EXPECT_DEATH(heap_.Push(1, 2), "CHECK failed");
  EXPECT_DEATH(heap_.Remove(2), "CHECK failed");
  heap_.Remove(1);
  EXPECT_DEATH(heap_.top(), "CHECK failed");
}

}  // namespace
}  // namespace evenmatch
