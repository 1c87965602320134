#include "matching/team_matcher.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <tuple>

#include "base/check.h"
#include "base/hash.h"
#include "matching/quality.h"
#include "matching/window.h"

namespace evenmatch {
namespace {

enum Mark : uint8_t { kNoMark, kDue, kTaken, kStanding };

constexpr size_t kStepsPerEntry = TeamSeeker::kStepsPerEntry;

bool InOrder(const TeamCandidate& a, const TeamCandidate& b) {
  return std::tie(a.affinity, a.value, a.arrival) < std::tie(b.affinity, b.value, b.arrival);
}

}  // namespace

void TeamMatcher::Tick(Pool& pool, const TraitTable& traits, Micros now, std::vector<Proposal>* proposals,
                       size_t* due_count) {
  now_ = now;
  traits_ = &traits;
  due_.clear();
  pool.TakeDue(now, &due_);
  *due_count = due_.size();
  if (patience_.on()) patience_.BeginTick(now, pool.size());
  if (due_.empty()) {
    if (patience_.on()) patience_.EndTick();
    return;
  }
  longest_wait_ = std::max<Micros>(now - pool.Get(pool.Oldest()).queued_at, 0);
  seeker_.BeginTick(now, longest_wait_);
  choice_.BeginTick(now);

  candidates_.clear();
  for (const Pool::Slot slot : due_) {
    candidates_.push_back(CandidateOf(pool, slot));
    candidates_.back().due = true;
    marks_.Set(slot, kDue);
  }
  std::sort(candidates_.begin(), candidates_.end(), InOrder);
  // Affinities take turns at being the last, whom the work of a tick may not reach.
  const auto from = std::partition_point(candidates_.begin(), candidates_.end(), [this](const TeamCandidate& ticket) {
    return ticket.affinity < first_affinity_;
  });
  const size_t start = static_cast<size_t>(from - candidates_.begin());
  first_affinity_ = 0;
  const auto match_runs = [&](size_t first, size_t end) {
    for (size_t last; first < end; first = last) {
      const uint32_t affinity = candidates_[first].affinity;
      for (last = first + 1; last < end && candidates_[last].affinity == affinity;) ++last;
      if (seeker_.spent() && first_affinity_ == 0) first_affinity_ = affinity;
      // Too few of its kind: whoever makes them enough will be due.
      if (pool.HeadsWithin(affinity, -kMaxValue, kMaxValue) >= seeker_.fewest_players())
        MatchRun(pool, first, last, proposals);
    }
  };
  match_runs(start, candidates_.size());
  match_runs(0, start);
  if (patience_.on()) patience_.EndTick();
  marks_.Clear();
}

void TeamMatcher::MatchRun(Pool& pool, size_t first, size_t last, std::vector<Proposal>* proposals) {
  GatherLine(pool, first, last);
  chosen_.clear();
  choice_.Choose(&line_, &chosen_);
  for (const TeamSet& set : chosen_) Propose(set, proposals);
  for (const TeamCandidate& ticket : line_) {
    if (patience_.on() && ticket.taken) patience_.Paired(now_ - ticket.queued_at);
    if (!ticket.due || ticket.taken) continue;
    if (patience_.on()) patience_.LeftAlone(now_ - ticket.queued_at);
    const Micros at = ticket.passed_over ? now_ + 1 : NextDue(pool, ticket);
    if (at != kNever) pool.SetDue(ticket.slot, at);
  }
}

void TeamMatcher::Propose(const TeamSet& set, std::vector<Proposal>* proposals) {
  Proposal& proposal = proposals->emplace_back();
  proposal.win_chance.assign(set.win_chance.begin(), set.win_chance.end());
  proposal.costs.assign(set.costs.begin(), set.costs.end());
  proposal.region = set.region;
  proposal.quality = set.quality;
  proposal.spread = set.spread;
  for (int32_t team = 0; team < static_cast<int32_t>(set.win_chance.size()); ++team) {
    team_.clear();
    for (const TeamSet::Member& member : set.members) {
      if (member.team != team) continue;
      proposal.places.push_back({line_[member.ticket].slot, team});
      team_.push_back(&line_[member.ticket]);
    }
    seeker_.rules().AssignRoles(team_, &proposal.roles);
  }
  for (const TeamSet::Member& member : set.members) {
    const TeamCandidate& ticket = line_[member.ticket];
    proposal.stage = std::max(proposal.stage, book_.StageAt(now_ - ticket.queued_at));
    marks_.Set(ticket.slot, kTaken);
  }
}

// Fills line_ with the due candidates [first, last) and those standing around them, in order.
void TeamMatcher::GatherLine(const Pool& pool, size_t first, size_t last) {
  line_.Clear();
  std::vector<TeamCandidate>& line = line_.tickets();
  if (pool.CountWithAffinity(candidates_[first].affinity) == last - first) {
    line.insert(line.end(), candidates_.begin() + static_cast<int64_t>(first),
                candidates_.begin() + static_cast<int64_t>(last));
  } else if (book_.plain()) {
    GatherByWindows(pool, first, last);
  } else {
    GatherByRules(pool, first, last);
  }
  line_.Link();
}

void TeamMatcher::GatherByWindows(const Pool& pool, size_t first, size_t last) {
  std::vector<TeamCandidate>& line = line_.tickets();
  const uint32_t affinity = candidates_[first].affinity;
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
    const TeamCandidate& due = candidates_[i];
    // A standing ticket must reach back to the nearer of the due ones around it.
    const auto add = [&](const Pool::Cursor& at) {
      const int64_t lower = at.value() < due.value ? (i > first ? candidates_[i - 1].value : -kFar) : due.value;
      const int64_t upper = at.value() < due.value ? due.value : (i + 1 < last ? candidates_[i + 1].value : kFar);
      const int64_t to_lower = lower == -kFar ? kFar : at.value() - lower;
      const int64_t to_upper = upper == kFar ? kFar : upper - at.value();
      const TeamCandidate standing = CandidateOf(pool, at.slot());
      if (standing.window < std::min(to_lower, to_upper)) return false;
      line.push_back(standing);
      return true;
    };
    const auto stands = [&](const Pool::Cursor& at) {
      return at.valid() && at.affinity() == affinity && marks_.Get(at.slot()) != kDue;
    };
    if (i == first || !cursor.valid() || cursor.slot() != due.slot) {
      // Below it, down to where the walk upwards from the due ticket before has come.
      cursor = pool.At(due.slot);
      const size_t begin = line.size();
      size_t wanted = seeker_.side(), steps = seeker_.side() * kStepsPerEntry;
      Pool::Cursor walk = cursor;
      for (walk.Prev(); stands(walk) && walk.value() >= below_[i - first] && wanted > 0 && steps > 0; walk.Prev()) {
        if (any && walk.arrival() == last_arrival) break;
        wanted -= add(walk) ? 1 : 0;
        --steps;
      }
      std::reverse(line.begin() + static_cast<int64_t>(begin), line.end());
    }
    line.push_back(due);
    above = std::max(above, int64_t{due.value} + due.window);
    size_t wanted = seeker_.side(), steps = seeker_.side() * kStepsPerEntry;
    any = false;
    for (cursor.Next(); stands(cursor) && cursor.value() <= above && wanted > 0 && steps > 0; cursor.Next()) {
      last_arrival = cursor.arrival();
      any = true;
      wanted -= add(cursor) ? 1 : 0;
      --steps;
    }
  }
}

