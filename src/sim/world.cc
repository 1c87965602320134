#include "sim/world.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <queue>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/text.h"
#include "shard/pool_group.h"

namespace evenmatch {
namespace {

constexpr Micros kStart = kHour;         // of the world, on the clock of its groups
constexpr size_t kKeptTickets = 16'384;  // ended ones a group, so that memory stays in the caches
constexpr size_t kSlices = 60;
constexpr uint64_t kTicketsPerProgress = 2'048;
constexpr size_t kBandSample = 200'000;

// One number for all that was said; order matters.
class Signature {
 public:
  void Add(const Event& event) {
    Mix(static_cast<uint64_t>(event.kind) << 32 | event.sequence);
    Mix(static_cast<uint64_t>(event.at));
    Mix(event.handle);
    if (event.kind != EventKind::kMatchFormed) return;
    const Match& match = *event.match;
    Mix(match.id.sequence);
    Mix(static_cast<uint64_t>(match.queue) << 32 | static_cast<uint32_t>(match.quality));
    Mix(static_cast<uint64_t>(match.spread) << 32 | static_cast<uint32_t>(match.stage));
    Mix(static_cast<uint64_t>(match.region));
    for (const Match::Side& side : match.sides) {
      Mix(side.handle);
      Mix(static_cast<uint64_t>(side.team));
    }
    for (const BasisPoints chance : match.win_chance) Mix(static_cast<uint64_t>(chance));
    for (const SeatRole& seat : match.roles) Mix(static_cast<uint64_t>(seat.role) << 1 | seat.fill);
    for (const TermCost& cost : match.costs) Mix(static_cast<uint64_t>(cost.cost));
  }
  uint64_t value() const { return value_; }

 private:
  void Mix(uint64_t word) { value_ = HashMix(value_, word); }
  uint64_t value_ = 0;
};

// A share whose queues have their numbers.
struct Door {
  std::vector<uint32_t> queues;
  uint16_t group = 0;
  Micros timeout = 0;
  double up_to = 0;  // chance below which it is taken, if none before is
};

absl::StatusOr<std::vector<Door>> FindDoors(const Catalog& catalog, const Limits& limits, const Scenario& scenario) {
  std::vector<Door> doors;
  double sum = 0;
  for (const QueueShare& share : scenario.shares) {
    Door& door = doors.emplace_back();
    door.timeout = std::min(scenario.timeout > 0 ? scenario.timeout : kNever, limits.ticket_timeout);
    for (const std::string& name : share.queues) {
      const int found = catalog.FindQueue(name);
      if (found < 0) return absl::NotFoundError(absl::StrCat("there is no queue ", Quote(name)));
      const auto index = static_cast<uint32_t>(found);
      const QueueRules& rules = catalog.queues[index];
      if (scenario.crowd.parties.largest() > std::min(rules.team_size, rules.party.max_size)) {
        return absl::InvalidArgumentError(
            absl::StrCat("parties of ", scenario.crowd.parties.largest(), " do not fit into queue ", Quote(name)));
      }
      if (door.queues.empty()) door.group = static_cast<uint16_t>(rules.group);
      if (door.group != rules.group) {
        return absl::InvalidArgumentError(
            absl::StrCat("queue ", Quote(name), " is in another pool group than ", Quote(share.queues[0])));
      }
      if (std::find(door.queues.begin(), door.queues.end(), index) != door.queues.end()) {
        return absl::InvalidArgumentError(absl::StrCat("queue ", Quote(name), " stands twice in a share"));
      }
      door.queues.push_back(index);
      if (scenario.timeout == 0) door.timeout = std::min(door.timeout, rules.default_timeout);
    }
    sum += share.weight;
    door.up_to = sum;
  }
  for (Door& door : doors) door.up_to /= sum;
  return doors;
}

class World {
 public:
  World(const Catalog& catalog, const Limits& limits, const Scenario& scenario, const RatingBands& bands,
        std::vector<Door> doors, const WorldWatch& watch)
      : catalog_(Ephemeral(catalog)),
        scenario_(scenario),
        watch_(watch),
        doors_(std::move(doors)),
        slice_(std::max<Micros>(scenario.ExpectedSpan() / kSlices, 1)),
        judge_(catalog_, QueuesOf(doors_), bands, kStart, kStart + scenario.warm_up, slice_) {
    std::vector<uint16_t> groups;
    for (const Door& door : doors_) groups.push_back(door.group);
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    homes_.resize(catalog_.groups.size());
    for (const uint16_t group : groups) {
      homes_[group] = std::make_unique<Home>();
      homes_[group]->limits = limits;
      homes_[group]->limits.retained_matches_per_group = 0;
      homes_[group]->most_tickets = limits.tickets_per_group;
      homes_[group]->group = std::make_unique<PoolGroup>(catalog_, group, /*fence=*/1, homes_[group]->limits);
    }
    for (const uint32_t queue : QueuesOf(doors_)) {
      ticks_.push_back({queue, kStart + catalog_.queues[queue].tick});
    }
  }

