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

// As good as any: further apart nobody is likelier to win (see kReferenceWidth).
constexpr MilliPoints kMostAllowance = 2 * kReferenceWidth;

}  // namespace

DuelMatcher::DuelMatcher(const RuleBook& book)
    : book_(book), rules_(book.rules()), patience_(rules_), pairing_(/*patient=*/patience_.on()) {
  for (Micros stage = 0; (stage = book_.NextStageAfter(stage)) != kNever;) last_stage_ = stage;
}

void DuelMatcher::Tick(Pool& pool, const TraitTable& traits, Micros now, std::vector<Proposal>* proposals,
                       size_t* due_count) {
  now_ = now;
  if (patience_.on()) {
    if (impatient_.size() > pool.size()) {
      std::erase_if(impatient_, [&](const Place& at) { return !pool.Holds(std::get<3>(at), std::get<2>(at)); });
    }
    patience_.BeginTick(now, pool.size() - impatient_.size());
  }
  due_.clear();
  pool.TakeDue(now, &due_);
  *due_count = due_.size();
  if (due_.empty()) {
    if (patience_.on()) patience_.EndTick();
    return;
  }

  candidates_.clear();
  for (const Pool::Slot slot : due_) {
    // Alone of its kind: whoever joins it will be due and find it.
    if (pool.CountWithAffinity(pool.Get(slot).affinity) == 1 && !patience_.on()) continue;
    candidates_.push_back(CandidateOf(pool, slot));
    candidates_.back().due = true;
    marks_.Set(slot, kDue);
  }
  SortCandidates();
  if (!impatient_.empty()) AddImpatient(pool);
  for (size_t first = 0, last; first < candidates_.size(); first = last) {
    for (last = first + 1; last < candidates_.size() && candidates_[last].affinity == candidates_[first].affinity;) {
      ++last;
    }
    MatchRun(pool, first, last, proposals);
  }
  marks_.Clear();
  if (patience_.on()) patience_.EndTick();
}

void DuelMatcher::SortCandidates() {
  std::sort(candidates_.begin(), candidates_.end(), [](const DuelCandidate& a, const DuelCandidate& b) {
    return std::tie(a.affinity, a.value, a.arrival) < std::tie(b.affinity, b.value, b.arrival);
  });
}

// Whoever is due may be the one that somebody whose patience is over has been waiting for.
void DuelMatcher::AddImpatient(const Pool& pool) {
  const size_t due = candidates_.size();
  for (size_t i = 0; i < due; ++i) {
    const DuelCandidate ticket = candidates_[i];
    const auto low = static_cast<MilliPoints>(std::max<int64_t>(int64_t{ticket.value} - ticket.window, -kMaxValue));
    auto at = impatient_.lower_bound({ticket.affinity, low, 0, 0});
    while (at != impatient_.end() && std::get<0>(*at) == ticket.affinity &&
           int64_t{std::get<1>(*at)} - ticket.value <= ticket.window) {
      const auto [affinity, value, arrival, slot] = *at;
      if (!pool.Holds(slot, arrival)) {
        at = impatient_.erase(at);
        continue;
      }
      ++at;
      if (marks_.Get(slot) != kNoMark) continue;
      candidates_.push_back(CandidateOf(pool, slot));
      candidates_.back().due = true;
      marks_.Set(slot, kDue);
    }
  }
  if (candidates_.size() > due) SortCandidates();
}

// What patience has to know of a ticket that was looked at.
void DuelMatcher::Settle(Pool& pool, const DuelCandidate& ticket, bool paired) {
  const Micros wait = now_ - ticket.queued_at;
  const Place place = {ticket.affinity, ticket.value, ticket.arrival, ticket.slot};
  if (paired) {
    patience_.Paired(wait);
    if (ticket.overdue) impatient_.erase(place);
    return;
  }
  // Who is the only one of his kind says nothing about the price that the others should pay.
  const size_t alike = pool.CountWithAffinity(ticket.affinity);
  if (alike > 1 || alike == pool.size()) patience_.LeftAlone(wait);
  if (ticket.overdue) {
    impatient_.insert(place);
  } else {
    // Its patience changes, it is at its last stage, or its window reaches somebody whose patience is over.
    Micros next = patience_.NextStep(wait);
    if (wait < last_stage_) next = std::min(next, last_stage_);
    const auto consider = [&](const Place& at) {  // false: nobody beyond can be earlier
      if (std::get<0>(at) != ticket.affinity) return false;
      const Micros reaches = WaitForWindow(rules_.window, std::abs(std::get<1>(at) - ticket.value));
      if (reaches >= next) return false;
      if (reaches > wait) next = reaches;
      return true;
    };
    const auto here = impatient_.lower_bound(place);
    for (auto above = here; above != impatient_.end() && consider(*above);) ++above;
    for (auto below = here; below != impatient_.begin() && consider(*std::prev(below));) --below;
    pool.SetDue(ticket.slot, ticket.queued_at + next);
  }
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
    if (!patience_.on()) continue;
    Settle(pool, line_[i], /*paired=*/true);
    Settle(pool, other, /*paired=*/true);
  }
  for (size_t i = 0; i < line_.size(); ++i) {
    if (partner_[i] != DuelPairing::kAlone || !line_[i].due) continue;
    if (patience_.on()) {
      Settle(pool, line_[i], /*paired=*/false);
      if (!line_[i].overdue) continue;
    }
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
    below = std::min(below, int64_t{candidates_[i].value} - candidates_[i].reach);
    reach_below_[i - first] = below;
  }
  bool overdue = false;
  for (size_t i = first; i < last && patience_.on(); ++i) overdue |= candidates_[i].overdue;
  const uint32_t affinity = candidates_[first].affinity;
  const auto stands = [&](const Pool::Cursor& at) {
    return at.valid() && at.affinity() == affinity && marks_.Get(at.slot()) != kDue;
  };
  // A standing ticket must reach back to the nearer of the due ones around it, or it reaches none.
  const auto add = [&](Pool::Slot slot, int64_t nearest) {
    const DuelCandidate standing = CandidateOf(pool, slot);
    if (standing.reach >= nearest || overdue) line_.push_back(standing);
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
    above = std::max(above, int64_t{due.value} + due.reach);
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
  proposal.costs = {{QualityTerm::kDistance, proposal.spread, kBestQuality - proposal.quality}};
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
  candidate.reach = candidate.window;
  if (!patience_.on()) return candidate;
  const Micros wait = now_ - entry.queued_at;
  candidate.overdue = candidate.overdue || patience_.Over(wait);
  if (candidate.overdue) {
    candidate.allowance = std::min(candidate.window, kMostAllowance);
  } else {
    candidate.allowance = std::min({candidate.window, patience_.Allowance(wait), kMostAllowance});
    candidate.reach = std::min<MilliPoints>(candidate.window, candidate.allowance + patience_.price());
  }
  return candidate;
}

}  // namespace evenmatch
