#include "matching/duel_pairing.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "matching/age_bonus.h"
#include "matching/quality.h"

namespace evenmatch {
namespace {

constexpr int64_t kBestScore = int64_t{1} << 30;  // Closeness at a resolution at which rounding hides no difference
// Two bonuses together stay below a point of quality.
static_assert(2 * int64_t{AgeBonus::kMost} < kBestScore / kBestQuality);

// With patience a milli-point counts so much, more than two bonuses.
constexpr int64_t kRipeScale = int64_t{1} << 17;
static_assert(2 * int64_t{AgeBonus::kMost} < kRipeScale);

}  // namespace

bool DuelPairing::Fits(int32_t a, int32_t b) const {
  const MilliPoints gap = line_[b].value - line_[a].value;
  if (gap > std::min(line_[a].window, line_[b].window)) return false;
  return !patient_ || line_[a].overdue || line_[b].overdue || gap <= line_[a].allowance + line_[b].allowance;
}

// Of a < b that fit.
int64_t DuelPairing::Score(int32_t a, int32_t b) const {
  if (patient_) {
    const int64_t left = int64_t{line_[a].allowance} + line_[b].allowance - (line_[b].value - line_[a].value);
    return left * kRipeScale + bonus_[a] + bonus_[b] + 1;
  }
  // The last 1 makes a seat worth more than none even at the edge of the window.
  return Closeness<kBestScore>(line_[b].value - line_[a].value, std::min(line_[a].window, line_[b].window)) +
         bonus_[a] + bonus_[b] + 1;
}

void DuelPairing::Join(int32_t a, int32_t b) {
  (*partner_)[a] = b;
  (*partner_)[b] = a;
}

void DuelPairing::Pair(std::span<const DuelCandidate> line, std::vector<int32_t>* partner) {
  line_ = line;
  partner_ = partner;
  const int32_t count = static_cast<int32_t>(line.size());
  partner->assign(line.size(), kAlone);
  bonus_.resize(line.size());
  // By ticket, how far down those from it on reach whose patience is over, for they make up for any other's.
  if (patient_) {
    reach_below_.resize(line.size());
    int64_t below = std::numeric_limits<int64_t>::max();
    for (int32_t i = count - 1; i >= 0; --i) {
      if (line[i].overdue) below = std::min(below, int64_t{line[i].value} - line[i].window);
      reach_below_[static_cast<size_t>(i)] = below;
    }
  }
  // A pair across a cut would need a ticket before it whose window reaches over it.
  int64_t reach = std::numeric_limits<int64_t>::min();
  int32_t first = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (line[i].value > reach && (!patient_ || i == 0 || reach_below_[static_cast<size_t>(i)] > line[i - 1].value)) {
      PairSegment(first, i);
      first = i;
    }
    reach = std::max(reach, int64_t{line[i].value} + line[i].reach);
  }
  PairSegment(first, count);
}

void DuelPairing::PairSegment(int32_t first, int32_t last) {
  if (last - first < 2) return;
  const AgeBonus bonus(line_.subspan(static_cast<size_t>(first), static_cast<size_t>(last - first)));
  for (int32_t i = first; i < last; ++i) bonus_[i] = bonus.Of(line_[i]);
  bool same_window = !patient_;
  bool overdue = false;
  for (int32_t i = first; i < last; ++i) {
    same_window &= line_[i].window == line_[first].window;
    overdue |= line_[i].overdue;
  }
  if (patient_) {
    PairRipe(first, last);
  } else if (const int64_t total = PairNeighbours(first, last); !same_window && last - first > 2) {
    // No ticket can do better than its nearest neighbour measured by its own window.
    int64_t bound = 0;
    for (int32_t i = first; i < last; ++i) {
      MilliPoints gap = std::numeric_limits<MilliPoints>::max();
      if (i > first) gap = std::min(gap, line_[i].value - line_[i - 1].value);
      if (i + 1 < last) gap = std::min(gap, line_[i + 1].value - line_[i].value);
      bound += Closeness<kBestScore>(gap, line_[i].window);
    }
    bound /= 2;
    if (total < bound - bound / 1024) PairWithinReach(first, last);
  }
  if (overdue) SeatOverdue(first, last);
  PairLeftovers(first, last);
}

