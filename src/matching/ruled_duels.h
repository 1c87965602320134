// RuledDuels: the tick of a queue of one against one whose rules are more than windows.
//
// Shape:   a ticket that is due looks at those near it, below and above in order of distance, until it has met kEnough
//          (kEnoughEarly in the first quarter of its target wait) whom it may play now, or nobody further on can be
//          nearer than its widest window, or it has looked far enough: kFirstLook places to a side, twice as many each
//          time it comes back. Who may play now becomes an edge of a graph (DuelGraph), worth its quality, the priority
//          of both and, where wanted, a little chance; with patience (patience.h), what both allow for above its cost,
//          and no edge below that. Costs are counted in the same unit as allowances: 1024ths of a point of quality, of
//          which distance fills the last part. Who is left over is due when the first pair it saw may play, or is ripe;
//          at the steps of its patience; and, when it could not see everybody, again after kRecheck or half of its
//          wait. The oldest ticket of all, when overdue, is held against everybody that any due one looks at.
// Promise: every pair may meet by all rules, in one region. Two that may meet, and are ripe, are both left over for no
//          longer than kRecheck or half their wait, and not at all where everybody within reach is within kFirstLook
//          places and kEnough of them may not play. No ticket has a seat in a match that the oldest overdue one could
//          have had, unless it is that one.
// Cost:    O(log n) and at most 2 * kFirstLook rules for a due ticket at its first look.
// Threads: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "matching/duel_face.h"
#include "matching/duel_graph.h"
#include "matching/matcher.h"
#include "matching/patience.h"
#include "matching/rule_book.h"
#include "matching/traits.h"
#include "pool/pool.h"

namespace evenmatch {

class RuledDuels {
 public:
  static constexpr Micros kRecheck = kSecond;
  static constexpr int kEnough = 4;       // to a side
  static constexpr int kEnoughEarly = 2;  // likewise, while its patience has hardly begun
  static constexpr int kFirstLook = 32;   // places to a side
  static constexpr int kDoublings = 4;

  explicit RuledDuels(const RuleBook& book);

  // Whether a queue needs it, rather than the pairs of windows alone.
  static bool Needed(const RuleBook& book);

  void Tick(Pool& pool, const TraitTable& traits, Micros now, std::vector<Proposal>* proposals, size_t* due_count);

 private:
  struct Ticket {
    Pool::Slot slot = Pool::kNoSlot;
    Waiter waiter;
    int64_t bonus = 0;  // of a seat
    MilliPoints allowance = 0;
    bool due = false;
    bool cut = false;       // it did not see everybody within reach
    Micros later = kNever;  // when it may play the first of those it saw and may not play yet
    bool full = false;      // there may be more whom it may play now
  };
  struct Sight {  // by a due ticket, of one that it may play
    int32_t from = 0;
    Pool::Slot to = Pool::kNoSlot;
    Micros ready_at = kNever;  // when it is worth it
  };

  int32_t NodeOf(const Pool& pool, const TraitTable& traits, Pool::Slot slot);
  void Look(const Pool& pool, const TraitTable& traits, int32_t node);
  template <typename Step>
  void LookAlong(const Pool& pool, const TraitTable& traits, int32_t node, Step step);
  void SeeOldest(const Pool& pool, const TraitTable& traits);
  Micros MeetingAt(const Waiter& a, const Waiter& b) const;
  // The cost of the pair now, and when it is worth it.
  int64_t CostOf(const Waiter& a, const Waiter& b) const;
  void AddEdge(int32_t a, int32_t b, int64_t cost);
  int64_t BonusOf(const Pool& pool, const Waiter& waiter) const;
  MilliPoints ReachOf(const Waiter& waiter, Micros wait) const;
  void Propose(const Ticket& a, const Ticket& b, std::vector<Proposal>* proposals) const;
  void SetNextDue(Pool& pool);

  Micros WaitOf(const Waiter& waiter) const { return now_ - waiter.entry->queued_at; }
  bool Overdue(Micros wait) const { return book_.PastLastStage(wait) || (patience_.on() && patience_.Over(wait)); }

  const RuleBook& book_;
  const QueueRules& rules_;
  Patience patience_;
  DuelFaces faces_;
  Micros last_stage_ = kNever;
  Micros now_ = 0;
  Micros longest_wait_ = 0;  // of all

  // Scratch.
  DuelGraph graph_;
  std::vector<Pool::Slot> due_;
  std::vector<Ticket> tickets_;         // nodes
  std::vector<DuelGraph::Node> nodes_;  // beside them
  std::vector<DuelGraph::Edge> edges_;
  std::vector<Sight> sights_;  // in order of `from`
  std::vector<int32_t> partner_;
  std::vector<int32_t> node_at_;  // by slot; -1: none
};

}  // namespace evenmatch
