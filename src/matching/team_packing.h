// TeamPacking: which tickets, the first ones preferred, fill a number of teams exactly, parties whole.
//
// Shape:   depth first in order of preference: a ticket goes into the team it fills best, else into another, else it is
//          left out, and with it every later one of its size, for what the first could not be part of those cannot.
//          A branch is cut when some team's room is no sum of the sizes still to come.
// Promise: the first ticket is always part of it. Exact as long as kMaxSteps suffice; then gives up.
// Cost:    O(tickets) for solos; bounded by kMaxSteps.
// Threads: none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace evenmatch {

class TeamPacking {
 public:
  static constexpr int kMaxSteps = 4'096;
  static constexpr int32_t kLeftOut = -1;

  // Sets team[i] to the team of ticket i, or kLeftOut; false when no way was found. `heads` are 1..team_size;
  // team_size is at most 64.
  bool Pack(std::span<const int32_t> heads, int32_t teams, int32_t team_size, std::vector<int32_t>* team);

 private:
  using Sums = unsigned __int128;  // bit s: some tickets together have s heads; sums beyond a team do not matter
  bool PlaceFrom(size_t ticket, uint64_t banned, int64_t missing);

  std::span<const int32_t> heads_;
  std::vector<int32_t>* team_ = nullptr;
  std::vector<int32_t> room_;
  std::vector<Sums> sums_;      // by ticket: of it and those after it
  std::vector<int64_t> total_;  // the same, all heads
  int steps_ = 0;
};

}  // namespace evenmatch
