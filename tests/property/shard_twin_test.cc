// Thousands of seeded random worlds of commands, ticks and passing time against the twin of shard_twin.h.
#include "tests/property/shard_twin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "shard/pool_group.h"
#include "tests/support/tickets.h"

namespace evenmatch {
namespace {

constexpr uint64_t kWorlds = 3'000;
constexpr int kSteps = 250;

Catalog RandomCatalog(Random& random) {
  std::vector<QueueRules> queues;
  const uint64_t count = 1 + random.Below(3);
  for (uint64_t i = 0; i < count; ++i) {
    QueueRules rules = DuelRules(Name("q", i), static_cast<MilliPoints>(random.Between(0, 300)) * kPoint);
    if (random.Percent(40)) rules.team_size = static_cast<int32_t>(random.Between(1, 3));
    if (random.Percent(10)) rules.team_count = 3;
    if (random.Percent(50)) {
      rules.window.growth_per_second = static_cast<MilliPoints>(random.Between(0, 50)) * kPoint;
      rules.window.max = rules.window.base + static_cast<MilliPoints>(random.Between(0, 500)) * kPoint;
    } else if (random.Percent(50)) {
      rules.window.steps = {{0, 50 * kPoint}, {7 * kSecond, 200 * kPoint}, {20 * kSecond, kUnlimitedWindow}};
    }
    if (random.Percent(30)) rules.required_attributes = {"map"};
    if (random.Percent(20)) rules.max_waiting = 3;
    const Micros holds[] = {0, 1, 20 * kSecond, 15 * kMinute};
    rules.hold_timeout = holds[random.Below(4)];
    queues.push_back(rules);
  }
  return MakeCatalog(std::move(queues));
}

class World {
 public:
  explicit World(uint64_t seed)
      : random_(seed), catalog_(RandomCatalog(random_)), limits_(RandomLimits()), twin_(catalog_, limits_) {
    group_ = std::make_unique<PoolGroup>(catalog_, 0, /*fence=*/3, limits_);
  }

  void Run() {
    for (int step = 0; step < kSteps && !testing::Test::HasFailure(); ++step) {
      SCOPED_TRACE(Name("step ", static_cast<uint64_t>(step)));
      if (random_.Percent(40)) now_ += random_.Percent(5) ? 11 * kMinute : random_.Between(0, 4 * kSecond);
      // Often to the very instant of a deadline.
      const Micros deadline = group_->NextDeadline();
      if (random_.Percent(20) && deadline < now_ + 2 * kMinute) now_ = std::max(now_, deadline);
      Step();
      if (random_.Percent(20)) group_->CheckInvariants();
      if (random_.Percent(2)) CheckHeir();
    }
    group_->CheckInvariants();
    CheckHeir();
  }

 private:
  Limits RandomLimits() {
    Limits limits;
    if (random_.Percent(30)) limits.retained_matches_per_group = random_.Below(4);
    if (random_.Percent(30)) limits.tickets_per_group = 2 + random_.Below(10);
    if (random_.Percent(30)) limits.waiting_per_peer = 1 + random_.Below(3);
    return limits;
  }

  std::string AnyId() { return Name("t", random_.Below(25)); }
  std::string AnyPlayer() { return Name("p", random_.Below(20)); }
  std::string AnySession() { return Name("s", random_.Below(3)); }
  TicketName AnyName() {
    return random_.Percent(70) ? TicketName{.ticket_id = AnyId()} : TicketName{.player_id = AnyPlayer()};
  }

  std::shared_ptr<Ticket> AnyTicket() {
    TicketSpec spec{.id = random_.Percent(90) ? AnyId() : "", .queues = {}};
    const uint32_t count = static_cast<uint32_t>(catalog_.queues.size());
    const uint32_t first = static_cast<uint32_t>(random_.Below(count));
    for (uint32_t i = 0; i < 1 + random_.Below(count); ++i) spec.queues.push_back((first + i) % count);
    int32_t most = 3;  // a party fits a team of each of its queues
    for (uint32_t queue : spec.queues) most = std::min(most, catalog_.queues[queue].team_size);
    const uint64_t first_player = random_.Below(20);
    for (uint64_t i = 0; i < random_.Below(static_cast<uint64_t>(most)) + 1; ++i) {
      spec.players.push_back({Name("p", (first_player + i * 7) % 20), static_cast<int>(random_.Between(1300, 1700))});
    }
    const Micros timeouts[] = {1, 5 * kSecond, 30 * kSecond, kHour};
    spec.timeout = timeouts[random_.Below(4)];
    if (random_.Percent(30)) spec.presence = Presence::kStream;
    if (random_.Percent(40)) spec.session = AnySession();
    spec.peer = static_cast<uint32_t>(random_.Below(3));
    if (random_.Percent(50)) spec.attributes["map"] = Name("m", random_.Below(2));
    return MakeTicket(spec);
  }

