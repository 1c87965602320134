#include "matching/team_split.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace evenmatch {
namespace {

constexpr int32_t kOpen = -1;            // a ticket without a team yet
constexpr int64_t kMaxCommon = 1 << 20;  // sizes whose least common multiple is larger are compared to 2 ** -20

}  // namespace

void TeamSplit::Split(std::span<const Party> parties, std::span<const int32_t> sizes, std::span<int32_t> team,
                      Judge* judge) {
  parties_ = parties;
  judge_ = judge;
  Reset(sizes);
  if (parties.size() == sizes.size() && even_sizes_) {
    NumberByFirstTicket(team);  // there is only one way
    return;
  }
  best_measure_ = {Judge::kRefused, std::numeric_limits<int64_t>::max(), 0, 0};
  if (players_ <= kExactPlayers && sizes.size() == 2) {
    trial_.resize(parties.size());
    best_.assign(team.begin(), team.end());
    if (even_sizes_) {
      trial_[0] = 0;
      const int32_t room = teams_[0].size - parties[0].heads;
      if (judge == nullptr) {
        TryTwoFrom<true>(1, room, weight_[0]);
      } else {
        TryTwoFrom<false>(1, room, weight_[0]);
      }
    } else {
      TryTwoFrom<false>(0, teams_[0].size, 0);
    }
    std::copy(best_.begin(), best_.end(), team.begin());
    return;
  }
  for (size_t i = 0; i < parties.size(); ++i) Add(i, team[i], 1);
  Improve(team);
  NumberByFirstTicket(team);
  if (players_ > kExactPlayers) return;
  best_.assign(team.begin(), team.end());
  Reset(sizes);
  for (size_t i = 0; i < parties.size(); ++i) Add(i, team[i], 1);
  TryThis(team, Levels());
  Reset(sizes);
  trial_.assign(parties.size(), kOpen);
  TryTeam(0);
  std::copy(best_.begin(), best_.end(), team.begin());
  NumberByFirstTicket(team);
}

void TeamSplit::Reset(std::span<const int32_t> sizes) {
  teams_.assign(sizes.size(), Team{});
  even_sizes_ = true;
  common_size_ = 1;
  players_ = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    teams_[i].size = sizes[i];
    players_ += sizes[i];
    even_sizes_ &= sizes[i] == sizes[0];
    if (common_size_ < kMaxCommon) common_size_ = std::lcm(common_size_, int64_t{sizes[i]});
  }
  common_size_ = std::min(common_size_, kMaxCommon);
  for (Team& team : teams_) team.scale = common_size_ / team.size;
  base_ = parties_.empty() ? 0 : parties_.front().value;
  weight_.resize(parties_.size());
  left_.resize(parties_.size() + 1);
  left_.back() = 0;
  total_ = 0;
  for (size_t i = parties_.size(); i-- > 0;) {
    weight_[i] = parties_[i].heads * (int64_t{parties_[i].value} - base_);
    total_ += weight_[i];
    left_[i] = left_[i + 1] + parties_[i].heads;
  }
}

void TeamSplit::Add(size_t party, int32_t team, int64_t sign) {
  Team& to = teams_[static_cast<size_t>(team)];
  to.sum += sign * weight_[party];
  to.heads += static_cast<int32_t>(sign) * parties_[party].heads;
}

int64_t TeamSplit::Levels() const {
  int64_t low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();
  for (const Team& team : teams_) {
    low = std::min(low, team.level());
    high = std::max(high, team.level());
  }
  return high - low;
}

// Of a whole way.
TeamSplit::Measure TeamSplit::MeasureOf(std::span<const int32_t> team, int64_t cost, int64_t levels) {
  measured_ = teams_;
  for (Team& of : measured_) of.sum = of.squares = of.heads = 0;  // here: of the largest party
  for (size_t i = 0; i < parties_.size(); ++i) {
    Team& of = measured_[static_cast<size_t>(team[i])];
    of.sum += weight_[i];
    of.squares += weight_[i] * (int64_t{parties_[i].value} - base_);
    of.heads = std::max(of.heads, parties_[i].heads);
  }
  Wide narrowest = 0, widest = 0;
  int32_t small = std::numeric_limits<int32_t>::max(), large = 0;
  for (size_t i = 0; i < measured_.size(); ++i) {
    const Team& of = measured_[i];
    Wide variance = Wide{of.size} * of.squares - Wide{of.sum} * of.sum;  // times size ** 2
    if (!even_sizes_) variance *= Wide{of.scale} * of.scale;
    narrowest = i == 0 ? variance : std::min(narrowest, variance);
    widest = i == 0 ? variance : std::max(widest, variance);
    small = std::min(small, of.heads);
    large = std::max(large, of.heads);
  }
  return {cost, levels, widest - narrowest, large - small};
}

