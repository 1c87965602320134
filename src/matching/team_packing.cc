#include "matching/team_packing.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace evenmatch {

void TeamPacking::Begin(std::span<const int32_t> heads, std::span<const int32_t> sizes, std::vector<int32_t>* team) {
  heads_ = heads;
  sizes_ = sizes;
  team_ = team;
  team->assign(heads.size(), kLeftOut);
  sums_.resize(heads.size() + 1);
  total_.resize(heads.size() + 1);
  sums_[heads.size()] = 1;
  total_[heads.size()] = 0;
  for (size_t i = heads.size(); i-- > 0;) {
    sums_[i] = sums_[i + 1] | sums_[i + 1] << heads[i];
    total_[i] = total_[i + 1] + heads[i];
  }
  room_.assign(sizes.begin(), sizes.end());
}

bool TeamPacking::Pack(std::span<const int32_t> heads, std::span<const int32_t> sizes, std::vector<int32_t>* team) {
  const size_t players = static_cast<size_t>(std::accumulate(sizes.begin(), sizes.end(), 0));
  if (heads.size() >= players && std::all_of(heads.begin(), heads.begin() + static_cast<int64_t>(players),
                                             [](int32_t size) { return size == 1; })) {
    steps_ = static_cast<int>(players);
    team->assign(heads.size(), kLeftOut);
    room_.assign(sizes.begin(), sizes.end());
    for (size_t i = 0, into = 0; i < players; ++i, into = (into + 1) % sizes.size()) {
      while (room_[into] == 0) into = (into + 1) % sizes.size();
      --room_[into];
      (*team)[i] = static_cast<int32_t>(into);
    }
    return true;
  }
  Begin(heads, sizes, team);
  steps_left_ = kMaxSteps;
  const bool packed = PlaceFrom(0, 0, static_cast<int64_t>(players));
  steps_ = kMaxSteps - std::max(steps_left_, 0);
  return packed;
}

bool TeamPacking::Pack(std::span<const int32_t> heads, std::span<const int32_t> sizes, size_t wanted, Guard* guard,
                       int* max_steps, std::vector<int32_t>* team) {
  Begin(heads, sizes, team);
  guard_ = guard;
  wanted_ = wanted;
  steps_left_ = *max_steps;
  const bool packed = PlaceGuarded(0, std::accumulate(sizes.begin(), sizes.end(), int64_t{0}));
  *max_steps = std::max(steps_left_, 0);
  return packed;
}

bool TeamPacking::RoomsCanBeFilled(size_t ticket) const {
  return std::all_of(room_.begin(), room_.end(), [&](int32_t room) { return (sums_[ticket] >> room & 1) != 0; });
}

// Places `ticket` and those after it, except sizes that are banned (bit size - 1), to fill what is missing.
bool TeamPacking::PlaceFrom(size_t ticket, uint64_t banned, int64_t missing) {
  if (missing == 0) return true;
  while (ticket < heads_.size() && (banned >> (heads_[ticket] - 1) & 1) != 0) ++ticket;
  if (ticket == heads_.size() || total_[ticket] < missing || --steps_left_ < 0) return false;
  if (!RoomsCanBeFilled(ticket)) return false;
  const int32_t size = heads_[ticket];
  // The teams with room for it, least room first; of those with equal room only the first.
  for (int32_t last = size - 1;;) {
    int32_t best = std::numeric_limits<int32_t>::max();
    size_t into = 0;
    for (size_t i = 0; i < room_.size(); ++i) {
      if (room_[i] > last && room_[i] < best) {
        best = room_[i];
        into = i;
      }
    }
    if (best == std::numeric_limits<int32_t>::max()) break;
    last = best;
    room_[into] -= size;
    (*team_)[ticket] = static_cast<int32_t>(into);
    if (PlaceFrom(ticket + 1, banned, missing - size)) return true;
    room_[into] += size;
    (*team_)[ticket] = kLeftOut;
  }
  return ticket != 0 && PlaceFrom(ticket + 1, banned | uint64_t{1} << (size - 1), missing);
}

// The same by asking the guard.
bool TeamPacking::PlaceGuarded(size_t ticket, int64_t missing) {
  if (missing == 0) return ticket >= wanted_ && guard_->Complete();
  if (ticket == heads_.size() || total_[ticket] < missing || --steps_left_ < 0) return false;
  if (!RoomsCanBeFilled(ticket)) return false;
  const int32_t size = heads_[ticket];
  // The teams with room for it, least room first, and in order; of empty teams of one size only the first.
  int32_t last_room = size - 1;
  size_t last_team = room_.size();
  for (;;) {
    int32_t best = std::numeric_limits<int32_t>::max();
    size_t into = 0;
    for (size_t i = 0; i < room_.size(); ++i) {
      const bool later = room_[i] > last_room || (room_[i] == last_room && i > last_team);
      if (later && room_[i] < best) {
        best = room_[i];
        into = i;
      }
    }
    if (best == std::numeric_limits<int32_t>::max()) break;
    const bool tried = best == last_room && best == sizes_[into] && sizes_[last_team] == best;
    last_room = best;
    last_team = into;
    if (tried || !guard_->Join(ticket, static_cast<int32_t>(into))) continue;
    room_[into] -= size;
    (*team_)[ticket] = static_cast<int32_t>(into);
    if (PlaceGuarded(ticket + 1, missing - size)) return true;
    room_[into] += size;
    (*team_)[ticket] = kLeftOut;
    guard_->Leave(ticket, static_cast<int32_t>(into));
    if (steps_left_ < 0) return false;
  }
  return ticket >= wanted_ && PlaceGuarded(ticket + 1, missing);
}

}  // namespace evenmatch