  Reply Do(const Command& command) {
    const Reply reply = group_->Apply(command, now_, &events_);
    HearEvents();
    return reply;
  }

  void HearEvents() {
    for (const Event& event : events_) {
      twin_.Hear(event);
      if (IsStored(event.kind)) stored_.push_back(event);
    }
    events_.clear();
    twin_.CheckNothingOverdue(now_);
  }

  void Step() {
    group_->Advance(now_, &events_);
    HearEvents();
    switch (random_.Below(12)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return Enqueue();
      case 4:
        return Cancel();
      case 5:
      case 6: {
        const auto queue = static_cast<uint32_t>(random_.Below(catalog_.queues.size()));
        group_->Tick(queue, now_, &events_);
        return HearEvents();
      }
      case 7:
        return Attach();
      case 8:
        return random_.Percent(50) ? Detach() : Session();
      case 9:
        return Acknowledge();
      case 10:
        return Match();
      case 11:
        if (random_.Percent(20)) return Pause();
        return Get();
    }
  }

  void Enqueue() {
    std::shared_ptr<const Ticket> ticket = AnyTicket();
    const auto known = twin_.tickets.find(ticket->ticket_id);
    const bool existing = known != twin_.tickets.end();
    if (existing && random_.Percent(50)) {  // a repeat, by whatever way
      ticket = random_.Percent(50) ? known->second.ticket : WithSession(*known->second.ticket, ticket->session);
    }
    const bool moves = twin_.Moves(*ticket, now_);
    const absl::StatusCode expected = twin_.Enqueue(*ticket, now_);
    const size_t stored = stored_.size();
    const Reply reply = Do(EnqueueCommand{ticket});
    EXPECT_EQ(reply.status.code(), expected) << reply.status;
    if (!reply.status.ok()) {
      EXPECT_EQ(stored_.size(), stored) << "a refusal leaves no event";
      EXPECT_EQ(reply.conflict.match != nullptr, expected == absl::StatusCode::kFailedPrecondition);
      EXPECT_EQ(reply.conflict.ticket != nullptr,
                expected == absl::StatusCode::kFailedPrecondition || expected == absl::StatusCode::kAlreadyExists);
      return;
    }
    const EnqueueReply& answer = std::get<EnqueueReply>(reply.value);
    EXPECT_EQ(answer.existing, existing);
    EXPECT_EQ(stored_.size() - stored, existing && !moves ? 0u : 1u);
    EXPECT_TRUE(!moves || *answer.ticket.ticket->session == *ticket->session);
    CheckView(answer.ticket);
  }

  void Cancel() {
    const TicketName name = AnyName();
    const ShardTwin::TwinTicket* ticket = twin_.Find(name);
    if (ticket == nullptr) {
      EXPECT_EQ(Do(CancelCommand{name}).status.code(), absl::StatusCode::kNotFound);
      return;
    }
    const CancelOutcome expected = ticket->state == TicketState::kWaiting   ? CancelOutcome::kCancelled
                                   : ticket->state == TicketState::kMatched ? CancelOutcome::kAlreadyMatched
                                                                            : CancelOutcome::kAlreadyEnded;
    const Reply reply = Do(CancelCommand{name});
    ASSERT_TRUE(reply.status.ok());
    const CancelReply& answer = std::get<CancelReply>(reply.value);
    EXPECT_EQ(answer.outcome, expected);
    EXPECT_EQ(answer.ticket.match != nullptr, expected == CancelOutcome::kAlreadyMatched);
    CheckView(answer.ticket);
  }

