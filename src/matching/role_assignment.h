// RoleAssignment: who does what in a team.
//
// Shape:   a team has RoleRules::Role::count seats of every role. Each player gets one: one that he asked for, or,
// where
//          allowed, any (a fill). A player who asked for none takes any without being filled in. Whether a team can be
//          filled, and with how few fills, is a bipartite matching (augmenting paths over roles with room); who sits
//          where is an assignment of least cost (the Hungarian method), cost being first fills, then the places of the
//          roles in their players' lists.
//          Of a team with fewer players than seats (QueueRules::fewer) some seats stay empty.
// Promise: exact up to 64 players and 64 roles; the same players in the same order give the same seats.
// Cost:    five players 0.2 us for the number of fills, 1 us for the seats; O(players ** 3) at most.
// Threads: none.
// Source:  Kuhn, "The Hungarian method for the assignment problem", 1955, in the form by shortest augmenting paths
//          (Jonker, Volgenant, 1987).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "matching/traits.h"
#include "model/match.h"
#include "model/queue_rules.h"

namespace evenmatch {

class RoleAssignment {
 public:
  static constexpr int32_t kCannot = -1;

  struct Player {
    const Traits::Wishes* wishes;
    bool may_fill;
  };

  explicit RoleAssignment(const RoleRules& rules);

  // How many of these players, at least, get a role that they did not ask for; kCannot when they cannot all be seated.
  int32_t Fills(std::span<const Player> team);

  // Seats a team: the fewest fills, then the most wanted roles. False when they cannot all be seated.
  bool Assign(std::span<const Player> team, std::span<SeatRole> seats);

 private:
  bool Asked(const Player& player, size_t role) const { return (player.wishes->roles >> role & 1) != 0; }
  bool Seat(std::span<const Player> team, size_t player, bool fill, uint64_t* visited);

  const size_t roles_;
  uint64_t all_ = 0;             // bits of all roles
  std::vector<int32_t> counts_;  // seats, by role
  std::vector<uint8_t> seat_roles_;

  // Scratch of Fills.
  std::vector<std::vector<uint8_t>> sitting_;  // players by role
  // Scratch of Assign.
  std::vector<int64_t> player_price_, seat_price_, slack_;
  std::vector<int32_t> sits_, from_;
  std::vector<uint8_t> done_;
};

}  // namespace evenmatch
