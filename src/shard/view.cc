#include "shard/view.h"

#include <utility>

namespace evenmatch {
namespace {

Event NumberedEvent(const GroupState& state, uint32_t slot, EventKind kind, uint32_t sequence, Micros now) {
  const TicketRecord& record = state.tickets[slot];
  Event event;
  event.kind = kind;
  event.sequence = sequence;
  event.at = record.queued_at;
  event.handle = state.tickets.records().HandleOf(slot);
  event.ticket = record.ticket;
  if (!IsFinal(record.state)) {
    const ExpectedWait expected = state.ExpectedFor(*record.ticket, now);
    event.expected_p50 = expected.p50;
    event.expected_p90 = expected.p90;
  }
  if (IsFinal(kind)) {
    event.at = record.ended_at;
    event.queued_at = record.queued_at;
    event.reason = record.reason;
    if (kind == EventKind::kMatched) event.match = state.matches[record.ended.match].match;
  }
  return event;
}

}  // namespace

uint32_t FindTicket(const GroupState& state, const TicketName& name) {
  return name.ticket_id.empty() ? state.claims.Find(HashedText(name.player_id))
                                : state.tickets.Find(HashedText(name.ticket_id));
}

TicketView ViewTicket(const GroupState& state, uint32_t slot, Micros now) {
  const TicketRecord& record = state.tickets[slot];
  TicketView view;
  view.handle = state.tickets.records().HandleOf(slot);
  view.ticket = record.ticket;
  view.state = record.state;
  view.reason = record.reason;
  view.sequence = record.sequence;
  view.queued_at = record.queued_at;
  view.ended_at = record.ended_at;
  view.expires_at = record.expires_at();
  if (IsFinal(record.state)) {
    if (record.ended.match != kNoSlot) view.match = state.matches[record.ended.match].match;
    return view;
  }
  const uint32_t* place = state.PlacesOf(record);
  for (const QueueChoice& choice : record.ticket->queues) {
    const QueueState& queue = state.QueueAt(choice.queue);
    const Waiter waiter = WaiterAt(queue.pool, queue.traits, *place++);
    const ExpectedWait expected = queue.waits.Of(waiter.entry->value, waiter.entry->heads, now);
    view.queues.push_back({.queue = choice.queue,
                           .value = waiter.entry->value,
                           .window = queue.book.WindowOf(waiter, now - record.queued_at),
                           .stage = queue.book.StageAt(now - record.queued_at),
                           .expected_p50 = expected.p50,
                           .expected_p90 = expected.p90});
  }
  return view;
}

std::vector<std::string> WarningsOf(const GroupState& state, uint32_t slot) {
  std::vector<std::string> warnings;
  const TicketRecord& record = state.tickets[slot];
  if (IsFinal(record.state)) return warnings;
  const uint32_t* place = state.PlacesOf(record);
  for (const QueueChoice& choice : record.ticket->queues) {
    const QueueState& queue = state.QueueAt(choice.queue);
    const Traits* traits = queue.traits.Find(*place++);
    if (traits == nullptr || traits->never == Rule::kNone) continue;
    queue.book.CannotPlay(*record.ticket, choice, nullptr, &warnings.emplace_back());
  }
  return warnings;
}

MatchView ViewMatch(const GroupState& state, uint32_t match) {
  const MatchRecord& record = state.matches[match];
  return {.match = record.match, .state = record.state, .end = record.end, .ended_at = record.ended_at};
}

QueueStats ViewQueue(const QueueState& queue, Micros now) {
  QueueStats stats;
  stats.queue = queue.index;
  stats.paused = queue.paused;
  stats.waiting_tickets = queue.pool.size();
  stats.waiting_players = queue.pool.heads();
  if (!queue.pool.empty()) stats.oldest_wait = now - queue.pool.Get(queue.pool.Oldest()).queued_at;
  stats.enqueued = queue.enqueued;
  stats.matched_tickets = queue.matched_tickets;
  stats.matches = queue.matches;
  stats.cancelled = queue.cancelled;
  stats.expired = queue.expired;
  stats.live_matches = queue.live_matches;
  return stats;
}

Event Snapshot(const GroupState& state, uint32_t slot, Micros now) {
  const TicketRecord& record = state.tickets[slot];
  Event event = NumberedEvent(state, slot, record.present_kind(), record.sequence, now);
  event.snapshot = true;
  return event;
}

std::vector<Event> MissedEvents(const GroupState& state, uint32_t slot, uint32_t cursor, Micros now) {
  // A ticket has two numbered events, so none ever leaves the replayable ones.
  static_assert(kReplayableEvents >= 2);
  const TicketRecord& record = state.tickets[slot];
  std::vector<Event> missed;
  if (cursor + 1 < record.queued_sequence()) {
    missed.push_back(Snapshot(state, slot, now));
    return missed;
  }
  if (cursor < record.queued_sequence()) {
    missed.push_back(NumberedEvent(state, slot, EventKind::kQueued, record.queued_sequence(), now));
  }
  if (IsFinal(record.state) && (cursor < record.sequence || AwaitsAcknowledgement(record, now))) {
    missed.push_back(NumberedEvent(state, slot, record.present_kind(), record.sequence, now));
  }
  return missed;
}

std::vector<Event> SessionSnapshots(const GroupState& state, std::string_view session_id, Micros now) {
  std::vector<Event> snapshots;
  const uint32_t session = state.sessions.Find(session_id);
  if (session == kNoSlot) return snapshots;
  for (uint32_t slot = state.sessions[session].tickets.head(); slot != kNoSlot;) {
    const TicketRecord& record = state.tickets[slot];
    if (!IsFinal(record.state) || AwaitsAcknowledgement(record, now)) snapshots.push_back(Snapshot(state, slot, now));
    slot = record.links.next;
  }
  return snapshots;
}

bool AwaitsAcknowledgement(const TicketRecord& ticket, Micros now) {
  return IsFinal(ticket.state) && !ticket.acknowledged && now - ticket.ended_at < kDeliveryRetention;
}

}  // namespace evenmatch
