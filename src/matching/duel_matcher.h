// DuelMatcher: the tick of a queue of one against one.
//
// Shape:   due tickets and the standing ones within their reach make a line per affinity, which DuelPairing pairs. A
//          due ticket left over is due again at the earliest time at which any pair with a ticket that waits now fits;
//          alone in its affinity it is never due by itself.
//          With patience (target_wait_p95) a ticket is due at each step of its patience; once that is over, whenever
//          somebody comes within its window.
// Promise: no two waiting tickets that fit are both left over. For either both stood before the tick and became a pair
//          since, then one of them was due, for whichever was looked at last knew the other; or one came with this
//          tick, and was due. What is due sees all that stand within its window. With patience the same holds for two
//          that fit and are ripe, except that the price may have risen since both were looked at.
// Cost:    O(d log n) for d due tickets, and a step for every ticket of their affinities that stands inside their
//          windows; these are few, for those who fit one another do not stand.
// Threads: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "matching/duel_pairing.h"
#include "matching/matcher.h"
#include "matching/patience.h"
#include "matching/rule_book.h"
#include "matching/slot_marks.h"
#include "model/queue_rules.h"
#include "pool/pool.h"

namespace evenmatch {

class DuelMatcher {
 public:
  explicit DuelMatcher(const RuleBook& book);

  void Tick(Pool& pool, const TraitTable& traits, Micros now, std::vector<Proposal>* proposals, size_t* due_count);

 private:
  using Place = std::tuple<uint32_t, MilliPoints, uint64_t, Pool::Slot>;  // affinity, value, arrival, slot

  void AddImpatient(const Pool& pool);
  void SortCandidates();
  void Settle(Pool& pool, const DuelCandidate& ticket, bool paired);
  void MatchRun(Pool& pool, size_t first, size_t last, std::vector<Proposal>* proposals);
  void GatherLine(const Pool& pool, size_t first, size_t last);
  void Propose(const DuelCandidate& a, const DuelCandidate& b, std::vector<Proposal>* proposals) const;
  Micros NextDue(const Pool& pool, const DuelCandidate& ticket) const;
  DuelCandidate CandidateOf(const Pool& pool, Pool::Slot slot) const;

  const RuleBook& book_;
  const QueueRules& rules_;
  Micros last_stage_ = kNever;  // the wait at which the last stage begins, if there is more than one
  Patience patience_;
  // Those whose patience is over and that nobody fitted; some may have left since.
  std::set<Place> impatient_;
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
