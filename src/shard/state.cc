#include "shard/state.h"

#include <algorithm>
#include <utility>

namespace evenmatch {

GroupState::GroupState(const Catalog& catalog, uint32_t group, uint64_t fence, const Limits& limits)
    : catalog(catalog),
      limits(limits),
      group(group),
      fence(fence),
      claims(&tickets),
      deadlines(DeadlineHome{&tickets}),
      queue_of_(catalog.queues.size(), -1) {
  CHECK_LT(group, catalog.groups.size());
  CHECK_LT(limits.tickets_per_group, ClaimTable::kMaxTickets);
  for (uint32_t index : catalog.groups[group].queues) {
    CHECK_LT(index, catalog.queues.size());
    queue_of_[index] = static_cast<int32_t>(queues.size());
    queues.push_back(std::make_unique<QueueState>(&catalog.queues[index], index));
  }
}

QueueState& GroupState::QueueAt(uint32_t index) {
  CHECK(index < queue_of_.size() && queue_of_[index] >= 0);
  return *queues[static_cast<size_t>(queue_of_[index])];
}

void GroupState::Fold(const Event& event) {
  switch (event.kind) {
    case EventKind::kQueued:
      return FoldQueued(event);
    case EventKind::kMatched:
    case EventKind::kCancelled:
    case EventKind::kExpired:
      return FoldFinal(event);
    case EventKind::kWidened:
      return FoldWidened(event);
    case EventKind::kAcknowledged:
      return FoldAcknowledged(event);
    case EventKind::kMoved:
      return FoldMoved(event);
    case EventKind::kAttached:
      return FoldAttached(event);
    case EventKind::kDetached:
      return FoldDetached(event);
    case EventKind::kForgotten:
      return FoldForgotten(event);
    case EventKind::kMatchFormed:
      return FoldMatchFormed(event);
    case EventKind::kMatchEnded:
      return FoldMatchEnded(event);
    case EventKind::kMatchForgotten: {
      const uint32_t slot = matches.Find(event.match->id);
      CHECK(slot != kNoSlot && !IsLive(matches[slot].state));
      retained_matches.Remove(slot, MatchLinks());
      --retained_match_count;
      matches.Forget(slot);
      return matches.Prefetch(retained_matches.head());
    }
  }
}

// Tickets.

void GroupState::FoldQueued(const Event& event) {
  TicketRecord added;
  added.ticket = event.ticket;
  added.queued_at = event.at;
  added.sequence = event.sequence;
  const uint64_t handle = tickets.Add(std::move(added));
  CHECK_EQ(handle, event.handle);
  const uint32_t slot = SlotOf(handle);
  TicketRecord& record = tickets[slot];
  const Ticket& ticket = *record.ticket;

  claims.Claim(slot);
  EnterSession(slot);
  if (limits.waiting_per_peer > 0) ++waiting_by_peer[ticket.peer];
  if (ticket.presence == Presence::kStream) {
    const bool absent = record.session == kNoSlot || sessions[record.session].streams == 0;
    record.waiting.watch = SlotOf(watches.Add(Watch{.absent_since = absent ? event.at : kNever}));
  }
  EnterPools(slot, ++arrivals);
  for (const QueueChoice& choice : ticket.queues) ++QueueAt(choice.queue).enqueued;
  SetDeadline(slot);
}

void GroupState::FoldFinal(const Event& event) {
  TicketRecord& record = WaitingTicket(event.handle);
  const uint32_t slot = SlotOf(event.handle);
  const Ticket& ticket = *record.ticket;
  CHECK_EQ(event.sequence, record.sequence + 1);

  if (event.kind == EventKind::kMatched) NoteWait(record, event);
  LeavePools(slot);
  deadlines.Remove(slot);
  if (record.waiting.watch != kNoSlot) watches.Remove(record.waiting.watch);
  if (limits.waiting_per_peer > 0) {
    const auto peer = waiting_by_peer.find(ticket.peer);
    if (--peer->second == 0) waiting_by_peer.erase(peer);
  }

  const TicketState state = event.kind == EventKind::kMatched     ? TicketState::kMatched
                            : event.kind == EventKind::kCancelled ? TicketState::kCancelled
                                                                  : TicketState::kExpired;
  CHECK(MayFollow(record.state, state));
  record.state = state;
  record.reason = event.reason;
  record.sequence = event.sequence;
  record.ended_at = event.at;
  record.ended = {SlotLinks{}, kNoSlot};

  if (state == TicketState::kMatched) {
    const uint32_t match = matches.Find(event.match->id);
    CHECK_NE(match, kNoSlot);
    record.ended.match = match;
    matches.AddTicket(match);
    ++QueueAt(event.match->queue).matched_tickets;
    CHECK(IsLive(matches[match].state));
    return;  // its players are held
  }
  for (const QueueChoice& choice : ticket.queues) {
    QueueState& queue = QueueAt(choice.queue);
    ++(state == TicketState::kCancelled ? queue.cancelled : queue.expired);
  }
  Release(slot);
}

void GroupState::NoteWait(const TicketRecord& record, const Event& event) {
  QueueState& queue = QueueAt(event.match->queue);
  const PoolEntry& entry = queue.pool.Get(PlacesOf(record)[ChoiceOf(*record.ticket, queue.index)]);
  queue.waits.Note(entry.value, entry.heads, event.at - record.queued_at, event.at);
}

void GroupState::FoldAcknowledged(const Event& event) {
  const uint32_t slot = SlotOf(event.handle);
  TicketRecord* record = tickets.Find(event.handle);
  CHECK(record != nullptr && IsFinal(record->state) && !record->acknowledged && event.sequence == record->sequence);
  const size_t players = record->ticket->players.size();
  if (event.player >= 0 && players > 1) {
    uint64_t& acks = partial_acks[slot];
    acks |= uint64_t{1} << event.player;
    if (acks != ~uint64_t{0} >> (ClaimTable::kMaxPlayers - players)) return;
  }
  partial_acks.erase(slot);
  LeaveSession(slot);
  record->acknowledged = true;
  if (record->released) evictable.PushBack(slot, TicketLinks());
}

void GroupState::FoldMoved(const Event& event) {
  const uint32_t slot = SlotOf(event.handle);
  TicketRecord* record = tickets.Find(event.handle);
  CHECK(record != nullptr && !record->acknowledged);
  LeaveSession(slot);
  record->ticket = event.ticket;
  EnterSession(slot);
  if (IsFinal(record->state) || event.ticket->presence != Presence::kStream) return;
  Watch& watch = watches[record->waiting.watch];
  if (sessions[record->session].streams > 0) {
    watch.absent_since = kNever;
  } else if (watch.streams == 0) {
    watch.absent_since = std::min(watch.absent_since, event.at);
  }
  SetDeadline(slot);
}

void GroupState::FoldForgotten(const Event& event) {
  const uint32_t slot = SlotOf(event.handle);
  TicketRecord* record = tickets.Find(event.handle);
  CHECK(record != nullptr && record->released);
  retained.Remove(slot, RetainedLinks());
  if (record->acknowledged) {
    evictable.Remove(slot, TicketLinks());
  } else {
    LeaveSession(slot);
    partial_acks.erase(slot);
  }
  if (record->ended.match != kNoSlot) matches.RemoveTicket(record->ended.match);
  tickets.Remove(slot);
  // Forgetting goes on from the head, over records that nobody touched for minutes.
  tickets.Prefetch(evictable.empty() ? retained.head() : evictable.head());
}

TicketRecord& GroupState::WaitingTicket(uint64_t handle) {
  TicketRecord* record = tickets.Find(handle);
  CHECK(record != nullptr && !IsFinal(record->state));
  return *record;
}

void GroupState::EnterPools(uint32_t slot, uint64_t arrival) {
  TicketRecord& record = tickets[slot];
  const Ticket& ticket = *record.ticket;
  CHECK(!ticket.queues.empty() && !ticket.players.empty());
  const bool several = ticket.queues.size() > 1;
  CHECK_LE(ticket.queues.size(), std::tuple_size<Places>());
  if (several) record.waiting.place = SlotOf(places.Add({}));
  uint32_t* place = several ? places[record.waiting.place].data() : &record.waiting.place;
  for (const QueueChoice& choice : ticket.queues) {
    QueueState& queue = QueueAt(choice.queue);
    if (queue.book.plain() && queue.book.NeedsTraits(ticket)) KeepTraits(queue);
    *place = queue.pool.Insert({.value = queue.book.ValueOf(ticket, choice),
                                .heads = static_cast<int32_t>(ticket.players.size()),
                                .affinity = queue.affinities.Add(ticket),
                                .ticket = slot,
                                .queued_at = record.queued_at,
                                .arrival = arrival});
    if (!queue.book.plain()) queue.traits.Add(*place, queue.book.TraitsOf(ticket, choice));
    ++place;
  }
}

// The first ticket comes that windows alone cannot judge: those that wait get their traits too.
void GroupState::KeepTraits(QueueState& queue) {
  queue.book.KeepTraits();
  for (Pool::Cursor at = queue.pool.LowerBound(0, -kMaxValue); at.valid(); at.Next()) {
    const Ticket& ticket = *tickets[queue.pool.Get(at.slot()).ticket].ticket;
    queue.traits.Add(at.slot(), queue.book.TraitsOf(ticket, ticket.queues[ChoiceOf(ticket, queue.index)]));
  }
}

void GroupState::LeavePools(uint32_t slot) {
  const TicketRecord& record = tickets[slot];
  const uint32_t* place = PlacesOf(record);
  for (const QueueChoice& choice : record.ticket->queues) {
    QueueState& queue = QueueAt(choice.queue);
    queue.affinities.Remove(queue.pool.Get(*place).affinity);
    queue.traits.Remove(*place);
    queue.pool.Remove(*place++);
  }
  if (record.ticket->queues.size() > 1) places.Remove(record.waiting.place);
}

const uint32_t* GroupState::PlacesOf(const TicketRecord& ticket) const {
  return ticket.ticket->queues.size() > 1 ? places[ticket.waiting.place].data() : &ticket.waiting.place;
}

void GroupState::Release(uint32_t slot) {
  TicketRecord& record = tickets[slot];
  CHECK(!record.released);
  claims.Release(slot);
  record.released = true;
  retained.PushBack(slot, RetainedLinks());
  Note(ReleasedAt(record) + kEndedTicketRetention);
  if (record.acknowledged) evictable.PushBack(slot, TicketLinks());
}

void GroupState::EnterSession(uint32_t slot) {
  TicketRecord& record = tickets[slot];
  if (record.ticket->session == nullptr) return;
  record.session = sessions.FindOrAdd(record.ticket->session);
  sessions[record.session].tickets.PushBack(slot, TicketLinks());
}

void GroupState::LeaveSession(uint32_t slot) {
  TicketRecord& record = tickets[slot];
  if (record.session == kNoSlot) return;
  sessions[record.session].tickets.Remove(slot, TicketLinks());
  sessions.RemoveIfEmpty(std::exchange(record.session, kNoSlot));
}

// Who listens.

void GroupState::FoldAttached(const Event& event) {
  TicketRecord& record = WaitingTicket(event.handle);
  if (record.waiting.watch == kNoSlot) record.waiting.watch = SlotOf(watches.Add({}));
  Watch& watch = watches[record.waiting.watch];
  watch.absent_since = kNever;
  if (watch.streams++ == 0) {
    watch.told_at = event.at;
    const RuleBook& book = QueueAt(record.ticket->queues[0].queue).book;
    watch.told_window = book.WindowOf(WaiterOf(record), event.at - record.queued_at);
    watch.told_stage = book.StageAt(event.at - record.queued_at);
  }
  SetDeadline(SlotOf(event.handle));
}

void GroupState::FoldDetached(const Event& event) {
  TicketRecord& record = WaitingTicket(event.handle);
  CHECK_NE(record.waiting.watch, kNoSlot);
  Watch& watch = watches[record.waiting.watch];
  CHECK_GT(watch.streams, 0u);
  if (--watch.streams > 0) return;
  if (record.ticket->presence == Presence::kStream) {
    if (record.session == kNoSlot || sessions[record.session].streams == 0) watch.absent_since = event.at;
  } else {
    watches.Remove(std::exchange(record.waiting.watch, kNoSlot));
  }
  SetDeadline(SlotOf(event.handle));
}

void GroupState::FoldWidened(const Event& event) {
  TicketRecord& record = WaitingTicket(event.handle);
  Watch& watch = watches[record.waiting.watch];
  CHECK(event.window >= watch.told_window && event.stage >= watch.told_stage);
  CHECK(event.window > watch.told_window || event.stage > watch.told_stage);
  watch.told_window = event.window;
  watch.told_stage = event.stage;
  watch.told_at = event.at;
  SetDeadline(SlotOf(event.handle));
}

void GroupState::AttachSession(const std::string& id) {
  const uint32_t session = sessions.FindOrAdd(std::make_shared<const std::string>(id));
  if (sessions[session].streams++ > 0) return;
  for (uint32_t slot = sessions[session].tickets.head(); slot != kNoSlot; slot = tickets[slot].links.next) {
    const TicketRecord& record = tickets[slot];
    if (IsFinal(record.state) || record.ticket->presence != Presence::kStream) continue;
    watches[record.waiting.watch].absent_since = kNever;
    SetDeadline(slot);
  }
}

void GroupState::DetachSession(const std::string& id, Micros now) {
  const uint32_t session = sessions.Find(id);
  if (session == kNoSlot || sessions[session].streams == 0) return;
  if (--sessions[session].streams > 0) return;
  for (uint32_t slot = sessions[session].tickets.head(); slot != kNoSlot; slot = tickets[slot].links.next) {
    const TicketRecord& record = tickets[slot];
    if (IsFinal(record.state) || record.ticket->presence != Presence::kStream) continue;
    Watch& watch = watches[record.waiting.watch];
    if (watch.streams == 0) watch.absent_since = now;
    SetDeadline(slot);
  }
  sessions.RemoveIfEmpty(session);
}

// Matches.

void GroupState::FoldMatchFormed(const Event& event) {
  const MatchId& id = event.match->id;
  const uint32_t slot = matches.Add(event.match);
  if (id.fence == fence) match_sequence = std::max(match_sequence, id.sequence);
  QueueState& queue = QueueAt(event.match->queue);
  queue.held.PushBack(slot, MatchLinks());
  ++queue.live_matches;
  ++queue.matches;
  Note(event.match->formed_at + queue.rules.hold_timeout);
}

void GroupState::FoldMatchEnded(const Event& event) {
  const uint32_t slot = matches.Find(event.match->id);
  CHECK_NE(slot, kNoSlot);
  MatchRecord& record = matches[slot];
  CHECK(MayFollow(record.state, MatchState::kEnded));
  QueueState& queue = QueueAt(record.match->queue);
  queue.held.Remove(slot, MatchLinks());
  --queue.live_matches;
  record.state = MatchState::kEnded;
  record.end = event.match_end;
  record.ended_at = event.at;
  retained_matches.PushBack(slot, MatchLinks());
  ++retained_match_count;
  Note(event.at + kMatchRetention);
  for (const Match::Side& side : record.match->sides) {
    const TicketRecord* ticket = tickets.Find(side.handle);
    CHECK(ticket != nullptr && ticket->ended.match == slot);
    Release(SlotOf(side.handle));
  }
}

// Recovery.

void GroupState::Restore(const Event& event) {
  CHECK(!serving);
  const auto handle_of = [this](const Ticket& ticket) -> uint64_t {
    const uint32_t slot = tickets.Find(HashedText(ticket.ticket_id));
    return slot == kNoSlot ? 0 : tickets.records().HandleOf(slot);
  };
  Event local = event;
  if (event.ticket != nullptr) local.handle = handle_of(*event.ticket);
  switch (event.kind) {
    case EventKind::kQueued:
      if (local.handle != 0) {  // ended, forgotten and queued anew; forgetting is not stored
        Event forgotten = local;
        forgotten.kind = EventKind::kForgotten;
        Fold(forgotten);
      }
      local.handle = tickets.records().NextHandle();
      break;
    case EventKind::kMatchFormed: {
      auto match = std::make_shared<Match>(*event.match);
      for (Match::Side& side : match->sides) side.handle = handle_of(*side.ticket);
      local.match = std::move(match);
      break;
    }
    default:
      break;
  }
  Fold(local);
}

void GroupState::BeginServing(Micros now) {
  serving = true;
  for (const auto& queue : queues) {
    queue->enqueued = queue->matched_tickets = queue->matches = queue->cancelled = queue->expired = 0;
  }
  for (uint32_t slot = 0; slot < tickets.records().end(); ++slot) {
    if (!tickets.records().InUse(slot)) continue;
    TicketRecord& record = tickets[slot];
    if (IsFinal(record.state)) continue;
    if (record.queued_at > now) {  // the clock went back while nobody served
      const QueueState& first = QueueAt(record.ticket->queues[0].queue);
      const uint64_t arrival = first.pool.Get(*PlacesOf(record)).arrival;
      LeavePools(slot);
      record.queued_at = now;
      EnterPools(slot, arrival);
    }
    if (record.waiting.watch != kNoSlot) watches[record.waiting.watch].absent_since = now;
    SetDeadline(slot);
  }
}

// Time.

Micros GroupState::AbsentUntil(const TicketRecord& ticket) const {
  if (ticket.waiting.watch == kNoSlot) return kNever;
  const Micros since = watches[ticket.waiting.watch].absent_since;
  return since == kNever ? kNever : since + catalog.presence_grace;
}

Micros GroupState::NextWideningAt(const TicketRecord& ticket) const {
  if (ticket.waiting.watch == kNoSlot) return kNever;
  const Watch& watch = watches[ticket.waiting.watch];
  if (watch.streams == 0) return kNever;
  const RuleBook& book = QueueAt(ticket.ticket->queues[0].queue).book;
  const Micros stage_after = book.NextStageAfter(watch.told_at - ticket.queued_at);
  const Micros stage_at = stage_after == kNever ? kNever : ticket.queued_at + stage_after;
  // Steps are stages. A linear window grows all the time between them.
  if (!book.rules().window.steps.empty()) return stage_at;
  const Micros wider_after = book.WiderAfter(WaiterOf(ticket), watch.told_window);
  if (wider_after == kNever) return stage_at;
  return std::min(stage_at, std::max(ticket.queued_at + wider_after, watch.told_at + kWideningInterval));
}

ExpectedWait GroupState::ExpectedFor(const Ticket& ticket, Micros now) const {
  ExpectedWait least;
  for (const QueueChoice& choice : ticket.queues) {
    const QueueState& queue = QueueAt(choice.queue);
    const auto heads = static_cast<int32_t>(ticket.players.size());
    const ExpectedWait here = queue.waits.Of(queue.book.ValueOf(ticket, choice), heads, now);
    if (here.p90 != 0 && (least.p90 == 0 || here.p50 < least.p50)) least = here;
  }
  return least;
}

Waiter GroupState::WaiterOf(const TicketRecord& ticket) const {
  const QueueState& queue = QueueAt(ticket.ticket->queues[0].queue);
  return WaiterAt(queue.pool, queue.traits, *PlacesOf(ticket));
}

void GroupState::SetDeadline(uint32_t slot) {
  const TicketRecord& record = tickets[slot];
  Micros deadline = record.expires_at();
  if (record.waiting.watch != kNoSlot) {
    deadline = std::min({deadline, AbsentUntil(record), NextWideningAt(record)});
  }
  deadlines.Set(slot, deadline);
  Note(deadline);
}

Micros GroupState::ReleasedAt(const TicketRecord& ticket) const {
  const uint32_t match = ticket.ended.match;
  return match == kNoSlot ? ticket.ended_at : matches[match].ended_at;
}

Micros GroupState::NextDeadline() const {
  if (!serving) return tickets.size() == 0 && matches.size() == 0 ? kNever : 0;
  Micros next = deadlines.empty() ? kNever : deadlines.top_key();
  if (!retained.empty()) next = std::min(next, ReleasedAt(tickets[retained.head()]) + kEndedTicketRetention);
  if (!retained_matches.empty()) {
    next = std::min(next, matches[retained_matches.head()].ended_at + kMatchRetention);
  }
  for (const auto& queue : queues) {
    if (queue->held.empty()) continue;
    next = std::min(next, matches[queue->held.head()].match->formed_at + queue->rules.hold_timeout);
  }
  return next;
}

}  // namespace evenmatch
