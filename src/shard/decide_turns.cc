#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "shard/decide.h"

namespace evenmatch {
namespace {

// Full teams have exactly the seats of their roles, and nobody sits in one that he did not ask for unless it says so.
void CheckRoles(const QueueState& queue, const Proposal& proposal, std::span<const int32_t> heads) {
  if (proposal.roles.empty()) return;
  const RoleRules& rules = queue.rules.roles;
  std::vector<std::vector<int32_t>> seats(heads.size(), std::vector<int32_t>(rules.roles.size(), 0));
  size_t player = 0;
  for (const Proposal::Place& place : proposal.places) {
    const Traits* traits = queue.traits.Find(place.slot);
    CHECK(traits != nullptr);
    for (const Traits::Wishes& wishes : traits->wishes) {
      CHECK_LT(player, proposal.roles.size());
      const SeatRole& seat = proposal.roles[player++];
      CHECK_LT(seat.role, rules.roles.size());
      CHECK(seat.fill || (wishes.roles >> seat.role & 1) != 0);
      ++seats[static_cast<size_t>(place.team)][seat.role];
    }
  }
  CHECK_EQ(player, proposal.roles.size());
  for (size_t team = 0; team < heads.size(); ++team) {
    for (size_t role = 0; role < rules.roles.size(); ++role) {
      CHECK(seats[team][role] == rules.roles[role].count || heads[team] != queue.rules.team_size);
    }
  }
}

// No two may be told of a match who may never meet, nor of a region where one of them does not play.
void CheckMeetings(const QueueState& queue, const Proposal& proposal, Micros oldest_wait) {
  absl::InlinedVector<Waiter, 16> tickets;
  for (const Proposal::Place& place : proposal.places) {
    tickets.push_back(WaiterAt(queue.pool, queue.traits, place.slot));
    if (proposal.region < 0) continue;
    const auto& regions = tickets.back().traits->regions;
    CHECK(static_cast<size_t>(proposal.region) < regions.size());
    CHECK_LE(regions[static_cast<size_t>(proposal.region)].from, oldest_wait);
  }
  for (size_t a = 0; a < tickets.size(); ++a) {
    for (size_t b = 0; b < a; ++b) CHECK_LE(queue.book.Meet(tickets[a], tickets[b]).wait, oldest_wait);
  }
}

// The facts without which nobody is told of a match, checked apart from whoever proposed it.
void CheckProposal(const GroupState& state, const QueueState& queue, const Proposal& proposal, Micros now) {
  absl::InlinedVector<int32_t, 2> heads;  // by team
  absl::InlinedVector<std::string_view, 16> players;
  Micros oldest_wait = 0;
  for (const Proposal::Place& place : proposal.places) {
    const TicketRecord& record = state.tickets[queue.pool.Get(place.slot).ticket];
    CHECK(record.state == TicketState::kWaiting && now < record.expires_at());
    CHECK(place.team >= 0 && place.team < queue.rules.team_count);
    if (heads.size() <= static_cast<size_t>(place.team)) heads.resize(static_cast<size_t>(place.team) + 1, 0);
    heads[static_cast<size_t>(place.team)] += static_cast<int32_t>(record.ticket->players.size());
    oldest_wait = std::max(oldest_wait, now - record.queued_at);
    for (const Player& player : record.ticket->players) players.push_back(player.player_id);
  }
  CHECK(queue.rules.Allows(heads, oldest_wait));
  CheckRoles(queue, proposal, heads);
  if (!queue.book.plain()) CheckMeetings(queue, proposal, oldest_wait);
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
  const RuleBook& book = state.QueueAt(record.ticket->queues[0].queue).book;
  const int32_t stage = book.StageAt(now - record.queued_at);
  if (std::min(record.expires_at(), absent_until) <= now) {
    const bool timeout = record.expires_at() <= absent_until;
    event.kind = timeout ? EventKind::kExpired : EventKind::kCancelled;
    event.reason = timeout ? Reason::kTimeout : Reason::kPresenceLost;
    if (timeout) event.stage = stage;
    ++event.sequence;
    return;
  }
  event.kind = EventKind::kWidened;
  const ExpectedWait expected = state.ExpectedFor(*record.ticket, now);
  event.expected_p50 = expected.p50;
  event.expected_p90 = expected.p90;
  event.stage = stage;
  event.window_from = state.watches[record.waiting.watch].told_window;
  event.window = book.WindowOf(state.WaiterOf(record), now - record.queued_at);
}

}  // namespace

void DecideMatch(const GroupState& state, const QueueState& queue, const Proposal& proposal, Micros now,
                 std::vector<Event>* events) {
  CheckProposal(state, queue, proposal, now);
  auto match = std::make_shared<Match>();
  match->id = {state.fence, state.match_sequence + 1, state.group};
  match->queue = queue.index;
  match->win_chance = proposal.win_chance;
  match->roles = proposal.roles;
  match->region = proposal.region;
  match->quality = proposal.quality;
  match->costs = proposal.costs;
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
