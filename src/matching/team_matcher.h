// TeamMatcher: the tick of a queue of N teams of M players, parties whole.
//
// Shape:   due tickets and those that stand around them make a line per affinity, from which TeamChoice takes sets. In
//          a queue with more rules than windows each due ticket looks for itself whom it may meet, and passes over
//          kinds of tickets (by size and roles) of which it has found enough. A due ticket left over is due again when
//          the windows around it have grown enough for some set that contains it, whatever the sizes of the parties.
//          While they have, but parties or windows do not fit together yet, it looks again every kRecheck, until no
//          window around it grows any more; and at once, in the next tick, when those who were taken hid others from
//          it. With more rules than windows it looks again after a kRecheckShare-th of its wait, if that is longer, and
//          when a stage of its own begins. Anything else that could help is a new ticket, which is due itself.
//          With patience (target_wait_p95) a ticket is due at each step of its patience, and the most compact set
//          around it is taken when it is ripe (TeamChoice); once its patience is over it is treated as past its last
//          stage.
// Promise: proposals are valid. No set stands longer than kRecheck (with rules a kRecheckShare-th of its wait) after it
//          became possible, as far as TeamSeeker sees.
//          kMaxWork of TeamSeeker a tick: due tickets that it does not reach are due in the next, the older first.
// Cost:    bounded for a due ticket; for a tick too where a match is large (see TeamSeeker).
// Threads: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "matching/matcher.h"
#include "matching/patience.h"
#include "matching/rule_book.h"
#include "matching/slot_marks.h"
#include "matching/team_choice.h"
#include "matching/team_seeker.h"
#include "matching/team_set.h"
#include "matching/traits.h"
#include "model/queue_rules.h"
#include "pool/pool.h"

namespace evenmatch {

class TeamMatcher {
 public:
  static constexpr Micros kRecheck = kSecond;
  static constexpr Micros kRecheckShare = 4;

  explicit TeamMatcher(const RuleBook& book)
      : book_(book), patience_(book.rules()), seeker_(book), choice_(book.rules(), &seeker_, &patience_) {}
  TeamMatcher(const TeamMatcher&) = delete;
  TeamMatcher& operator=(const TeamMatcher&) = delete;

  void Tick(Pool& pool, const TraitTable& traits, Micros now, std::vector<Proposal>* proposals, size_t* due_count);

  const TeamSeeker& seeker() const { return seeker_; }  // for what the last tick cost

 private:
  void MatchRun(Pool& pool, size_t first, size_t last, std::vector<Proposal>* proposals);
  void GatherLine(const Pool& pool, size_t first, size_t last);
  void GatherByWindows(const Pool& pool, size_t first, size_t last);
  void GatherByRules(const Pool& pool, size_t first, size_t last);
  void Propose(const TeamSet& set, std::vector<Proposal>* proposals);
  Micros NextDue(const Pool& pool, const TeamCandidate& ticket);
  Micros NextPlayable(const Pool& pool, const TeamCandidate& ticket);
  TeamCandidate OutlineOf(const Pool& pool, Pool::Slot slot) const;
  TeamCandidate CandidateOf(const Pool& pool, Pool::Slot slot);
  int64_t PriorityOf(const Pool& pool, const PoolEntry& entry) const;
  uint8_t KindOf(Pool::Slot slot, uint64_t arrival, int32_t heads);

  const RuleBook& book_;
  Patience patience_;
  TeamSeeker seeker_;
  TeamChoice choice_;
  const TraitTable* traits_ = nullptr;
  Micros now_ = 0;
  Micros longest_wait_ = 0;
  uint32_t first_affinity_ = 0;  // that the next tick begins with
  static constexpr int kKindBits = 8;
  std::vector<uint64_t> kinds_;  // by slot: arrival, then kind

  // Scratch.
  SlotMarks marks_;
  std::vector<Pool::Slot> due_;
  std::vector<TeamCandidate> candidates_;  // due ones in order of (affinity, value, arrival)
  std::vector<int64_t> below_;             // by due candidate of the run: the lowest value it or a later one accepts
  TeamLine line_;
  std::vector<TeamSet> chosen_;
  std::vector<TeamCandidate> around_;  // a ticket left over
  std::vector<const TeamCandidate*> team_;
};

}  // namespace evenmatch