void TeamMatcher::GatherByRules(const Pool& pool, size_t first, size_t last) {
  std::vector<TeamCandidate>& line = line_.tickets();
  for (size_t i = first; i < last; ++i) {
    const TeamCandidate& due = candidates_[i];
    line.push_back(due);
    for (void (Pool::Cursor::*step)() : {&Pool::Cursor::Prev, &Pool::Cursor::Next}) {
      TeamSeeker::Walk walk(seeker_);
      Pool::Cursor at = pool.At(due.slot);
      for ((at.*step)(); at.valid() && at.affinity() == due.affinity && walk.more(); (at.*step)()) {
        if (std::abs(at.value() - due.value) > due.window) break;
        const uint8_t mark = marks_.Get(at.slot());
        if (mark == kDue) continue;
        const uint8_t kind = KindOf(at.slot(), at.arrival(), at.heads());
        if (!walk.Wants(kind)) continue;
        if (!seeker_.rules().MayMeet(due.waiter, WaiterAt(pool, *traits_, at.slot()))) continue;
        walk.Found(kind);
        if (mark == kStanding) continue;
        line.push_back(CandidateOf(pool, at.slot()));
        marks_.Set(at.slot(), kStanding);
      }
    }
  }
  std::sort(line.begin(), line.end(), InOrder);
}

