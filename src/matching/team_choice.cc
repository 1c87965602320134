#include "matching/team_choice.h"

#include <algorithm>

#include "base/hash.h"
#include "matching/age_bonus.h"

namespace evenmatch {

void TeamChoice::Choose(TeamLine* line, std::vector<TeamSet>* chosen) {
  const size_t before = chosen->size();
  SeatOverdue(line, chosen);
  if (seeker_.sweeps() && !patient_ && !favours_) Sweep(line, chosen);
  BestFirst(TeamSeeker::Sizes::kFull, line, chosen);
  if (seeker_.has_smaller()) BestFirst(TeamSeeker::Sizes::kSmaller, line, chosen);
  for (size_t i = before; i < chosen->size(); ++i) usual_quality_ += (*chosen)[i].quality - usual_quality_ / kSmooth;
}

int64_t TeamChoice::AllowanceOf(const TeamLine& line, const TeamSet& set) const {
  int64_t all = 0;
  for (const TeamSet::Member& member : set.members) all += line[member.ticket].allowance;
  return all;
}

// The first step of the ticket's patience at which all of them together allow for the spread of the set.
Micros TeamChoice::RipensAt(const TeamLine& line, int32_t ticket, const TeamSet& set) const {
  Micros wait = now_ - line[ticket].queued_at;
  while ((wait = patience_.NextStep(wait)) != kNever) {
    const Micros at = line[ticket].queued_at + wait;
    if (patience_.Over(wait)) return at;
    int64_t all = 0;
    for (const TeamSet::Member& member : set.members) {
      const TeamCandidate& of = line[member.ticket];
      all += of.overdue ? of.allowance : patience_.Allowance(at - of.queued_at);
    }
    if (set.spread <= all) return at;
  }
  return kNever;
}

// A set around the ticket that is worth taking now; else the ticket remembers when it will be.
bool TeamChoice::Seek(TeamLine* line, int32_t ticket, TeamSeeker::Sizes sizes, TeamSet* set) {
  line->tickets()[static_cast<size_t>(ticket)].passed_over = seeker_.spent();
  if (!seeker_.SeekAround(*line, ticket, sizes, set)) return false;
  if (!patient_ || set->spread <= AllowanceOf(*line, *set)) return true;
  Micros& at = line->tickets()[static_cast<size_t>(ticket)].ripens_at;
  at = std::min(at, RipensAt(*line, ticket, *set));
  return false;
}

int64_t TeamChoice::WorthOf(const TeamLine& line, const TeamSet& set) const {
  if (!patient_) {
    int64_t worth = set.quality * kParts;
    if (!favours_) return worth;
    int64_t priority = 0;
    uint64_t chance = variety_.seed;
    for (const TeamSet::Member& member : set.members) {
      priority += line[member.ticket].priority;
      chance = HashMix(chance, line[member.ticket].arrival);
    }
    worth += priority / static_cast<int64_t>(set.members.size());
    return worth + static_cast<int64_t>(chance % static_cast<uint64_t>(variety_.within * kParts + 1));
  }
  return -(int64_t{set.spread} << 20) / std::max<int64_t>(AllowanceOf(line, set), 1);
}

TeamSet& TeamChoice::NextSet() {
  if (set_count_ == sets_.size()) sets_.emplace_back();
  return sets_[set_count_++];
}

void TeamChoice::Take(const TeamSet& set, TeamLine* line, std::vector<TeamSet>* chosen) {
  for (const TeamSet::Member& member : set.members) line->Take(member.ticket);
  chosen->push_back(set);
}

void TeamChoice::SeatOverdue(TeamLine* line, std::vector<TeamSet>* chosen) {
  overdue_.clear();
  for (int32_t i = 0; i < line->size(); ++i) {
    if ((*line)[i].overdue) overdue_.push_back(i);
  }
  std::sort(overdue_.begin(), overdue_.end(), [line](int32_t a, int32_t b) { return Older((*line)[a], (*line)[b]); });
  set_count_ = 0;
  TeamSet& set = NextSet();
  size_t standing = 0;
  for (const int32_t ticket : overdue_) {
    if ((*line)[ticket].taken) continue;
    if (!(*line)[ticket].due && ++standing > kMaxOverdueStanding) continue;
    if (!seeker_.SeekAround(*line, ticket, TeamSeeker::Sizes::kAny, &set)) continue;
    seeker_.SplitTeams(*line, &set);
    Take(set, line, chosen);
  }
}

void TeamChoice::Sweep(TeamLine* line, std::vector<TeamSet>* chosen) {
  if (line->size() == 0) return;
  const AgeBonus bonus(*line);
  const int64_t reserve = usual_quality_ / kSmooth * 6 / 7;
  set_count_ = 0;
  steps_.assign(static_cast<size_t>(line->size()) + 1, Step{});
  for (int32_t i = 0; i < line->size(); ++i) {
    Step& step = steps_[static_cast<size_t>(i) + 1];
    step.total = steps_[static_cast<size_t>(i)].total;
    if ((*line)[i].taken) continue;
    TeamSet& set = NextSet();
    --set_count_;  // kept only if it is of use
    if (!seeker_.SeekBelow(*line, i, &set)) continue;
    int32_t lowest = i;
    int64_t age = 0;
    for (const TeamSet::Member& member : set.members) {
      lowest = std::min(lowest, member.ticket);
      age += bonus.Of((*line)[member.ticket]);
    }
    const auto total = [&] {
      const int64_t worth = (int64_t{set.quality} + 1 - reserve) * (AgeBonus::kMost + 1);
      return steps_[static_cast<size_t>(lowest)].total + worth + age / static_cast<int64_t>(set.members.size());
    };
    if (total() <= step.total) continue;  // even if its teams were perfectly even
    if (set.members.size() > 2 && set.members.size() == seeker_.shape(set).sizes.size()) {
      seeker_.rules().EstimateSingles(*line, &set);  // there is only one way, and most sets are not taken
    } else {
      seeker_.SplitTeams(*line, &set);
    }
    if (total() <= step.total) continue;
    step = {total(), static_cast<int32_t>(set_count_), lowest};
    ++set_count_;
  }
  for (int32_t end = line->size(); end > 0;) {
    const Step& step = steps_[static_cast<size_t>(end)];
    if (step.set < 0) {
      --end;
      continue;
    }
    TeamSet& set = sets_[static_cast<size_t>(step.set)];
    if (!set.split) seeker_.SplitTeams(*line, &set);
    Take(set, line, chosen);
    end = step.rest;
  }
}

void TeamChoice::BestFirst(TeamSeeker::Sizes sizes, TeamLine* line, std::vector<TeamSet>* chosen) {
  const auto comes_later = [line](const Turn& a, const Turn& b) {
    if (a.worth != b.worth) return a.worth < b.worth;
    return Older((*line)[b.anchor], (*line)[a.anchor]);
  };
  set_count_ = 0;
  turns_.clear();
  in_turn_.clear();
  for (int32_t i = 0; i < line->size(); ++i) {
    if ((*line)[i].due && !(*line)[i].taken) in_turn_.push_back(i);
  }
  if (seeker_.large()) {  // the order decides only whom the work of the tick does not reach
    std::sort(in_turn_.begin(), in_turn_.end(), [line](int32_t a, int32_t b) { return Older((*line)[a], (*line)[b]); });
  }
  for (const int32_t i : in_turn_) {
    TeamSet& set = NextSet();
    if (Seek(line, i, sizes, &set)) {
      turns_.push_back({WorthOf(*line, set), set_count_ - 1, i});
    } else {
      --set_count_;
    }
  }
  std::make_heap(turns_.begin(), turns_.end(), comes_later);
  while (!turns_.empty()) {
    std::pop_heap(turns_.begin(), turns_.end(), comes_later);
    Turn turn = turns_.back();
    turns_.pop_back();
    if ((*line)[turn.anchor].taken) continue;
    TeamSet& set = sets_[turn.set];
    const bool broken = std::any_of(set.members.begin(), set.members.end(),
                                    [line](const TeamSet::Member& member) { return (*line)[member.ticket].taken; });
    if (broken && !Seek(line, turn.anchor, sizes, &set)) continue;
    if (!broken && !set.split) seeker_.SplitTeams(*line, &set);
    const int64_t worth = WorthOf(*line, set);
    if (broken || worth != turn.worth) {  // its turn comes later
      turn.worth = worth;
      turns_.push_back(turn);
      std::push_heap(turns_.begin(), turns_.end(), comes_later);
      continue;
    }
    if (!set.split) seeker_.SplitTeams(*line, &set);
    Take(set, line, chosen);
  }
}

}  // namespace evenmatch
