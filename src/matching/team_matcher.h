// TeamMatcher: the tick of a queue of N teams of M players, parties whole.
//
// Shape:   1. A line per affinity: the due tickets and those that stand around them.
//          2. Every due ticket is an anchor, and so are tickets of the line past their last stage. For an anchor the
//          most
//             compact set of tickets is sought that contains it, fills all teams, and lies within the window of each of
//             its tickets; among tickets of one value the older are preferred.
//          3. Sets become proposals best first: those of anchors past their last stage, oldest first, then by quality.
//             An anchor whose set has lost a ticket seeks again among what is free.
//          4. A due ticket left over is due again when the windows of enough players around it have grown enough for
//             some set that contains it, whatever the sizes of their parties. While there are enough, but their
//             parties do not fit together yet, it looks again every kRecheck, until no window near it grows any more.
//             What else could help is a new ticket, which is due itself.
// Promise: proposals are valid. No set stands longer than kRecheck after it became possible, as far as an anchor
//          sees: the kMinSide or 2 * players nearest tickets on either side, kMaxTries sets, and
//          TeamPacking::kMaxSteps.
// Cost:    bounded for an anchor; sets are sought again only when they come first and have lost a ticket.
// Threads: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "matching/matcher.h"
#include "matching/slot_marks.h"
#include "matching/team_packing.h"
#include "matching/team_split.h"
#include "model/queue_rules.h"
#include "pool/pool.h"

namespace evenmatch {

class TeamMatcher {
 public:
  static constexpr Micros kRecheck = kSecond;
  static constexpr size_t kMinSide = 32;
  static constexpr int kMaxTries = 256;
  static constexpr int kMaxOverdueAnchors = 64;  // of those that stand

  explicit TeamMatcher(const QueueRules& rules);

  void Tick(Pool& pool, Micros now, std::vector<Proposal>* proposals, size_t* due_count);

 private:
  struct Candidate {
    MilliPoints value = 0;
    MilliPoints window = 0;
    Micros queued_at = 0;
    uint64_t arrival = 0;
    Pool::Slot slot = Pool::kNoSlot;
    uint32_t affinity = 0;
    int32_t heads = 1;
    bool overdue = false;
    bool due = false;
    bool taken = false;
    int32_t before = -1, after = -1;  // neighbours in the line that are free
  };
  struct Member {
    int32_t ticket;  // index into line_
    int32_t team;
  };
  // The best set an anchor has found; in order of arrival.
  struct Set {
    int32_t anchor = -1;
    absl::InlinedVector<Member, 10> members;
    absl::InlinedVector<BasisPoints, 2> win_chance;
    MilliPoints spread = 0;
    Quality worst_pair = 0;
    Quality quality = 0;  // until the teams are split, the most it can be
    bool split = false;
  };
  struct Turn {  // in the order of proposing
    Quality quality;
    Micros queued_at;
    uint64_t arrival;
    size_t set;
    bool overdue;
  };
  struct Range {  // of nearby_, both ends included
    MilliPoints spread;
    int32_t low, high;
    // The least spread on top of a heap.
    friend bool operator<(const Range& a, const Range& b) {
      return std::tie(a.spread, a.low, a.high) > std::tie(b.spread, b.low, b.high);
    }
  };

  void MatchRun(Pool& pool, size_t first, size_t last, std::vector<Proposal>* proposals);
  void GatherLine(const Pool& pool, size_t first, size_t last);
  void AddAnchors();
  void Enter(size_t set);
  bool Seek(int32_t anchor, Set* set);
  bool Fill(int32_t anchor, const Range& range, Set* set);
  bool CanPack(int32_t anchor);
  void SplitTeams(Set* set);
  void Propose(const Set& set, std::vector<Proposal>* proposals);
  Micros NextDue(const Pool& pool, const Candidate& ticket);
  void OpenRanges(int32_t anchor);
  bool NextRange(Range* range);
  MilliPoints Furthest(const Candidate& ticket, const Range& range) const;
  Micros Later(Micros queued_at, MilliPoints gap) const;
  Micros EnoughFrom(int32_t anchor, const Range& range, Micros limit);
  Candidate CandidateOf(const Pool& pool, Pool::Slot slot) const;

  const QueueRules rules_;
  const int32_t players_;
  const size_t side_;
  const MilliPoints widest_;  // that a window ever gets
  Micros now_ = 0;

  // Scratch.
  SlotMarks marks_;
  TeamPacking packing_;
  TeamSplit splitter_;
  std::vector<Pool::Slot> due_;
  std::vector<Candidate> candidates_;  // due ones in order of (affinity, value, arrival)
  std::vector<Candidate> line_;
  std::vector<int64_t> below_;  // by due candidate of the run: the lowest value it or a later one accepts
  std::vector<Set> sets_;       // the first set_count_ are in use
  size_t set_count_ = 0;
  std::vector<Turn> turns_;               // a heap
  std::vector<Candidate> around_;         // NextDue: who stands around a ticket that is left over
  std::vector<const Candidate*> nearby_;  // around an anchor, in order of value; in line_ or in around_
  std::vector<Range> ranges_;             // a heap, least spread first
  std::vector<const Candidate*> eligible_;
  std::vector<std::pair<Micros, int32_t>> accepting_;  // when, and how many heads
  std::vector<int32_t> heads_, packed_, team_of_, overdue_;
  std::vector<TeamSplit::Party> parties_;
  std::vector<int64_t> sums_;
};

}  // namespace evenmatch
