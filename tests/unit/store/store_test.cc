// What every store promises (here: the memory store and the fake one that tests script), and what the fake adds.

#include "store/store.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "store/memory_store.h"
#include "tests/support/fake_store.h"

namespace evenmatch {
namespace {

std::vector<CommitOutcome> Commit(Store& store, std::string_view group, uint64_t fence, uint64_t batch,
                                  std::span<const Event> events = {}) {
  std::vector<CommitOutcome> outcomes;
  store.Commit(group, fence, batch, events, [&](CommitOutcome outcome) { outcomes.push_back(outcome); });
  return outcomes;
}

using Outcomes = std::vector<CommitOutcome>;

class AnyStoreTest : public ::testing::TestWithParam<bool> {
 protected:
  AnyStoreTest() {
    if (GetParam()) {
      store_ = std::make_unique<MemoryStore>(100);
    } else {
      store_ = std::make_unique<FakeStore>();
    }
  }
  std::unique_ptr<Store> store_;
};

INSTANTIATE_TEST_SUITE_P(Stores, AnyStoreTest, ::testing::Values(true, false),
                         [](const auto& info) { return info.param ? "Memory" : "Fake"; });

TEST_P(AnyStoreTest, FencesOfAGroupRise) {
  const uint64_t first = *store_->Claim("a");
  const uint64_t second = *store_->Claim("a");
  EXPECT_GT(second, first);
}

TEST_P(AnyStoreTest, CommitIsAppliedAndDoneIsCalledOnce) {
  const uint64_t fence = *store_->Claim("a");
  EXPECT_EQ(Commit(*store_, "a", fence, 1), Outcomes{CommitOutcome::kApplied});
  EXPECT_EQ(Commit(*store_, "a", fence, 2), Outcomes{CommitOutcome::kApplied});
}

TEST_P(AnyStoreTest, SameBatchAgainIsAppliedAgain) {
  const uint64_t fence = *store_->Claim("a");
  Commit(*store_, "a", fence, 1);
  EXPECT_EQ(Commit(*store_, "a", fence, 1), Outcomes{CommitOutcome::kApplied});
  EXPECT_EQ(Commit(*store_, "a", fence, 2), Outcomes{CommitOutcome::kApplied});
}

TEST_P(AnyStoreTest, FormerOwnerIsFencedAndTheNewOneStartsAtOne) {
  const uint64_t old_fence = *store_->Claim("a");
  Commit(*store_, "a", old_fence, 1);
  Commit(*store_, "a", old_fence, 2);
  const uint64_t new_fence = *store_->Claim("a");
  EXPECT_EQ(Commit(*store_, "a", old_fence, 3), Outcomes{CommitOutcome::kFenced});
  EXPECT_EQ(Commit(*store_, "a", new_fence, 1), Outcomes{CommitOutcome::kApplied});
}

TEST_P(AnyStoreTest, GroupsDoNotShareFencesOrBatches) {
  const uint64_t a = *store_->Claim("a");
  const uint64_t b = *store_->Claim("b");
  *store_->Claim("b");
  EXPECT_EQ(Commit(*store_, "a", a, 1), Outcomes{CommitOutcome::kApplied});
  EXPECT_EQ(Commit(*store_, "b", b, 1), Outcomes{CommitOutcome::kFenced});
}

TEST(MemoryStoreTest, FirstFenceIsTheGivenOne) {
  MemoryStore store(1'700'000'000);
  EXPECT_EQ(*store.Claim("a"), 1'700'000'000u);
  EXPECT_EQ(*store.Claim("a"), 1'700'000'001u);
  EXPECT_EQ(*store.Claim("b"), 1'700'000'000u);
}

TEST(MemoryStoreTest, LoadTellsNothing) {
  MemoryStore store(1);
  const uint64_t fence = *store.Claim("a");
  EXPECT_TRUE(store.Load("a", fence, [](const Event&) { ADD_FAILURE(); }).ok());
}

TEST(MemoryStoreDeathTest, SkippedBatchIsABug) {
  MemoryStore store(1);
  const uint64_t fence = *store.Claim("a");
  EXPECT_DEATH(Commit(store, "a", fence, 2), "CHECK failed");
}

TEST(FakeStoreTest, LostAnswerAppliesAndLostRequestDoesNot) {
  FakeStore store;
  const uint64_t fence = *store.Claim("a");
  store.Script({FakeStore::Act::kApplySayUnknown, FakeStore::Act::kSayUnknown});
  std::vector<Event> events(1);
  EXPECT_EQ(Commit(store, "a", fence, 1, events), Outcomes{CommitOutcome::kUnknown});
  EXPECT_EQ(store.stored().size(), 1u);
  EXPECT_EQ(Commit(store, "a", fence, 1, events), Outcomes{CommitOutcome::kUnknown});
  EXPECT_EQ(Commit(store, "a", fence, 1, events), Outcomes{CommitOutcome::kApplied});
  EXPECT_EQ(store.stored().size(), 1u);
}

}  // namespace
}  // namespace evenmatch
