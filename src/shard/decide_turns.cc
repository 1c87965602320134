#include <algorithm>
#include <string_view>
#include <utility>

#include "matching/window.h"
#include "shard/decide.h"

namespace evenmatch {
namespace {

// The facts without which nobody is told of a match, checked apart from whoever proposed it.
void CheckProposal(const GroupState& state, const QueueState& queue, const Proposal& proposal, Micros now) {
  absl::InlinedVector<int32_t, 2> heads(static_cast<size_t>(queue.rules.team_count), 0);
  absl::InlinedVector<std::string_view, 16> players;
  for (const Proposal::Place& place : proposal.places) {
    const TicketRecord& record = state.tickets[queue.pool.Get(place.slot).ticket];
    CHECK(record.state == TicketState::kWaiting && now < record.expires_at());
    CHECK(place.team >= 0 && place.team < queue.rules.team_count);
    heads[static_cast<size_t>(place.team)] += static_cast<int32_t>(record.ticket->players.size());
    for (const Player& player : record.ticket->players) players.push_back(player.player_id);
  }
  for (int32_t team : heads) CHECK_EQ(team, queue.rules.team_size);
  if (players.size() > 2) std::sort(players.begin(), players.end());
  CHECK(std::adjacent_find(players.begin(), players.end()) == players.end());
}

void DecideMatchEnd(const std::shared_ptr<const Match>& match, MatchEnd end, Micros now, std::vector<Event>* events) {
  Event& event = events->emplace_back();
  event.kind = EventKind::kMatchEnded;
  event.match_end = end;
  event.at = now;
  event.match = match;
}

void DecideMatchForgotten(const GroupState& state, Micros now, std::vector<Event>* events) {
  Event& event = events->emplace_back();
  event.kind = EventKind::kMatchForgotten;
  event.at = now;
  event.match = state.matches[state.retained_matches.head()].match;
}

// The deadline of a waiting ticket has come: the first of its timeout, its presence grace and its next widening. At the
// same instant the timeout counts.
void DecideTicketDeadline(const GroupState& state, uint32_t slot, Micros now, std::vector<Event>* events) {
  const TicketRecord& record = state.tickets[slot];
  const Micros absent_until = state.AbsentUntil(record);
  Event& event = events->emplace_back();
  event.at = now;
  event.queued_at = record.queued_at;
  event.handle = state.tickets.records().HandleOf(slot);
  event.ticket = record.ticket;
  event.sequence = record.sequence;
  if (std::min(record.expires_at(), absent_until) <= now) {
    const bool timeout = record.expires_at() <= absent_until;
    event.kind = timeout ? EventKind::kExpired : EventKind::kCancelled;
    event.reason = timeout ? Reason::kTimeout : Reason::kPresenceLost;
    ++event.sequence;
    return;
  }
  const WindowRules& window = state.QueueAt(record.ticket->queues[0].queue).rules.window;
  event.kind = EventKind::kWidened;
  event.window_from = state.watches[record.waiting.watch].told_window;
  event.window = WindowAt(window, now - record.queued_at);
  event.stage = StageAt(window, now - record.queued_at);
}

}  // namespace

void DecideMatch(const GroupState& state, const QueueState& queue, const Proposal& proposal, Micros now,
                 std::vector<Event>* events) {
  CheckProposal(state, queue, proposal, now);
  auto match = std::make_shared<Match>();
  match->id = {state.fence, state.match_sequence + 1, state.group};
  match->queue = queue.index;
  match->win_chance = proposal.win_chance;
  match->quality = proposal.quality;
  match->spread = proposal.spread;
  match->stage = proposal.stage;
  match->formed_at = now;
  for (const Proposal::Place& place : proposal.places) {
    const uint32_t slot = queue.pool.Get(place.slot).ticket;
    const TicketRecord& record = state.tickets[slot];
    match->sides.push_back(
        {record.ticket, state.tickets.records().HandleOf(slot), place.team, ChoiceOf(*record.ticket, queue.index)});
    match->longest_wait = std::max(match->longest_wait, now - record.queued_at);
  }

  Event& formed = events->emplace_back();
  formed.kind = EventKind::kMatchFormed;
  formed.at = now;
  formed.match = match;
  for (const Match::Side& side : match->sides) {
    Event& matched = events->emplace_back();
    matched.kind = EventKind::kMatched;
    const TicketRecord& record = state.tickets[SlotOf(side.handle)];
    matched.sequence = record.sequence + 1;
    matched.at = now;
    matched.queued_at = record.queued_at;
    matched.handle = side.handle;
    matched.ticket = side.ticket;
    matched.match = match;
  }
  if (queue.rules.hold_timeout == 0) DecideMatchEnd(match, MatchEnd::kHoldTimeout, now, events);
}

void DecideDue(const GroupState& state, Micros now, std::vector<Event>* events) {
  for (const auto& queue : state.queues) {
    if (queue->held.empty()) continue;
    const MatchRecord& oldest = state.matches[queue->held.head()];
    if (oldest.match->formed_at + queue->rules.hold_timeout > now) continue;
    return DecideMatchEnd(oldest.match, MatchEnd::kHoldTimeout, now, events);
  }
  if (!state.deadlines.empty() && state.deadlines.top_key() <= now) {
    return DecideTicketDeadline(state, state.deadlines.top(), now, events);
  }
  if (!state.retained.empty()) {
    const uint32_t slot = state.retained.head();
    const TicketRecord& oldest = state.tickets[slot];
    if (state.ReleasedAt(oldest) + kEndedTicketRetention <= now) {
      Event& event = events->emplace_back();
      event.kind = EventKind::kForgotten;
      event.sequence = oldest.sequence;
      event.at = now;
      event.handle = state.tickets.records().HandleOf(slot);
      event.ticket = oldest.ticket;
      return;
    }
  }
  if (!state.retained_matches.empty() &&
      state.matches[state.retained_matches.head()].ended_at + kMatchRetention <= now) {
    DecideMatchForgotten(state, now, events);
  }
}

void DecideMatchOverflow(const GroupState& state, Micros now, std::vector<Event>* events) {
  if (state.retained_match_count > state.limits.retained_matches_per_group) DecideMatchForgotten(state, now, events);
}

}  // namespace evenmatch
