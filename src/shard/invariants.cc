#include "shard/invariants.h"

#include <algorithm>
#include <vector>

#include "base/hash.h"

namespace evenmatch {
namespace {

// What the records say, added up, to be compared with what the tables say.
struct Sums {
  size_t waiting = 0, claims = 0, released = 0, evictable = 0, in_sessions = 0, watches = 0, places = 0;
  std::vector<size_t> waiting_in;                                   // by position of the queue
  std::vector<absl::flat_hash_map<uint32_t, uint32_t>> affinities;  // by position of the queue
  absl::flat_hash_map<uint32_t, size_t> peers;
  absl::flat_hash_map<uint32_t, uint32_t> tickets_of_match;
};

template <typename Links>
size_t CheckList(const SlotList& list, const Links& links) {
  size_t length = 0;
  uint32_t prev = kNoSlot;
  for (uint32_t slot = list.head(); slot != kNoSlot; prev = slot, slot = links(slot).next, ++length) {
    CHECK_EQ(links(slot).prev, prev);
  }
  return length;
}

void CheckWaiting(const GroupState& state, uint32_t slot, Sums* sums) {
  const TicketRecord& record = state.tickets[slot];
  const Ticket& ticket = *record.ticket;
  CHECK(record.ended_at == 0 && !record.acknowledged && !record.released && record.reason == Reason::kNone);
  CHECK(state.deadlines.Contains(slot));
  ++sums->waiting;
  ++sums->peers[ticket.peer];
  if (ticket.queues.size() > 1) ++sums->places;

  const uint32_t* place = state.PlacesOf(record);
  for (const QueueChoice& choice : ticket.queues) {
    const QueueState& queue = state.QueueAt(choice.queue);
    const PoolEntry& entry = queue.pool.Get(*place++);
    CHECK_EQ(entry.ticket, slot);
    CHECK_EQ(entry.queued_at, record.queued_at);
    CHECK_EQ(static_cast<size_t>(entry.heads), ticket.players.size());
    size_t position = 0;
    while (state.queues[position].get() != &queue) ++position;
    ++sums->waiting_in[position];
    if (!queue.rules.required_attributes.empty()) ++sums->affinities[position][entry.affinity];
  }

  const bool attached = record.session != kNoSlot && state.sessions[record.session].streams > 0;
  if (record.waiting.watch != kNoSlot) {
    const Watch& watch = state.watches[record.waiting.watch];
    ++sums->watches;
    CHECK(watch.streams > 0 || ticket.presence == Presence::kStream);
    const bool absent = ticket.presence == Presence::kStream && watch.streams == 0 && !attached;
    CHECK(!state.serving || (watch.absent_since != kNever) == absent);
  } else {
    CHECK(ticket.presence == Presence::kNone);
  }
}

void CheckEnded(const GroupState& state, uint32_t slot, Sums* sums) {
  const TicketRecord& record = state.tickets[slot];
  CHECK_EQ((record.ended.match != kNoSlot), (record.state == TicketState::kMatched));
  bool held = false;
  if (record.ended.match != kNoSlot) {
    const MatchRecord& match = state.matches[record.ended.match];
    held = IsLive(match.state);
    ++sums->tickets_of_match[record.ended.match];
    const uint64_t handle = state.tickets.records().HandleOf(slot);
    CHECK_EQ(std::count_if(match.match->sides.begin(), match.match->sides.end(),
                           [&](const Match::Side& side) { return side.handle == handle; }),
             1);
  }
  CHECK_EQ(record.released, !held);
  if (record.released) ++sums->released;
  if (record.released && record.acknowledged) ++sums->evictable;
}

void CheckTickets(const GroupState& state, Sums* sums) {
  const auto& records = state.tickets.records();
  for (uint32_t slot = 0; slot < records.end(); ++slot) {
    if (!records.InUse(slot)) continue;
    const TicketRecord& record = records[slot];
    CHECK_EQ(state.tickets.Find(HashedText(record.ticket->ticket_id)), slot);
    IsFinal(record.state) ? CheckEnded(state, slot, sums) : CheckWaiting(state, slot, sums);
    const bool claims = !record.released;
    for (const Player& player : record.ticket->players) {
      CHECK_EQ((state.claims.Find(HashedText(player.player_id)) == slot), claims);
    }
    if (claims) sums->claims += record.ticket->players.size();
    CHECK_EQ(record.session != kNoSlot, record.ticket->session != nullptr && !record.acknowledged);
    if (record.session != kNoSlot) {
      CHECK(*state.sessions[record.session].id == *record.ticket->session);
      ++sums->in_sessions;
    }
  }
}

void CheckMatches(const GroupState& state, const Sums& sums) {
  const auto& records = state.matches.records();
  size_t known = 0, live = 0;
  for (uint32_t slot = 0; slot < records.end(); ++slot) {
    if (!records.InUse(slot)) continue;
    const MatchRecord& record = records[slot];
    if (record.known) ++known;
    CHECK_EQ(state.matches.Find(record.match->id) == slot, record.known);
    const auto tickets = sums.tickets_of_match.find(slot);
    CHECK_EQ(record.tickets, tickets == sums.tickets_of_match.end() ? 0u : tickets->second);
    CHECK(record.known || record.tickets > 0);
    if (!IsLive(record.state)) continue;
    ++live;
    CHECK(record.known && record.tickets == record.match->sides.size());
  }
  CHECK_EQ(known, state.matches.size());
  CHECK_EQ(known - live, state.retained_match_count);
}

}  // namespace

void CheckGroup(const GroupState& state) {
  Sums sums;
  sums.waiting_in.resize(state.queues.size());
  sums.affinities.resize(state.queues.size());
  CheckTickets(state, &sums);
  CheckMatches(state, sums);

  const auto ticket_links = [&](uint32_t slot) { return state.tickets[slot].links; };
  const auto match_links = [&](uint32_t slot) { return state.matches[slot].links; };
  CHECK_EQ(CheckList(state.retained, [&](uint32_t slot) { return state.tickets[slot].ended.retained; }), sums.released);
  CHECK_EQ(CheckList(state.evictable, ticket_links), sums.evictable);
  CHECK_EQ(CheckList(state.retained_matches, match_links), state.retained_match_count);
  CHECK_EQ(state.claims.size(), sums.claims);
  CHECK_EQ(state.deadlines.size(), sums.waiting);
  CHECK_EQ(state.watches.size(), sums.watches);
  CHECK_EQ(state.places.size(), sums.places);
  if (state.limits.waiting_per_peer > 0) CHECK(state.waiting_by_peer == sums.peers);
  for (const auto& [slot, acks] : state.partial_acks) {
    const TicketRecord& record = state.tickets[slot];
    CHECK(IsFinal(record.state) && !record.acknowledged && acks != 0);
  }
  CHECK(!state.serving || state.soonest <= state.NextDeadline());

  size_t in_sessions = 0;
  const auto& sessions = state.sessions.records();
  for (uint32_t slot = 0; slot < sessions.end(); ++slot) {
    if (!sessions.InUse(slot)) continue;
    const size_t tickets = CheckList(sessions[slot].tickets, ticket_links);
    CHECK(tickets > 0 || sessions[slot].streams > 0);
    in_sessions += tickets;
  }
  CHECK_EQ(in_sessions, sums.in_sessions);

  for (size_t i = 0; i < state.queues.size(); ++i) {
    const QueueState& queue = *state.queues[i];
    CHECK_EQ(queue.pool.size(), sums.waiting_in[i]);
    CHECK_EQ(CheckList(queue.held, match_links), queue.live_matches);
    CHECK_EQ(queue.affinities.size(), sums.affinities[i].size());
    for (const auto& [affinity, tickets] : sums.affinities[i]) {
      CHECK_EQ(queue.affinities.TicketsWith(affinity), tickets);
    }
  }
}

uint64_t SignGroup(const GroupState& state) {
  uint64_t sum = 0;  // of a digest each, so that the order does not matter
  const auto& tickets = state.tickets.records();
  for (uint32_t slot = 0; slot < tickets.end(); ++slot) {
    if (!tickets.InUse(slot) || tickets[slot].released) continue;
    const TicketRecord& record = tickets[slot];
    const uint64_t id = Hash64(record.ticket->ticket_id);
    for (const Player& player : record.ticket->players) sum += Hash64(player.player_id, id);  // claims
    if (IsFinal(record.state)) continue;
    sum +=
        HashMix(HashMix(HashMix(id, Digest(*record.ticket)), static_cast<uint64_t>(record.queued_at)), record.sequence);
  }
  const auto& matches = state.matches.records();
  for (uint32_t slot = 0; slot < matches.end(); ++slot) {
    if (!matches.InUse(slot) || !matches[slot].known) continue;
    const MatchRecord& record = matches[slot];
    uint64_t digest = HashMix(HashMix(record.match->id.fence, record.match->id.sequence), record.match->queue);
    for (const Match::Side& side : record.match->sides) {
      digest = HashMix(Hash64(side.ticket->ticket_id, digest), static_cast<uint64_t>(side.team));
    }
    sum += HashMix(HashMix(digest, static_cast<uint64_t>(record.state)), static_cast<uint64_t>(record.ended_at));
  }
  return sum;
}

}  // namespace evenmatch
