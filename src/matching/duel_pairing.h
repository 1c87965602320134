// DuelPairing: which of the candidates of one affinity should meet in pairs, so that their total quality is highest.
//
// Shape:   the candidates stand in rating order. They fall into segments that no window bridges, and each segment is
//          solved by itself:
//          1. neighbours only, by dynamic programming along the order. With one window for all this is the optimum:
//             crossed or nested pairs never beat the same four tickets taken side by side.
//          2. where windows differ and a bound on the optimum leaves room above that (more than 1 / 1024), every pair
//             up to kReach places apart, by dynamic programming over which of the last kReach tickets are still open.
//          3. a ticket past its last stage that has no seat takes one from the youngest who may give way, oldest first.
//          4. what is left and still fits is paired, oldest first.
//          With patience (see patience.h) a pair must be ripe as well, and what counts is by how much: the total of
//          what their allowances leave after their gaps. That is a sum over tickets and places, so one pass along the
//          order that remembers the best open ticket finds the optimum; only where that would pair across a window,
//          the way of step 2 is taken instead.
// Promise: every pair is within the stricter of its two windows, and ripe; no two tickets left over are; the oldest
//          ticket past its last stage has a seat if anybody fits it. Equal totals go to the older tickets.
// Cost:    O(n) for step 1, O(n * 2 ** kReach) for step 2; memory is kept between calls.
// Threads: none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/units.h"
#include "pool/pool.h"

namespace evenmatch {

struct DuelCandidate {
  MilliPoints value = 0;
  MilliPoints window = 0;     // accepted now
  MilliPoints reach = 0;      // at most its window; nobody further away can be paired with it now unless overdue
  MilliPoints allowance = 0;  // with patience: see Patience::Allowance
  Micros queued_at = 0;
  uint64_t arrival = 0;
  Pool::Slot slot = Pool::kNoSlot;
  uint32_t affinity = 0;
  bool overdue = false;  // past its last stage, or its patience is over
  bool due = false;      // else it stands nearby
};

class DuelPairing {
 public:
  static constexpr int32_t kAlone = -1;
  static constexpr int kReach = 6;

  explicit DuelPairing(bool patient = false) : patient_(patient) {}

  // `line`: candidates of one affinity in order of (value, arrival). Sets partner[i] to the index of the opponent of i,
  // or kAlone.
  void Pair(std::span<const DuelCandidate> line, std::vector<int32_t>* partner);

 private:
  void PairSegment(int32_t first, int32_t last);
  int64_t PairNeighbours(int32_t first, int32_t last);
  void PairWithinReach(int32_t first, int32_t last);
  void PairRipe(int32_t first, int32_t last);
  void SeatOverdue(int32_t first, int32_t last);
  void PairLeftovers(int32_t first, int32_t last);

  bool Fits(int32_t a, int32_t b) const;
  int64_t Score(int32_t a, int32_t b) const;
  void Join(int32_t a, int32_t b);

  const bool patient_;

  // Of the call under way.
  std::span<const DuelCandidate> line_;
  std::vector<int32_t>* partner_ = nullptr;

  // Scratch.
  std::vector<int32_t> bonus_;     // of a seat for a ticket, the older the more; less than a point of quality together
  std::vector<int64_t> best_;      // PairNeighbours: the best total of the tickets before
  std::vector<int32_t> closes_;    // PairRipe: by ticket, the open one that it had best meet, or kAlone
  std::vector<uint8_t> decision_;  // PairWithinReach: by ticket and mask
  std::vector<int32_t> leftover_;
  std::vector<int64_t> reach_below_;
};

}  // namespace evenmatch
