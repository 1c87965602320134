// Nothing that a group keeps grows without end.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>

#include "base/random.h"
#include "tests/support/group_world.h"

namespace evenmatch {
namespace {

// Everything a client can do to a ticket, over and over; ends with all retentions over.
void Cycle(GroupWorld& world, int count, uint64_t seed) {
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    const uint64_t n = random.Below(50'000);
    TicketSpec spec{.id = Name("ticket-with-a-longer-name-", n),
                    .players = {{Name("p", n), static_cast<int>(random.Below(3000))}}};
    spec.queues = random.Percent(30) ? std::vector<uint32_t>{0, 1} : std::vector<uint32_t>{0};
    if (random.Percent(30)) spec.session = Name("session", random.Below(100));
    if (random.Percent(30)) spec.attributes["map"] = Name("map", n);
    if (random.Percent(10)) spec.presence = Presence::kStream;
    spec.peer = random.Below(100);
    world.Enqueue(spec);
    if (random.Percent(20)) world.Attach(spec.id);
    if (random.Percent(20)) world.Cancel(spec.id);
    if (random.Percent(20)) world.Do(AcknowledgeCommand{{.ticket_id = spec.id}, "", 2});
    if (random.Percent(1)) {
      const std::string session = Name("session", random.Below(100));
      world.AttachSession(session);
      world.Do(DetachSessionCommand{session});
    }
    world.now += kMillisecond;
    if (i % 100 == 0) {
      world.Tick(0);
      world.Tick(1);
      world.events.clear();
    }
  }
  for (Micros next = world.group.NextDeadline(); next != kNever; next = world.group.NextDeadline()) {
    world.Pass(std::max(next - world.now, kMinute));
    world.events.clear();
  }
}

TEST(BoundsTest, HundredThousandCyclesLeaveNothing) {
  QueueRules duel = DuelRules("duel");
  duel.required_attributes = {"map"};
  duel.hold_timeout = 5 * kSecond;
  Limits limits;
  limits.waiting_per_peer = 10'000;
  GroupWorld world({duel, DuelRules("other")}, limits);
  const uint64_t empty = world.group.Signature();
  Cycle(world, 100'000, 1);
  world.group.CheckInvariants();
  EXPECT_EQ(world.group.Signature(), empty);
  EXPECT_EQ(world.group.NextDeadline(), kNever) << "no list and no heap holds anything";
  for (uint32_t queue : {0u, 1u}) {
    const QueueStats stats = world.group.Stats(queue, world.now);
    EXPECT_EQ(stats.waiting_tickets, 0u);
    EXPECT_EQ(stats.live_matches, 0u);
  }
  EXPECT_GT(world.group.Stats(0, world.now).matches, 10'000u);

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  Cycle(world, 100'000, 2);  // tables keep the room of their peak
  const size_t before = mallinfo2().uordblks;
  Cycle(world, 100'000, 3);
  EXPECT_LT(static_cast<double>(mallinfo2().uordblks), static_cast<double>(before) * 1.1);
#endif
}

TEST(BoundsTest, AtTheCapsOfEndedTicketsAndMatchesNothingGrows) {
  QueueRules duel = DuelRules("duel");
  duel.hold_timeout = 0;
  Limits limits;
  limits.tickets_per_group = 1'000;
  limits.retained_matches_per_group = 100;
  GroupWorld world({duel}, limits);
  size_t forgotten = 0, matches_forgotten = 0;
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(world.Enqueue({.id = Name("t", i), .players = {{Name("p", i), 1500}}}).status.ok());
    world.Tick();
    world.Pass(kSecond);  // within the delivery retention there are 120 at most
    forgotten += world.CountOf(EventKind::kForgotten);
    matches_forgotten += world.CountOf(EventKind::kMatchForgotten);
    world.events.clear();
  }
  world.group.CheckInvariants();
  EXPECT_GE(forgotten, 19'000u);
  EXPECT_GE(matches_forgotten, 9'890u);
}

}  // namespace
}  // namespace evenmatch
