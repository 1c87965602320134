// GroupState: everything a pool group knows, and Fold, the only thing that changes it.
//
// Deciders (decide.h) read it and make events; Fold takes an event for a fact and brings every table to where it says.
// A step that the state machines of tickets and matches do not have is a bug of ours (CHECK).
//
// Shape:   tickets and matches in slabs, linked into the lists they are in; each table says what it costs.
//          Time:   one deadline a waiting ticket (its timeout, the end of its presence grace or its next widening,
//                  whichever is first) in one heap; held matches, ended tickets and ended matches in lists, because
//                  what enters them last also leaves them last.
//          Access: who listens (streams, sessions) and what is paused are neither stored nor told; the former changes
//                  by events and calls, the latter by calls.
// Cost:    Fold of an event O(log n).
// Threads: none.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/slab.h"
#include "base/slot_list.h"
#include "matching/rule_book.h"
#include "matching/traits.h"
#include "model/event.h"
#include "model/limits.h"
#include "model/queue_rules.h"
#include "pool/indexed_heap.h"
#include "pool/pool.h"
#include "shard/affinities.h"
#include "shard/claim_table.h"
#include "shard/match_table.h"
#include "shard/sessions.h"
#include "shard/ticket_table.h"
#include "shard/wait_history.h"

namespace evenmatch {

inline constexpr Micros kWideningInterval = 5 * kSecond;  // a growing window is told so often, at most

// Who watches a waiting ticket, and what they were told.
struct Watch {
  uint32_t streams = 0;
  MilliPoints told_window = 0;
  int32_t told_stage = 0;
  Micros told_at = 0;
  Micros absent_since = kNever;  // with presence kStream: since when neither stream nor session is there
};

// Slots of a ticket that waits in several queues, in their order.
using Places = std::array<uint32_t, 16>;

struct QueueState {
  QueueState(const QueueRules* rules, uint32_t index)
      : rules(*rules), index(index), book(*rules), affinities(&rules->required_attributes), waits(*rules) {}

  const QueueRules& rules;
  const uint32_t index;  // into Catalog::queues
  RuleBook book;
  Pool pool;
  TraitTable traits;  // of the tickets of `pool`; empty while the book is plain
  Affinities affinities;
  WaitHistory waits;
  bool paused = false;
  SlotList held;  // live matches in order of formation
  size_t live_matches = 0;
  // Since start; a ticket counts in each of its queues, a match in its own.
  uint64_t enqueued = 0, matched_tickets = 0, matches = 0, cancelled = 0, expired = 0;
};

// Where a waiting ticket keeps its place in the heap of deadlines.
struct DeadlineHome {
  TicketTable* tickets;
  uint32_t& Place(uint32_t slot) const { return (*tickets)[slot].waiting.deadline; }
  bool Before(uint32_t a, uint32_t b) const { return a < b; }
};

struct GroupState {
  GroupState(const Catalog& catalog, uint32_t group, uint64_t fence, const Limits& limits);
  GroupState(const GroupState&) = delete;
  GroupState& operator=(const GroupState&) = delete;

  void Fold(const Event& event);
  // Folds a stored event of a former owner, whose handles mean nothing here.
  void Restore(const Event& event);
  // After the restored events: time goes on. Every presence grace begins anew, no wait is negative, and counting
  // starts.
  void BeginServing(Micros now);

  void SetPaused(uint32_t queue, bool paused) { QueueAt(queue).paused = paused; }
  void AttachSession(const std::string& id);
  void DetachSession(const std::string& id, Micros now);

  // The queue of the group with this index into Catalog::queues.
  QueueState& QueueAt(uint32_t index);
  const QueueState& QueueAt(uint32_t index) const { return const_cast<GroupState*>(this)->QueueAt(index); }
  // Slots of a waiting ticket in the pools of its queues, in their order.
  const uint32_t* PlacesOf(const TicketRecord& ticket) const;
  // A waiting ticket as the rules of the first of its queues see it, whose window it is told.
  Waiter WaiterOf(const TicketRecord& ticket) const;
  // The least of what is known for its queues; of one that is only asked for, too.
  ExpectedWait ExpectedFor(const Ticket& ticket, Micros now) const;
  // When a waiting ticket runs out of its presence grace, or is to be told of a wider window or a later stage; kNever
  // when never.
  Micros AbsentUntil(const TicketRecord& ticket) const;
  Micros NextWideningAt(const TicketRecord& ticket) const;
  // Since when the players of a released ticket are free.
  Micros ReleasedAt(const TicketRecord& ticket) const;
  // The first deadline of all; O(queues).
  Micros NextDeadline() const;

  const Catalog& catalog;
  const Limits& limits;
  const uint32_t group;
  const uint64_t fence;
  std::vector<std::unique_ptr<QueueState>> queues;  // in the order of PoolGroupRules::queues

  TicketTable tickets;
  ClaimTable claims;
  MatchTable matches;
  Sessions sessions;
  Slab<Watch> watches;
  Slab<Places> places;                                    // of tickets that wait in several queues
  absl::flat_hash_map<uint32_t, size_t> waiting_by_peer;  // kept only with a cap per peer
  absl::flat_hash_map<uint32_t, uint64_t> partial_acks;   // by slot of the ticket: a bit for each player

  IndexedHeap<Micros, DeadlineHome> deadlines;  // of waiting tickets
  SlotList retained;                            // released tickets, first to be forgotten first
  SlotList evictable;         // those among them that are acknowledged, in the order in which they became so
  SlotList retained_matches;  // ended, first to be forgotten first
  size_t retained_match_count = 0;

  uint64_t arrivals = 0;        // tickets ever queued here
  uint64_t match_sequence = 0;  // of the last match minted with our fence
  bool serving = false;
  // Nothing has run out before; never above NextDeadline.
  Micros soonest = kNever;

 private:
  void FoldQueued(const Event& event);
  void FoldFinal(const Event& event);
  void NoteWait(const TicketRecord& record, const Event& event);
  void FoldAcknowledged(const Event& event);
  void FoldMoved(const Event& event);
  void FoldAttached(const Event& event);
  void FoldDetached(const Event& event);
  void FoldWidened(const Event& event);
  void FoldForgotten(const Event& event);
  void FoldMatchFormed(const Event& event);
  void FoldMatchEnded(const Event& event);

  TicketRecord& WaitingTicket(uint64_t handle);
  void KeepTraits(QueueState& queue);
  void EnterPools(uint32_t slot, uint64_t arrival);
  void LeavePools(uint32_t slot);
  void Release(uint32_t slot);
  void EnterSession(uint32_t slot);
  void LeaveSession(uint32_t slot);
  void SetDeadline(uint32_t slot);
  void Note(Micros deadline) { soonest = deadline < soonest ? deadline : soonest; }
  auto TicketLinks() {
    return [this](uint32_t slot) -> SlotLinks& { return tickets[slot].links; };
  }
  auto RetainedLinks() {
    return [this](uint32_t slot) -> SlotLinks& { return tickets[slot].ended.retained; };
  }
  auto MatchLinks() {
    return [this](uint32_t slot) -> SlotLinks& { return matches[slot].links; };
  }

  std::vector<int32_t> queue_of_;  // by index into Catalog::queues; -1: of another group
};

}  // namespace evenmatch
