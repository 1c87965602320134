// Matcher: who should play whom in one queue, decided once a tick.
//
// It looks only at tickets that are due (new ones, those whose window has reached a neighbour, a step, or a freed
// partner), and sets the time at which each one left over is due again, so a tick costs what changed, not how many
// wait.
//
// Promise: every proposal is valid (teams full, parties whole, every two tickets may meet by all rules of the queue, in
//          one region for all, no ticket twice). After a tick no two tickets of a duel queue that fit are both left,
//          except those that hold out for a better game, with a target wait (patience.h), and under rules beyond
//          windows those of whom ruled_duels.h speaks; of a team queue no set that fits is left longer than
//          TeamMatcher::kRecheck, as far as its bounded search sees. The oldest ticket past
//          its last stage, or whose patience is over, is seated if anybody who is looked at lets it play. Among what is
//          possible the total quality over all candidates of the tick is maximised, with a target wait the gaps that
//          are saved (README.md: the method, and how far from the optimum it is); never by chance, except where
//          VarietyRules ask for it: ties go to the older ticket.
// Units:   milli-points, Micros, Quality 0..10'000, BasisPoints.
// Cost:    O(d log n) for d due tickets of a duel queue; bounded work per anchor for teams.
// Errors:  none.
// Threads: none. Deterministic: same pool, same now, same proposals, to the bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "matching/rule_book.h"
#include "matching/traits.h"
#include "model/match.h"
#include "model/units.h"
#include "pool/pool.h"

namespace evenmatch {

struct Proposal {
  struct Place {
    Pool::Slot slot;
    int32_t team;  // 0..team_count-1
  };
  absl::InlinedVector<Place, 2> places;            // tickets in order of (team, arrival)
  absl::InlinedVector<BasisPoints, 2> win_chance;  // a team against the field, by value; sums to kCertain
  std::vector<SeatRole> roles;  // with roles: of every player, in order of places and of the players of their tickets
  int32_t region = -1;          // see Match
  Quality quality = 0;
  absl::InlinedVector<TermCost, 2> costs;
  MilliPoints spread = 0;  // highest value - lowest value among its tickets
  int32_t stage = 0;       // the furthest stage any of its tickets had reached (see StageAt)
};

class DuelMatcher;
class RuledDuels;
class TeamMatcher;

class Matcher {
 public:
  explicit Matcher(const RuleBook& book);  // outlives it
  ~Matcher();
  Matcher(Matcher&&) noexcept;
  Matcher& operator=(Matcher&&) noexcept;

  // Proposes matches among the tickets of `pool` and appends them to `proposals`, disjoint, in the order to commit.
  // The pool keeps all its tickets: the caller removes those of a proposal as it commits it, and must leave a ticket of
  // a proposal it refuses in the pool with SetDue(slot, now). `traits` are those of the tickets of `pool`, empty while
  // the book is plain. `due_count` counts the tickets looked at.
  void Tick(Pool& pool, const TraitTable& traits, Micros now, std::vector<Proposal>* proposals, size_t* due_count);

 private:
  // By the rules; a duel queue may change from the first to the second, when a block list comes.
  const RuleBook* book_;
  std::unique_ptr<DuelMatcher> duel_;
  std::unique_ptr<RuledDuels> ruled_;
  std::unique_ptr<TeamMatcher> team_;
};

}  // namespace evenmatch
