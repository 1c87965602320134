// The words of team matching: TeamShape, TeamCandidate, TeamLine, TeamSet.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "matching/rule_book.h"
#include "matching/traits.h"
#include "model/quality_terms.h"
#include "model/queue_rules.h"
#include "model/units.h"
#include "pool/pool.h"

namespace evenmatch {

// Teams that make a match of the queue.
struct TeamShape {
  std::vector<int32_t> sizes;
  Micros after = 0;  // once the oldest ticket of the match has waited so long

  int32_t players() const { return std::accumulate(sizes.begin(), sizes.end(), 0); }
  int32_t largest() const { return *std::max_element(sizes.begin(), sizes.end()); }
};

// The full match first, then those of QueueRules::fewer.
std::vector<TeamShape> ShapesOf(const QueueRules& rules);

// A ticket that may play in this tick.
struct TeamCandidate {
  MilliPoints value = 0;
  MilliPoints window = 0;  // accepted now; with rules, the furthest at which anybody could be met
  Micros queued_at = 0;
  uint64_t arrival = 0;
  Pool::Slot slot = Pool::kNoSlot;
  uint32_t affinity = 0;
  int32_t heads = 1;
  MilliPoints allowance = 0;  // with patience: see Patience::Allowance
  int64_t priority = 0;       // in 1 / TeamChoice::kParts of a point; of queues with PriorityRules of their own
  bool overdue = false;       // past its last stage, or its patience is over
  bool due = false;           // else it stands nearby
  bool taken = false;
  bool passed_over = false;         // the work of the tick was done before its turn came
  Micros ripens_at = kNever;        // with patience: when the best set around it, found now, is worth taking
  uint8_t kind = 0;                 // tickets of one kind do for each other where only heads and roles are asked
  int32_t before = -1, after = -1;  // the nearest in the line that are not taken
  Waiter waiter;                    // with traits where the queue has rules
};

// Candidates of one affinity in order of (value, arrival); those that are free are linked.
class TeamLine {
 public:
  void Clear() { tickets_.clear(); }
  std::vector<TeamCandidate>& tickets() { return tickets_; }  // to fill; then Link
  void Link();
  void Take(int32_t index);

  const TeamCandidate& operator[](int32_t index) const { return tickets_[static_cast<size_t>(index)]; }
  int32_t size() const { return static_cast<int32_t>(tickets_.size()); }
  const TeamCandidate* data() const { return tickets_.data(); }
  auto begin() const { return tickets_.begin(); }
  auto end() const { return tickets_.end(); }

 private:
  std::vector<TeamCandidate> tickets_;
};

// Tickets of a line that fill the teams and may all meet.
struct TeamSet {
  struct Member {
    int32_t ticket;  // index into the line
    int32_t team;
  };
  absl::InlinedVector<Member, 10> members;  // in order of arrival
  absl::InlinedVector<BasisPoints, 2> win_chance;
  absl::InlinedVector<TermCost, 2> costs;
  MilliPoints spread = 0;
  MilliPoints worst_gap = 0;     // of the two whose gap is largest for
  MilliPoints worst_window = 0;  // the stricter of their windows
  int32_t shape = 0;
  int32_t region = -1;
  Quality quality = 0;  // until the teams are split, the most it can be
  bool split = false;   // teams are as even as they can be, and win_chance and costs are set
};

inline void TeamLine::Link() {
  for (int32_t i = 0; i < size(); ++i) {
    tickets_[static_cast<size_t>(i)].before = i - 1;
    tickets_[static_cast<size_t>(i)].after = i + 1 < size() ? i + 1 : -1;
  }
}

inline void TeamLine::Take(int32_t index) {
  TeamCandidate& ticket = tickets_[static_cast<size_t>(index)];
  ticket.taken = true;
  if (ticket.before >= 0) tickets_[static_cast<size_t>(ticket.before)].after = ticket.after;
  if (ticket.after >= 0) tickets_[static_cast<size_t>(ticket.after)].before = ticket.before;
}

inline std::vector<TeamShape> ShapesOf(const QueueRules& rules) {
  std::vector<TeamShape> shapes(1);
  for (int32_t team = 0; team < rules.team_count; ++team) shapes[0].sizes.push_back(rules.size_of_team(team));
  for (const FewerPlayers& step : rules.fewer) {
    shapes.push_back({std::vector<int32_t>(static_cast<size_t>(step.team_count), step.team_size), step.after});
  }
  return shapes;
}

}  // namespace evenmatch
