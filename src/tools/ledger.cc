#include "tools/ledger.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "base/check.h"
#include "base/hash.h"

namespace evenmatch {
namespace {

uint64_t MatchDigest(std::string_view id) { return Hash64(id) | 1; }  // never 0, which means none

// A seat of a ticket that is not of this run.
struct OthersSeat {
  std::string_view ticket, player;
  int team;
  std::optional<MilliPoints> rating;
};

std::optional<MilliPoints> RatingOf(const v1::Seat& seat) {
  constexpr double kMost = static_cast<double>(kMaxValue);
  if (!seat.has_rating() || !(std::abs(seat.rating() * kPoint) <= kMost)) return std::nullopt;
  return static_cast<MilliPoints>(std::llround(seat.rating() * kPoint));
}

// Whether nobody sits twice and each ticket is in one team; leaves them ordered by ticket.
bool AreWhole(std::vector<OthersSeat>* seats) {
  std::ranges::sort(*seats, {}, &OthersSeat::player);
  bool whole = std::ranges::adjacent_find(*seats, {}, &OthersSeat::player) == seats->end();
  std::ranges::stable_sort(*seats, {}, &OthersSeat::ticket);
  for (size_t i = 1; i < seats->size(); ++i) {
    const OthersSeat &a = (*seats)[i - 1], &b = (*seats)[i];
    whole &= a.ticket != b.ticket || a.team == b.team;
  }
  return whole;
}

template <typename Map>
void MergeCounts(const Map& from, Map* to) {
  for (const auto& [key, count] : from) (*to)[key] += count;
}

}  // namespace

void Tally::Merge(const Tally& other) {
  enqueue_us.Merge(other.enqueue_us);
  match_us.Merge(other.match_us);
  gap.Merge(other.gap);
  spread.Merge(other.spread);
  favourite.Merge(other.favourite);
  matches += other.matches;
  doubled += other.doubled;
  contradicted += other.contradicted;
  with_others += other.with_others;
  malformed += other.malformed;
  MergeCounts(other.refused, &refused);
  MergeCounts(other.errors, &errors);
  resumes += other.resumes;
  last_accepted_at = std::max(last_accepted_at, other.last_accepted_at);
  last_matched_at = std::max(last_matched_at, other.last_matched_at);
  matched_in_time += other.matched_in_time;
}

Ledger::Ledger(const Population& population, const RunIds& ids, int team_count, int team_size)
    : population_(population),
      ids_(ids),
      team_count_(team_count),
      team_size_(team_size),
      entries_(std::make_unique<Entry[]>(population.tickets())) {}

void Ledger::Sent(uint32_t ticket) {
  Fate expected = Fate::kUnsent;
  if (entries_[ticket].fate.compare_exchange_strong(expected, Fate::kSent)) {
    sent_.fetch_add(1, std::memory_order_relaxed);
  }
}

bool Ledger::Answered(uint32_t ticket, bool accepted) {
  Fate expected = Fate::kSent;
  const Fate answer = accepted ? Fate::kAccepted : Fate::kRefused;
  if (!entries_[ticket].fate.compare_exchange_strong(expected, answer)) return false;
  if (accepted) accepted_.fetch_add(1, std::memory_order_relaxed);
  answered_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool Ledger::Ended(uint32_t ticket, Fate fate, std::string_view match, Tally* tally) {
  CHECK(fate > Fate::kAccepted);
  if (fate == Fate::kMatched) {
    bool is_new;
    if (!Claim(ticket, MatchDigest(match), &is_new)) ++tally->doubled;
    if (is_new) ++tally->malformed;  // told of a match in which it has no seat
  }
  // An end can overtake the answer where they travel on different streams; the end says that it was accepted.
  Answered(ticket, true);
  Fate expected = Fate::kAccepted;
  if (entries_[ticket].fate.compare_exchange_strong(expected, fate)) {
    ended_.fetch_add(1, std::memory_order_relaxed);
    if (fate == Fate::kMatched) matched_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  if (expected != fate) ++tally->contradicted;
  return false;
}

bool Ledger::Claim(uint32_t ticket, uint64_t match, bool* is_new) {
  uint64_t expected = 0;
  *is_new = entries_[ticket].match.compare_exchange_strong(expected, match);
  return *is_new || expected == match;
}

bool Ledger::Met(const v1::Match& match, Tally* tally) {
  const uint64_t digest = MatchDigest(match.match_id());
  struct Seat {
    uint32_t ticket, member;
    int team;
  };
  absl::InlinedVector<Seat, 16> seats;
  std::vector<OthersSeat> others;
  bool sound = match.teams_size() == team_count_;
  for (int team = 0; team < match.teams_size(); ++team) {
    sound &= match.teams(team).seats_size() == team_size_;
    for (const v1::Seat& seat : match.teams(team).seats()) {
      const std::optional<uint32_t> ticket = ids_.ParseTicket(seat.ticket_id());
      const auto player = ids_.ParsePlayer(seat.player_id());
      if (!ticket.has_value() && !player.has_value()) {
        others.push_back({seat.ticket_id(), seat.player_id(), team, RatingOf(seat)});
        continue;
      }
      if (!ticket.has_value() || !player.has_value() || player->first != *ticket || *ticket >= size() ||
          player->second >= population_.Members(*ticket).size()) {
        sound = false;
        continue;
      }
      seats.push_back({*ticket, player->second, team});
    }
  }
  std::sort(seats.begin(), seats.end(), [](const Seat& a, const Seat& b) {
    return a.ticket != b.ticket ? a.ticket < b.ticket : a.member < b.member;
  });

  // Ticket by ticket: all its members, once, in one team.
  bool first_to_meet = false;
  absl::InlinedVector<int64_t, 2> team_sums(std::max(match.teams_size(), 1));
  MilliPoints lowest = kMaxValue, highest = -kMaxValue;
  for (size_t i = 0; i < seats.size();) {
    const uint32_t ticket = seats[i].ticket;
    const std::span<const MilliPoints> members = population_.Members(ticket);
    bool is_new;
    if (!Claim(ticket, digest, &is_new)) ++tally->doubled;
    if (i == 0) first_to_meet = is_new;
    size_t k = 0;
    for (; i + k < seats.size() && seats[i + k].ticket == ticket; ++k) {
      sound &= seats[i + k].member == k && seats[i + k].team == seats[i].team;
    }
    sound &= k == members.size();
    for (const MilliPoints rating : members) team_sums[seats[i].team] += rating;
    const MilliPoints value = population_.Value(ticket);
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
    i += k;
  }
  sound &= !seats.empty();
  sound &= AreWhole(&others);
  if (!sound) ++tally->malformed;
  if (!first_to_meet) return false;

  ++tally->matches;
  if (!others.empty()) ++tally->with_others;
  const bool rated = std::ranges::all_of(others, [](const OthersSeat& seat) { return seat.rating.has_value(); });
  if (rated) {
    for (size_t i = 0; i < others.size();) {
      int64_t sum = 0;
      size_t k = 0;
      for (; i + k < others.size() && others[i + k].ticket == others[i].ticket; ++k) {
        team_sums[others[i + k].team] += *others[i + k].rating;
        sum += *others[i + k].rating;
      }
      const auto value = static_cast<MilliPoints>(sum / static_cast<int64_t>(k));
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
      i += k;
    }
    const auto [low_sum, high_sum] = std::minmax_element(team_sums.begin(), team_sums.end());
    tally->gap.Add(static_cast<uint64_t>((*high_sum - *low_sum) / team_size_));
    tally->spread.Add(static_cast<uint64_t>(highest - lowest));
  }
  double favourite = 0;
  for (const double chance : match.quality().win_probability()) favourite = std::max(favourite, chance);
  tally->favourite.Add(static_cast<uint64_t>(std::llround(std::clamp(favourite, 0.0, 1.0) * kCertain)));
  return true;
}

}  // namespace evenmatch
