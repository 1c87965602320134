#include "base/slab.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/hash_index.h"
#include "base/slot_list.h"
#include "tests/support/tickets.h"

namespace evenmatch {
namespace {

TEST(SlabTest, HandleOfARemovedRecordFindsNothing) {
  Slab<std::string> slab;
  const uint64_t first = slab.Add("first");
  slab.Remove(SlotOf(first));
  const uint64_t second = slab.Add("second");
  EXPECT_EQ(SlotOf(first), SlotOf(second)) << "the slot is reused";
  EXPECT_NE(first, second);
  EXPECT_EQ(slab.Find(first), nullptr);
  ASSERT_NE(slab.Find(second), nullptr);
  EXPECT_EQ(*slab.Find(second), "second");
  EXPECT_EQ(slab.Find(0), nullptr);
}

TEST(SlabTest, HandlesAreKnownBeforeTheRecordIsAdded) {
  Slab<int> slab;
  for (int i = 0; i < 2'000; ++i) {
    const uint64_t next = slab.NextHandle();
    EXPECT_EQ(slab.Add(i), next);
  }
  const uint64_t next = slab.NextHandleAfterRemoving(1'234);
  slab.Remove(1'234);
  EXPECT_EQ(slab.NextHandle(), next);
  EXPECT_EQ(slab.Add(0), next);
}

TEST(SlabTest, RecordsStayWhereTheyAre) {
  Slab<int> slab;
  const int* first = &slab[SlotOf(slab.Add(1))];
  for (int i = 0; i < 5'000; ++i) slab.Add(i);
  EXPECT_EQ(first, &slab[0]);
}

TEST(SlabTest, RemovedRecordGivesUpWhatItHeld) {
  Slab<std::shared_ptr<int>> slab;
  const auto held = std::make_shared<int>(1);
  const uint64_t handle = slab.Add(held);
  EXPECT_EQ(held.use_count(), 2);
  slab.Remove(SlotOf(handle));
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(slab.size(), 0u);
}

TEST(SlabDeathTest, SlotThatIsNotInUseIsABug) {
  Slab<int> slab;
  slab.Add(1);
  slab.Remove(0);
  EXPECT_DEATH(slab[0], "CHECK failed");
  EXPECT_DEATH(slab.Remove(0), "CHECK failed");
}

TEST(SlotListTest, LeavesInOrderWhoeverLeavesEarly) {
  std::vector<SlotLinks> links(5);
  const auto link_of = [&](uint32_t slot) -> SlotLinks& { return links[slot]; };
  SlotList list;
  for (uint32_t slot = 0; slot < 5; ++slot) list.PushBack(slot, link_of);
  list.Remove(0, link_of);
  list.Remove(2, link_of);
  list.Remove(4, link_of);
  list.PushBack(0, link_of);
  std::vector<uint32_t> order;
  for (uint32_t slot = list.head(); slot != kNoSlot; slot = links[slot].next) order.push_back(slot);
  EXPECT_EQ(order, (std::vector<uint32_t>{1, 3, 0}));
  for (uint32_t slot : order) list.Remove(slot, link_of);
  EXPECT_TRUE(list.empty());
}

TEST(SlotListDeathTest, RemovingWhatIsInNoListIsABug) {
  std::vector<SlotLinks> links(2);
  const auto link_of = [&](uint32_t slot) -> SlotLinks& { return links[slot]; };
  SlotList list;
  list.PushBack(0, link_of);
  EXPECT_DEATH(list.Remove(1, link_of), "CHECK failed");
}

struct Words {
  std::vector<std::string> words;
  std::string_view KeyOf(uint32_t number) const { return words[number]; }
};

TEST(TextIndexTest, FindsEveryTextAmongManyAndNoOther) {
  Words words;
  TextIndex<Words> index(&words);
  for (uint32_t i = 0; i < 10'000; ++i) {
    words.words.push_back(Name("word", i));
    index.Insert(i, HashedText(words.words.back()));
  }
  for (uint32_t i = 0; i < 10'000; i += 2) index.Erase(i, HashedText(words.words[i]));
  for (uint32_t i = 0; i < 10'000; ++i) {
    EXPECT_EQ(index.Find(HashedText(words.words[i])), i % 2 == 0 ? kNoSlot : i);
  }
  EXPECT_EQ(index.Find(HashedText("word")), kNoSlot);
  EXPECT_EQ(index.size(), 5'000u);
}

TEST(TextIndexDeathTest, InsertingAgainAndErasingWhatIsNotThereAreBugs) {
  Words words{{"a", "b", "a"}};
  TextIndex<Words> index(&words);
  index.Insert(0, HashedText("a"));
  EXPECT_DEATH(index.Insert(0, HashedText("a")), "CHECK failed");
  EXPECT_DEATH(index.Insert(2, HashedText("a")), "CHECK failed") << "the same text under another number";
  EXPECT_DEATH(index.Erase(1, HashedText("b")), "CHECK failed");
}

}  // namespace
}  // namespace evenmatch
