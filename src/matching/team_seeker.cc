#include "matching/team_seeker.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "matching/age_bonus.h"
#include "matching/quality.h"
#include "matching/window.h"

namespace evenmatch {

TeamSeeker::TeamSeeker(const QueueRules& rules)
    : rules_(rules),
      players_(rules.players_per_match()),
      side_(std::max(kMinSide, 2 * static_cast<size_t>(players_))),
      widest_(WindowAt(rules.window, kNever)) {
  for (int32_t team = 0; team < rules.team_count; ++team) sizes_.push_back(rules.size_of_team(team));
}

// Appends those on one side of the ticket that accept it and that it accepts, nearest first; returns their heads.
template <int32_t TeamCandidate::*next>
int64_t TeamSeeker::Gather(const TeamLine& line, int32_t ticket) {
  const TeamCandidate& from = line[ticket];
  int64_t heads = 0;
  size_t wanted = side_;
  for (int32_t i = from.*next; i >= 0 && wanted > 0; i = line[i].*next) {
    const MilliPoints gap = std::abs(line[i].value - from.value);
    if (gap > from.window) break;
    if (gap > line[i].window) continue;
    nearby_.push_back(&line[i]);
    heads += line[i].heads;
    --wanted;
  }
  return heads;
}

bool TeamSeeker::SeekAround(const TeamLine& line, int32_t ticket, TeamSet* set) {
  nearby_.clear();
  int64_t heads = line[ticket].heads + Gather<&TeamCandidate::before>(line, ticket);
  std::reverse(nearby_.begin(), nearby_.end());
  const int32_t place = static_cast<int32_t>(nearby_.size());
  nearby_.push_back(&line[ticket]);
  heads += Gather<&TeamCandidate::after>(line, ticket);
  if (heads < players_) return false;
  OpenRanges(place);
  Range range;
  for (int tries = 0; tries < kMaxTries && NextRange(&range); ++tries) {
    if (Fill(line, place, range, set)) return true;
    // Before trying on: the parties that are there may not fit together at all.
    if (tries == 0 && !CanPack(place)) return false;
  }
  return false;
}

bool TeamSeeker::SeekBelow(const TeamLine& line, int32_t ticket, TeamSet* set) {
  nearby_.clear();
  if (line[ticket].heads + Gather<&TeamCandidate::before>(line, ticket) < players_) return false;
  std::reverse(nearby_.begin(), nearby_.end());
  const int32_t place = static_cast<int32_t>(nearby_.size());
  nearby_.push_back(&line[ticket]);
  int32_t low = place;
  for (int64_t heads = line[ticket].heads; heads < players_;) heads += nearby_[--low]->heads;
  for (int tries = 0; tries < kMaxTriesBelow && low >= 0; ++tries, --low) {
    while (low > 0 && nearby_[low - 1]->value == nearby_[low]->value) --low;
    const MilliPoints spread = nearby_[place]->value - nearby_[low]->value;
    if (Fill(line, place, {spread, low, place}, set)) return true;
  }
  return false;
}

// Opens, for every low end at or below the place, the shortest range around it with enough players.
void TeamSeeker::OpenRanges(int32_t place) {
  ranges_.clear();
  int64_t heads = 0;
  int32_t high = static_cast<int32_t>(nearby_.size()) - 1;
  for (int32_t i = place + 1; i <= high; ++i) heads += nearby_[i]->heads;
  for (int32_t low = place; low >= 0; --low) {
    heads += nearby_[low]->heads;
    while (high > place && heads - nearby_[high]->heads >= players_) heads -= nearby_[high--]->heads;
    const MilliPoints spread = nearby_[high]->value - nearby_[low]->value;
    if (heads >= players_ && spread <= widest_) ranges_.push_back({spread, low, high});
  }
  std::make_heap(ranges_.begin(), ranges_.end());
}

// Takes the next range in order of spread, and opens the next wider one from the same low end.
bool TeamSeeker::NextRange(Range* range) {
  if (ranges_.empty()) return false;
  std::pop_heap(ranges_.begin(), ranges_.end());
  *range = ranges_.back();
  ranges_.pop_back();
  const int32_t end = static_cast<int32_t>(nearby_.size());
  if (range->high + 1 < end) {
    const MilliPoints spread = nearby_[range->high + 1]->value - nearby_[range->low]->value;
    if (spread <= widest_) {
      ranges_.push_back({spread, range->low, range->high + 1});
      std::push_heap(ranges_.begin(), ranges_.end());
    }
  }
  // Tickets of the same value as its ends belong to it, so that the older of them are not passed over.
  while (range->low > 0 && nearby_[range->low - 1]->value == nearby_[range->low]->value) --range->low;
  while (range->high + 1 < end && nearby_[range->high + 1]->value == nearby_[range->high]->value) ++range->high;
  return true;
}

// How far the ticket is from the further end of the range.
MilliPoints TeamSeeker::Furthest(const TeamCandidate& ticket, const Range& range) const {
  return std::max(ticket.value - nearby_[range.low]->value, nearby_[range.high]->value - ticket.value);
}

// Fills the teams from the tickets of the range that accept its ends, the one at `place` among them.
bool TeamSeeker::Fill(const TeamLine& line, int32_t place, const Range& range, TeamSet* set) {
  const TeamCandidate* first = nearby_[place];
  if (first->window < Furthest(*first, range)) return false;
  eligible_.clear();
  int64_t heads = 0;
  for (int32_t i = range.low; i <= range.high; ++i) {
    if (nearby_[i]->window < Furthest(*nearby_[i], range)) continue;
    eligible_.push_back(nearby_[i]);
    heads += nearby_[i]->heads;
  }
  if (heads < players_) return false;
  std::sort(eligible_.begin(), eligible_.end(), [first](const TeamCandidate* a, const TeamCandidate* b) {
    if (a == first || b == first) return a == first && b != first;
    return Older(*a, *b);
  });
  heads_.clear();
  for (const TeamCandidate* ticket : eligible_) heads_.push_back(ticket->heads);
  if (!packing_.Pack(heads_, sizes_, &packed_)) return false;

  set->members.clear();
  MilliPoints low = std::numeric_limits<MilliPoints>::max(), high = std::numeric_limits<MilliPoints>::min();
  for (size_t i = 0; i < eligible_.size(); ++i) {
    if (packed_[i] == TeamPacking::kLeftOut) continue;
    set->members.push_back({static_cast<int32_t>(eligible_[i] - line.data()), packed_[i]});
    low = std::min(low, eligible_[i]->value);
    high = std::max(high, eligible_[i]->value);
  }
  std::sort(set->members.begin(), set->members.end(), [&line](const TeamSet::Member& a, const TeamSet::Member& b) {
    return line[a.ticket].arrival < line[b.ticket].arrival;
  });
  set->spread = high - low;
  set->worst_pair = kBestQuality;
  for (const TeamSet::Member& member : set->members) {
    const TeamCandidate& ticket = line[member.ticket];
    const MilliPoints furthest = std::max(ticket.value - low, high - ticket.value);
    set->worst_pair = std::min(set->worst_pair, DuelQuality(furthest, ticket.window));
  }
  set->split = false;
  set->quality = (set->worst_pair + kCertain) / 2;
  return true;
}

// Whether the tickets nearby could fill the teams with the one at `place` if windows did not matter.
bool TeamSeeker::CanPack(int32_t place) {
  heads_.clear();
  heads_.push_back(nearby_[place]->heads);
  for (int32_t i = 0; i < static_cast<int32_t>(nearby_.size()); ++i) {
    if (i != place) heads_.push_back(nearby_[i]->heads);
  }
  return packing_.Pack(heads_, sizes_, &packed_);
}

void TeamSeeker::SplitTeams(const TeamLine& line, TeamSet* set) {
  parties_.clear();
  team_of_.clear();
  for (const TeamSet::Member& member : set->members) {
    parties_.push_back({line[member.ticket].value, line[member.ticket].heads});
    team_of_.push_back(member.team);
  }
  splitter_.Split(parties_, sizes_, team_of_);
  sums_.assign(static_cast<size_t>(rules_.team_count), 0);
  for (size_t i = 0; i < parties_.size(); ++i) {
    set->members[i].team = team_of_[i];
    sums_[static_cast<size_t>(team_of_[i])] += int64_t{parties_[i].value} * parties_[i].heads;
  }
  set->win_chance.resize(sums_.size());
  const std::span<BasisPoints> win_chance(set->win_chance.data(), set->win_chance.size());
  TeamWinChances(sums_, sizes_, {}, win_chance);
  set->quality = TeamQuality(set->worst_pair, win_chance);
  set->split = true;
}

TeamSeeker::Outlook TeamSeeker::LookAhead(std::span<const TeamCandidate> around, size_t ticket, Micros now) {
  const int32_t place = static_cast<int32_t>(ticket);
  nearby_.clear();
  const TeamCandidate* oldest = &around[ticket];
  for (const TeamCandidate& near : around) {
    nearby_.push_back(&near);
    if (Older(near, *oldest)) oldest = &near;
  }
  Outlook outlook;
  outlook.possible = CanPack(place);
  if (!outlook.possible) return outlook;
  OpenRanges(place);
  Range range;
  for (int tries = 0; NextRange(&range);) {
    // The ends of the range must accept all of it, and the ticket at least half.
    if (Accepts(*oldest, range.spread) >= outlook.earliest) break;
    if (Accepts(around[ticket], range.spread - range.spread / 2) >= outlook.earliest) break;
    const Micros at = EnoughFrom(place, range, outlook.earliest);
    if (at <= now) {
      outlook.enough_now = true;
    } else {
      outlook.earliest = std::min(outlook.earliest, at);
    }
    if (++tries == kMaxTries) {
      outlook.all_tried = false;
      break;
    }
  }
  return outlook;
}

// The time from which on a ticket accepts such a gap.
Micros TeamSeeker::Accepts(const TeamCandidate& ticket, MilliPoints gap) const {
  const Micros wait = WaitForWindow(rules_.window, gap);
  return wait == kNever ? kNever : ticket.queued_at + wait;
}

// The time from which on both ends of the range, the ticket at `place`, and enough players in all accept the range;
// `limit` when that is not before it.
Micros TeamSeeker::EnoughFrom(int32_t place, const Range& range, Micros limit) {
  const MilliPoints low = nearby_[range.low]->value, high = nearby_[range.high]->value;
  Micros from_low = kNever, from_high = kNever;
  for (int32_t i = range.low; i <= range.high && nearby_[i]->value == low; ++i) {
    from_low = std::min(from_low, Accepts(*nearby_[i], range.spread));
  }
  for (int32_t i = range.high; i >= range.low && nearby_[i]->value == high; --i) {
    from_high = std::min(from_high, Accepts(*nearby_[i], range.spread));
  }
  Micros from = std::max({from_low, from_high, Accepts(*nearby_[place], Furthest(*nearby_[place], range))});
  if (from >= limit) return limit;
  accepting_.clear();
  for (int32_t i = range.low; i <= range.high; ++i) {
    const Micros at = Accepts(*nearby_[i], Furthest(*nearby_[i], range));
    if (i != place && at < limit) accepting_.emplace_back(at, nearby_[i]->heads);
  }
  std::sort(accepting_.begin(), accepting_.end());
  int64_t heads = nearby_[place]->heads;
  for (size_t i = 0; heads < players_; ++i) {
    if (i == accepting_.size()) return limit;
    heads += accepting_[i].second;
    from = std::max(from, accepting_[i].first);
  }
  return from;
}

}  // namespace evenmatch
