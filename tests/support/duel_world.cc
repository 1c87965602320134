#include "tests/support/duel_world.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/check.h"
#include "sim/arrivals.h"
#include "sim/crowd.h"
#include "tests/support/tickets.h"

namespace evenmatch {
namespace {

void CountMatch(const DuelTicket& a, const DuelTicket& b, const WindowRules& window, Micros now, DuelOutcome* outcome) {
  const MilliPoints gap = std::abs(a.value - b.value);
  ++outcome->matches;
  outcome->quality += QualityOf(a, b, window, now);
  outcome->gap += gap;
  outcome->gaps.Add(static_cast<uint64_t>(gap));
}

}  // namespace

DuelOutcome PlayDuels(const Scenario& scenario, const QueueRules& rules, const WorldWatch& watch) {
  DuelOutcome outcome;
  WorldWatch mine = watch;
  mine.event = [&](const Event& event) {
    if (watch.event) watch.event(event);
    if (event.kind == EventKind::kQueued) ++outcome.tickets;
    if (event.kind == EventKind::kMatched) outcome.wait.Add(static_cast<uint64_t>(event.at - event.queued_at));
    if (event.kind != EventKind::kMatchFormed) return;
    const auto gap = static_cast<MilliPoints>(event.match->spread);
    ++outcome.matches;
    outcome.quality += event.match->quality;
    outcome.gap += gap;
    outcome.gaps.Add(static_cast<uint64_t>(gap));
  };
  const auto chronicle = Simulate(MakeCatalog({rules}), Limits(), scenario, BandsOf(scenario), mine);
  CHECK(chronicle.ok());
  return outcome;
}

DuelOutcome PlayDuels(const Scenario& scenario, const QueueRules& rules, Opponent& opponent) {
  DuelOutcome outcome;
  Arrivals arrivals(scenario.arrivals, ArrivalSeed(scenario.seed));
  Crowd crowd(scenario.crowd, CrowdSeed(scenario.seed));
  std::vector<DuelTicket> waiting;
  Micros next_tick = rules.tick;
  const auto tick = [&] {
    std::erase_if(waiting, [&](const DuelTicket& t) { return next_tick - t.queued_at >= rules.default_timeout; });
    std::vector<bool> matched(waiting.size(), false);
    for (const auto& [a, b] : opponent.Tick(waiting, next_tick)) {
      CHECK(!matched[a] && !matched[b] && a != b);
      matched[a] = matched[b] = true;
      CountMatch(waiting[a], waiting[b], rules.window, next_tick, &outcome);
      for (const size_t one : {a, b}) outcome.wait.Add(static_cast<uint64_t>(next_tick - waiting[one].queued_at));
    }
    size_t kept = 0;
    for (size_t i = 0; i < waiting.size(); ++i) {
      if (!matched[i]) waiting[kept++] = waiting[i];
    }
    waiting.resize(kept);
    next_tick += rules.tick;
  };
  while (scenario.tickets == 0 || outcome.tickets < scenario.tickets) {
    const std::optional<Micros> at = arrivals.Next();
    if (!at.has_value() || *at >= scenario.duration) break;
    while (next_tick < *at) tick();
    waiting.push_back({crowd.Next().ticket->players[0].value, *at, outcome.tickets++});
  }
  tick();
  return outcome;
}

WorldWatch SameTicks::watch() {
  WorldWatch watch;
  watch.tick = [this](uint32_t, Micros now) { BeginTick(now); };
  watch.event = [this](const Event& event) { Observe(event); };
  return watch;
}

void SameTicks::BeginTick(Micros now) {
  std::vector<DuelTicket> tickets;
  tickets.reserve(waiting_.size());
  for (const auto& [handle, ticket] : waiting_) tickets.push_back(ticket);
  for (const auto& [a, b] : opponent_.Tick(tickets, now)) CountMatch(tickets[a], tickets[b], window_, now, &theirs);
}

void SameTicks::Observe(const Event& event) {
  if (event.kind == EventKind::kQueued) {
    waiting_[event.handle] = {event.ticket->players[0].value, event.at, arrivals_++};
  } else if (event.kind == EventKind::kMatchFormed) {
    const auto& sides = event.match->sides;
    CountMatch(waiting_.at(sides[0].handle), waiting_.at(sides[1].handle), window_, event.at, &ours);
  } else if (IsFinal(event.kind)) {
    waiting_.erase(event.handle);
  }
}

}  // namespace evenmatch
