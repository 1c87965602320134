// PoolGroup: the tickets, claims, pools and matches of one pool group; the whole of matchmaking without threads.
//
// A command is decided into events, and events are folded into state; Decide changes nothing and Fold decides nothing.
// Whoever owns the group (one thread) stores the events and only then releases the replies and tells the events.
//
// Promises: a ticket is in exactly one state; a player is in at most one live ticket or live match of the group; the
//           events of a ticket are numbered from 1 without gaps; folding the stored events of a group into an empty
//           one gives its tickets, claims and matches again.
// Units:    Micros, milli-points. `now` may not go backwards.
// Cost:     a command O(log n); a tick follows what is due, not how many wait; Advance follows what has run out.
// Errors:   in the Reply; a refused command leaves no event.
// Threads:  none.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/command.h"
#include "model/event.h"
#include "model/limits.h"
#include "model/queue_rules.h"
#include "model/units.h"

namespace evenmatch {

class PoolGroup {
 public:
  // `catalog` and `limits` outlive the group. `fence` is the owner's, from the store; ids are minted from it.
  PoolGroup(const Catalog& catalog, uint32_t group, uint64_t fence, const Limits& limits);
  ~PoolGroup();
  PoolGroup(const PoolGroup&) = delete;
  PoolGroup& operator=(const PoolGroup&) = delete;

  // Decides one command and folds what it decided; appends the events. Like Tick it does first what Advance would.
  Reply Apply(const Command& command, Micros now, std::vector<Event>* events);

  struct TickStats {
    size_t due = 0;
    size_t matches = 0;
  };
  // Forms the matches of one of the group's queues; nothing while it is paused.
  TickStats Tick(uint32_t queue, Micros now, std::vector<Event>* events);

  // Ends what has run out by `now`: ticket timeouts, presence grace, match holds, retentions; tells watched tickets of
  // their wider windows.
  void Advance(Micros now, std::vector<Event>* events);
  // When Advance has something to do next; kNever when never.
  Micros NextDeadline() const;

  // Folds one stored event of a former owner. For recovery: all of them in the order in which they happened, before
  // anything else is called. Handles may change.
  void Restore(const Event& event);

  QueueStats Stats(uint32_t queue, Micros now) const;
  // One number for the state: equal for equal live tickets, claims and matches. O(n); for tests and simulation.
  uint64_t Signature() const;
  // CHECKs every invariant that ties the tables together. O(n); for tests and simulation.
  void CheckInvariants() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace evenmatch