  Chronicle Run() {
    Arrivals arrivals(scenario_.arrivals, ArrivalSeed(scenario_.seed));
    Crowd crowd(scenario_.crowd, CrowdSeed(scenario_.seed));
    const Micros expected = std::max<Micros>(scenario_.ExpectedSpan(), 1);
    Micros last = 0;
    for (uint64_t i = 0; scenario_.tickets == 0 || i < scenario_.tickets; ++i) {
      const std::optional<Micros> at = arrivals.Next();
      if (!at.has_value() || *at >= scenario_.duration) break;
      if (watch_.progress && i % kTicketsPerProgress == 0) {
        watch_.progress(std::min(1.0, static_cast<double>(*at) / static_cast<double>(expected)));
      }
      last = *at;
      PassUntil(kStart + last);
      Admit(crowd.Next());
    }
    if (scenario_.tickets == 0 && scenario_.duration < kNever) last = scenario_.duration;
    // The last ones, too, are looked at once.
    Micros end = kStart + last + scenario_.settle;
    for (const Tick& tick : ticks_) end = std::max(end, tick.next);
    PassUntil(end + 1);
    chronicle_.span = end - kStart;
    chronicle_.slice = slice_;
    chronicle_.queues = judge_.queues();
    chronicle_.signature = signature_.value();
    return std::move(chronicle_);
  }

 private:
  // One pool group, and what it may keep at present.
  struct Home {
    Limits limits;
    size_t most_tickets = 0;  // as configured
    size_t waiting = 0;       // tickets
    std::unique_ptr<PoolGroup> group;
  };
  struct Tick {
    uint32_t queue;
    Micros next;
  };
  struct Leaver {
    Micros at;
    uint64_t number;
    uint16_t group;
    bool operator>(const Leaver& other) const { return at != other.at ? at > other.at : number > other.number; }
  };

  // Nobody comes twice, so nobody need be held while he plays.
  static Catalog Ephemeral(Catalog catalog) {
    for (QueueRules& queue : catalog.queues) queue.hold_timeout = 0;
    return catalog;
  }

  static std::vector<uint32_t> QueuesOf(const std::vector<Door>& doors) {
    std::vector<uint32_t> queues;
    for (const Door& door : doors) {
      for (const uint32_t queue : door.queues) {
        if (std::find(queues.begin(), queues.end(), queue) == queues.end()) queues.push_back(queue);
      }
    }
    return queues;
  }

  void Admit(Crowd::Comer comer) {
    Door* door = &doors_[0];
    while (comer.chance >= door->up_to && door != &doors_.back()) ++door;
    Ticket& ticket = *comer.ticket;
    for (const uint32_t queue : door->queues) ticket.queues.push_back({.queue = queue});
    ticket.group = door->group;
    ticket.timeout = door->timeout;
    ++chronicle_.tickets;
    chronicle_.players += ticket.players.size();

    Home& home = *homes_[door->group];
    home.limits.tickets_per_group = std::min(home.most_tickets, home.waiting + kKeptTickets);
    const Reply reply = home.group->Apply(EnqueueCommand{std::move(comer.ticket)}, now_, &events_);
    Tell(&home);
    if (!reply.status.ok()) {
      Refusals& refusals = chronicle_.refusals[reply.status.code()];
      if (refusals.tickets++ == 0) {
        refusals.first = absl::StrCat(reply.field, reply.field.empty() ? "" : ": ", reply.status.message());
      }
    } else if (comer.leaves_after < door->timeout) {
      leavers_.push({now_ + comer.leaves_after, comer.number, door->group});
    }
  }

