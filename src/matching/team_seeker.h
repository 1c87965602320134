// TeamSeeker: the most compact set of tickets around one of them that can play, now or later.
//
// Shape:   around a ticket stand the nearest that accept it, up to side() on either side. Ranges of these, narrowest
//          first, are tried: from the tickets of a range that accept both its ends (then any two of them accept each
//          other) those are chosen that fill all teams (TeamPacking), the ticket itself first, then the older. The
//          first range that can be filled gives the set; TeamSplit then makes its teams.
// Promise: exact as far as side(), kMaxTries ranges and TeamPacking::kMaxSteps reach.
// Cost:    a few microseconds for teams of five; bounded.
// Threads: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "matching/team_packing.h"
#include "matching/team_set.h"
#include "matching/team_split.h"
#include "model/queue_rules.h"
#include "model/units.h"

namespace evenmatch {

class TeamSeeker {
 public:
  static constexpr size_t kMinSide = 32;
  static constexpr int kMaxTries = 256;     // ranges around a ticket
  static constexpr int kMaxTriesBelow = 8;  // ranges below a ticket

  explicit TeamSeeker(const QueueRules& rules);

  size_t side() const { return side_; }
  MilliPoints widest() const { return widest_; }  // that a window ever gets

  // A set that contains the ticket, of those that are free; false when there is none.
  bool SeekAround(const TeamLine& line, int32_t ticket, TeamSet* set);
  // The same, of which the ticket is the highest.
  bool SeekBelow(const TeamLine& line, int32_t ticket, TeamSet* set);
  // Makes the teams of a set as even as they can be.
  void SplitTeams(const TeamLine& line, TeamSet* set);

  // When the windows of those around a ticket have grown enough for a set that contains it, whatever the sizes of their
  // parties. `around` is in order of (value, arrival), whatever its windows are now.
  struct Outlook {
    bool possible = false;    // the parties could fill the teams if windows did not matter
    bool enough_now = false;  // windows have grown enough for some range already
    bool all_tried = true;
    Micros earliest = kNever;  // of the others
  };
  Outlook LookAhead(std::span<const TeamCandidate> around, size_t ticket, Micros now);

 private:
  struct Range {  // of nearby_, both ends included
    MilliPoints spread;
    int32_t low, high;
    // The least spread on top of a heap.
    friend bool operator<(const Range& a, const Range& b) {
      return std::tie(a.spread, a.low, a.high) > std::tie(b.spread, b.low, b.high);
    }
  };

  template <int32_t TeamCandidate::*next>
  int64_t Gather(const TeamLine& line, int32_t ticket);
  void OpenRanges(int32_t place);
  bool NextRange(Range* range);
  bool Fill(const TeamLine& line, int32_t place, const Range& range, TeamSet* set);
  bool CanPack(int32_t place);
  MilliPoints Furthest(const TeamCandidate& ticket, const Range& range) const;
  Micros Accepts(const TeamCandidate& ticket, MilliPoints gap) const;
  Micros EnoughFrom(int32_t place, const Range& range, Micros limit);

  const QueueRules rules_;
  const int32_t players_;
  const size_t side_;
  const MilliPoints widest_;
  std::vector<int32_t> sizes_;

  // Scratch.
  TeamPacking packing_;
  TeamSplit splitter_;
  std::vector<const TeamCandidate*> nearby_;  // in order of (value, arrival)
  std::vector<Range> ranges_;                 // a heap
  std::vector<const TeamCandidate*> eligible_;
  std::vector<std::pair<Micros, int32_t>> accepting_;  // when, and how many heads
  std::vector<int32_t> heads_, packed_, team_of_;
  std::vector<TeamSplit::Party> parties_;
  std::vector<int64_t> sums_;
};

}  // namespace evenmatch
