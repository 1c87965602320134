// Match: a committed proposal, told to everybody in it. Constant once made; its state belongs to the shard.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "model/quality_terms.h"
#include "model/ticket.h"
#include "model/units.h"

namespace evenmatch {

// Minted from the owner's fence and a sequence, so no two owners of a group ever mint the same one.
struct MatchId {
  uint64_t fence = 0;
  uint64_t sequence = 0;
  uint32_t group = 0;  // index into Catalog::groups

  friend bool operator==(const MatchId&, const MatchId&) = default;
};

// "FENCE-SEQUENCE-GROUP", the group by name; for clients it is opaque. Parse gives false when it is none of ours.
std::string FormatMatchId(const MatchId& id, std::string_view group_name);
bool ParseMatchId(std::string_view text, uint64_t* fence, uint64_t* sequence, std::string_view* group_name);

enum class MatchState : uint8_t { kProposed, kFormed, kPlaced, kEnded, kDissolved };
inline bool IsLive(MatchState state) { return state == MatchState::kFormed || state == MatchState::kPlaced; }
bool MayFollow(MatchState from, MatchState to);

enum class MatchEnd : uint8_t { kNone, kEndMatch, kHoldTimeout };

// What a player does in his team.
struct SeatRole {
  uint8_t role = 0;   // index into RoleRules::roles
  bool fill = false;  // he did not ask for it

  friend bool operator==(const SeatRole&, const SeatRole&) = default;
};

struct Match {
  struct Side {  // one ticket's place; all its players sit in this team
    std::shared_ptr<const Ticket> ticket;
    uint64_t handle = 0;  // the group's handle of that ticket
    int32_t team = 0;
    uint16_t choice = 0;  // the index of the queue in ticket->queues
  };

  MatchId id;
  uint32_t queue = 0;                              // index into Catalog::queues
  absl::InlinedVector<Side, 2> sides;              // in order of (team, arrival)
  absl::InlinedVector<BasisPoints, 2> win_chance;  // per team
  std::vector<SeatRole> roles;  // with roles: of every player, in order of sides and of the players of their tickets
  int32_t region = -1;          // index into RegionRules::regions; -1: latency does not matter, or nobody brought any
  Quality quality = 0;
  absl::InlinedVector<TermCost, 2> costs;  // what quality lacks; terms without weight are left out
  MilliPoints spread = 0;
  Micros longest_wait = 0;
  int32_t stage = 0;
  Micros formed_at = 0;
};

}  // namespace evenmatch