  // Everything before `until`, and who leaves at it.
  void PassUntil(Micros until) {
    while (true) {
      Tick* tick = &ticks_[0];
      for (Tick& other : ticks_) {
        if (other.next < tick->next) tick = &other;
      }
      if (!leavers_.empty() && leavers_.top().at <= std::min(tick->next, until)) {
        const Leaver leaver = leavers_.top();
        leavers_.pop();
        now_ = leaver.at;
        Home& home = *homes_[leaver.group];
        home.group->Apply(CancelCommand{{.ticket_id = Crowd::IdOf(leaver.number)}}, now_, &events_);
        Tell(&home);
        continue;
      }
      if (tick->next >= until) break;
      now_ = tick->next;
      const QueueRules& rules = catalog_.queues[tick->queue];
      Home& home = *homes_[rules.group];
      if (watch_.tick) watch_.tick(tick->queue, now_);
      home.group->Tick(tick->queue, now_, &events_);
      tick->next += rules.tick;
      Tell(&home);
    }
    now_ = until;
  }

  // Shows what happened, and acknowledges what has ended. That an acknowledgement happened is not news.
  void Tell(Home* home) {
    for (const Event& event : events_) {
      ++chronicle_.events;
      signature_.Add(event);
      judge_.Observe(event);
      if (watch_.event) watch_.event(event);
      if (event.kind == EventKind::kQueued) {
        chronicle_.most_waiting = std::max(chronicle_.most_waiting, ++waiting_);
        ++home->waiting;
      } else if (event.kind == EventKind::kMatchFormed) {
        ++chronicle_.matches;
      } else if (IsFinal(event.kind)) {
        --waiting_;
        --home->waiting;
        home->group->Apply(AcknowledgeCommand{{.ticket_id = event.ticket->ticket_id}, "", event.sequence}, now_,
                           &acknowledged_);
      }
    }
    for (const Event& event : acknowledged_) CHECK(event.kind == EventKind::kAcknowledged);
    events_.clear();
    acknowledged_.clear();
  }

  const Catalog catalog_;
  const Scenario& scenario_;
  const WorldWatch& watch_;
  std::vector<Door> doors_;
  const Micros slice_;
  Judge judge_;
  Signature signature_;
  Chronicle chronicle_;
  std::vector<std::unique_ptr<Home>> homes_;  // by group; null where nobody goes
  std::vector<Tick> ticks_;
  std::priority_queue<Leaver, std::vector<Leaver>, std::greater<>> leavers_;
  Micros now_ = kStart;
  size_t waiting_ = 0;  // tickets, in all groups
  std::vector<Event> events_, acknowledged_;
};

}  // namespace

Micros Scenario::ExpectedSpan() const {
  if (!arrivals.trace.empty()) {
    const size_t count = tickets > 0 ? std::min<size_t>(tickets, arrivals.trace.size()) : arrivals.trace.size();
    return std::min(duration, arrivals.trace[count - 1]);
  }
  if (tickets == 0) return duration;
  const double rate = arrivals.peak > arrivals.rate ? (arrivals.rate + arrivals.peak) / 2 : arrivals.rate;
  return static_cast<Micros>(std::min(static_cast<double>(tickets) / rate * kSecond, static_cast<double>(duration)));
}

uint64_t Chronicle::refused() const {
  uint64_t tickets = 0;
  for (const auto& [code, refusals_of_code] : refusals) tickets += refusals_of_code.tickets;
  return tickets;
}

RatingBands BandsOf(const Scenario& scenario) {
  Crowd crowd(scenario.crowd, CrowdSeed(scenario.seed));
  std::vector<MilliPoints> sample;
  const size_t count = scenario.tickets > 0 ? std::min<size_t>(scenario.tickets, kBandSample) : kBandSample;
  for (size_t i = 0; i < count; ++i) sample.push_back(RatingOf(*crowd.Next().ticket, 0));
  return RatingBands(std::move(sample));
}

absl::StatusOr<Chronicle> Simulate(const Catalog& catalog, const Limits& limits, const Scenario& scenario,
                                   const RatingBands& bands, const WorldWatch& watch) {
  if (scenario.tickets == 0 && scenario.duration == kNever && scenario.arrivals.trace.empty()) {
    return absl::InvalidArgumentError("neither a number of tickets nor a duration says when to stop");
  }
  absl::StatusOr<std::vector<Door>> doors = FindDoors(catalog, limits, scenario);
  if (!doors.ok()) return doors.status();
  return World(catalog, limits, scenario, bands, *std::move(doors), watch).Run();
}

}  // namespace evenmatch
