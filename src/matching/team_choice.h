// TeamChoice: which of the sets that could play shall, so that the total quality of the tick is highest.
//
// Shape:   1. Around each free ticket past its last stage, oldest first, a set is taken when there is one.
//          2. Where windows alone decide, a sweep along the line: below each free ticket lies a most compact set of
//             which it is the highest; dynamic programming takes those, none overlapping another's range, whose total
//             quality above the reserve is highest. Where everybody fits and nobody is in a party this is the optimum
//             of compactness. Where more rules decide, who may meet is no longer a matter of ranges, and this is left
//             out.
//          3. What the sweep passed over: around each due ticket that is left, best sets first; one whose set has lost
//             a ticket seeks again among those free. Then the same for matches with fewer players.
//          With patience a set is taken only if it is ripe: its spread is no more than its tickets allow for together.
//          Best are those that need the least part of what they have. There is no sweep then, for what does not play
//          now is not lost.
//          Where the queue gives priorities, the mean of its tickets' counts for a set, and where it wants variety a
//          little chance does, from its seed and the tickets; there is no sweep then either.
//          The reserve is what seats were worth in the ticks before, less a seventh: a poor match now would cost better
//          ones later their tickets, so the sweep leaves it to the third step. At first it is nothing.
//          Equal totals go to the older tickets.
// Promise: the chosen sets are disjoint; no due ticket is left around which TeamSeeker finds a ripe set; no ticket is
// seated
//          in a match that the oldest past its last stage could have had, as far as TeamSeeker sees and as long as it
//          is due or among the kMaxOverdueStanding oldest of those that stand around due ones.
// Cost:    a set sought below each ticket and around those that remain.
// Threads: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "matching/patience.h"
#include "matching/team_seeker.h"
#include "matching/team_set.h"

namespace evenmatch {

class TeamChoice {
 public:
  static constexpr size_t kMaxOverdueStanding = 16;
  static constexpr int64_t kSmooth = 256;   // matches
  static constexpr int64_t kParts = 1'024;  // of a point of quality, by which sets are compared

  // With patience only sets that are ripe are taken.
  TeamChoice(const QueueRules& rules, TeamSeeker* seeker, const Patience* patience)
      : seeker_(*seeker),
        patience_(*patience),
        patient_(patience->on()),
        favours_(!rules.priority.plain() || rules.variety.within > 0),
        variety_(rules.variety) {}

  void BeginTick(Micros now) { now_ = now; }

  // Takes tickets from the line and appends their sets, split, in the order to commit.
  void Choose(TeamLine* line, std::vector<TeamSet>* chosen);

 private:
  struct Turn {
    int64_t worth;
    size_t set;      // index into sets_
    int32_t anchor;  // index into the line
  };
  struct Step {  // the best choice among the tickets of the line up to one
    int64_t total = 0;
    int32_t set = -1;  // that ends with this ticket, index into sets_; -1: none does
    int32_t rest = 0;  // where the line before that set ends
  };

  void SeatOverdue(TeamLine* line, std::vector<TeamSet>* chosen);
  void Sweep(TeamLine* line, std::vector<TeamSet>* chosen);
  void BestFirst(TeamSeeker::Sizes sizes, TeamLine* line, std::vector<TeamSet>* chosen);
  void Take(const TeamSet& set, TeamLine* line, std::vector<TeamSet>* chosen);
  TeamSet& NextSet();

  int64_t AllowanceOf(const TeamLine& line, const TeamSet& set) const;
  Micros RipensAt(const TeamLine& line, int32_t ticket, const TeamSet& set) const;
  bool Seek(TeamLine* line, int32_t ticket, TeamSeeker::Sizes sizes, TeamSet* set);
  int64_t WorthOf(const TeamLine& line, const TeamSet& set) const;

  TeamSeeker& seeker_;
  const Patience& patience_;
  const bool patient_;
  const bool favours_;  // sets are worth more than their quality
  const VarietyRules variety_;
  Micros now_ = 0;
  int64_t usual_quality_ = 0;  // of matches lately, times kSmooth

  // Scratch.
  std::vector<TeamSet> sets_;  // the first set_count_ are in use
  size_t set_count_ = 0;
  std::vector<Turn> turns_;  // a heap
  std::vector<Step> steps_;
  std::vector<int32_t> overdue_, in_turn_;
};

}  // namespace evenmatch
