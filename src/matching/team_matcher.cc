#include "matching/team_matcher.h"

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "matching/quality.h"
#include "matching/window.h"

namespace evenmatch {
namespace {

enum Mark : uint8_t { kNoMark, kDue, kTaken };

// So many entries are stepped over for each that is wanted, before a walk is cut short.
constexpr size_t kStepsPerEntry = 16;

template <typename T>
bool Older(const T& a, const T& b) {
  return a.queued_at != b.queued_at ? a.queued_at < b.queued_at : a.arrival < b.arrival;
}

}  // namespace

TeamMatcher::TeamMatcher(const QueueRules& rules)
    : rules_(rules),
      players_(rules.players_per_match()),
      side_(std::max(kMinSide, 2 * static_cast<size_t>(players_))),
      widest_(WindowAt(rules.window, kNever)) {}

void TeamMatcher::Tick(Pool& pool, Micros now, std::vector<Proposal>* proposals, size_t* due_count) {
  now_ = now;
  due_.clear();
  pool.TakeDue(now, &due_);
  *due_count = due_.size();
  if (due_.empty()) return;

  candidates_.clear();
  for (const Pool::Slot slot : due_) {
    candidates_.push_back(CandidateOf(pool, slot));
    candidates_.back().due = true;
    marks_.Set(slot, kDue);
  }
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.affinity, a.value, a.arrival) < std::tie(b.affinity, b.value, b.arrival);
  });
  for (size_t first = 0, last; first < candidates_.size(); first = last) {
    const uint32_t affinity = candidates_[first].affinity;
    for (last = first + 1; last < candidates_.size() && candidates_[last].affinity == affinity;) ++last;
    // Too few of its kind: whoever makes them enough will be due.
    if (pool.HeadsWithin(affinity, -kMaxValue, kMaxValue) >= players_) MatchRun(pool, first, last, proposals);
  }
  marks_.Clear();
}

void TeamMatcher::MatchRun(Pool& pool, size_t first, size_t last, std::vector<Proposal>* proposals) {
  GatherLine(pool, first, last);
  set_count_ = 0;
  turns_.clear();
  AddAnchors();
  const auto comes_later = [](const Turn& a, const Turn& b) {
    if (a.overdue != b.overdue) return b.overdue;
    if (!a.overdue && a.quality != b.quality) return a.quality < b.quality;
    return Older(b, a);
  };
  for (size_t i = 0; i < set_count_; ++i) {
    if (Seek(sets_[i].anchor, &sets_[i])) Enter(i);
  }
  std::make_heap(turns_.begin(), turns_.end(), comes_later);
  while (!turns_.empty()) {
    std::pop_heap(turns_.begin(), turns_.end(), comes_later);
    const Turn turn = turns_.back();
    turns_.pop_back();
    Set& set = sets_[turn.set];
    if (line_[set.anchor].taken) continue;
    const bool broken = std::any_of(set.members.begin(), set.members.end(),
                                    [this](const Member& member) { return line_[member.ticket].taken; });
    if (broken ? !Seek(set.anchor, &set) : false) continue;
    if (!broken && !set.split) SplitTeams(&set);
    if (broken || (set.quality != turn.quality && !turn.overdue)) {
      Enter(turn.set);
      std::push_heap(turns_.begin(), turns_.end(), comes_later);
      continue;
    }
    Propose(set, proposals);
  }
  for (const Candidate& ticket : line_) {
    if (!ticket.due || ticket.taken) continue;
    const Micros at = NextDue(pool, ticket);
    if (at != kNever) pool.SetDue(ticket.slot, at);
  }
}