int64_t DuelPairing::PairNeighbours(int32_t first, int32_t last) {
  const int32_t count = last - first;
  best_.resize(static_cast<size_t>(count) + 1);
  best_[0] = best_[1] = 0;
  for (int32_t i = 2; i <= count; ++i) {
    const int32_t b = first + i - 1;
    best_[i] = best_[i - 1];
    if (Fits(b - 1, b)) best_[i] = std::max(best_[i], best_[i - 2] + Score(b - 1, b));
  }
  for (int32_t i = count; i >= 2;) {
    if (best_[i] == best_[i - 1]) {
      --i;
    } else {
      Join(first + i - 2, first + i - 1);
      i -= 2;
    }
  }
  return best_[count];
}

// After ticket j a mask says which of the last kReach tickets, j being bit 0, are still open.
void DuelPairing::PairWithinReach(int32_t first, int32_t last) {
  constexpr int kMasks = 1 << kReach;
  constexpr uint8_t kStaysOpen = 7;  // else the distance to the partner, less 1
  static_assert(kReach < kStaysOpen);
  constexpr int64_t kNone = -1;
  decision_.resize(static_cast<size_t>(last - first) * kMasks);
  std::array<int64_t, kMasks> totals, next;
  totals.fill(kNone);
  totals[0] = 0;
  for (int32_t j = first; j < last; ++j) {
    std::array<int64_t, kReach> score;
    unsigned fitting = 0;
    for (int d = 0; d < kReach && j - 1 - d >= first; ++d) {
      if (line_[j].value - line_[j - 1 - d].value > line_[j].window) break;
      if (!Fits(j - 1 - d, j)) continue;
      score[d] = Score(j - 1 - d, j);
      fitting |= 1u << d;
    }
    next.fill(kNone);
    uint8_t* decision = &decision_[static_cast<size_t>(j - first) * kMasks];
    for (unsigned mask = 0; mask < kMasks; ++mask) {
      if (totals[mask] == kNone) continue;
      const auto offer = [&](unsigned open_before, bool open, uint8_t what, int64_t total) {
        const unsigned shifted = (open_before << 1) | (open ? 1 : 0);
        const unsigned to = shifted % kMasks;
        if (total <= next[to]) return;
        next[to] = total;
        decision[to] = static_cast<uint8_t>(what | (shifted / kMasks) << 3);  // bit 3: who fell off the end was open
      };
      for (unsigned left = mask & fitting; left != 0; left &= left - 1) {
        const int d = std::countr_zero(left);
        offer(mask & ~(1u << d), false, static_cast<uint8_t>(d), totals[mask] + score[d]);
      }
      offer(mask, true, kStaysOpen, totals[mask]);
    }
    totals = next;
  }
  for (int32_t i = first; i < last; ++i) (*partner_)[i] = kAlone;
  unsigned mask = static_cast<unsigned>(std::max_element(totals.begin(), totals.end()) - totals.begin());
  for (int32_t j = last - 1; j >= first; --j) {
    const uint8_t decision = decision_[static_cast<size_t>(j - first) * kMasks + mask];
    const int what = decision & 7;
    mask = (mask >> 1) | static_cast<unsigned>(decision >> 3) << (kReach - 1);
    if (what == kStaysOpen) continue;
    mask |= 1u << what;
    Join(j - 1 - what, j);
  }
}

// Of two pairs that cross or nest, the same four side by side are as ripe and no further apart, so at any place at most
// one ticket is open; and the best one to be open is so whoever closes it.
void DuelPairing::PairRipe(int32_t first, int32_t last) {
  constexpr int64_t kNone = std::numeric_limits<int64_t>::min() / 2;
  closes_.resize(static_cast<size_t>(last - first));
  int64_t none_open = 0, one_open = kNone;
  int32_t open = kAlone;
  for (int32_t i = first; i < last; ++i) {
    const int64_t mine = int64_t{line_[i].allowance} * kRipeScale + bonus_[i];
    const int64_t place = line_[i].value * kRipeScale;
    const int64_t opening = none_open + mine + place;
    const int64_t closing = one_open + mine - place + 1;
    closes_[static_cast<size_t>(i - first)] = kAlone;
    if (closing > none_open) {
      closes_[static_cast<size_t>(i - first)] = open;
      none_open = closing;
    }
    if (opening > one_open) {
      one_open = opening;
      open = i;
    }
  }
  bool fits = true;
  for (int32_t i = last - 1; i > first;) {
    const int32_t with = closes_[static_cast<size_t>(i - first)];
    if (with == kAlone) {
      --i;
      continue;
    }
    fits &= Fits(with, i);
    Join(with, i);
    i = with - 1;
  }
  if (!fits) PairWithinReach(first, last);
}