// Whether a way with at least such a difference of levels could be the best so far.
bool TeamSplit::MayBeBest(int64_t levels) const {
  const int64_t least = judge_ == nullptr ? 0 : judge_->AtLeast(GapOf(levels));
  return least != best_measure_.cost ? least < best_measure_.cost : levels <= best_measure_.levels;
}

void TeamSplit::TryThis(std::span<const int32_t> team, int64_t levels) {
  if (!MayBeBest(levels)) return;
  const int64_t cost = judge_ == nullptr ? 0 : judge_->Cost(team, GapOf(levels));
  if (cost == Judge::kRefused || cost > best_measure_.cost) return;
  if (cost < best_measure_.cost || levels < best_measure_.levels) {
    best_measure_ = {cost, levels, 0, 0};  // the rest when somebody comes level
    best_is_measured_ = false;
    best_.assign(team.begin(), team.end());
    return;
  }
  if (levels > best_measure_.levels) return;
  if (!best_is_measured_) best_measure_ = MeasureOf(best_, cost, levels);
  best_is_measured_ = true;
  const Measure measure = MeasureOf(team, cost, levels);
  if (measure >= best_measure_) return;
  best_measure_ = measure;
  best_.assign(team.begin(), team.end());
}

// Places `party` and those after it into the first of two teams or the second, in every way; `kBare`: of one size, and
// with nobody to judge.
template <bool kBare>
void TeamSplit::TryTwoFrom(size_t party, int32_t room, int64_t sum) {
  if (room == 0) {
    const int64_t levels =
        kBare ? std::abs(total_ - 2 * sum) : std::abs(sum * teams_[0].scale - (total_ - sum) * teams_[1].scale);
    if (kBare ? levels > best_measure_.levels : !MayBeBest(levels)) return;
    std::fill(trial_.begin() + static_cast<int64_t>(party), trial_.end(), 1);
    TryThis(trial_, levels);
    return;
  }
  if (left_[party] < room) return;
  if (parties_[party].heads <= room) {
    trial_[party] = 0;
    TryTwoFrom<kBare>(party + 1, room - parties_[party].heads, sum + weight_[party]);
  }
  trial_[party] = 1;
  TryTwoFrom<kBare>(party + 1, room, sum);
}

// Fills the team of the first ticket without one in every way, then the next team. `placed`: heads so far.
void TeamSplit::TryTeam(int32_t placed) {
  if (placed == players_) {
    TryThis(trial_, Levels());
    return;
  }
  const size_t first =
      static_cast<size_t>(std::find(trial_.begin(), trial_.end(), kOpen) - trial_.begin());  // there is one
  for (int32_t team = 0; team < static_cast<int32_t>(teams_.size()); ++team) {
    const Team& to = teams_[static_cast<size_t>(team)];
    if (to.heads > 0 || to.size < parties_[first].heads) continue;
    bool seen = false;  // an empty one of its size before
    for (int32_t other = 0; other < team; ++other) {
      const Team& before = teams_[static_cast<size_t>(other)];
      seen |= before.heads == 0 && before.size == to.size;
    }
    if (seen) continue;
    trial_[first] = team;
    Add(first, team, 1);
    TryRestOf(team, first + 1, placed + parties_[first].heads);
    Add(first, team, -1);
    trial_[first] = kOpen;
  }
}

void TeamSplit::TryRestOf(int32_t team, size_t party, int32_t placed) {
  const Team& to = teams_[static_cast<size_t>(team)];
  if (to.heads == to.size) {
    // The others together have the rest, so one of them is at least as far away as their mean, which in the common
    // size is rest * common / their size; and the full ones are what they are.
    int64_t low = to.level(), high = low;
    for (const Team& other : teams_) {
      if (other.heads != other.size) continue;
      low = std::min(low, other.level());
      high = std::max(high, other.level());
    }
    const Wide from_mean = Wide{to.level()} * (players_ - to.size) - Wide{total_ - to.sum} * common_size_;
    const int64_t at_least =
        std::max(high - low, static_cast<int64_t>((from_mean < 0 ? -from_mean : from_mean) / (players_ - to.size)));
    // Where sizes have no small common multiple levels are rounded, and so is the bound.
    if (MayBeBest(even_sizes_ ? at_least : high - low)) TryTeam(placed);
    return;
  }
  while (party < parties_.size() && (trial_[party] != kOpen || parties_[party].heads > to.size - to.heads)) ++party;
  if (party == parties_.size()) return;
  trial_[party] = team;
  Add(party, team, 1);
  TryRestOf(team, party + 1, placed + parties_[party].heads);
  Add(party, team, -1);
  trial_[party] = kOpen;
  TryRestOf(team, party + 1, placed);
}

void TeamSplit::Improve(std::span<int32_t> team) {
  for (size_t left = parties_.size(); left > 0 && Exchange(team);) --left;
}