// When `ticket`, left over, could next be part of a match.
Micros TeamMatcher::NextDue(const Pool& pool, const TeamCandidate& ticket) {
  if (!patience_.on() || patience_.Over(now_ - ticket.queued_at)) return NextPlayable(pool, ticket);
  Micros look = now_ - ticket.queued_at;
  if (book_.plain()) return ticket.queued_at + std::min(patience_.NextStep(look), book_.NextStageAfter(look));
  // A look costs more than with windows alone, so only those at which there is something to see; and patience has to
  // see it in its last tick before the target.
  do look = patience_.NextStep(look);
  while (!patience_.Over(look) && patience_.Allowance(look) < patience_.price());
  const Micros at = ticket.ripens_at != kNever ? ticket.ripens_at : NextPlayable(pool, ticket);
  return std::min(at, ticket.queued_at + look);
}

// When those around a ticket could next be enough for a set that contains it.
Micros TeamMatcher::NextPlayable(const Pool& pool, const TeamCandidate& ticket) {
  const Micros wait = now_ - ticket.queued_at;
  const auto bound = [](int64_t value) {
    return static_cast<MilliPoints>(std::clamp<int64_t>(value, -kMaxValue, kMaxValue));
  };
  if (pool.HeadsWithin(ticket.affinity, bound(int64_t{ticket.value} - seeker_.widest()),
                       bound(int64_t{ticket.value} + seeker_.widest())) < seeker_.fewest_players()) {
    return kNever;  // a new ticket must come, and will be due
  }

  around_.clear();
  bool passed_taken = false;
  bool cut_short = false;
  const auto gather = [&](void (Pool::Cursor::*step)()) {
    TeamSeeker::Walk walk(seeker_);
    Pool::Cursor at = pool.At(ticket.slot);
    for ((at.*step)(); at.valid() && at.affinity() == ticket.affinity; (at.*step)()) {
      if (std::abs(at.value() - ticket.value) > seeker_.widest()) break;
      if (!walk.more()) {
        cut_short = true;
        break;
      }
      if (marks_.Get(at.slot()) == kTaken) {
        walk.Wants(0);
        passed_taken = true;
        continue;
      }
      const uint8_t kind = KindOf(at.slot(), at.arrival(), at.heads());
      if (!walk.Wants(kind)) continue;
      around_.push_back(OutlineOf(pool, at.slot()));
      walk.Found(kind);
    }
  };
  gather(&Pool::Cursor::Prev);
  std::reverse(around_.begin(), around_.end());
  const size_t place = around_.size();
  around_.push_back(ticket);
  gather(&Pool::Cursor::Next);
  const TeamSeeker::Outlook outlook = seeker_.LookAhead(around_, place, kRecheck);
  const auto growing = [this] {
    return std::any_of(around_.begin(), around_.end(), [this](const TeamCandidate& near) {
      return book_.NextStageAfter(now_ - near.queued_at) != kNever;
    });
  };
  if (!book_.plain()) {
    // Who is behind those that it has seen enough of will be due himself.
    if (!outlook.enough_now || !growing()) return outlook.earliest;
    const Micros stage = book_.NextStageAfter(wait);
    const Micros recheck = now_ + std::max(kRecheck, wait / kRecheckShare);
    return std::min({outlook.earliest, recheck, stage == kNever ? kNever : ticket.queued_at + stage});
  }
  const bool look_again = outlook.enough_now || !outlook.all_tried || cut_short;
  if (look_again && passed_taken) return now_ + 1;
  if (!growing()) return kNever;  // nothing changes any more
  return look_again ? std::min(outlook.earliest, now_ + kRecheck) : outlook.earliest;
}

