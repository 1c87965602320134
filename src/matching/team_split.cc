#include "matching/team_split.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace evenmatch {

void TeamSplit::Split(std::span<const Party> parties, int32_t teams, int32_t team_size, std::span<int32_t> team) {
  parties_ = parties;
  team_size_ = team_size;
  base_ = parties.empty() ? 0 : parties.front().value;
  teams_.assign(static_cast<size_t>(teams), Team{});
  if (team_size == 1 || static_cast<int32_t>(parties.size()) == teams) {
    NumberByFirstTicket(team);  // there is only one way
    return;
  }
  if (teams * team_size <= kExactPlayers) {
    best_measure_ = {std::numeric_limits<int64_t>::max(), 0};
    trial_.resize(parties.size());
    if (teams == 2) {
      weight_.resize(parties.size());
      left_.assign(parties.size() + 1, 0);
      total_ = 0;
      for (size_t i = parties.size(); i-- > 0;) {
        weight_[i] = parties[i].heads * (int64_t{parties[i].value} - base_);
        total_ += weight_[i];
        left_[i] = left_[i + 1] + parties[i].heads;
      }
      trial_[0] = 0;
      TryTwoFrom(1, team_size - parties[0].heads, weight_[0]);
    } else {
      TryFrom(0, 0);
    }
    std::copy(best_.begin(), best_.end(), team.begin());
    return;
  }
  for (size_t i = 0; i < parties.size(); ++i) Add(i, team[i], 1);
  for (size_t left = parties.size(); left > 0 && Exchange(team);) --left;
  NumberByFirstTicket(team);
}

void TeamSplit::Add(size_t party, int32_t team, int64_t sign) {
  const int64_t value = int64_t{parties_[party].value} - base_;
  const int64_t heads = sign * parties_[party].heads;
  Team& to = teams_[static_cast<size_t>(team)];
  to.sum += heads * value;
  to.squares += heads * value * value;
  to.heads += static_cast<int32_t>(heads);
}

TeamSplit::Unevenness TeamSplit::Measure() const {
  int64_t low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();
  Wide narrowest = 0, widest = 0;
  for (size_t i = 0; i < teams_.size(); ++i) {
    const Team& team = teams_[i];
    low = std::min(low, team.sum);
    high = std::max(high, team.sum);
    const Wide variance = Wide{team_size_} * team.squares - Wide{team.sum} * team.sum;  // times team_size ** 2
    narrowest = i == 0 ? variance : std::min(narrowest, variance);
    widest = i == 0 ? variance : std::max(widest, variance);
  }
  return {high - low, widest - narrowest};
}

// Places `party` and those after it in every way; teams from `opened` on are empty and alike.
void TeamSplit::TryFrom(size_t party, int32_t opened) {
  if (party == parties_.size()) {
    const Unevenness measure = Measure();
    if (measure < best_measure_) {
      best_measure_ = measure;
      best_ = trial_;
    }
    return;
  }
  const int32_t choices = std::min(opened + 1, static_cast<int32_t>(teams_.size()));
  for (int32_t team = 0; team < choices; ++team) {
    if (teams_[static_cast<size_t>(team)].heads + parties_[party].heads > team_size_) continue;
    trial_[party] = team;
    Add(party, team, 1);
    TryFrom(party + 1, std::max(opened, team + 1));
    Add(party, team, -1);
  }
}

// The same for two teams, by whom the first takes along; the other team is what is left.
void TeamSplit::TryTwoFrom(size_t party, int32_t room, int64_t sum) {
  if (room == 0) {
    const int64_t difference = std::abs(total_ - 2 * sum);
    if (difference > best_measure_.sums) return;
    std::fill(trial_.begin() + static_cast<int64_t>(party), trial_.end(), 1);
    teams_.assign(2, Team{});
    for (size_t i = 0; i < trial_.size(); ++i) Add(i, trial_[i], 1);
    const Unevenness measure = Measure();
    if (measure < best_measure_) {
      best_measure_ = measure;
      best_ = trial_;
    }
    return;
  }
  if (left_[party] < room) return;
  if (parties_[party].heads <= room) {
    trial_[party] = 0;
    TryTwoFrom(party + 1, room - parties_[party].heads, sum + weight_[party]);
  }
  trial_[party] = 1;
  TryTwoFrom(party + 1, room, sum);
}

// One exchange between the strongest team and the weakest, else between one of these and another; false when none
// brings two teams closer.
bool TeamSplit::Exchange(std::span<int32_t> team) {
  const auto by_sum = [](const Team& a, const Team& b) { return a.sum < b.sum; };
  const auto extremes = std::minmax_element(teams_.begin(), teams_.end(), by_sum);
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
  const int64_t difference = teams_[static_cast<size_t>(stronger)].sum - teams_[static_cast<size_t>(weaker)].sum;
  strong_.clear();
  weak_.clear();
  for (size_t i = 0; i < parties_.size(); ++i) {
    if (team[i] == stronger) strong_.push_back(i);
    if (team[i] == weaker) weak_.push_back(i);
  }
  const auto weight = [this](size_t i) { return parties_[i].heads * (int64_t{parties_[i].value} - base_); };
  constexpr size_t kNobody = std::numeric_limits<size_t>::max();
  size_t one = kNobody, other = kNobody, third = kNobody;
  int64_t best = difference;
  const auto attempt = [&](size_t a, size_t b, size_t c, int64_t moved) {
    const int64_t after = std::abs(difference - 2 * moved);
    if (after >= best) return;
    best = after;
    one = a;
    other = b;
    third = c;
  };
  for (const size_t strong : strong_) {
    for (const size_t weak : weak_) {
      if (parties_[strong].heads == parties_[weak].heads) attempt(strong, weak, kNobody, weight(strong) - weight(weak));
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
            const int64_t moved = weight(a) - weight(pairs[i]) - weight(pairs[j]);
            attempt(a, pairs[i], pairs[j], from_strong ? moved : -moved);
          }
        }
      }
    }
  }
  if (one == kNobody) return false;
  const int32_t from = team[one], to = team[other];
  const auto move = [&](size_t party, int32_t into) {
    Add(party, team[party], -1);
    Add(party, into, 1);
    team[party] = into;
  };
  move(one, to);
  move(other, from);
  if (third != kNobody) move(third, from);
  return true;
}

void TeamSplit::NumberByFirstTicket(std::span<int32_t> team) {
  number_.assign(teams_.size(), -1);
  int32_t next = 0;
  for (int32_t& of : team) {
    int32_t& number = number_[static_cast<size_t>(of)];
    if (number < 0) number = next++;
    of = number;
  }
}

}  // namespace evenmatch
