#include "matching/duel_matcher.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "matching/quality.h"
#include "matching/window.h"
#include "rating/win_chance.h"

namespace evenmatch {
namespace {

enum Mark : uint8_t { kNoMark, kDue, kTaken };

}  // namespace

void DuelMatcher::Tick(Pool& pool, const TraitTable& traits, Micros now, std::vector<Proposal>* proposals,
                       size_t* due_count) {
  now_ = now;
  due_.clear();
  pool.TakeDue(now, &due_);
  *due_count = due_.size();
  if (due_.empty()) return;

  candidates_.clear();
  for (const Pool::Slot slot : due_) {
    // Alone of its kind: whoever joins it will be due and find it.
    if (pool.CountWithAffinity(pool.Get(slot).affinity) == 1) continue;
    candidates_.push_back(CandidateOf(pool, slot));
    candidates_.back().due = true;
    marks_.Set(slot, kDue);
  }
  std::sort(candidates_.begin(), candidates_.end(), [](const DuelCandidate& a, const DuelCandidate& b) {
    return std::tie(a.affinity, a.value, a.arrival) < std::tie(b.affinity, b.value, b.arrival);
  });
  for (size_t first = 0, last; first < candidates_.size(); first = last) {
    for (last = first + 1; last < candidates_.size() && candidates_[last].affinity == candidates_[first].affinity;) {
      ++last;
    }
    MatchRun(pool, first, last, proposals);
  }
  marks_.Clear();
}

void DuelMatcher::MatchRun(Pool& pool, size_t first, size_t last, std::vector<Proposal>* proposals) {
  GatherLine(pool, first, last);
  pairing_.Pair(line_, &partner_);
  for (size_t i = 0; i < line_.size(); ++i) {
    if (partner_[i] < static_cast<int32_t>(i)) continue;
    const DuelCandidate& other = line_[partner_[i]];
    Propose(line_[i], other, proposals);
    marks_.Set(line_[i].slot, kTaken);
    marks_.Set(other.slot, kTaken);
  }
  for (size_t i = 0; i < line_.size(); ++i) {
    if (partner_[i] != DuelPairing::kAlone || !line_[i].due) continue;
    const Micros at = NextDue(pool, line_[i]);
    if (at != kNever) pool.SetDue(line_[i].slot, at);
  }
}

// Fills line_ with the due candidates [first, last) and those standing ones that one of them may reach, in order.
void DuelMatcher::GatherLine(const Pool& pool, size_t first, size_t last) {
  line_.clear();
  if (pool.CountWithAffinity(candidates_[first].affinity) == last - first) {
    line_.insert(line_.end(), candidates_.begin() + first, candidates_.begin() + last);
    return;
  }
  reach_below_.resize(last - first);
  int64_t below = std::numeric_limits<int64_t>::max();
  for (size_t i = last; i-- > first;) {
    below = std::min(below, int64_t{candidates_[i].value} - candidates_[i].window);
    reach_below_[i - first] = below;
  }
  const uint32_t affinity = candidates_[first].affinity;
  const auto stands = [&](const Pool::Cursor& at) {
    return at.valid() && at.affinity() == affinity && marks_.Get(at.slot()) != kDue;
  };
  // A standing ticket must reach back to the nearer of the due ones around it, or it reaches none.
  const auto add = [&](Pool::Slot slot, int64_t nearest) {
    const DuelCandidate standing = CandidateOf(pool, slot);
    if (standing.window >= nearest) line_.push_back(standing);
  };
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max();

  int64_t above = std::numeric_limits<int64_t>::min();  // the highest value that a due ticket so far accepts
  Pool::Cursor cursor = pool.At(candidates_[first].slot);
  for (size_t i = first; i < last; ++i) {
    const DuelCandidate& due = candidates_[i];
    // Below it, as far as nobody before it has looked. The cursor stands at `due` or at the last place looked at.
    if (cursor.slot() != due.slot || i == first) {
      cursor = pool.At(due.slot);
      const size_t begin = line_.size();
      Pool::Cursor walk = cursor;
      for (walk.Prev(); stands(walk) && walk.value() >= reach_below_[i - first] && walk.value() > above; walk.Prev()) {
        const int64_t to_lower = i > first ? int64_t{walk.value()} - candidates_[i - 1].value : kFar;
        add(walk.slot(), std::min(int64_t{due.value} - walk.value(), to_lower));
      }
      std::reverse(line_.begin() + static_cast<int64_t>(begin), line_.end());
    }
    line_.push_back(due);
    above = std::max(above, int64_t{due.value} + due.window);
    // Above it, up to the next due ticket when the windows leave no room between.
    for (cursor.Next(); stands(cursor) && cursor.value() <= above; cursor.Next()) {
      const int64_t to_upper = i + 1 < last ? int64_t{candidates_[i + 1].value} - cursor.value() : kFar;
      add(cursor.slot(), std::min(int64_t{cursor.value()} - due.value, to_upper));
    }
    if (!cursor.valid() && i + 1 < last) cursor = pool.At(candidates_[i + 1].slot);
  }
}

void DuelMatcher::Propose(const DuelCandidate& a, const DuelCandidate& b, std::vector<Proposal>* proposals) const {
  const bool a_first = a.arrival < b.arrival;
  const DuelCandidate& one = a_first ? a : b;
  const DuelCandidate& two = a_first ? b : a;
  Proposal& proposal = proposals->emplace_back();
  proposal.places = {{one.slot, 0}, {two.slot, 1}};
  const BasisPoints chance = WinChance(one.value - two.value);
  proposal.win_chance = {chance, kCertain - chance};
  proposal.spread = b.value - a.value;
  proposal.quality = DuelQuality(proposal.spread, std::min(a.window, b.window));
  proposal.stage = std::max(book_.StageAt(now_ - a.queued_at), book_.StageAt(now_ - b.queued_at));
}

// The earliest time at which `ticket` and another that is left fit. The later queued of two has the stricter window.
Micros DuelMatcher::NextDue(const Pool& pool, const DuelCandidate& ticket) const {
  Micros earliest = kNever;
  const auto consider = [&](const Pool::Cursor& at) {  // false: nobody beyond can be earlier
    const Micros wait = WaitForWindow(rules_.window, std::abs(at.value() - ticket.value));
    if (wait == kNever || ticket.queued_at + wait >= earliest) return false;
    if (marks_.Get(at.slot()) == kTaken) return true;
    earliest = std::min(earliest, std::max(ticket.queued_at, pool.Get(at.slot()).queued_at) + wait);
    return true;
  };
  const auto mine = [&](const Pool::Cursor& at) { return at.valid() && at.affinity() == ticket.affinity; };
  const Pool::Cursor here = pool.At(ticket.slot);
  Pool::Cursor walk = here;
  for (walk.Prev(); mine(walk) && consider(walk);) walk.Prev();
  walk = here;
  for (walk.Next(); mine(walk) && consider(walk);) walk.Next();
  CHECK(earliest > now_);  // else the two would have been paired
  return earliest;
}

DuelCandidate DuelMatcher::CandidateOf(const Pool& pool, Pool::Slot slot) const {
  const PoolEntry& entry = pool.Get(slot);
  DuelCandidate candidate;
  candidate.value = entry.value;
  candidate.window = WindowAt(rules_.window, now_ - entry.queued_at);
  candidate.queued_at = entry.queued_at;
  candidate.arrival = entry.arrival;
  candidate.slot = slot;
  candidate.affinity = entry.affinity;
  candidate.overdue = book_.PastLastStage(now_ - entry.queued_at);
  return candidate;
}

}  // namespace evenmatch
