#include "pool/due_list.h"

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

class DueListTest : public testing::Test {
 protected:
  std::vector<uint32_t> Take(Micros now) {
    std::vector<uint32_t> due;
    list_.Take(now, &due);
    for (uint32_t id : due) EXPECT_EQ(places_[id], kNowhere);
    return due;
  }

  std::vector<uint32_t> places_ = std::vector<uint32_t>(1000, kNowhere);
  DueList<Home> list_{{&places_}};
};

using Ids = std::vector<uint32_t>;

TEST_F(DueListTest, TakesFromLineAndHeapInOneOrder) {
  list_.Append(1, 10);
  list_.Append(3, 10);
  list_.Append(2, 10);  // out of order
  list_.Append(4, 5);   // out of order
  list_.Append(5, 20);
  list_.Set(6, 15);
  list_.Set(0, 20);
  EXPECT_EQ(list_.Next(), 5);
  EXPECT_EQ(Take(4), Ids{});
  EXPECT_EQ(Take(10), (Ids{4, 1, 2, 3}));
  EXPECT_EQ(list_.Next(), 15);
  EXPECT_EQ(Take(100), (Ids{6, 0, 5}));
  EXPECT_EQ(list_.Next(), kNever);
}

TEST_F(DueListTest, LeavesTheLineFromAnyPlace) {
  for (uint32_t id = 0; id < 6; ++id) list_.Append(id, 10);
  list_.Remove(0);
  list_.Remove(2);
  list_.Remove(2);
  list_.Remove(5);
  list_.Set(3, 7);
  list_.Append(5, 10);  // behind a hole of the same time
  EXPECT_EQ(list_.Next(), 7);
  EXPECT_EQ(Take(10), (Ids{3, 1, 4, 5}));
}

TEST_F(DueListTest, HolesDoNotPileUpWhileNobodyTakes) {
  list_.Append(0, 0);
  for (int round = 0; round < 10'000; ++round) {
    const uint32_t id = static_cast<uint32_t>(round) % 999 + 1;
    list_.Append(id, round);
    list_.Remove(id);
  }
  EXPECT_LT(list_.bytes(), 10'000u);
  EXPECT_EQ(Take(1), Ids{0});
}

TEST_F(DueListTest, OrderSurvivesClosingUp) {
  for (uint32_t id = 0; id < 1000; ++id) list_.Append(id, id);
  Ids expected;
  for (uint32_t id = 0; id < 1000; ++id) {
    if (id == 0 || id % 10 == 5) {
      expected.push_back(id);
    } else {
      list_.Remove(id);
    }
  }
  list_.Remove(5);
  std::erase(expected, 5u);
  EXPECT_EQ(Take(1000), expected);
}

TEST_F(DueListTest, RefusesAppendingTwice) {
  list_.Append(1, 1);
  EXPECT_DEATH(list_.Append(1, 2), "CHECK failed");
}

}  // namespace
}  // namespace evenmatch