// One exchange between the strongest team and the weakest, else between one of these and another; false when none
// brings two teams closer.
bool TeamSplit::Exchange(std::span<int32_t> team) {
  const auto by_level = [](const Team& a, const Team& b) { return a.level() < b.level(); };
  const auto extremes = std::minmax_element(teams_.begin(), teams_.end(), by_level);
  const int32_t weakest = static_cast<int32_t>(extremes.first - teams_.begin());
  const int32_t strongest = static_cast<int32_t>(extremes.second - teams_.begin());
  if (ExchangeBetween(strongest, weakest, team)) return true;
  for (int32_t other = 0; other < static_cast<int32_t>(teams_.size()); ++other) {
    if (other == strongest || other == weakest) continue;
    if (ExchangeBetween(strongest, other, team) || ExchangeBetween(other, weakest, team)) return true;
  }
  return false;
}

// Exchanges one ticket of the stronger team for one or two of the weaker, or the reverse, so that the difference of the
// two falls most; neither then leaves the range they spanned.
bool TeamSplit::ExchangeBetween(int32_t stronger, int32_t weaker, std::span<int32_t> team) {
  const Team& strong_team = teams_[static_cast<size_t>(stronger)];
  const Team& weak_team = teams_[static_cast<size_t>(weaker)];
  const int64_t difference = strong_team.level() - weak_team.level();
  const int64_t both_scales = strong_team.scale + weak_team.scale;
  strong_.clear();
  weak_.clear();
  for (size_t i = 0; i < parties_.size(); ++i) {
    if (team[i] == stronger) strong_.push_back(i);
    if (team[i] == weaker) weak_.push_back(i);
  }
  constexpr size_t kNobody = std::numeric_limits<size_t>::max();
  size_t one = kNobody, other = kNobody, third = kNobody;
  int64_t best = difference;
  const auto turn = [&](size_t a, size_t b, size_t c) {
    const int32_t from = team[a], to = team[b];
    team[a] = to;
    team[b] = from;
    if (c != kNobody) team[c] = from;
  };
  const auto turn_back = [&](size_t a, size_t b, size_t c) {
    turn(a, b, kNobody);
    if (c != kNobody) team[c] = team[b];
  };
  int64_t cost = judge_ == nullptr ? 0 : judge_->Cost(team, GapOf(Levels()));
  const auto attempt = [&](size_t a, size_t b, size_t c, int64_t moved) {
    const int64_t after = std::abs(difference - both_scales * moved);
    if (after >= best) return;
    if (judge_ != nullptr) {
      turn(a, b, c);
      // The gap of all teams does not grow by it: what costs no more at the gap of now costs no more.
      const int64_t costs = judge_->Cost(team, GapOf(Levels()));
      turn_back(a, b, c);
      if (costs == Judge::kRefused || costs > cost) return;
      cost = costs;
    }
    best = after;
    one = a;
    other = b;
    third = c;
  };
  for (const size_t strong : strong_) {
    for (const size_t weak : weak_) {
      if (parties_[strong].heads == parties_[weak].heads)
        attempt(strong, weak, kNobody, weight_[strong] - weight_[weak]);
    }
  }
  if (one == kNobody) {
    for (const bool from_strong : {true, false}) {
      const std::vector<size_t>& singles = from_strong ? strong_ : weak_;
      const std::vector<size_t>& pairs = from_strong ? weak_ : strong_;
      for (const size_t a : singles) {
        for (size_t i = 0; i < pairs.size() && parties_[a].heads > 1; ++i) {
          for (size_t j = i + 1; j < pairs.size(); ++j) {
            if (parties_[pairs[i]].heads + parties_[pairs[j]].heads != parties_[a].heads) continue;
            const int64_t moved = weight_[a] - weight_[pairs[i]] - weight_[pairs[j]];
            attempt(a, pairs[i], pairs[j], from_strong ? moved : -moved);
          }
        }
      }
    }
  }
  if (one == kNobody) return false;
  for (const size_t party : {one, other, third}) {
    if (party != kNobody) Add(party, team[party], -1);
  }
  turn(one, other, third);
  for (const size_t party : {one, other, third}) {
    if (party != kNobody) Add(party, team[party], 1);
  }
  return true;
}

// Among teams of one size the one with the earliest ticket comes first.
void TeamSplit::NumberByFirstTicket(std::span<int32_t> team) {
  number_.assign(teams_.size(), -1);
  given_.assign(teams_.size(), 0);
  for (int32_t& of : team) {
    int32_t& number = number_[static_cast<size_t>(of)];
    if (number < 0) {
      const int32_t size = teams_[static_cast<size_t>(of)].size;
      number = 0;
      while (teams_[static_cast<size_t>(number)].size != size || given_[static_cast<size_t>(number)] != 0) ++number;
      given_[static_cast<size_t>(number)] = 1;
    }
    of = number;
  }
}

}  // namespace evenmatch