// Fills line_ with the due candidates [first, last) and those standing around them, in order.
void TeamMatcher::GatherLine(const Pool& pool, size_t first, size_t last) {
  line_.clear();
  const uint32_t affinity = candidates_[first].affinity;
  if (pool.CountWithAffinity(affinity) == last - first) {
    line_.insert(line_.end(), candidates_.begin() + static_cast<int64_t>(first),
                 candidates_.begin() + static_cast<int64_t>(last));
  } else {
    // From the last to the first: the lowest value that a due ticket or a later one accepts.
    below_.resize(last - first);
    int64_t below = std::numeric_limits<int64_t>::max();
    for (size_t i = last; i-- > first;) {
      below = std::min(below, int64_t{candidates_[i].value} - candidates_[i].window);
      below_[i - first] = below;
    }
    constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
    int64_t above = std::numeric_limits<int64_t>::min();  // the highest value that a due ticket so far accepts
    Pool::Cursor cursor = pool.At(candidates_[first].slot);
    uint64_t last_arrival = 0;  // of the last standing ticket looked at
    bool any = false;
    for (size_t i = first; i < last; ++i) {
      const Candidate& due = candidates_[i];
      // A standing ticket must reach back to the nearer of the due ones around it.
      const auto add = [&](const Pool::Cursor& at) {
        const int64_t lower = at.value() < due.value ? (i > first ? candidates_[i - 1].value : -kFar) : due.value;
        const int64_t upper = at.value() < due.value ? due.value : (i + 1 < last ? candidates_[i + 1].value : kFar);
        const int64_t to_lower = lower == -kFar ? kFar : at.value() - lower;
        const int64_t to_upper = upper == kFar ? kFar : upper - at.value();
        const Candidate standing = CandidateOf(pool, at.slot());
        if (standing.window < std::min(to_lower, to_upper)) return false;
        line_.push_back(standing);
        return true;
      };
      const auto stands = [&](const Pool::Cursor& at) {
        return at.valid() && at.affinity() == affinity && marks_.Get(at.slot()) != kDue;
      };
      if (i == first || !cursor.valid() || cursor.slot() != due.slot) {
        // Below it, down to where the walk upwards from the due ticket before has come.
        cursor = pool.At(due.slot);
        const size_t begin = line_.size();
        size_t wanted = side_, steps = side_ * kStepsPerEntry;
        Pool::Cursor walk = cursor;
        for (walk.Prev(); stands(walk) && walk.value() >= below_[i - first] && wanted > 0 && steps > 0; walk.Prev()) {
          if (any && walk.arrival() == last_arrival) break;
          wanted -= add(walk) ? 1 : 0;
          --steps;
        }
        std::reverse(line_.begin() + static_cast<int64_t>(begin), line_.end());
      }
      line_.push_back(due);
      above = std::max(above, int64_t{due.value} + due.window);
      size_t wanted = side_, steps = side_ * kStepsPerEntry;
      any = false;
      for (cursor.Next(); stands(cursor) && cursor.value() <= above && wanted > 0 && steps > 0; cursor.Next()) {
        last_arrival = cursor.arrival();
        any = true;
        wanted -= add(cursor) ? 1 : 0;
        --steps;
      }
    }
  }
  for (size_t i = 0; i < line_.size(); ++i) {
    line_[i].before = static_cast<int32_t>(i) - 1;
    line_[i].after = i + 1 < line_.size() ? static_cast<int32_t>(i) + 1 : -1;
  }
}

void TeamMatcher::AddAnchors() {
  overdue_.clear();
  const auto add = [this](int32_t ticket) {
    if (set_count_ == sets_.size()) sets_.emplace_back();
    sets_[set_count_++].anchor = ticket;
  };
  for (int32_t i = 0; i < static_cast<int32_t>(line_.size()); ++i) {
    if (line_[i].due) {
      add(i);
    } else if (line_[i].overdue) {
      overdue_.push_back(i);
    }
  }
  const auto count = std::min<size_t>(overdue_.size(), kMaxOverdueAnchors);
  std::partial_sort(overdue_.begin(), overdue_.begin() + static_cast<int64_t>(count), overdue_.end(),
                    [this](int32_t a, int32_t b) { return Older(line_[a], line_[b]); });
  for (size_t i = 0; i < count; ++i) add(overdue_[i]);
}

void TeamMatcher::Enter(size_t index) {
  const Set& set = sets_[index];
  const Candidate& anchor = line_[set.anchor];
  turns_.push_back({set.quality, anchor.queued_at, anchor.arrival, index, anchor.overdue});
}

