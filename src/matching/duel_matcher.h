// DuelMatcher: the tick of a queue of one against one.
//
// Shape:   due tickets and the standing ones within their reach make a line per affinity, which DuelPairing pairs. A
//          due ticket left over is due again at the earliest time at which any pair with a ticket that waits now fits;
//          alone in its affinity it is never due by itself.
// Promise: no two waiting tickets that fit are both left over. For either both stood before the tick and became a pair
//          since, then one of them was due, for whichever was looked at last knew the other; or one came with this
//          tick, and was due. What is due sees all that stand within its window.
// Cost:    O(d log n) for d due tickets, and a step for every ticket of their affinities that stands inside their
//          windows; these are few, for those who fit one another do not stand.
// Threads: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "matching/duel_pairing.h"
#include "matching/matcher.h"
#include "matching/rule_book.h"
#include "matching/slot_marks.h"
#include "model/queue_rules.h"
#include "pool/pool.h"

namespace evenmatch {

class DuelMatcher {
 public:
  explicit DuelMatcher(const RuleBook& book) : book_(book), rules_(book.rules()) {}

  void Tick(Pool& pool, const TraitTable& traits, Micros now, std::vector<Proposal>* proposals, size_t* due_count);

 private:
  void MatchRun(Pool& pool, size_t first, size_t last, std::vector<Proposal>* proposals);
  void GatherLine(const Pool& pool, size_t first, size_t last);
  void Propose(const DuelCandidate& a, const DuelCandidate& b, std::vector<Proposal>* proposals) const;
  Micros NextDue(const Pool& pool, const DuelCandidate& ticket) const;
  DuelCandidate CandidateOf(const Pool& pool, Pool::Slot slot) const;

  const RuleBook& book_;
  const QueueRules& rules_;
  Micros now_ = 0;

  // Scratch.
  DuelPairing pairing_;
  std::vector<Pool::Slot> due_;
  std::vector<DuelCandidate> candidates_;  // due ones in order of (affinity, value, arrival)
  std::vector<DuelCandidate> line_;        // those of one affinity and the standing ones near them
  std::vector<int64_t> reach_below_;       // by due candidate of the run: the lowest value it or a later one accepts
  std::vector<int32_t> partner_;
  SlotMarks marks_;
};

}  // namespace evenmatch
