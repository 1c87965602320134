#include "matching/team_packing.h"

#include <algorithm>
#include <limits>

namespace evenmatch {

bool TeamPacking::Pack(std::span<const int32_t> heads, int32_t teams, int32_t team_size, std::vector<int32_t>* team) {
  heads_ = heads;
  team_ = team;
  team->assign(heads.size(), kLeftOut);
  const int64_t players = int64_t{teams} * team_size;
  if (static_cast<int64_t>(heads.size()) >= players &&
      std::all_of(heads.begin(), heads.begin() + players, [](int32_t size) { return size == 1; })) {
    for (int64_t i = 0; i < players; ++i) (*team)[i] = static_cast<int32_t>(i % teams);
    return true;
  }
  sums_.resize(heads.size() + 1);
  total_.resize(heads.size() + 1);
  sums_[heads.size()] = 1;
  total_[heads.size()] = 0;
  for (size_t i = heads.size(); i-- > 0;) {
    sums_[i] = sums_[i + 1] | sums_[i + 1] << heads[i];
    total_[i] = total_[i + 1] + heads[i];
  }
  room_.assign(static_cast<size_t>(teams), team_size);
  steps_ = 0;
  return PlaceFrom(0, 0, players);
}

// Places `ticket` and those after it, except sizes that are banned (bit size - 1), to fill what is missing.
bool TeamPacking::PlaceFrom(size_t ticket, uint64_t banned, int64_t missing) {
  if (missing == 0) return true;
  while (ticket < heads_.size() && (banned >> (heads_[ticket] - 1) & 1) != 0) ++ticket;
  if (ticket == heads_.size() || total_[ticket] < missing || ++steps_ > kMaxSteps) return false;
  for (const int32_t room : room_) {
    if ((sums_[ticket] >> room & 1) == 0) return false;
  }
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

}  // namespace evenmatch