bool TeamMatcher::Seek(int32_t anchor, Set* set) {
  const Candidate& ticket = line_[anchor];
  nearby_.clear();
  int64_t heads = ticket.heads;
  const auto gather = [&](int32_t Candidate::*next) {
    size_t wanted = side_;
    for (int32_t i = ticket.*next; i >= 0 && wanted > 0; i = line_[i].*next) {
      const MilliPoints gap = std::abs(line_[i].value - ticket.value);
      if (gap > ticket.window) break;
      if (gap > line_[i].window) continue;
      nearby_.push_back(&line_[i]);
      heads += line_[i].heads;
      --wanted;
    }
  };
  gather(&Candidate::before);
  std::reverse(nearby_.begin(), nearby_.end());
  const int32_t place = static_cast<int32_t>(nearby_.size());
  nearby_.push_back(&ticket);
  gather(&Candidate::after);
  if (heads < players_) return false;
  OpenRanges(place);
  Range range;
  for (int tries = 0; tries < kMaxTries && NextRange(&range); ++tries) {
    if (Fill(place, range, set)) return true;
    // Not for want of width: the parties that are there may not fit together at all.
    if (tries == 0 && !CanPack(place)) return false;
  }
  return false;
}

// Opens, for every low end at or below the anchor, the shortest range with enough players.
void TeamMatcher::OpenRanges(int32_t anchor) {
  ranges_.clear();
  int64_t heads = 0;
  int32_t high = static_cast<int32_t>(nearby_.size()) - 1;
  for (int32_t i = anchor + 1; i <= high; ++i) heads += nearby_[i]->heads;
  for (int32_t low = anchor; low >= 0; --low) {
    heads += nearby_[low]->heads;
    while (high > anchor && heads - nearby_[high]->heads >= players_) heads -= nearby_[high--]->heads;
    const MilliPoints spread = nearby_[high]->value - nearby_[low]->value;
    if (heads < players_ || spread > widest_) continue;
    ranges_.push_back({spread, low, high});
  }
  std::make_heap(ranges_.begin(), ranges_.end());
}

// Takes the next range in order of spread, and opens the next wider one from the same low end.
bool TeamMatcher::NextRange(Range* range) {
  if (ranges_.empty()) return false;
  std::pop_heap(ranges_.begin(), ranges_.end());
  *range = ranges_.back();
  ranges_.pop_back();
  if (range->high + 1 < static_cast<int32_t>(nearby_.size())) {
    const MilliPoints spread = nearby_[range->high + 1]->value - nearby_[range->low]->value;
    if (spread <= widest_) {
      ranges_.push_back({spread, range->low, range->high + 1});
      std::push_heap(ranges_.begin(), ranges_.end());
    }
  }
  // Tickets of the same value as its ends belong to it, so that the older of them are not passed over.
  while (range->low > 0 && nearby_[range->low - 1]->value == nearby_[range->low]->value) --range->low;
  const int32_t end = static_cast<int32_t>(nearby_.size());
  while (range->high + 1 < end && nearby_[range->high + 1]->value == nearby_[range->high]->value) ++range->high;
  return true;
}

// How far the ticket is from the further end of the range.
MilliPoints TeamMatcher::Furthest(const Candidate& ticket, const Range& range) const {
  return std::max(ticket.value - nearby_[range.low]->value, nearby_[range.high]->value - ticket.value);
}

// Fills the teams from the tickets of the range that accept its ends, the anchor among them.
bool TeamMatcher::Fill(int32_t anchor, const Range& range, Set* set) {
  eligible_.clear();
  int64_t heads = 0;
  for (int32_t i = range.low; i <= range.high; ++i) {
    if (nearby_[i]->window < Furthest(*nearby_[i], range)) continue;
    eligible_.push_back(nearby_[i]);
    heads += nearby_[i]->heads;
  }
  if (heads < players_ || nearby_[anchor]->window < Furthest(*nearby_[anchor], range)) return false;
  std::sort(eligible_.begin(), eligible_.end(), [first = nearby_[anchor]](const Candidate* a, const Candidate* b) {
    if (a == first || b == first) return a == first && b != first;
    return Older(*a, *b);
  });
  heads_.clear();
  for (const Candidate* ticket : eligible_) heads_.push_back(ticket->heads);
  if (!packing_.Pack(heads_, rules_.team_count, rules_.team_size, &packed_)) return false;

  set->members.clear();
  MilliPoints low = std::numeric_limits<MilliPoints>::max(), high = std::numeric_limits<MilliPoints>::min();
  for (size_t i = 0; i < eligible_.size(); ++i) {
    if (packed_[i] == TeamPacking::kLeftOut) continue;
    set->members.push_back({static_cast<int32_t>(eligible_[i] - line_.data()), packed_[i]});
    low = std::min(low, eligible_[i]->value);
    high = std::max(high, eligible_[i]->value);
  }
  std::sort(set->members.begin(), set->members.end(),
            [this](const Member& a, const Member& b) { return line_[a.ticket].arrival < line_[b.ticket].arrival; });
  set->spread = high - low;
  set->worst_pair = kBestQuality;
  for (const Member& member : set->members) {
    const Candidate& ticket = line_[member.ticket];
    const MilliPoints furthest = std::max(ticket.value - low, high - ticket.value);
    set->worst_pair = std::min(set->worst_pair, DuelQuality(furthest, ticket.window));
  }
  set->split = false;
  set->quality = (set->worst_pair + kCertain) / 2;
  return true;
}