void DuelPairing::SeatOverdue(int32_t first, int32_t last) {
  const auto older = [this](int32_t a, int32_t b) { return Older(line_[a], line_[b]); };
  leftover_.clear();
  for (int32_t i = first; i < last; ++i) {
    if (line_[i].overdue && (*partner_)[i] == kAlone) leftover_.push_back(i);
  }
  std::sort(leftover_.begin(), leftover_.end(), older);
  for (size_t next = 0; next < leftover_.size(); ++next) {
    const int32_t ticket = leftover_[next];
    if ((*partner_)[ticket] != kAlone) continue;
    // The partner that costs the others least.
    int32_t chosen = kAlone;
    int64_t chosen_gain = 0;
    const auto consider = [&](int32_t other) {
      if (!Fits(std::min(ticket, other), std::max(ticket, other))) return;
      int64_t gain = Score(std::min(ticket, other), std::max(ticket, other));
      if (const int32_t third = (*partner_)[other]; third != kAlone) {
        if (line_[third].overdue && Older(line_[third], line_[ticket])) return;
        gain -= Score(std::min(third, other), std::max(third, other)) + kBestScore;
      }
      if (chosen != kAlone && gain <= chosen_gain) return;
      chosen = other;
      chosen_gain = gain;
    };
    const MilliPoints window = line_[ticket].window;
    for (int32_t i = ticket - 1; i >= first && line_[ticket].value - line_[i].value <= window; --i) consider(i);
    for (int32_t i = ticket + 1; i < last && line_[i].value - line_[ticket].value <= window; ++i) consider(i);
    if (chosen == kAlone) continue;
    if (const int32_t third = (*partner_)[chosen]; third != kAlone) {
      (*partner_)[third] = kAlone;
      if (line_[third].overdue) {
        leftover_.insert(std::upper_bound(leftover_.begin() + next + 1, leftover_.end(), third, older), third);
      }
    }
    Join(ticket, chosen);
  }
}

void DuelPairing::PairLeftovers(int32_t first, int32_t last) {
  leftover_.clear();
  for (int32_t i = first; i < last; ++i) {
    if ((*partner_)[i] == kAlone) leftover_.push_back(i);
  }
  bool any = false;
  for (size_t i = 0; i < leftover_.size() && !any; ++i) {
    const DuelCandidate& low = line_[leftover_[i]];
    for (size_t j = i + 1; j < leftover_.size() && line_[leftover_[j]].value - low.value <= low.window && !any; ++j) {
      any = Fits(leftover_[i], leftover_[j]);
    }
  }
  if (!any) return;
  std::sort(leftover_.begin(), leftover_.end(), [this](int32_t a, int32_t b) { return Older(line_[a], line_[b]); });
  for (size_t i = 0; i < leftover_.size(); ++i) {
    const int32_t ticket = leftover_[i];
    if ((*partner_)[ticket] != kAlone) continue;
    int32_t chosen = kAlone;
    int64_t chosen_score = 0;
    for (size_t j = i + 1; j < leftover_.size(); ++j) {
      const int32_t other = leftover_[j];
      if ((*partner_)[other] != kAlone || !Fits(std::min(ticket, other), std::max(ticket, other))) continue;
      const int64_t score = Score(std::min(ticket, other), std::max(ticket, other));
      if (score <= chosen_score) continue;
      chosen = other;
      chosen_score = score;
    }
    if (chosen != kAlone) Join(ticket, chosen);
  }
}

}  // namespace evenmatch
