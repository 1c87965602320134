// TeamSeeker: the most compact set of tickets around one of them that can play, now or later.
//
// Shape:   around a ticket stand the nearest that it may meet, up to side() on either side. Ranges of these, narrowest
//          first, are tried: from the tickets of a range those are chosen that fill all teams (TeamPacking), the ticket
//          itself first, then the older. The first range that can be filled gives the set; TeamSplit then makes its
//          teams.
//          Where windows decide everything, a range offers the tickets that accept both its ends, so that any two of
//          them accept each other. Where a queue has more rules, TeamRules watches the packing; a range is tried only
//          if it has somebody for every seat; and with regions each that the ticket plays in is searched by itself, its
//          nearest ones first, and the best set of all is taken.
//          The full match is sought first, then smaller ones (QueueRules::fewer).
// Promise: exact as far as side(), kMaxTries ranges and TeamPacking::kMaxSteps reach (with rules kMaxRegions regions,
//          kMaxGuardedSteps steps, and of tickets that differ in nothing but their value
//          and age only the nearest). Matches of more than kSmallMatch players may have more steps in proportion, but
//          once all searches of a tick have made kMaxWork of them there are none until the next; looking ahead,
//          which has as many, then says kRecheck.
// Cost:    a few microseconds for teams of five, with rules some ten; bounded. Of a tick with more than kSmallMatch
//          players a match: twice kMaxWork steps, a search and a look ahead.
// Threads: none.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "matching/rule_book.h"
#include "matching/team_packing.h"
#include "matching/team_rules.h"
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
  static constexpr int kMaxRegions = 4;
  // Up to so many players a match the bounds on steps are as below, beyond in proportion.
  static constexpr int32_t kSmallMatch = kMinSide / 2;
  static constexpr int kMaxGuardedSteps = 1'024;  // in all ranges: tickets looked at, and steps of packings
  static constexpr int kMaxPackingSteps = 32;     // in one range; two a player
  static constexpr int kMaxLooks = kMaxTries * (2 * kMinSide + 1);  // where matches are larger, steps around a ticket
  static constexpr int64_t kMaxWork = 1 << 18;                      // the same, of a tick
  static constexpr int64_t kLooksAStep = 8;                         // of TeamRules, that take as long
  static constexpr size_t kStepsPerEntry = 16;  // stepped over for each that is wanted, before a walk is cut short

  enum class Sizes { kFull, kSmaller, kAny };

  // How far a walk to one side goes: until it has found enough, or has stepped over too many. Of one kind (see
  // TeamCandidate) it wants no more than half of all, or a match of them, so that rare ones are found among many of the
  // same.
  class Walk {
   public:
    explicit Walk(const TeamSeeker& seeker)
        : wanted_(seeker.side_), steps_(seeker.side_ * kStepsPerEntry), of_a_kind_(seeker.side_ / 2) {}
    bool more() const { return wanted_ > 0 && steps_ > 0; }
    bool Wants(uint8_t kind) {
      --steps_;
      return kind == 0 || found_[kind] < of_a_kind_;
    }
    void Found(uint8_t kind) {
      --wanted_;
      ++found_[kind];
    }

   private:
    size_t wanted_, steps_, of_a_kind_;
    std::array<uint16_t, 64> found_{};
  };
  static constexpr uint8_t kKinds = 64;

  explicit TeamSeeker(const RuleBook& book);

  size_t side() const { return side_; }
  MilliPoints widest() const { return widest_; }  // the furthest at which two could ever meet
  int32_t fewest_players() const { return fewest_players_; }
  bool sweeps() const { return !rules_.guards(); }  // whether SeekBelow may be asked
  bool has_smaller() const { return shapes_.size() > 1; }
  const TeamShape& shape(const TeamSet& set) const { return shapes_[static_cast<size_t>(set.shape)]; }
  TeamRules& rules() { return rules_; }
  // Steps of the searches in this tick: tickets looked at, and steps of packings; and of looking ahead.
  int64_t work() const { return work_; }
  int64_t work_ahead() const { return work_ahead_; }
  bool large() const { return players_ > kSmallMatch; }
  bool spent() const { return large() && work_ >= kMaxWork; }  // no search finds anything any more

  // A tick begins; the longest wait of any ticket in it.
  void BeginTick(Micros now, Micros longest_wait);

  // A set that contains the ticket, of those that are free; false when there is none.
  bool SeekAround(const TeamLine& line, int32_t ticket, Sizes sizes, TeamSet* set);
  // The same, of which the ticket is the highest; full matches only.
  bool SeekBelow(const TeamLine& line, int32_t ticket, TeamSet* set);
  // Makes the teams of a set as even as they can be, and says what it is worth.
  void SplitTeams(const TeamLine& line, TeamSet* set);

  // When the rules of those around a ticket have relaxed enough for a set that contains it, as far as each of them with
  // the ticket is concerned. `around` is in order of (value, arrival), whatever its windows are now.
  struct Outlook {
    bool possible = false;    // the parties could fill the teams if waits did not matter
    bool enough_now = false;  // enough may meet it already
    bool all_tried = true;
    Micros earliest = kNever;  // of the others
  };
  // Once there are enough now, what lies beyond `recheck` from now is not looked for.
  Outlook LookAhead(std::span<const TeamCandidate> around, size_t ticket, Micros recheck);

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
  void Gather(const TeamLine& line, int32_t ticket);
  bool SeekShape(const TeamLine& line, int32_t place, int32_t shape, TeamSet* set);
  bool SeekRegions(const TeamLine& line, int32_t place, int32_t shape, TeamSet* set);
  bool SeekInNearby(const TeamLine& line, int32_t place, int32_t shape, int32_t region, TeamSet* set);
  void OpenRanges(int32_t place, const TeamShape& shape, bool ever);
  bool NextRange(Range* range);
  bool Fill(const TeamLine& line, int32_t place, const Range& range, int32_t shape, int32_t region, TeamSet* set);
  bool PackByWindows(int32_t place, const Range& range, const TeamShape& shape);
  bool PackGuarded(int32_t place, const Range& range, const TeamShape& shape, int32_t region);
  bool CanPack(int32_t place, const TeamShape& shape, int64_t* work);
  int StepsOf(int steps) const { return steps * std::max(players_, kSmallMatch) / kSmallMatch; }
  int64_t Heads() const;
  MilliPoints Furthest(const TeamCandidate& ticket, const Range& range) const;
  Micros Accepts(const TeamCandidate& ticket, MilliPoints gap) const;
  Micros EnoughFrom(int32_t place, const Range& range, int32_t players, Micros limit);
  void LookAheadByWindows(int32_t place, const TeamShape& shape, const TeamCandidate& oldest, Micros recheck,
                          Outlook* outlook);
  void LookAheadByRules(std::span<const TeamCandidate> around, size_t ticket, const TeamShape& shape, Outlook* outlook);

  const RuleBook& book_;
  TeamRules rules_;
  const std::vector<TeamShape> shapes_;
  const int32_t players_;  // of a full match
  int32_t fewest_players_;
  const size_t side_;
  MilliPoints widest_;
  Micros now_ = 0;
  Micros longest_wait_ = 0;

  // Scratch.
  TeamPacking packing_;
  TeamSplit splitter_;
  std::vector<const TeamCandidate*> nearby_, all_nearby_;  // in order of (value, arrival)
  std::vector<Range> ranges_;                              // a heap
  int steps_left_ = 0;
  int64_t work_ = 0, work_ahead_ = 0;
  std::vector<int32_t> eligible_;  // places in nearby_
  std::array<uint32_t, 64> kinds_{};
  std::vector<const TeamCandidate*> members_;
  std::vector<std::pair<Micros, int32_t>> accepting_;  // when, and how many heads
  std::vector<std::pair<Micros, size_t>> meeting_;     // when, and who
  std::vector<int32_t> heads_, packed_, team_of_;
  std::vector<TeamSplit::Party> parties_;
  std::vector<std::pair<int32_t, int32_t>> regions_;  // latency, region
  TeamSet other_;
};

}  // namespace evenmatch
