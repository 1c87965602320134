// The words of team matching: TeamCandidate, TeamLine, TeamSet.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "model/units.h"
#include "pool/pool.h"

namespace evenmatch {

// A ticket that may play in this tick.
struct TeamCandidate {
  MilliPoints value = 0;
  MilliPoints window = 0;  // accepted now
  Micros queued_at = 0;
  uint64_t arrival = 0;
  Pool::Slot slot = Pool::kNoSlot;
  uint32_t affinity = 0;
  int32_t heads = 1;
  bool overdue = false;  // past its last stage
  bool due = false;      // else it stands nearby
  bool taken = false;
  int32_t before = -1, after = -1;  // the nearest in the line that are not taken
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

// Tickets of a line that fill the teams, every two of them within the stricter of their windows.
struct TeamSet {
  struct Member {
    int32_t ticket;  // index into the line
    int32_t team;
  };
  absl::InlinedVector<Member, 10> members;  // in order of arrival
  absl::InlinedVector<BasisPoints, 2> win_chance;
  MilliPoints spread = 0;
  Quality worst_pair = 0;
  Quality quality = 0;  // until the teams are split, the most it can be
  bool split = false;   // teams are as even as they can be, and win_chance is set
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

}  // namespace evenmatch
