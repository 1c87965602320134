#include <pthread.h>

#include <atomic>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/clock.h"
#include "runtime/inbox.h"
#include "runtime/thread.h"
#include "runtime/waker.h"

namespace evenmatch {
namespace {

TEST(WakerTest, WakeBeforeSleepIsNotLost) {
  Waker waker;
  waker.Wake();
  waker.Sleep(kNever);  // would hang
}

TEST(WakerTest, OneWakeEndsOneSleepOnly) {
  Waker waker;
  waker.Wake();
  waker.Wake();
  waker.Sleep(kNever);
  std::atomic<bool> woken = false;
  std::latch asleep(1);
  std::thread sleeper([&] {
    asleep.count_down();
    waker.Sleep(kNever);
    EXPECT_TRUE(woken.load());
  });
  asleep.wait();
  woken = true;
  waker.Wake();
  sleeper.join();
}

TEST(WakerTest, SleepEndsByItselfAtItsLimit) {
  Waker waker;
  waker.Sleep(0);
  waker.Sleep(1);  // would hang
}

TEST(WakerTest, PingPongLosesNoWake) {
  Waker here, there;
  constexpr int kRounds = 20'000;
  int ball = 0;
  std::thread other([&] {
    for (int i = 0; i < kRounds; ++i) {
      there.Sleep(kNever);
      ++ball;
      here.Wake();
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    there.Wake();
    here.Sleep(kNever);
    ASSERT_EQ(ball, i + 1);
  }
  other.join();
}

class InboxTest : public ::testing::Test {
 protected:
  using Item = std::unique_ptr<int>;
  static Item Make(int value) { return std::make_unique<int>(value); }

  Waker waker_;
};

TEST_F(InboxTest, TakesEverythingInOrder) {
  Inbox<Item> inbox(10, &waker_);
  for (int i = 0; i < 5; ++i) ASSERT_EQ(inbox.Push(Make(i), 1), PushResult::kTaken);
  std::vector<Item> items;
  inbox.Take(&items);
  ASSERT_EQ(items.size(), 5u);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(*items[i], i);
}

TEST_F(InboxTest, RefusesWhenFullAndLeavesTheItemAlone) {
  Inbox<Item> inbox(10, &waker_);
  ASSERT_EQ(inbox.Push(Make(1), 7), PushResult::kTaken);
  Item item = Make(2);
  EXPECT_EQ(inbox.Push(std::move(item), 4), PushResult::kFull);
  ASSERT_NE(item, nullptr);
  EXPECT_EQ(*item, 2);
  EXPECT_EQ(inbox.Push(std::move(item), 3), PushResult::kTaken);
  EXPECT_EQ(inbox.depth(), 10u);
}

TEST_F(InboxTest, WhatWasTakenWeighsUntilItIsReleased) {
  Inbox<Item> inbox(10, &waker_);
  ASSERT_EQ(inbox.Push(Make(1), 10), PushResult::kTaken);
  std::vector<Item> items;
  inbox.Take(&items);
  EXPECT_EQ(inbox.Push(Make(2), 1), PushResult::kFull);
  inbox.Release(4);
  EXPECT_EQ(inbox.Push(Make(2), 4), PushResult::kTaken);
}

TEST_F(InboxTest, EmptyInboxTakesAnItemHeavierThanItsCapacity) {
  Inbox<Item> inbox(10, &waker_);
  EXPECT_EQ(inbox.Push(Make(1), 11), PushResult::kTaken);
  EXPECT_EQ(inbox.Push(Make(2), 1), PushResult::kFull);
}

TEST_F(InboxTest, AlwaysPassesOverTheBound) {
  Inbox<Item> inbox(1, &waker_);
  ASSERT_EQ(inbox.Push(Make(1), 1), PushResult::kTaken);
  EXPECT_EQ(inbox.Push(Make(2), 1, /*always=*/true), PushResult::kTaken);
}

TEST_F(InboxTest, ClosedInboxRefusesButKeepsWhatItHas) {
  Inbox<Item> inbox(10, &waker_);
  ASSERT_EQ(inbox.Push(Make(1), 1), PushResult::kTaken);
  inbox.Close();
  EXPECT_EQ(inbox.Push(Make(2), 1), PushResult::kClosed);
  EXPECT_EQ(inbox.Push(Make(3), 1, /*always=*/true), PushResult::kClosed);
  std::vector<Item> items;
  inbox.Take(&items);
  EXPECT_EQ(items.size(), 1u);
}

TEST_F(InboxTest, ManyProducersLoseNothingAndKeepTheirOrder) {
  constexpr int kProducers = 4, kItems = 20'000;
  Inbox<std::pair<int, int>> inbox(256, &waker_);
  std::vector<std::thread> producers;
  for (int p = 0; p < kProducers; ++p) {
    producers.emplace_back([&, p] {
      for (int i = 0; i < kItems; ++i) {
        while (inbox.Push({p, i}, 1) == PushResult::kFull) std::this_thread::yield();
      }
    });
  }
  std::vector<int> next(kProducers, 0);
  std::vector<std::pair<int, int>> items;
  for (int taken = 0; taken < kProducers * kItems;) {
    waker_.Sleep(kNever);
    inbox.Take(&items);
    EXPECT_LE(items.size(), 256u);
    for (const auto& [producer, i] : items) ASSERT_EQ(i, next[producer]++);
    inbox.Release(items.size());
    taken += static_cast<int>(items.size());
    items.clear();
  }
  for (std::thread& producer : producers) producer.join();
  EXPECT_EQ(inbox.depth(), 0u);
}

TEST(SystemClockTest, NeverGoesBackwards) {
  SystemClock clock;
  Micros last = clock.Now();
  for (int i = 0; i < 1000; ++i) {
    const Micros now = clock.Now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(ThreadTest, NameIsCutToWhatLinuxKeeps) {
  std::thread([] {
    NameThisThread("em-shard-0123456789");
    char name[32];
    ASSERT_EQ(pthread_getname_np(pthread_self(), name, sizeof(name)), 0);
    EXPECT_STREQ(name, "em-shard-012345");
  }).join();
}

}  // namespace
}  // namespace evenmatch
