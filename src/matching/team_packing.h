// TeamPacking: which tickets, the first ones preferred, fill the teams exactly, parties whole.
//
// Shape:   depth first in order of preference: a ticket goes into the team it fills best, else into another, else it is
//          left out. A branch is cut when some team's room is no sum of the sizes still to come. Without a Guard only
//          sizes matter: with a ticket that is left out every later one of its size is, for what the first could not be
//          part of those cannot. With a Guard tickets differ in more (who may meet whom, roles), and it is asked at
//          every step.
// Promise: the first ticket is always part of it, with a Guard the first `wanted`. Exact as long as kMaxSteps suffice;
// then gives up. Cost:    O(tickets) for solos; bounded by kMaxSteps. Threads: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace evenmatch {

class TeamPacking {
 public:
  static constexpr int kMaxSteps = 4'096;
  static constexpr int32_t kLeftOut = -1;

  int steps() const { return steps_; }  // of the last packing without a Guard

  class Guard {
   public:
    virtual ~Guard() = default;
    virtual bool Join(size_t ticket, int32_t team) = 0;   // false, and nothing changed, when it may not
    virtual void Leave(size_t ticket, int32_t team) = 0;  // the last that joined
    virtual bool Complete() = 0;                          // whether the whole may play
  };

  // Sets team[i] to the team of ticket i, or kLeftOut; false when no way was found. `heads` are 1 up to the largest of
  // `sizes`, which are at most 64. Gives up after `max_steps`, which falls by the steps made.
  bool Pack(std::span<const int32_t> heads, std::span<const int32_t> sizes, std::vector<int32_t>* team);
  bool Pack(std::span<const int32_t> heads, std::span<const int32_t> sizes, size_t wanted, Guard* guard, int* max_steps,
            std::vector<int32_t>* team);

 private:
  using Sums = unsigned __int128;  // bit s: some tickets together have s heads; sums beyond a team do not matter
  void Begin(std::span<const int32_t> heads, std::span<const int32_t> sizes, std::vector<int32_t>* team);
  bool RoomsCanBeFilled(size_t ticket) const;
  bool PlaceFrom(size_t ticket, uint64_t banned, int64_t missing);
  bool PlaceGuarded(size_t ticket, int64_t missing);

  std::span<const int32_t> heads_, sizes_;
  std::vector<int32_t>* team_ = nullptr;
  Guard* guard_ = nullptr;
  size_t wanted_ = 1;
  std::vector<int32_t> room_;
  std::vector<Sums> sums_;      // by ticket: of it and those after it
  std::vector<int64_t> total_;  // the same, all heads
  int steps_left_ = 0;
  int steps_ = 0;
};

}  // namespace evenmatch