// Whether the tickets nearby could fill the teams with the anchor if only their windows were wide enough.
bool TeamMatcher::CanPack(int32_t anchor) {
  heads_.clear();
  heads_.push_back(nearby_[anchor]->heads);
  for (int32_t i = 0; i < static_cast<int32_t>(nearby_.size()); ++i) {
    if (i != anchor) heads_.push_back(nearby_[i]->heads);
  }
  return packing_.Pack(heads_, rules_.team_count, rules_.team_size, &packed_);
}

void TeamMatcher::SplitTeams(Set* set) {
  parties_.clear();
  team_of_.clear();
  for (const Member& member : set->members) {
    parties_.push_back({line_[member.ticket].value, line_[member.ticket].heads});
    team_of_.push_back(member.team);
  }
  splitter_.Split(parties_, rules_.team_count, rules_.team_size, team_of_);
  sums_.assign(static_cast<size_t>(rules_.team_count), 0);
  for (size_t i = 0; i < parties_.size(); ++i) {
    set->members[i].team = team_of_[i];
    sums_[static_cast<size_t>(team_of_[i])] += int64_t{parties_[i].value} * parties_[i].heads;
  }
  set->win_chance.resize(sums_.size());
  TeamWinChances(sums_, rules_.team_size, std::span(set->win_chance.data(), set->win_chance.size()));
  set->quality = TeamQuality(set->worst_pair, {set->win_chance.data(), set->win_chance.size()});
  set->split = true;
}

void TeamMatcher::Propose(const Set& set, std::vector<Proposal>* proposals) {
  Proposal& proposal = proposals->emplace_back();
  proposal.win_chance.assign(set.win_chance.begin(), set.win_chance.end());
  proposal.quality = set.quality;
  proposal.spread = set.spread;
  for (int32_t team = 0; team < rules_.team_count; ++team) {
    for (const Member& member : set.members) {
      if (member.team == team) proposal.places.push_back({line_[member.ticket].slot, team});
    }
  }
  for (const Member& member : set.members) {
    Candidate& ticket = line_[member.ticket];
    proposal.stage = std::max(proposal.stage, StageAt(rules_.window, now_ - ticket.queued_at));
    ticket.taken = true;
    marks_.Set(ticket.slot, kTaken);
    if (ticket.before >= 0) line_[ticket.before].after = ticket.after;
    if (ticket.after >= 0) line_[ticket.after].before = ticket.before;
  }
}

