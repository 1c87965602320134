#include "matching/role_assignment.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace evenmatch {
namespace {

constexpr int64_t kFillCost = 64 * 64;            // above all places in all lists of a team together
constexpr int64_t kForbidden = int64_t{1} << 32;  // above all costs of a team together
constexpr int64_t kInfinite = std::numeric_limits<int64_t>::max() / 2;

}  // namespace

RoleAssignment::RoleAssignment(const RoleRules& rules) : roles_(rules.roles.size()) {
  CHECK(roles_ <= 64);
  for (size_t role = 0; role < roles_; ++role) {
    all_ |= uint64_t{1} << role;
    counts_.push_back(rules.roles[role].count);
    seat_roles_.insert(seat_roles_.end(), static_cast<size_t>(rules.roles[role].count), static_cast<uint8_t>(role));
  }
  sitting_.resize(roles_);
}

// Finds a seat for a player, moving others to other roles of theirs; `visited` are roles already tried.
bool RoleAssignment::Seat(std::span<const Player> team, size_t player, bool fill, uint64_t* visited) {
  const uint64_t allowed = fill ? all_ : team[player].wishes->roles & all_;
  for (size_t role = 0; role < roles_; ++role) {
    if ((allowed >> role & 1) == 0 || (*visited >> role & 1) != 0) continue;
    *visited |= uint64_t{1} << role;
    std::vector<uint8_t>& there = sitting_[role];
    if (static_cast<int32_t>(there.size()) < counts_[role]) {
      there.push_back(static_cast<uint8_t>(player));
      return true;
    }
    for (size_t i = 0; i < there.size(); ++i) {
      if (!Seat(team, there[i], false, visited)) continue;
      sitting_[role][i] = static_cast<uint8_t>(player);
      return true;
    }
  }
  return false;
}

int32_t RoleAssignment::Fills(std::span<const Player> team) {
  if (team.size() > seat_roles_.size()) return kCannot;
  for (std::vector<uint8_t>& there : sitting_) there.clear();
  // Who may not fill goes first: an augmenting path never unseats anybody, so they keep roles that they asked for, and
  // then as many of the others as can be.
  int32_t fills = 0;
  for (const bool may_fill : {false, true}) {
    for (size_t i = 0; i < team.size(); ++i) {
      if (team[i].may_fill != may_fill) continue;
      uint64_t visited = 0;
      if (Seat(team, i, false, &visited)) continue;
      if (!may_fill) return kCannot;
      ++fills;  // takes whatever seat is left
    }
  }
  return fills;
}

bool RoleAssignment::Assign(std::span<const Player> team, std::span<SeatRole> seats) {
  const int32_t players = static_cast<int32_t>(team.size());
  const int32_t places = static_cast<int32_t>(seat_roles_.size());
  if (players > places) return false;
  const auto cost = [&](int32_t player, int32_t place) -> int64_t {
    const Player& of = team[static_cast<size_t>(player)];
    const uint8_t role = seat_roles_[static_cast<size_t>(place)];
    if (!Asked(of, role)) return of.may_fill ? kFillCost : kForbidden;
    const auto& preferred = of.wishes->preferred;
    const auto at = std::find(preferred.begin(), preferred.end(), role);
    return at - preferred.begin();
  };
  // Players one after the other, each by the cheapest path to a free place; index 0 stands for "nobody".
  player_price_.assign(static_cast<size_t>(players) + 1, 0);
  seat_price_.assign(static_cast<size_t>(places) + 1, 0);
  sits_.assign(static_cast<size_t>(places) + 1, 0);
  from_.assign(static_cast<size_t>(places) + 1, 0);
  for (int32_t player = 1; player <= players; ++player) {
    sits_[0] = player;
    slack_.assign(static_cast<size_t>(places) + 1, kInfinite);
    done_.assign(static_cast<size_t>(places) + 1, 0);
    size_t at = 0;
    do {
      done_[at] = 1;
      const int32_t who = sits_[at];
      int64_t step = kInfinite;
      size_t next = 0;
      for (size_t place = 1; place <= static_cast<size_t>(places); ++place) {
        if (done_[place] != 0) continue;
        const int64_t reduced = cost(who - 1, static_cast<int32_t>(place) - 1) -
                                player_price_[static_cast<size_t>(who)] - seat_price_[place];
        if (reduced < slack_[place]) {
          slack_[place] = reduced;
          from_[place] = static_cast<int32_t>(at);
        }
        if (slack_[place] < step) {
          step = slack_[place];
          next = place;
        }
      }
      for (size_t place = 0; place <= static_cast<size_t>(places); ++place) {
        if (done_[place] != 0) {
          player_price_[static_cast<size_t>(sits_[place])] += step;
          seat_price_[place] -= step;
        } else {
          slack_[place] -= step;
        }
      }
      at = next;
    } while (sits_[at] != 0);
    while (at != 0) {
      const size_t before = static_cast<size_t>(from_[at]);
      sits_[at] = sits_[before];
      at = before;
    }
  }
  for (int32_t place = 0; place < places; ++place) {
    const int32_t player = sits_[static_cast<size_t>(place) + 1] - 1;
    if (player < 0) continue;
    const uint8_t role = seat_roles_[static_cast<size_t>(place)];
    const bool asked = Asked(team[static_cast<size_t>(player)], role);
    if (!asked && !team[static_cast<size_t>(player)].may_fill) return false;
    seats[static_cast<size_t>(player)] = {role, !asked};
  }
  return true;
}

}  // namespace evenmatch