// By size and roles, 1 up to the last; 0 where windows decide, and all do for each other. Remembered by slot, for a
// walk asks it of many whom it does not want.
uint8_t TeamMatcher::KindOf(Pool::Slot slot, uint64_t arrival, int32_t heads) {
  if (book_.plain()) return 0;
  if (slot >= kinds_.size()) kinds_.resize(slot + slot / 2 + 64);
  uint64_t& known = kinds_[slot];
  if (known >> kKindBits != arrival) {
    uint64_t kind = static_cast<uint64_t>(heads);
    for (const Traits::Wishes& wishes : traits_->Find(slot)->wishes) kind = HashMix(kind, wishes.roles);
    known = arrival << kKindBits | (1 + kind % (TeamSeeker::kKinds - 1));
  }
  return static_cast<uint8_t>(known & ((1 << kKindBits) - 1));
}

int64_t TeamMatcher::PriorityOf(const Pool& pool, const PoolEntry& entry) const {
  const PriorityRules& rules = book_.rules().priority;
  int64_t priority = (now_ - entry.queued_at) / kMillisecond * rules.wait_weight * TeamChoice::kParts / 1'000;
  if (rules.scarcity_weight != 0) {
    const auto bound = [&](int64_t value) {
      return static_cast<MilliPoints>(std::clamp<int64_t>(value, -kMaxValue, kMaxValue));
    };
    const int64_t players = pool.HeadsWithin(entry.affinity, bound(int64_t{entry.value} - seeker_.widest()),
                                             bound(int64_t{entry.value} + seeker_.widest()));
    priority += rules.scarcity_weight * TeamChoice::kParts / std::max<int64_t>(players, 1);
  }
  return priority;
}

// What stays the same while it waits, which is all that looking ahead asks of it.
TeamCandidate TeamMatcher::OutlineOf(const Pool& pool, Pool::Slot slot) const {
  const PoolEntry& entry = pool.Get(slot);
  TeamCandidate candidate;
  candidate.value = entry.value;
  candidate.queued_at = entry.queued_at;
  candidate.arrival = entry.arrival;
  candidate.slot = slot;
  candidate.affinity = entry.affinity;
  candidate.heads = entry.heads;
  if (!book_.plain()) candidate.waiter = WaiterAt(pool, *traits_, slot);
  return candidate;
}

TeamCandidate TeamMatcher::CandidateOf(const Pool& pool, Pool::Slot slot) {
  const PoolEntry& entry = pool.Get(slot);
  const Micros wait = std::max<Micros>(now_ - entry.queued_at, 0);
  TeamCandidate candidate = OutlineOf(pool, slot);
  candidate.overdue = book_.PastLastStage(wait);
  if (patience_.on()) {
    candidate.overdue |= patience_.Over(wait);
    candidate.allowance = candidate.overdue ? kReferenceWidth : patience_.Allowance(wait);
  }
  if (!book_.rules().priority.plain()) candidate.priority = PriorityOf(pool, entry);
  if (book_.plain()) {
    candidate.window = WindowAt(book_.rules().window, wait);
    return candidate;
  }
  const QueueRules& rules = book_.rules();
  const Micros counts = rules.wait_basis == WaitBasis::kStrictest ? wait : longest_wait_;
  int64_t reach = book_.WindowOf(candidate.waiter, counts);
  if (rules.streak.on()) reach += rules.streak.ease;  // its own, or that of one above it
  candidate.window = static_cast<MilliPoints>(std::min<int64_t>(reach, rules.max_difference));
  candidate.kind = KindOf(slot, entry.arrival, entry.heads);
  return candidate;
}

}  // namespace evenmatch