  void Attach() {
    const TicketName name = AnyName();
    const ShardTwin::TwinTicket* ticket = twin_.Find(name);
    const bool from_cursor = random_.Percent(50);
    const auto cursor = static_cast<uint32_t>(random_.Below(4));
    const ShardTwin::TwinTicket before = ticket == nullptr ? ShardTwin::TwinTicket() : *ticket;
    const Reply reply = Do(AttachCommand{name, from_cursor, cursor});
    if (ticket == nullptr) {
      EXPECT_EQ(reply.status.code(), absl::StatusCode::kNotFound);
      return;
    }
    if (from_cursor && cursor > before.sequence) {
      EXPECT_EQ(reply.status.code(), absl::StatusCode::kInvalidArgument);
      return;
    }
    const AttachReply& answer = std::get<AttachReply>(reply.value);
    const bool ended = before.state != TicketState::kWaiting;
    EXPECT_EQ(answer.final, ended);
    if (!ended) handles_.push_back(answer.handle);
    if (!from_cursor) {
      ASSERT_EQ(answer.events.size(), 1u);
      EXPECT_TRUE(answer.events[0].snapshot);
      EXPECT_EQ(answer.events[0].sequence, before.sequence);
      return;
    }
    const bool again =
        ended && cursor == before.sequence && !before.acknowledged() && now_ - before.ended_at < kDeliveryRetention;
    ASSERT_EQ(answer.events.size(), before.sequence - cursor + (again ? 1 : 0));
    for (size_t i = 0; i < answer.events.size(); ++i) {
      EXPECT_EQ(answer.events[i].sequence, again ? cursor : cursor + 1 + i) << "gapless";
      EXPECT_EQ(IsFinal(answer.events[i].kind), answer.events[i].sequence == 2);
    }
  }

  void Detach() {
    if (handles_.empty()) return;
    const size_t which = random_.Below(handles_.size());
    const uint64_t handle = handles_[which];
    handles_.erase(handles_.begin() + static_cast<std::ptrdiff_t>(which));
    Do(DetachCommand{handle});
  }

  void Session() {
    const std::string session = AnySession();
    if (random_.Percent(50)) {
      twin_.DetachSession(session, now_);
      Do(DetachSessionCommand{session});
      return;
    }
    twin_.AttachSession(session);
    CheckSnapshots(session, Do(AttachSessionCommand{session}));
  }

  void CheckSnapshots(const std::string& session, const Reply& reply) {
    std::set<std::string> expected, told;
    for (const auto& [id, ticket] : twin_.tickets) {
      if (ShardTwin::SessionOf(ticket) == session && ShardTwin::IsToldOf(ticket, now_)) expected.insert(id);
    }
    uint64_t last = 0;
    for (const Event& event : std::get<AttachSessionReply>(reply.value).snapshots) {
      EXPECT_TRUE(told.insert(event.ticket->ticket_id).second);
      const uint64_t came = twin_.tickets.at(event.ticket->ticket_id).came;
      EXPECT_GT(came, last) << "in the order in which they came";
      last = came;
    }
    EXPECT_EQ(told, expected);
  }

  void Acknowledge() {
    const TicketName name{.ticket_id = AnyId()};
    const ShardTwin::TwinTicket* ticket = twin_.Find(name);
    const std::string player = random_.Percent(50) ? AnyPlayer() : "";
    const auto sequence = static_cast<uint32_t>(random_.Below(4));
    absl::StatusCode expected = absl::StatusCode::kOk;
    if (ticket == nullptr) {
      expected = absl::StatusCode::kNotFound;
    } else {
      bool member = player.empty();
      for (const Player& one : ticket->ticket->players) member |= one.player_id == player;
      if (!member || sequence > ticket->sequence) expected = absl::StatusCode::kInvalidArgument;
    }
    EXPECT_EQ(Do(AcknowledgeCommand{name, player, sequence}).status.code(), expected);
  }

  void Match() {
    if (twin_.matches.empty()) return;
    auto chosen = twin_.matches.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(random_.Below(twin_.matches.size())));
    const MatchId id = chosen->second->id;
    EXPECT_EQ(std::get<MatchView>(Do(GetMatchCommand{id}).value).state, MatchState::kFormed);
    const Reply reply = Do(EndMatchCommand{id});
    EXPECT_EQ(std::get<MatchView>(reply.value).end, MatchEnd::kEndMatch);
  }

