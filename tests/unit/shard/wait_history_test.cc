#include "shard/wait_history.h"

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "tests/support/group_world.h"

namespace evenmatch {
namespace {

constexpr Micros kNow = 1'000 * kSecond;

TEST(WaitHistoryTest, KnowsNothingUntilEnoughWereMatched) {
  WaitHistory waits{QueueRules()};
  for (uint32_t i = 1; i < WaitHistory::kEnough; ++i) waits.Note(1500 * kPoint, 1, kSecond, kNow);
  EXPECT_EQ(waits.Of(1500 * kPoint, 1, kNow).p90, 0);
  waits.Note(1500 * kPoint, 1, kSecond, kNow);
  EXPECT_GT(waits.Of(1500 * kPoint, 1, kNow).p90, 0);
}

TEST(WaitHistoryTest, AnswersAreWithinAQuarterOfTheTruePercentiles) {
  Random random(3);
  for (const Micros longest : {kSecond, 20 * kSecond, 300 * kSecond, kHour}) {
    WaitHistory waits{QueueRules()};
    std::vector<Micros> noted;
    for (int i = 0; i < 2'000; ++i) {
      noted.push_back(random.Between(0, longest) * random.Between(0, 1'000) / 1'000);
      waits.Note(1500 * kPoint, 1, noted.back(), kNow);
    }
    std::sort(noted.begin(), noted.end());
    const ExpectedWait expected = waits.Of(1500 * kPoint, 1, kNow);
    EXPECT_NEAR(static_cast<double>(expected.p50), static_cast<double>(noted[1'000]), noted[1'000] * 0.25 + 20'000);
    EXPECT_NEAR(static_cast<double>(expected.p90), static_cast<double>(noted[1'800]), noted[1'800] * 0.25 + 20'000);
    EXPECT_LE(expected.p50, expected.p90);
  }
}

TEST(WaitHistoryTest, RegionsAndPartySizesAreToldApartAndFallBackToCoarserGroups) {
  WaitHistory waits{QueueRules()};
  const auto note = [&](int value, int32_t heads, Micros wait, int times) {
    for (int i = 0; i < times; ++i) waits.Note(value * kPoint, heads, wait, kNow);
  };
  note(1500, 1, kSecond, 1'000);
  note(2500, 1, 30 * kSecond, 100);
  note(1500, 3, 8 * kSecond, 100);
  const auto p50 = [&](int value, int32_t heads) { return waits.Of(value * kPoint, heads, kNow).p50; };
  EXPECT_NEAR(static_cast<double>(p50(1500, 1)), 1e6, 2e5);
  EXPECT_NEAR(static_cast<double>(p50(2500, 1)), 30e6, 6e6);
  EXPECT_NEAR(static_cast<double>(p50(1500, 3)), 8e6, 2e6);
  EXPECT_EQ(p50(2500, 3), p50(2500, 1)) << "nobody of three there: the region counts";
  EXPECT_EQ(p50(3500, 3), p50(1500, 3)) << "nobody in that region: the size counts";
  EXPECT_NEAR(static_cast<double>(p50(3500, 2)), 1e6, 2e5) << "neither: the queue counts";
}

TEST(WaitHistoryTest, FollowsWhatChangesAndForgets) {
  WaitHistory waits{QueueRules()};
  for (int i = 0; i < 500; ++i) waits.Note(1500 * kPoint, 1, 40 * kSecond, kNow);
  const Micros later = kNow + 3 * WaitHistory::kHalfLife;
  for (int i = 0; i < 100; ++i) waits.Note(1500 * kPoint, 1, kSecond, later);
  EXPECT_LT(waits.Of(1500 * kPoint, 1, later).p50, 2 * kSecond);
  EXPECT_EQ(waits.Of(1500 * kPoint, 1, later + 10 * WaitHistory::kHalfLife).p90, 0);
}

TEST(WaitHistoryTest, ALongWaitAndAnyValueAreTaken) {
  WaitHistory waits{DuelRules("duel", 1)};
  for (int i = 0; i < 50; ++i) waits.Note(i % 2 == 0 ? kMaxValue : -kMaxValue, 64, 1'000 * kHour, kNow);
  EXPECT_GT(waits.Of(kMaxValue, 64, kNow).p50, kHour);
}

TEST(ExpectedWaitTest, IsToldWithEventsAndViews) {
  GroupWorld world({DuelRules("duel"), DuelRules("other")});
  for (uint64_t i = 0; i < 20; ++i) {
    world.Enqueue({.id = Name("a", i), .players = {{Name("a", i), 1500}}});
    world.Enqueue({.id = Name("b", i), .players = {{Name("b", i), 1500}}});
    world.Pass(3 * kSecond);
    ASSERT_EQ(world.Tick().matches, 1u);
  }
  world.TakeEvents();
  world.Enqueue({.id = "t", .players = {{"p", 1500}}, .queues = {1, 0}});
  ASSERT_EQ(world.events.size(), 1u);
  EXPECT_NEAR(static_cast<double>(world.events[0].expected_p50), 3e6, 75e4);
  EXPECT_NEAR(static_cast<double>(world.events[0].expected_p90), 3e6, 75e4);
  const TicketView view = world.Ticket("t");
  EXPECT_EQ(view.queues[0].expected_p90, 0) << "nobody was matched there";
  EXPECT_EQ(view.queues[1].expected_p90, world.events[0].expected_p90);
  const AttachReply attached = world.Attach("t");
  EXPECT_EQ(attached.events[0].expected_p50, world.events[0].expected_p50);
}

}  // namespace
}  // namespace evenmatch
