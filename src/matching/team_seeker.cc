#include "matching/team_seeker.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "matching/age_bonus.h"
#include "matching/quality.h"
#include "matching/window.h"

namespace evenmatch {
namespace {

// The furthest at which two could ever meet.
MilliPoints WidestOf(const QueueRules& rules) {
  if (rules.window.deviation_factor > 0) return rules.max_difference;
  int64_t widest = WindowAt(rules.window, kNever);
  if (rules.streak.on()) widest += rules.streak.ease;
  return static_cast<MilliPoints>(std::min<int64_t>(widest, rules.max_difference));
}

}  // namespace

TeamSeeker::TeamSeeker(const RuleBook& book)
    : book_(book),
      rules_(book),
      shapes_(ShapesOf(book.rules())),
      players_(book.rules().players_per_match()),
      fewest_players_(players_),
      side_(std::max(kMinSide, 2 * static_cast<size_t>(players_))),
      widest_(WidestOf(book.rules())) {
  for (const TeamShape& shape : shapes_) fewest_players_ = std::min(fewest_players_, shape.players());
}

void TeamSeeker::BeginTick(Micros now, Micros longest_wait) {
  now_ = now;
  longest_wait_ = longest_wait;
  work_ = work_ahead_ = 0;
  rules_.BeginTick(now, longest_wait);
}

// Appends those on one side of the ticket that it may meet, nearest first.
template <int32_t TeamCandidate::*next>
void TeamSeeker::Gather(const TeamLine& line, int32_t ticket) {
  const TeamCandidate& from = line[ticket];
  if (book_.plain()) {
    size_t wanted = side_;
    for (int32_t i = from.*next; i >= 0 && wanted > 0; i = line[i].*next) {
      const MilliPoints gap = std::abs(line[i].value - from.value);
      if (gap > from.window) break;
      if (gap > line[i].window) continue;
      nearby_.push_back(&line[i]);
      --wanted;
    }
    return;
  }
  Walk walk(*this);
  for (int32_t i = from.*next; i >= 0 && walk.more(); i = line[i].*next) {
    const MilliPoints gap = std::abs(line[i].value - from.value);
    if (gap > from.window) break;
    if (!walk.Wants(line[i].kind) || gap > line[i].window) continue;
    if (!rules_.MayMeet(from.waiter, line[i].waiter)) continue;
    nearby_.push_back(&line[i]);
    walk.Found(line[i].kind);
  }
}

int64_t TeamSeeker::Heads() const {
  return std::accumulate(nearby_.begin(), nearby_.end(), int64_t{0},
                         [](int64_t heads, const TeamCandidate* ticket) { return heads + ticket->heads; });
}

bool TeamSeeker::SeekAround(const TeamLine& line, int32_t ticket, Sizes sizes, TeamSet* set) {
  if (spent()) return false;
  nearby_.clear();
  Gather<&TeamCandidate::before>(line, ticket);
  std::reverse(nearby_.begin(), nearby_.end());
  const int32_t place = static_cast<int32_t>(nearby_.size());
  nearby_.push_back(&line[ticket]);
  Gather<&TeamCandidate::after>(line, ticket);
  const int64_t heads = Heads();
  const bool regions = !book_.plain() && book_.rules().regions.on();
  if (regions) all_nearby_ = nearby_;
  const int32_t first = sizes == Sizes::kSmaller ? 1 : 0;
  const int32_t last = sizes == Sizes::kFull ? 1 : static_cast<int32_t>(shapes_.size());
  for (int32_t shape = first; shape < last; ++shape) {
    const TeamShape& of = shapes_[static_cast<size_t>(shape)];
    if (heads < of.players() || longest_wait_ < of.after || line[ticket].heads > of.largest()) continue;
    if (regions ? SeekRegions(line, place, shape, set) : SeekInNearby(line, place, shape, -1, set)) return true;
  }
  return false;
}

// In each region that the ticket may play in; takes the best set.
bool TeamSeeker::SeekRegions(const TeamLine& line, int32_t place, int32_t shape, TeamSet* set) {
  const TeamCandidate* ticket = all_nearby_[static_cast<size_t>(place)];
  const auto& known = ticket->waiter.traits->regions;
  regions_.clear();
  for (int32_t region = 0; region < static_cast<int32_t>(known.size()); ++region) {
    if (!rules_.PlaysIn(*ticket, region)) continue;
    const int32_t latency = known[static_cast<size_t>(region)].latency_ms;
    regions_.emplace_back(latency < 0 ? RegionRules::kAnyLatency : latency, region);
  }
  std::sort(regions_.begin(), regions_.end());
  bool found = false;
  int tried = 0;
  for (const auto& [latency, region] : regions_) {
    nearby_.clear();
    int32_t place_here = 0;
    for (const TeamCandidate* near : all_nearby_) {
      if (near == ticket) place_here = static_cast<int32_t>(nearby_.size());
      if (near == ticket || rules_.PlaysIn(*near, region)) nearby_.push_back(near);
    }
    if (Heads() < shapes_[static_cast<size_t>(shape)].players()) continue;
    if (SeekInNearby(line, place_here, shape, region, found ? &other_ : set)) {
      if (found && other_.quality > set->quality) std::swap(*set, other_);
      found = true;
    }
    if (++tried == kMaxRegions) break;
  }
  return found;
}

bool TeamSeeker::SeekInNearby(const TeamLine& line, int32_t place, int32_t shape, int32_t region, TeamSet* set) {
  const bool guarded = rules_.guards();
  if (guarded) rules_.BeginSearch(nearby_);
  const int steps = StepsOf(kMaxGuardedSteps);
  const int64_t most = large() ? work_ + kMaxLooks : std::numeric_limits<int64_t>::max();
  steps_left_ = steps;
  bool found = false;
  const TeamShape& of = shapes_[static_cast<size_t>(shape)];
  OpenRanges(place, of, false);
  Range range;
  for (int tries = 0; tries < kMaxTries && steps_left_ > 0 && work_ < most && NextRange(&range); ++tries) {
    found = Fill(line, place, range, shape, region, set);
    // Before trying on: the parties that are there may not fit together at all.
    if (found || (tries == 0 && !CanPack(place, of, &work_))) break;
  }
  work_ += steps - steps_left_;
  return found;
}

bool TeamSeeker::SeekBelow(const TeamLine& line, int32_t ticket, TeamSet* set) {
  if (large() && work_ >= kMaxWork / 2) return false;  // the other half is for those that are due
  nearby_.clear();
  Gather<&TeamCandidate::before>(line, ticket);
  if (line[ticket].heads + Heads() < players_) return false;
  std::reverse(nearby_.begin(), nearby_.end());
  const int32_t place = static_cast<int32_t>(nearby_.size());
  nearby_.push_back(&line[ticket]);
  int32_t low = place;
  for (int64_t heads = line[ticket].heads; heads < players_;) heads += nearby_[--low]->heads;
  for (int tries = 0; tries < kMaxTriesBelow && low >= 0; ++tries, --low) {
    while (low > 0 && nearby_[low - 1]->value == nearby_[low]->value) --low;
    const MilliPoints spread = nearby_[place]->value - nearby_[low]->value;
    if (Fill(line, place, {spread, low, place}, 0, -1, set)) return true;
  }
  return false;
}

// Opens, for every low end at or below the place, the shortest range around it with enough players, and somebody for
// every seat; `ever`: whatever their waits.
void TeamSeeker::OpenRanges(int32_t place, const TeamShape& shape, bool ever) {
  ranges_.clear();
  const int32_t players = shape.players();
  int32_t high = static_cast<int32_t>(nearby_.size()) - 1;
  if (rules_.guards()) {
    TeamRules::Supply& supply = rules_.BeginSupply(*nearby_[static_cast<size_t>(place)], shape, ever);
    for (int32_t i = place + 1; i <= high; ++i) supply.Add(*nearby_[i], 1);
    bool enough = false;
    for (int32_t low = place; low >= 0; --low) {
      supply.Add(*nearby_[low], 1);
      if (!enough && !supply.Suffices()) continue;
      enough = true;
      for (; high > place; --high) {
        supply.Add(*nearby_[high], -1);
        if (supply.Suffices()) continue;
        supply.Add(*nearby_[high], 1);
        break;
      }
      const MilliPoints spread = nearby_[high]->value - nearby_[low]->value;
      if (spread <= widest_) ranges_.push_back({spread, low, high});
    }
  } else {
    int64_t heads = 0;
    for (int32_t i = place + 1; i <= high; ++i) heads += nearby_[i]->heads;
    for (int32_t low = place; low >= 0; --low) {
      heads += nearby_[low]->heads;
      while (high > place && heads - nearby_[high]->heads >= players) heads -= nearby_[high--]->heads;
      const MilliPoints spread = nearby_[high]->value - nearby_[low]->value;
      if (heads >= players && spread <= widest_) ranges_.push_back({spread, low, high});
    }
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
  if (rules_.guards()) return true;  // its ends are part of the set
  // Tickets of the same value as its ends belong to it, so that the older of them are not passed over.
  while (range->low > 0 && nearby_[range->low - 1]->value == nearby_[range->low]->value) --range->low;
  while (range->high + 1 < end && nearby_[range->high + 1]->value == nearby_[range->high]->value) ++range->high;
  return true;
}

// How far the ticket is from the further end of the range.
MilliPoints TeamSeeker::Furthest(const TeamCandidate& ticket, const Range& range) const {
  return std::max(ticket.value - nearby_[range.low]->value, nearby_[range.high]->value - ticket.value);
}

// Fills the teams from the tickets of the range, the one at `place` among them.
bool TeamSeeker::Fill(const TeamLine& line, int32_t place, const Range& range, int32_t shape, int32_t region,
                      TeamSet* set) {
  const TeamShape& of = shapes_[static_cast<size_t>(shape)];
  if (!(rules_.guards() ? PackGuarded(place, range, of, region) : PackByWindows(place, range, of))) return false;
  set->members.clear();
  Micros oldest = 0;
  for (size_t i = 0; i < eligible_.size(); ++i) {
    if (packed_[i] == TeamPacking::kLeftOut) continue;
    const TeamCandidate* ticket = nearby_[eligible_[i]];
    set->members.push_back({static_cast<int32_t>(ticket - line.data()), packed_[i]});
    oldest = std::max(oldest, now_ - ticket->queued_at);
  }
  if (oldest < of.after) return false;
  std::sort(set->members.begin(), set->members.end(), [&line](const TeamSet::Member& a, const TeamSet::Member& b) {
    return line[a.ticket].arrival < line[b.ticket].arrival;
  });
  set->shape = shape;
  rules_.Estimate(line, set);
  return true;
}

// By those who accept both ends of the range, the older first.
bool TeamSeeker::PackByWindows(int32_t place, const Range& range, const TeamShape& shape) {
  const int32_t largest = shape.largest();
  if (nearby_[place]->window < Furthest(*nearby_[place], range)) return false;
  work_ += range.high - range.low + 1;
  eligible_.clear();
  int64_t heads = 0;
  for (int32_t i = range.low; i <= range.high; ++i) {
    if (nearby_[i]->heads > largest || nearby_[i]->window < Furthest(*nearby_[i], range)) continue;
    eligible_.push_back(i);
    heads += nearby_[i]->heads;
  }
  if (heads < shape.players()) return false;
  std::sort(eligible_.begin(), eligible_.end(), [this, place](int32_t a, int32_t b) {
    if (a == place || b == place) return a == place && b != place;
    return Older(*nearby_[a], *nearby_[b]);
  });
  heads_.clear();
  for (const int32_t ticket : eligible_) heads_.push_back(nearby_[ticket]->heads);
  const bool packed = packing_.Pack(heads_, shape.sizes, &packed_);
  work_ += packing_.steps();
  return packed;
}

// Both ends are part of it, else a narrower range has it; with them and the ticket itself all the others must meet. The
// rarer kinds come first, for whom the others must make room; of one kind the older.
bool TeamSeeker::PackGuarded(int32_t place, const Range& range, const TeamShape& shape, int32_t region) {
  if (!rules_.MayMeet(static_cast<size_t>(range.low), static_cast<size_t>(range.high))) return false;
  const bool by_windows = book_.plain();
  if (by_windows && nearby_[place]->window < Furthest(*nearby_[place], range)) return false;
  TeamRules::Supply& supply = rules_.BeginSupply(*nearby_[place], shape, false);
  eligible_.clear();
  for (const int32_t wanted : {place, range.low, range.high}) {
    if (std::find(eligible_.begin(), eligible_.end(), wanted) == eligible_.end()) eligible_.push_back(wanted);
  }
  const size_t wanted = eligible_.size();
  int32_t heads = 0;
  for (const int32_t ticket : eligible_) {
    supply.Add(*nearby_[ticket], 1);
    heads += nearby_[ticket]->heads;
    if (nearby_[ticket]->heads > shape.largest()) return false;
  }
  if (heads > shape.players()) return false;
  kinds_.fill(0);
  for (int32_t i = range.low + 1; i < range.high; ++i) {
    --steps_left_;
    if (i == place || nearby_[i]->heads > shape.largest()) continue;
    if (by_windows ? nearby_[i]->window < Furthest(*nearby_[i], range)
                   : !rules_.MayMeet(static_cast<size_t>(i), static_cast<size_t>(range.low)) ||
                         !rules_.MayMeet(static_cast<size_t>(i), static_cast<size_t>(range.high))) {
      continue;
    }
    eligible_.push_back(i);
    supply.Add(*nearby_[i], 1);
    ++kinds_[nearby_[i]->kind];
  }
  if (!supply.Suffices()) return false;
  std::sort(eligible_.begin() + static_cast<int64_t>(wanted), eligible_.end(), [this](int32_t a, int32_t b) {
    const uint32_t of_a = kinds_[nearby_[a]->kind], of_b = kinds_[nearby_[b]->kind];
    if (of_a != of_b) return of_a < of_b;
    return Older(*nearby_[a], *nearby_[b]);
  });
  heads_.clear();
  for (const int32_t ticket : eligible_) heads_.push_back(nearby_[ticket]->heads);
  rules_.BeginPacking(eligible_, shape, region);
  int steps = std::min(StepsOf(kMaxPackingSteps), steps_left_);
  steps_left_ -= steps;
  const bool packed = packing_.Pack(heads_, shape.sizes, wanted, &rules_, &steps, &packed_);
  steps_left_ += steps;
  work_ += rules_.looks() / kLooksAStep;
  return packed;
}

// Whether the tickets nearby could fill the teams with the one at `place` if nothing but sizes mattered.
bool TeamSeeker::CanPack(int32_t place, const TeamShape& shape, int64_t* work) {
  const int32_t largest = shape.largest();
  if (nearby_[place]->heads > largest) return false;
  heads_.clear();
  heads_.push_back(nearby_[place]->heads);
  for (int32_t i = 0; i < static_cast<int32_t>(nearby_.size()); ++i) {
    if (i != place && nearby_[i]->heads <= largest) heads_.push_back(nearby_[i]->heads);
  }
  const bool packed = packing_.Pack(heads_, shape.sizes, &packed_);
  *work += packing_.steps();
  return packed;
}

void TeamSeeker::SplitTeams(const TeamLine& line, TeamSet* set) {
  const TeamShape& of = shape(*set);
  parties_.clear();
  team_of_.clear();
  for (const TeamSet::Member& member : set->members) {
    parties_.push_back({line[member.ticket].value, line[member.ticket].heads});
    team_of_.push_back(member.team);
  }
  if (rules_.judges()) {
    members_.clear();
    for (const TeamSet::Member& member : set->members) members_.push_back(&line[member.ticket]);
    rules_.BeginSplit(members_, of);
    splitter_.Split(parties_, of.sizes, team_of_, &rules_);
  } else {
    splitter_.Split(parties_, of.sizes, team_of_);
  }
  for (size_t i = 0; i < parties_.size(); ++i) set->members[i].team = team_of_[i];
  rules_.Score(line, of, set);
}

TeamSeeker::Outlook TeamSeeker::LookAhead(std::span<const TeamCandidate> around, size_t ticket, Micros recheck) {
  const int32_t place = static_cast<int32_t>(ticket);
  nearby_.clear();
  const TeamCandidate* oldest = &around[ticket];
  for (const TeamCandidate& near : around) {
    nearby_.push_back(&near);
    if (Older(near, *oldest)) oldest = &near;
  }
  Outlook outlook;
  if (large() && work_ahead_ >= kMaxWork) {
    outlook.possible = outlook.enough_now = true;
    outlook.all_tried = false;
    return outlook;
  }
  for (const TeamShape& shape : shapes_) {
    if (book_.plain()) {
      LookAheadByWindows(place, shape, *oldest, recheck, &outlook);
    } else {
      LookAheadByRules(around, ticket, shape, &outlook);
    }
  }
  return outlook;
}

void TeamSeeker::LookAheadByWindows(int32_t place, const TeamShape& shape, const TeamCandidate& oldest, Micros recheck,
                                    Outlook* outlook) {
  if (!CanPack(place, shape, &work_ahead_)) return;
  outlook->possible = true;
  OpenRanges(place, shape, true);
  const Micros not_before = oldest.queued_at + shape.after;
  Range range;
  const int64_t most = work_ahead_ + kMaxLooks;
  for (int tries = 0; NextRange(&range);) {
    // The ends of the range must accept all of it, and the ticket at least half.
    if (not_before >= outlook->earliest) break;
    if (Accepts(oldest, range.spread) >= outlook->earliest) break;
    if (Accepts(*nearby_[place], range.spread - range.spread / 2) >= outlook->earliest) break;
    const Micros at = std::max(EnoughFrom(place, range, shape.players(), outlook->earliest), not_before);
    if (at <= now_) {
      outlook->enough_now = true;
      outlook->earliest = std::min(outlook->earliest, now_ + recheck);
    } else {
      outlook->earliest = std::min(outlook->earliest, at);
    }
    work_ahead_ += range.high - range.low + 1;
    if (++tries == kMaxTries || work_ahead_ >= most) {
      outlook->all_tried = false;
      break;
    }
  }
}

// By the ticket's own meetings: when enough of the others may meet it, and could take every seat sooner or later.
void TeamSeeker::LookAheadByRules(std::span<const TeamCandidate> around, size_t ticket, const TeamShape& shape,
                                  Outlook* outlook) {
  const TeamCandidate& from = around[ticket];
  if (from.heads > shape.largest()) return;
  work_ahead_ += static_cast<int64_t>(around.size());
  meeting_.clear();
  Micros oldest = from.queued_at;
  for (size_t i = 0; i < around.size(); ++i) {
    if (i == ticket || around[i].heads > shape.largest()) continue;
    const Micros wait = book_.Meet(from.waiter, around[i].waiter).wait;
    if (wait == kNever) continue;
    Micros at = book_.From(from.waiter, around[i].waiter, wait);
    if (book_.rules().wait_basis != WaitBasis::kStrictest) at = std::min(at, now_ - longest_wait_ + wait);
    meeting_.emplace_back(at, i);
    oldest = std::min(oldest, around[i].queued_at);
  }
  std::sort(meeting_.begin(), meeting_.end());
  TeamRules::Supply& supply = rules_.BeginSupply(from, shape, true);
  supply.Add(from, 1);
  nearby_.assign(1, &from);
  Micros at = oldest + shape.after;
  size_t next = 0;
  while (next < meeting_.size() && !supply.Suffices()) {
    supply.Add(around[meeting_[next].second], 1);
    at = std::max(at, meeting_[next].first);
    ++next;
  }
  if (!supply.Suffices()) return;
  for (const auto& [when, who] : meeting_) nearby_.push_back(&around[who]);
  if (!CanPack(0, shape, &work_ahead_)) return;
  outlook->possible = true;
  if (at > now_) {
    outlook->earliest = std::min(outlook->earliest, at);
  } else {
    outlook->enough_now = true;
  }
}

// The time from which on a ticket accepts such a gap.
Micros TeamSeeker::Accepts(const TeamCandidate& ticket, MilliPoints gap) const {
  const Micros wait = WaitForWindow(book_.rules().window, gap);
  return wait == kNever ? kNever : ticket.queued_at + wait;
}

// The time from which on both ends of the range, the ticket at `place`, and enough players in all accept the range;
// `limit` when that is not before it.
Micros TeamSeeker::EnoughFrom(int32_t place, const Range& range, int32_t players, Micros limit) {
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
  for (size_t i = 0; heads < players; ++i) {
    if (i == accepting_.size()) return limit;
    heads += accepting_[i].second;
    from = std::max(from, accepting_[i].first);
  }
  return from;
}

}  // namespace evenmatch