  void Pause() {
    const auto queue = static_cast<uint32_t>(random_.Below(catalog_.queues.size()));
    const bool pause = random_.Percent(50);
    pause ? (void)twin_.paused.insert(queue) : (void)twin_.paused.erase(queue);
    Do(PauseQueueCommand{queue, pause});
  }

  void Get() {
    const TicketName name = AnyName();
    const ShardTwin::TwinTicket* ticket = twin_.Find(name);
    const Reply reply = Do(GetTicketCommand{name});
    ASSERT_EQ(reply.status.ok(), ticket != nullptr);
    if (ticket != nullptr) CheckView(std::get<TicketView>(reply.value));
    for (uint32_t queue = 0; queue < catalog_.queues.size(); ++queue) {
      const QueueStats stats = group_->Stats(queue, now_);
      EXPECT_EQ(stats.waiting_tickets, twin_.WaitingIn(queue));
      size_t live = 0;
      for (const auto& [sequence, match] : twin_.matches) live += match->queue == queue;
      EXPECT_EQ(stats.live_matches, live);
    }
  }

  void CheckView(const TicketView& view) {
    const auto& ticket = twin_.tickets.at(view.ticket->ticket_id);
    EXPECT_EQ(view.handle, ticket.handle);
    EXPECT_EQ(view.ticket, ticket.ticket);
    EXPECT_EQ(view.state, ticket.state);
    EXPECT_EQ(view.sequence, ticket.sequence);
    EXPECT_EQ(view.queued_at, ticket.queued_at);
    EXPECT_EQ(view.ended_at, ticket.ended_at);
    EXPECT_EQ(view.queues.size(), ticket.state == TicketState::kWaiting ? ticket.ticket->queues.size() : 0);
  }

  // Folding the stored events into an empty group gives the same tickets, claims and matches, of the same sessions.
  void CheckHeir() {
    PoolGroup heir(catalog_, 0, /*fence=*/4, limits_);
    for (const Event& event : stored_) heir.Restore(event);
    heir.CheckInvariants();
    EXPECT_EQ(heir.Signature(), group_->Signature());
    std::vector<Event> events;
    for (const char* session : {"s0", "s1", "s2"}) {
      CheckSnapshots(session, heir.Apply(AttachSessionCommand{session}, now_, &events));
    }
  }

  Random random_;
  const Catalog catalog_;
  const Limits limits_;
  ShardTwin twin_;
  std::unique_ptr<PoolGroup> group_;
  Micros now_ = kHour;
  std::vector<Event> events_;
  std::vector<Event> stored_;
  std::vector<uint64_t> handles_;
};

TEST(ShardTwinTest, GroupDoesWhatItsTwinSays) {
  for (uint64_t seed = 1; seed <= kWorlds; ++seed) {
    SCOPED_TRACE(Name("seed ", seed));
    World(seed).Run();
    if (HasFailure()) break;
  }
}

TEST(ShardTwinTest, SameCommandsGiveTheSameEventsToTheBit) {
  // Two groups in one process have hash tables of different layout; nothing visible may depend on it.
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(Name("seed ", seed));
    uint64_t digests[2] = {0, 0};
    for (uint64_t& digest : digests) {
      Random random(seed);
      const Catalog catalog = RandomCatalog(random);
      const Limits limits;
      PoolGroup group(catalog, 0, 1, limits);
      std::vector<Event> events;
      Micros now = 0;
      for (int i = 0; i < 300; ++i) {
        now += random.Between(0, kSecond);
        TicketSpec spec{.id = Name("t", random.Below(60)),
                        .players = {{Name("p", random.Below(60)), static_cast<int>(random.Between(1400, 1600))}},
                        .queues = {static_cast<uint32_t>(random.Below(catalog.queues.size()))},
                        .timeout = 20 * kSecond};
        group.Apply(EnqueueCommand{MakeTicket(spec)}, now, &events);
        if (random.Percent(20)) group.Tick(static_cast<uint32_t>(random.Below(catalog.queues.size())), now, &events);
      }
      for (const Event& event : events) {
        digest = HashMix(digest, static_cast<uint64_t>(event.kind) << 32 | event.sequence);
        digest = HashMix(HashMix(digest, event.handle), static_cast<uint64_t>(event.at));
        if (event.match != nullptr) digest = HashMix(digest, event.match->id.sequence);
      }
    }
    EXPECT_EQ(digests[0], digests[1]);
  }
}

}  // namespace
}  // namespace evenmatch
