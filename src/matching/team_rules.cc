#include "matching/team_rules.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "matching/quality.h"
#include "rating/win_chance.h"

namespace evenmatch {
namespace {

// Above all prices of a way: what goes before them.
constexpr int64_t kFill = int64_t{1} << 36;
constexpr int64_t kUnlevel = int64_t{1} << 44;
constexpr int8_t kUnknown = -2;
constexpr size_t kFewTickets = 12;
constexpr size_t kFewRoles = 6;

}  // namespace

TeamRules::TeamRules(const RuleBook& book)
    : book_(book),
      roles_on_(book.rules().roles.on()),
      regions_on_(book.rules().regions.on()),
      strictest_(book.rules().wait_basis == WaitBasis::kStrictest),
      weighs_split_(weighs(QualityTerm::kParty) || (roles_on_ && weighs(QualityTerm::kFill))),
      weighs_pairs_(weighs(QualityTerm::kLatency) || weighs(QualityTerm::kPreference) || weighs(QualityTerm::kRecent) ||
                    weighs(QualityTerm::kAvoid) || weighs(QualityTerm::kAttributes)),
      roles_(book.rules().roles) {}

// Searching.

void TeamRules::BeginTick(Micros now, Micros longest_wait) {
  now_ = now;
  longest_wait_ = longest_wait;
}

TeamRules::Supply& TeamRules::BeginSupply(const TeamCandidate& ticket, const TeamShape& shape, bool ever) {
  const RoleRules& rules = book_.rules().roles;
  const size_t roles = rules.roles.size();
  const int32_t teams = static_cast<int32_t>(shape.sizes.size());
  supply_.rules_ = this;
  supply_.ever_ = ever;
  supply_.players_ = shape.players();
  supply_.largest_ = shape.largest();
  supply_.heads_ = supply_.like_ = 0;
  supply_.like_wanted_ = 0;
  if (!book_.rules().party.mirror.empty()) {
    const int32_t difference = MirrorDifference(ever ? kNever : longest_wait_);
    if (difference < ticket.heads) {
      supply_.like_size_ = ticket.heads - difference;
      supply_.like_wanted_ = teams;
    }
  }
  // Of a smaller match some seats stay empty, whichever they are.
  supply_.roles_ = roles_on_ && shape.after == 0;
  if (!supply_.roles_) return supply_;
  supply_.few_ = roles <= kFewRoles;
  supply_.all_ = roles == 64 ? ~uint64_t{0} : (uint64_t{1} << roles) - 1;
  const size_t kinds = supply_.few_ ? size_t{1} << roles : roles;
  supply_.takes_.assign(kinds, 0);
  supply_.seats_.assign(kinds, 0);
  for (size_t kind = 0; kind < kinds; ++kind) {
    for (size_t role = 0; role < roles; ++role) {
      const bool counts = supply_.few_ ? (kind >> role & 1) != 0 : kind == role;
      if (counts) supply_.seats_[kind] += teams * rules.roles[role].count;
    }
  }
  return supply_;
}

void TeamRules::Supply::Add(const TeamCandidate& ticket, int32_t sign) {
  if (ticket.heads > largest_) return;
  heads_ += sign * ticket.heads;
  if (like_wanted_ > 0 && ticket.heads >= like_size_) like_ += sign;
  if (!roles_) return;
  const bool any = ever_ ? rules_->book_.rules().roles.fill_after != kNever : rules_->MayFill(ticket);
  for (const Traits::Wishes& wishes : ticket.waiter.traits->wishes) {
    const uint64_t mask = any ? all_ : wishes.roles & all_;
    if (few_) {
      takes_[mask] += sign;
    } else {
      for (size_t role = 0; role < takes_.size(); ++role) takes_[role] += sign * static_cast<int32_t>(mask >> role & 1);
    }
  }
}

bool TeamRules::Supply::Suffices() {
  if (heads_ < players_ || like_ < like_wanted_) return false;
  if (!roles_) return true;
  if (!few_) {
    for (size_t role = 0; role < takes_.size(); ++role) {
      if (takes_[role] < seats_[role]) return false;
    }
    return true;
  }
  // Hall's condition: every set of roles is wanted by as many players as it has seats; that is, all but those who take
  // none of it.
  within_ = takes_;  // becomes: players who take nothing outside a set
  for (size_t bit = 1; bit < within_.size(); bit <<= 1) {
    for (size_t set = 0; set < within_.size(); ++set) {
      if ((set & bit) != 0) within_[set] += within_[set ^ bit];
    }
  }
  for (size_t set = 1; set <= all_; ++set) {
    if (within_[all_] - within_[all_ & ~set] < seats_[set]) return false;
  }
  return true;
}

void TeamRules::BeginSearch(std::span<const TeamCandidate* const> nearby) {
  nearby_.assign(nearby.begin(), nearby.end());
  if (nearby.size() > kMostKept) return;
  if (meetings_.size() < nearby.size() * nearby.size()) {
    meetings_.assign(nearby.size() * nearby.size(), Known{});
    search_ = 0;
  }
  ++search_;
}

bool TeamRules::MayMeet(const Waiter& a, const Waiter& b) const {
  if (!strictest_) return book_.MayMeet(a, b, longest_wait_);
  return book_.MayMeet(a, b, std::max<Micros>(now_ - std::max(a.entry->queued_at, b.entry->queued_at), 0));
}

bool TeamRules::PlaysIn(const TeamCandidate& ticket, int32_t region) const {
  const Micros from = ticket.waiter.traits->regions[static_cast<size_t>(region)].from;
  return from <= (strictest_ ? WaitOf(ticket) : longest_wait_);
}

// Packing.

Micros TeamRules::SetWait(Micros shortest, Micros longest, Micros waits, size_t tickets) const {
  switch (book_.rules().wait_basis) {
    case WaitBasis::kStrictest:
      return shortest;
    case WaitBasis::kOldest:
      return longest;
    case WaitBasis::kAverage:
      return waits / static_cast<Micros>(tickets);
  }
  return 0;
}

Micros TeamRules::MeetingOf(size_t a, size_t b) {
  const auto ask = [&] {
    if (!strictest_) return book_.Meet(nearby_[a]->waiter, nearby_[b]->waiter).wait;
    return MayMeet(nearby_[a]->waiter, nearby_[b]->waiter) ? Micros{0} : kNever;
  };
  if (nearby_.size() > kMostKept) return ask();
  Known& known = meetings_[std::min(a, b) * nearby_.size() + std::max(a, b)];
  if (known.search != search_) {
    known.search = search_;
    known.wait = ask();
  }
  return known.wait;
}

bool TeamRules::MayMeet(size_t a, size_t b) {
  if (a == b || book_.plain()) return true;
  return MeetingOf(a, b) <= (strictest_ ? 0 : longest_wait_);
}

int32_t TeamRules::MirrorDifference(Micros wait) const {
  int32_t difference = std::numeric_limits<int32_t>::max();
  for (const PartyRules::MirrorStep& step : book_.rules().party.mirror) {
    if (step.after <= wait) difference = step.difference;
  }
  return difference;
}

void TeamRules::AddPlayers(const TeamCandidate& ticket, std::vector<RoleAssignment::Player>* players) const {
  const bool may_fill = MayFill(ticket);
  for (const Traits::Wishes& wishes : ticket.waiter.traits->wishes) players->push_back({&wishes, may_fill});
}

void TeamRules::BeginPacking(std::span<const int32_t> places, const TeamShape& shape, int32_t region) {
  shape_ = &shape;
  region_ = region;
  places_.assign(places.begin(), places.end());
  joined_.clear();
  looks_ = 0;
  shortest_ = kNever;
  longest_ = waits_ = longest_meeting_ = longest_region_ = 0;
  largest_.assign(shape.sizes.size(), 0);
  room_.assign(shape.sizes.begin(), shape.sizes.end());
  if (!book_.rules().party.mirror.empty()) {
    Micros oldest = 0;
    for (const int32_t place : places) oldest = std::max(oldest, WaitOf(*nearby_[static_cast<size_t>(place)]));
    packing_difference_ = MirrorDifference(oldest);
  }
  if (!roles_on_) return;
  players_.resize(std::max(players_.size(), shape.sizes.size()));
  for (std::vector<RoleAssignment::Player>& team : players_) team.clear();
}

// Whether the other teams may still come near the largest party of this one, and it near theirs.
bool TeamRules::CanMirror(size_t ticket, size_t to, int32_t room, int32_t largest) const {
  const int32_t difference = packing_difference_;
  for (size_t other = 0; other < room_.size(); ++other) {
    if (other == to) continue;
    if (room == 0 && largest_[other] > largest + difference) return false;
    int32_t reach = std::max(largest_[other], 1);
    for (size_t i = ticket + 1; i < places_.size() && reach < largest - difference; ++i) {
      const int32_t heads = nearby_[static_cast<size_t>(places_[i])]->heads;
      if (heads <= room_[other]) reach = std::max(reach, heads);
    }
    if (reach < largest - difference) return false;
  }
  return true;
}

bool TeamRules::Join(size_t ticket, int32_t team) {
  const size_t place = static_cast<size_t>(places_[ticket]);
  const TeamCandidate& joining = *nearby_[place];
  const size_t to = static_cast<size_t>(team);
  looks_ += static_cast<int64_t>(joined_.size() + (roles_on_ ? players_[to].size() : 0));
  const Micros wait = WaitOf(joining);
  Saved before{place,
               shortest_,
               longest_,
               waits_,
               longest_meeting_,
               longest_region_,
               largest_[to],
               roles_on_ ? players_[to].size() : 0};
  const Micros shortest = std::min(shortest_, wait), longest = std::max(longest_, wait);
  Micros longest_meeting = longest_meeting_, longest_region = longest_region_;
  if (!book_.plain()) {
    const Micros set_wait = SetWait(shortest, longest, waits_ + wait, joined_.size() + 1);
    for (const Saved& other : joined_) {
      const Micros meeting = MeetingOf(place, other.place);
      if (meeting > (strictest_ ? 0 : set_wait)) return false;
      longest_meeting = std::max(longest_meeting, meeting);
    }
    if (!strictest_ && longest_meeting > set_wait) return false;
    if (region_ >= 0) {
      longest_region = std::max(longest_region, joining.waiter.traits->regions[static_cast<size_t>(region_)].from);
      if (longest_region > set_wait) return false;
    }
  }
  const int32_t room = room_[to] - joining.heads;
  const int32_t largest = std::max(largest_[to], joining.heads);
  if (!book_.rules().party.mirror.empty() && !CanMirror(ticket, to, room, largest)) return false;
  if (roles_on_) {
    AddPlayers(joining, &players_[to]);
    if (roles_.Fills(players_[to]) == RoleAssignment::kCannot) {
      players_[to].resize(before.players_of_team);
      return false;
    }
  }
  joined_.push_back(before);
  shortest_ = shortest;
  longest_ = longest;
  waits_ += wait;
  longest_meeting_ = longest_meeting;
  longest_region_ = longest_region;
  largest_[to] = largest;
  room_[to] = room;
  return true;
}

void TeamRules::Leave(size_t, int32_t team) {
  const Saved& before = joined_.back();
  const size_t from = static_cast<size_t>(team);
  room_[from] += nearby_[before.place]->heads;
  shortest_ = before.shortest;
  longest_ = before.longest;
  waits_ = before.waits;
  longest_meeting_ = before.longest_meeting;
  longest_region_ = before.longest_region;
  largest_[from] = before.largest_of_team;
  if (roles_on_) players_[from].resize(before.players_of_team);
  joined_.pop_back();
}

// Whether the teams differ by at most one player who is filled in. For a ticket past its last stage it does not matter.
bool TeamRules::FillsAreLevelled() {
  int32_t fewest = std::numeric_limits<int32_t>::max(), most = 0;
  for (size_t team = 0; team < shape_->sizes.size(); ++team) {
    const int32_t fills = roles_.Fills(players_[team]);
    fewest = std::min(fewest, fills);
    most = std::max(most, fills);
  }
  return most - fewest <= 1 || std::any_of(joined_.begin(), joined_.end(),
                                           [this](const Saved& joined) { return nearby_[joined.place]->overdue; });
}

bool TeamRules::Complete() {
  if (longest_ < shape_->after) return false;
  if (roles_on_ && !FillsAreLevelled()) return false;
  if (book_.rules().party.mirror.empty()) return true;
  const auto [small, large] = std::minmax_element(largest_.begin(), largest_.end());
  if (*small == *large) return true;
  Micros wait = 0;
  for (const Saved& joined : joined_) {
    if (nearby_[joined.place]->heads == *large) wait = std::max(wait, WaitOf(*nearby_[joined.place]));
  }
  return *large - *small <= MirrorDifference(wait);
}

// Splitting.

void TeamRules::BeginSplit(std::span<const TeamCandidate* const> tickets, const TeamShape& shape) {
  shape_ = &shape;
  tickets_.assign(tickets.begin(), tickets.end());
  if (roles_on_ && tickets.size() <= kFewTickets) fills_known_.assign(size_t{1} << tickets.size(), kUnknown);
  deviation_ = 0;
  if (book_.plain() || shape.sizes.size() != 2 || !weighs_split_) return;
  // Of the difference of two teams' means, whoever is in which.
  int64_t squares = 0;
  for (const TeamCandidate* ticket : tickets) {
    const int64_t weight = int64_t{ticket->waiter.traits->deviation} * ticket->heads / shape.largest();
    squares += weight * weight;
  }
  deviation_ = DeviationOf(squares);
}

int32_t TeamRules::FillsOf(std::span<const int32_t> team, int32_t which) {
  size_t members = 0;
  for (size_t i = 0; i < team.size(); ++i) members |= team[i] == which ? size_t{1} << i % 64 : 0;
  const bool few = team.size() <= kFewTickets;
  if (few && fills_known_[members] != kUnknown) return fills_known_[members];
  team_players_.clear();
  for (size_t i = 0; i < team.size(); ++i) {
    if (team[i] == which) AddPlayers(*tickets_[i], &team_players_);
  }
  const int32_t fills = roles_.Fills(team_players_);
  if (few) fills_known_[members] = static_cast<int8_t>(fills);
  return fills;
}

int64_t TeamRules::Cost(std::span<const int32_t> team, MilliPoints gap) {
  const int32_t teams = static_cast<int32_t>(shape_->sizes.size());
  int64_t cost = 0;
  largest_.assign(static_cast<size_t>(teams), 0);
  for (size_t i = 0; i < team.size(); ++i) {
    int32_t& largest = largest_[static_cast<size_t>(team[i])];
    largest = std::max(largest, tickets_[i]->heads);
  }
  const auto [small, large] = std::minmax_element(largest_.begin(), largest_.end());
  if (*small != *large && !book_.rules().party.mirror.empty()) {
    Micros wait = 0;
    for (const TeamCandidate* ticket : tickets_) {
      if (ticket->heads == *large) wait = std::max(wait, WaitOf(*ticket));
    }
    if (*large - *small > MirrorDifference(wait)) return kRefused;
  }
  int32_t all = 0;
  if (roles_on_) {
    int32_t fewest = std::numeric_limits<int32_t>::max(), most = 0;
    for (int32_t which = 0; which < teams; ++which) {
      const int32_t fills = FillsOf(team, which);
      if (fills == RoleAssignment::kCannot) return kRefused;
      all += fills;
      fewest = std::min(fewest, fills);
      most = std::max(most, fills);
    }
    if (most - fewest > 1) cost += kUnlevel;
    if (!weighs(QualityTerm::kFill)) cost += all * kFill;
  }
  if (!weighs_split_) return cost;
  return cost + AtLeast(gap) + book_.CostOf(QualityTerm::kParty, *large - *small, 0) +
         book_.CostOf(QualityTerm::kFill, int64_t{1'000} * all / shape_->players(), 0);
}

int64_t TeamRules::AtLeast(MilliPoints gap) const {
  if (!weighs_split_) return 0;
  return book_.CostOf(QualityTerm::kEvenness, 2 * WinChance(gap, deviation_) - kCertain, 0);
}

// Scoring.

void TeamRules::Estimate(const TeamLine& line, TeamSet* set) const {
  MilliPoints low = std::numeric_limits<MilliPoints>::max(), high = std::numeric_limits<MilliPoints>::min();
  for (const TeamSet::Member& member : set->members) {
    low = std::min(low, line[member.ticket].value);
    high = std::max(high, line[member.ticket].value);
  }
  set->spread = high - low;
  // The pair whose gap is the largest part of its stricter window: some ticket and the end that is further from it.
  set->worst_gap = 0;
  set->worst_window = kReferenceWidth;
  for (const TeamSet::Member& member : set->members) {
    const TeamCandidate& ticket = line[member.ticket];
    const MilliPoints furthest = std::max(ticket.value - low, high - ticket.value);
    MilliPoints window = ticket.window;
    if (!book_.plain()) window = book_.WindowOf(ticket.waiter, WaitOf(ticket));
    window = std::min(window, kReferenceWidth);
    if (int64_t{furthest} * set->worst_window > int64_t{set->worst_gap} * window) {
      set->worst_gap = furthest;
      set->worst_window = window;
    }
  }
  const bool relative = book_.quality()[QualityTerm::kDistance].scale == 0;
  const int64_t cost = book_.CostOf(QualityTerm::kDistance, relative ? set->worst_gap : set->spread, set->worst_window);
  set->quality = static_cast<Quality>(std::max<int64_t>(kBestQuality - cost, 0));
  set->split = false;
}

void TeamRules::EstimateSingles(const TeamLine& line, TeamSet* set) const {
  MilliPoints low = std::numeric_limits<MilliPoints>::max(), high = std::numeric_limits<MilliPoints>::min();
  for (const TeamSet::Member& member : set->members) {
    low = std::min(low, line[member.ticket].value);
    high = std::max(high, line[member.ticket].value);
  }
  int64_t apart = 0;  // of their expectations against all
  for (const TeamSet::Member& member : set->members) {
    const MilliPoints value = line[member.ticket].value;
    apart += WinChance(high - value) - WinChance(low - value);
  }
  const int64_t teams = static_cast<int64_t>(set->members.size());
  const int64_t cost = book_.CostOf(QualityTerm::kEvenness, 2 * apart / (teams * (teams - 1)), 0);
  set->quality = static_cast<Quality>(std::max<int64_t>(set->quality - cost, 0));
}

void TeamRules::MeasurePairs(const TeamLine& line, const TeamSet& set, Measures* measures, int64_t* distance_cost) {
  const auto of = [&](QualityTerm term) -> int64_t& { return (*measures)[static_cast<size_t>(term)]; };
  const bool relative = book_.quality()[QualityTerm::kDistance].scale == 0;
  Micros wait = 0;
  if (!strictest_) {
    Micros shortest = kNever, longest = 0, waits = 0;
    for (const TeamSet::Member& member : set.members) {
      const Micros one = WaitOf(line[member.ticket]);
      shortest = std::min(shortest, one);
      longest = std::max(longest, one);
      waits += one;
    }
    wait = SetWait(shortest, longest, waits, set.members.size());
  }
  int64_t pairs = 0, attributes = 0;
  for (size_t i = 0; i < set.members.size(); ++i) {
    const Waiter& a = line[set.members[i].ticket].waiter;
    of(QualityTerm::kPreference) += a.traits->preference;
    for (size_t j = i + 1; j < set.members.size(); ++j) {
      const Waiter& b = line[set.members[j].ticket].waiter;
      const Measures pair = book_.MeasuresOf(a, b, now_, set.region);
      const auto in_pair = [&](QualityTerm term) { return pair[static_cast<size_t>(term)]; };
      ++pairs;
      for (const QualityTerm term : {QualityTerm::kDistance, QualityTerm::kLatency}) {
        of(term) = std::max(of(term), in_pair(term));
      }
      for (const QualityTerm term : {QualityTerm::kRecent, QualityTerm::kAvoid}) of(term) += in_pair(term);
      attributes += in_pair(QualityTerm::kAttributes);
      if (!relative) continue;
      const MilliPoints window =
          strictest_ ? book_.StricterWindow(a, b, now_) : std::min(book_.WindowOf(a, wait), book_.WindowOf(b, wait));
      *distance_cost =
          std::max(*distance_cost, book_.CostOf(QualityTerm::kDistance, in_pair(QualityTerm::kDistance), window));
    }
  }
  of(QualityTerm::kPreference) /= std::max<int64_t>(static_cast<int64_t>(set.members.size()), 1);
  of(QualityTerm::kAttributes) = attributes / std::max<int64_t>(pairs, 1);
}

void TeamRules::Score(const TeamLine& line, const TeamShape& shape, TeamSet* set) {
  const size_t teams = shape.sizes.size();
  if (regions_on_ && !book_.plain()) {
    waiters_.clear();
    for (const TeamSet::Member& member : set->members) waiters_.push_back(line[member.ticket].waiter);
    CHECK(book_.RegionFor(waiters_, book_.SetWait(waiters_, now_), &set->region));
  }
  sums_.assign(teams, 0);
  squares_.assign(teams, 0);
  largest_.assign(teams, 0);
  bool uncertain = false;
  for (const TeamSet::Member& member : set->members) {
    const TeamCandidate& ticket = line[member.ticket];
    const size_t team = static_cast<size_t>(member.team);
    sums_[team] += int64_t{ticket.value} * ticket.heads;
    largest_[team] = std::max(largest_[team], ticket.heads);
    if (ticket.waiter.traits == nullptr || ticket.waiter.traits->deviation == 0) continue;
    const int64_t weight = int64_t{ticket.waiter.traits->deviation} * ticket.heads / shape.sizes[team];
    squares_[team] += weight * weight;
    uncertain = true;
  }
  deviations_.clear();
  if (uncertain) {
    for (const int64_t squares : squares_) deviations_.push_back(DeviationOf(squares));
  }
  set->win_chance.resize(teams);
  const std::span<BasisPoints> win_chance(set->win_chance.data(), teams);
  TeamWinChances(sums_, shape.sizes, deviations_, win_chance);

  Measures measures{};
  const auto of = [&](QualityTerm term) -> int64_t& { return measures[static_cast<size_t>(term)]; };
  const auto [lowest, highest] = std::minmax_element(win_chance.begin(), win_chance.end());
  of(QualityTerm::kEvenness) = *highest - *lowest;
  const auto [small, large] = std::minmax_element(largest_.begin(), largest_.end());
  of(QualityTerm::kParty) = *large - *small;
  int64_t distance_cost = 0;
  if (book_.plain()) {
    of(QualityTerm::kDistance) = set->spread;
    distance_cost = book_.CostOf(QualityTerm::kDistance, set->worst_gap, set->worst_window);
  } else {
    MeasurePairs(line, *set, &measures, &distance_cost);
    if (book_.quality()[QualityTerm::kDistance].scale != 0) {
      distance_cost = book_.CostOf(QualityTerm::kDistance, of(QualityTerm::kDistance), 0);
    }
    if (roles_on_) {
      for (size_t team = 0; team < teams; ++team) {
        team_players_.clear();
        for (const TeamSet::Member& member : set->members) {
          if (member.team == static_cast<int32_t>(team)) AddPlayers(line[member.ticket], &team_players_);
        }
        const int32_t fills = roles_.Fills(team_players_);
        CHECK(fills != RoleAssignment::kCannot);
        of(QualityTerm::kFill) += fills;
      }
      of(QualityTerm::kFill) = of(QualityTerm::kFill) * 1'000 / shape.players();
    }
  }
  int64_t all = 0;
  set->costs.clear();
  for (size_t term = 0; term < kQualityTerms; ++term) {
    const QualityTerm which = static_cast<QualityTerm>(term);
    if (!weighs(which)) continue;
    const int64_t cost = which == QualityTerm::kDistance ? distance_cost : book_.CostOf(which, measures[term], 0);
    set->costs.push_back({which, measures[term], cost});
    all += cost;
  }
  set->quality = static_cast<Quality>(std::max<int64_t>(kBestQuality - all, 0));
  set->split = true;
}

bool TeamRules::AssignRoles(std::span<const TeamCandidate* const> team, std::vector<SeatRole>* seats) {
  if (!roles_on_) return false;
  team_players_.clear();
  for (const TeamCandidate* ticket : team) AddPlayers(*ticket, &team_players_);
  const size_t before = seats->size();
  seats->resize(before + team_players_.size());
  CHECK(roles_.Assign(team_players_, std::span<SeatRole>(*seats).subspan(before)));
  return true;
}

}  // namespace evenmatch