// When `ticket`, left over, could next be part of a match.
Micros TeamMatcher::NextDue(const Pool& pool, const Candidate& ticket) {
  const auto bound = [](int64_t value) {
    return static_cast<MilliPoints>(std::clamp<int64_t>(value, -kMaxValue, kMaxValue));
  };
  if (pool.HeadsWithin(ticket.affinity, bound(int64_t{ticket.value} - widest_),
                       bound(int64_t{ticket.value} + widest_)) < players_) {
    return kNever;  // a new ticket must come, and will be due
  }

  around_.clear();
  bool passed_taken = false;
  bool cut_short = false;
  const auto gather = [&](void (Pool::Cursor::*step)()) {
    size_t wanted = side_, steps = side_ * kStepsPerEntry;
    Pool::Cursor at = pool.At(ticket.slot);
    for ((at.*step)(); at.valid() && at.affinity() == ticket.affinity; (at.*step)()) {
      if (std::abs(at.value() - ticket.value) > widest_) break;
      if (wanted == 0 || steps-- == 0) {
        cut_short = true;
        break;
      }
      if (marks_.Get(at.slot()) == kTaken) {
        passed_taken = true;
        continue;
      }
      around_.push_back(CandidateOf(pool, at.slot()));
      --wanted;
    }
  };
  gather(&Pool::Cursor::Prev);
  std::reverse(around_.begin(), around_.end());
  const int32_t place = static_cast<int32_t>(around_.size());
  around_.push_back(ticket);
  gather(&Pool::Cursor::Next);
  nearby_.clear();
  bool growing = false;
  Micros oldest = ticket.queued_at;
  for (const Candidate& near : around_) {
    nearby_.push_back(&near);
    oldest = std::min(oldest, near.queued_at);
    growing |= NextStageAfter(rules_.window, now_ - near.queued_at) != kNever;
  }

  Micros earliest = kNever;
  bool enough_now = false;
  bool all_tried = true;
  if (CanPack(place)) {
    OpenRanges(place);
    Range range;
    for (int tries = 0; NextRange(&range);) {
      // Some end of the range accepts all of it, and the anchor at least half.
      if (Later(oldest, range.spread) >= earliest || Later(ticket.queued_at, (range.spread + 1) / 2) >= earliest) break;
      const Micros at = EnoughFrom(place, range, earliest);
      if (at <= now_) {
        enough_now = true;
      } else {
        earliest = std::min(earliest, at);
      }
      if (++tries == kMaxTries) {
        all_tried = false;
        break;
      }
    }
  } else {
    enough_now = cut_short;
  }
  // Those who were taken hid others: look again at once.
  if (passed_taken && (enough_now || cut_short)) return now_ + 1;
  if (growing && (enough_now || cut_short || !all_tried)) return std::min(earliest, now_ + kRecheck);
  return earliest;
}

// The time at which a ticket queued then accepts such a gap.
Micros TeamMatcher::Later(Micros queued_at, MilliPoints gap) const {
  const Micros wait = WaitForWindow(rules_.window, gap);
  return wait == kNever ? kNever : queued_at + wait;
}

// The time from which on both ends of the range, the anchor, and enough players in all accept the range; `limit` when
// that is not before it.
Micros TeamMatcher::EnoughFrom(int32_t anchor, const Range& range, Micros limit) {
  const MilliPoints low = nearby_[range.low]->value, high = nearby_[range.high]->value;
  Micros from_low = kNever, from_high = kNever;
  for (int32_t i = range.low; i <= range.high && nearby_[i]->value == low; ++i) {
    from_low = std::min(from_low, Later(nearby_[i]->queued_at, range.spread));
  }
  for (int32_t i = range.high; i >= range.low && nearby_[i]->value == high; --i) {
    from_high = std::min(from_high, Later(nearby_[i]->queued_at, range.spread));
  }
  Micros from = std::max({from_low, from_high, Later(nearby_[anchor]->queued_at, Furthest(*nearby_[anchor], range))});
  if (from >= limit) return limit;
  accepting_.clear();
  for (int32_t i = range.low; i <= range.high; ++i) {
    const Micros at = Later(nearby_[i]->queued_at, Furthest(*nearby_[i], range));
    if (i != anchor && at < limit) accepting_.emplace_back(at, nearby_[i]->heads);
  }
  std::sort(accepting_.begin(), accepting_.end());
  int64_t heads = nearby_[anchor]->heads;
  for (size_t i = 0; heads < players_; ++i) {
    if (i == accepting_.size()) return limit;
    heads += accepting_[i].second;
    from = std::max(from, accepting_[i].first);
  }
  return from;
}

TeamMatcher::Candidate TeamMatcher::CandidateOf(const Pool& pool, Pool::Slot slot) const {
  const PoolEntry& entry = pool.Get(slot);
  CHECK(entry.heads >= 1 && entry.heads <= rules_.team_size);
  Candidate candidate;
  candidate.value = entry.value;
  candidate.window = WindowAt(rules_.window, now_ - entry.queued_at);
  candidate.queued_at = entry.queued_at;
  candidate.arrival = entry.arrival;
  candidate.slot = slot;
  candidate.affinity = entry.affinity;
  candidate.heads = entry.heads;
  candidate.overdue = PastLastStage(rules_.window, now_ - entry.queued_at);
  return candidate;
}

}  // namespace evenmatch
