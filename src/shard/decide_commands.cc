#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/strings.h"
#include "base/text.h"
#include "shard/decide.h"
#include "shard/view.h"

namespace evenmatch {
namespace {

Event& AppendTicketEvent(const GroupState& state, uint32_t slot, EventKind kind, Micros now,
                         std::vector<Event>* events) {
  const TicketRecord& record = state.tickets[slot];
  Event& event = events->emplace_back();
  event.kind = kind;
  event.sequence = record.sequence;
  event.at = now;
  event.queued_at = record.queued_at;
  event.handle = state.tickets.records().HandleOf(slot);
  event.ticket = record.ticket;
  return event;
}

void Refuse(absl::Status status, std::string field, Reply* reply) {
  reply->status = std::move(status);
  reply->field = std::move(field);
}

// Whether asking for a known ticket through this session moves it there: while there is something left to tell.
bool MovesTo(const std::shared_ptr<const std::string>& session, const TicketRecord& record, Micros now) {
  if (session == nullptr || (IsFinal(record.state) && !AwaitsAcknowledgement(record, now))) return false;
  return record.ticket->session == nullptr || *record.ticket->session != *session;
}

// Whether a ticket with this id is known already, which settles the answer.
bool AnswerKnownTicket(const GroupState& state, const Ticket& ticket, Micros now, std::vector<Event>* events,
                       Reply* reply) {
  if (ticket.ticket_id.empty()) return false;
  const uint32_t slot = state.tickets.Find(HashedText(ticket.ticket_id));
  if (slot == kNoSlot) return false;
  const TicketRecord& record = state.tickets[slot];
  if (!SameContent(*record.ticket, ticket)) {
    Refuse(absl::InvalidArgumentError("another ticket was queued with this id"), "ticket.ticket_id", reply);
  } else if (MovesTo(ticket.session, record, now)) {
    // Not the request's own ticket: it may come from another peer, and the cap per peer counts the first.
    AppendTicketEvent(state, slot, EventKind::kMoved, now, events).ticket = WithSession(*record.ticket, ticket.session);
  } else {
    reply->value = EnqueueReply{true, ViewTicket(state, slot, now), WarningsOf(state, slot)};
  }
  return true;
}

bool RefuseUnplayable(const GroupState& state, const Ticket& ticket, Reply* reply) {
  std::string field, why;
  for (const QueueChoice& choice : ticket.queues) {
    const QueueState& queue = state.QueueAt(choice.queue);
    const bool plays = queue.rules.never == NeverPolicy::kRefuse
                           ? queue.book.CannotPlay(ticket, choice, &field, &why) == Rule::kNone
                           : queue.book.TakesParty(ticket, &field, &why);
    if (plays) continue;
    Refuse(absl::InvalidArgumentError(why), std::move(field), reply);
    return true;
  }
  return false;
}

bool RefuseHeldPlayer(const GroupState& state, const Ticket& ticket, Micros now, Reply* reply) {
  for (size_t i = 0; i < ticket.players.size(); ++i) {
    const uint32_t holder = state.claims.Find(HashedText(ticket.players[i].player_id));
    if (holder == kNoSlot) continue;
    std::string field = absl::StrCat("ticket.players[", i, "].player_id");
    if (IsFinal(state.tickets[holder].state)) {
      Refuse(absl::FailedPreconditionError("the player is in a live match"), std::move(field), reply);
    } else {
      Refuse(absl::AlreadyExistsError("the player waits on another ticket"), std::move(field), reply);
    }
    reply->conflict = ViewTicket(state, holder, now);
    return true;
  }
  return false;
}

bool RefuseClosedQueue(const GroupState& state, const Ticket& ticket, Reply* reply) {
  for (size_t i = 0; i < ticket.queues.size(); ++i) {
    const QueueState& queue = state.QueueAt(ticket.queues[i].queue);
    if (!queue.paused && queue.pool.size() < queue.rules.max_waiting) continue;
    std::string field = absl::StrCat("ticket.queues[", i, "]");
    const std::string text = absl::StrCat("queue ", Quote(queue.rules.name), queue.paused ? " is paused" : " is full");
    if (queue.paused) {
      Refuse(absl::UnavailableError(text), std::move(field), reply);
    } else {
      Refuse(absl::ResourceExhaustedError(text), std::move(field), reply);
    }
    return true;
  }
  return false;
}

bool RefusePeer(const GroupState& state, const Ticket& ticket, Reply* reply) {
  if (state.limits.waiting_per_peer == 0) return false;
  const auto peer = state.waiting_by_peer.find(ticket.peer);
  if (peer == state.waiting_by_peer.end() || peer->second < state.limits.waiting_per_peer) return false;
  Refuse(absl::ResourceExhaustedError("too many tickets of this client wait"), "", reply);
  return true;
}

// The ended ticket that makes room for a new one: acknowledged, or its players have been free for so long that it is
// told no more. kNoSlot when there is none.
uint32_t FindEvictable(const GroupState& state, Micros now) {
  if (!state.evictable.empty()) return state.evictable.head();
  if (state.retained.empty()) return kNoSlot;
  const uint32_t oldest = state.retained.head();
  return now - state.ReleasedAt(state.tickets[oldest]) < kDeliveryRetention ? kNoSlot : oldest;
}

}  // namespace

bool RefuseUnknownTicket(uint32_t slot, const TicketName& name, Reply* reply) {
  if (slot != kNoSlot) return false;
  if (name.ticket_id.empty()) {
    Refuse(absl::NotFoundError("no live ticket or match has this player"), "player_id", reply);
  } else {
    Refuse(absl::NotFoundError("no ticket has this id"), "ticket_id", reply);
  }
  return true;
}

bool RefuseUnknownMatch(uint32_t slot, Reply* reply) {
  if (slot == kNoSlot) Refuse(absl::NotFoundError("no match has this id"), "match_id", reply);
  return slot == kNoSlot;
}

void DecideEnqueue(const GroupState& state, const EnqueueCommand& command, Micros now, std::vector<Event>* events,
                   Reply* reply) {
  const Ticket& ticket = *command.ticket;
  if (AnswerKnownTicket(state, ticket, now, events, reply) || RefuseUnplayable(state, ticket, reply) ||
      RefuseHeldPlayer(state, ticket, now, reply) || RefuseClosedQueue(state, ticket, reply) ||
      RefusePeer(state, ticket, reply)) {
    return;
  }
  uint64_t handle = state.tickets.records().NextHandle();
  if (state.tickets.size() >= state.limits.tickets_per_group) {
    const uint32_t evicted = FindEvictable(state, now);
    if (evicted == kNoSlot) return Refuse(absl::ResourceExhaustedError("the pool group is full"), "", reply);
    AppendTicketEvent(state, evicted, EventKind::kForgotten, now, events);
    handle = state.tickets.records().NextHandleAfterRemoving(evicted);
  }
  Event& event = events->emplace_back();
  event.kind = EventKind::kQueued;
  event.sequence = 1;
  event.at = now;
  event.handle = handle;
  event.ticket = command.ticket;
  const ExpectedWait expected = state.ExpectedFor(ticket, now);
  event.expected_p50 = expected.p50;
  event.expected_p90 = expected.p90;
  if (ticket.ticket_id.empty()) {
    // A client may have taken an id of this form for its own.
    for (uint64_t number = state.arrivals + 1;; ++number) {
      std::string id = absl::StrCat("t-", state.fence, "-", number);
      if (state.tickets.Find(HashedText(id)) != kNoSlot) continue;
      event.ticket = WithId(ticket, std::move(id));
      break;
    }
  }
}

void DecideCancel(const GroupState& state, const CancelCommand& command, Micros now, std::vector<Event>* events,
                  Reply* reply) {
  const uint32_t slot = FindTicket(state, command.name);
  if (RefuseUnknownTicket(slot, command.name, reply)) return;
  const TicketRecord& record = state.tickets[slot];
  if (IsFinal(record.state)) {
    reply->value = CancelReply{
        record.state == TicketState::kMatched ? CancelOutcome::kAlreadyMatched : CancelOutcome::kAlreadyEnded,
        ViewTicket(state, slot, now)};
    return;
  }
  Event& event = AppendTicketEvent(state, slot, EventKind::kCancelled, now, events);
  event.reason = Reason::kClient;
  ++event.sequence;
}

void DecideAttach(const GroupState& state, const AttachCommand& command, Micros now, std::vector<Event>* events,
                  Reply* reply) {
  const uint32_t slot = FindTicket(state, command.name);
  if (RefuseUnknownTicket(slot, command.name, reply)) return;
  const TicketRecord& record = state.tickets[slot];
  if (command.from_cursor && command.cursor > record.sequence) {
    return Refuse(absl::InvalidArgumentError(
                      absl::StrCat("cursor ", command.cursor, " is above the last event, ", record.sequence)),
                  "cursor", reply);
  }
  AttachReply answer;
  answer.handle = state.tickets.records().HandleOf(slot);
  answer.final = IsFinal(record.state);
  if (command.from_cursor) {
    answer.events = MissedEvents(state, slot, command.cursor, now);
  } else {
    answer.events.push_back(Snapshot(state, slot, now));
  }
  reply->value = std::move(answer);
  if (!IsFinal(record.state)) AppendTicketEvent(state, slot, EventKind::kAttached, now, events);
}

void DecideDetach(const GroupState& state, const DetachCommand& command, Micros now, std::vector<Event>* events) {
  const TicketRecord* record = state.tickets.Find(command.handle);
  if (record == nullptr || IsFinal(record->state) || record->waiting.watch == kNoSlot) return;
  if (state.watches[record->waiting.watch].streams == 0) return;
  AppendTicketEvent(state, SlotOf(command.handle), EventKind::kDetached, now, events);
}

void DecideAcknowledge(const GroupState& state, const AcknowledgeCommand& command, Micros now,
                       std::vector<Event>* events, Reply* reply) {
  const uint32_t slot = FindTicket(state, command.name);
  if (RefuseUnknownTicket(slot, command.name, reply)) return;
  const TicketRecord& record = state.tickets[slot];
  const auto& players = record.ticket->players;
  int32_t player = -1;
  if (!command.player_id.empty()) {
    for (size_t i = 0; i < players.size(); ++i) {
      if (players[i].player_id == command.player_id) player = static_cast<int32_t>(i);
    }
    if (player < 0) {
      return Refuse(absl::InvalidArgumentError("the ticket does not have this player"), "player_id", reply);
    }
  }
  if (command.sequence > record.sequence) {
    return Refuse(absl::InvalidArgumentError(
                      absl::StrCat("sequence ", command.sequence, " is above the last event, ", record.sequence)),
                  "sequence", reply);
  }
  // Only a final event is told again, so only that it was received needs to be known.
  if (!IsFinal(record.state) || command.sequence < record.sequence || record.acknowledged) return;
  if (player >= 0) {
    const auto acks = state.partial_acks.find(slot);
    if (acks != state.partial_acks.end() && (acks->second >> player & 1) != 0) return;
  }
  AppendTicketEvent(state, slot, EventKind::kAcknowledged, now, events).player = player;
}

void DecideEndMatch(const GroupState& state, uint32_t slot, Micros now, std::vector<Event>* events) {
  if (!IsLive(state.matches[slot].state)) return;
  Event& event = events->emplace_back();
  event.kind = EventKind::kMatchEnded;
  event.match_end = MatchEnd::kEndMatch;
  event.at = now;
  event.match = state.matches[slot].match;
}

}  // namespace evenmatch
