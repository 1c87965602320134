#include "matching/ruled_duels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>

#include "base/check.h"
#include "base/hash.h"
#include "matching/window.h"
#include "rating/win_chance.h"

namespace evenmatch {
namespace {

constexpr int64_t kCostPart = 1'024;                     // of a point of quality
constexpr int64_t kMostCost = kBestQuality * kCostPart;  // no pair is worth less than nothing
constexpr int64_t kEdgeScale = int64_t{1} << 16;         // a part of worth is this much, so that age decides ties
constexpr Micros kForEver = Micros{1} << 40;             // a wait after which nothing grows, and sums do not overflow
constexpr size_t kAhead = 16;                            // places
constexpr int64_t kMostPriority = 100 * kMostCost;

// That of Patience, counted in costs.
int64_t FirstSpread(const RuleBook& book) {
  constexpr MilliPoints kGap = 100 * kPoint;
  const int64_t cost = book.CostOf(QualityTerm::kDistance, kGap, WindowAt(book.rules().window, kForEver));
  return std::max<int64_t>(Patience::kFirstSpread * cost * kCostPart / kGap, Patience::kFirstSpread);
}

}  // namespace

RuledDuels::RuledDuels(const RuleBook& book)
    : book_(book), rules_(book.rules()), patience_(rules_, FirstSpread(book)), faces_(book) {
  for (Micros stage = 0; (stage = book_.NextStageAfter(stage)) != kNever;) last_stage_ = stage;
}

bool RuledDuels::Needed(const RuleBook& book) {
  return !book.plain() || !book.rules().priority.plain() || book.rules().variety.within > 0;
}

void RuledDuels::Tick(Pool& pool, const TraitTable& traits, Micros now, std::vector<Proposal>* proposals,
                      size_t* due_count) {
  now_ = now;
  if (patience_.on()) patience_.BeginTick(now, pool.size());
  due_.clear();
  pool.TakeDue(now, &due_);
  *due_count = due_.size();
  tickets_.clear();
  nodes_.clear();
  edges_.clear();
  sights_.clear();
  if (!due_.empty()) {
    longest_wait_ = now - pool.Get(pool.Oldest()).queued_at;
    for (const Pool::Slot slot : due_) tickets_[static_cast<size_t>(NodeOf(pool, traits, slot))].due = true;
    const auto due = static_cast<int32_t>(tickets_.size());
    for (int32_t node = 0; node < due; ++node) Look(pool, traits, node);
    SeeOldest(pool, traits);
    graph_.Choose(nodes_, &edges_, &partner_);
    for (size_t node = 0; node < tickets_.size(); ++node) {
      if (partner_[node] <= static_cast<int32_t>(node)) continue;
      Propose(tickets_[node], tickets_[static_cast<size_t>(partner_[node])], proposals);
    }
    SetNextDue(pool);
    for (const Ticket& ticket : tickets_) node_at_[ticket.slot] = -1;
  }
  if (patience_.on()) patience_.EndTick();
}

int32_t RuledDuels::NodeOf(const Pool& pool, const TraitTable& traits, Pool::Slot slot) {
  if (slot >= node_at_.size()) node_at_.resize(slot + slot / 2 + 64, -1);
  if (node_at_[slot] >= 0) return node_at_[slot];
  Ticket ticket;
  ticket.slot = slot;
  ticket.waiter = {&pool.Get(slot), traits.Find(slot)};
  const PoolEntry& entry = *ticket.waiter.entry;
  const Micros wait = WaitOf(ticket.waiter);
  const bool overdue = Overdue(wait);
  if (patience_.on()) {
    ticket.allowance = overdue ? static_cast<MilliPoints>(kMostCost)
                               : std::min(patience_.Allowance(wait), static_cast<MilliPoints>(kMostCost));
  }
  ticket.bonus = BonusOf(pool, ticket.waiter);
  faces_.Get(slot, ticket.waiter);
  const auto node = static_cast<int32_t>(tickets_.size());
  tickets_.push_back(ticket);
  nodes_.push_back({entry.queued_at, entry.arrival, overdue});
  return node_at_[slot] = node;
}

int64_t RuledDuels::BonusOf(const Pool& pool, const Waiter& waiter) const {
  const PriorityRules& priority = rules_.priority;
  const Micros wait = std::max<Micros>(WaitOf(waiter), 0);
  int64_t parts = wait / kMillisecond * priority.wait_weight * kCostPart / 1'000;
  if (priority.scarcity_weight != 0) {
    const int64_t reach = ReachOf(waiter, kForEver);
    const PoolEntry& entry = *waiter.entry;
    const auto low = static_cast<MilliPoints>(std::max<int64_t>(entry.value - reach, -int64_t{kMaxValue}));
    const auto high = static_cast<MilliPoints>(std::min<int64_t>(entry.value + reach, kMaxValue));
    parts += priority.scarcity_weight * kCostPart / std::max<int64_t>(pool.HeadsWithin(entry.affinity, low, high), 1);
  }
  return std::clamp(parts, -kMostPriority, kMostPriority);
}

// The greatest gap at which anybody may be whom the ticket may play after a wait.
MilliPoints RuledDuels::ReachOf(const Waiter& waiter, Micros wait) const {
  const int64_t window = book_.WindowOf(waiter, wait);
  const int64_t ease = rules_.streak.on() ? rules_.streak.ease : 0;
  return static_cast<MilliPoints>(std::min<int64_t>(window + ease, 2 * int64_t{kMaxValue}));
}

// When the two may play; kNever: never.
Micros RuledDuels::MeetingAt(const Waiter& a, const Waiter& b) const {
  Micros wait = book_.Meet(a, b).wait;
  if (wait == kNever) return kNever;
  if (rules_.roles.on() && a.traits != nullptr) {
    // There is one role, and who did not ask for it waits until he may be filled in.
    for (const Waiter* one : {&a, &b}) {
      if ((one->traits->wishes[0].roles & 1) == 0) wait = std::max(wait, rules_.roles.fill_after);
    }
  }
  return book_.From(a, b, wait);
}

int64_t RuledDuels::CostOf(const Waiter& a, const Waiter& b) const {
  const Waiter both[] = {a, b};
  int32_t region = -1;
  book_.RegionFor(both, book_.WaitOf(a, b, now_), &region);
  const int64_t cost = std::min<int64_t>(book_.PairCost(a, b, now_, region), kBestQuality);
  const int64_t gap = std::abs(a.entry->value - b.entry->value);
  return cost * kCostPart + std::min<int64_t>(gap, kCostPart - 1);
}

void RuledDuels::AddEdge(int32_t a, int32_t b, int64_t cost) {
  const Ticket &one = tickets_[static_cast<size_t>(a)], &other = tickets_[static_cast<size_t>(b)];
  const int64_t most = patience_.on() ? int64_t{one.allowance} + other.allowance : kMostCost + kCostPart;
  int64_t worth = std::max<int64_t>(most - cost, 0) + one.bonus + other.bonus;
  if (rules_.variety.within > 0) {
    const auto [first, last] = std::minmax(one.waiter.entry->arrival, other.waiter.entry->arrival);
    const uint64_t chance = HashMix(HashMix(rules_.variety.seed, first), last);
    worth += static_cast<int64_t>(chance % static_cast<uint64_t>(int64_t{rules_.variety.within} * kCostPart + 1));
  }
  // Of equal ones the pair that has waited longer.
  const Micros waits = std::clamp<Micros>(WaitOf(one.waiter) + WaitOf(other.waiter), 0, kMinute * 10);
  edges_.push_back({a, b, std::max<int64_t>(worth, 0) * kEdgeScale + waits * (kEdgeScale - 2) / (kMinute * 10) + 1});
}

void RuledDuels::Look(const Pool& pool, const TraitTable& traits, int32_t node) {
  const PoolEntry& entry = *tickets_[static_cast<size_t>(node)].waiter.entry;
  if (pool.CountWithAffinity(entry.affinity) == 1) return;
  LookAlong(pool, traits, node, [](Pool::Cursor& cursor) { cursor.Prev(); });
  LookAlong(pool, traits, node, [](Pool::Cursor& cursor) { cursor.Next(); });
}

template <typename Step>
void RuledDuels::LookAlong(const Pool& pool, const TraitTable& traits, int32_t node, Step step) {
  const Waiter me = tickets_[static_cast<size_t>(node)].waiter;
  const PoolEntry& entry = *me.entry;
  const Micros wait = std::max<Micros>(WaitOf(me), 0);
  const bool strictest = rules_.wait_basis == WaitBasis::kStrictest;
  const MilliPoints reach_now = ReachOf(me, strictest ? wait : std::max(wait, longest_wait_));
  const MilliPoints reach = ReachOf(me, kForEver);
  const int rounds = std::min(kDoublings, static_cast<int>(std::bit_width(static_cast<uint64_t>(wait / kRecheck))));
  int left = kFirstLook << rounds;
  int now = 0, later = 0;
  const bool overdue = Overdue(wait);
  const bool early = patience_.on() && !overdue && wait < rules_.target_wait_p95 / 4;
  const int enough = early ? kEnoughEarly : kEnough;
  const int64_t allowance = tickets_[static_cast<size_t>(node)].allowance;
  const Micros turn = patience_.on() ? patience_.NextTurn(wait) : kNever;
  const Micros turn_at = turn == kNever ? kNever : entry.queued_at + turn;
  const DuelFace my_face = faces_.Get(tickets_[static_cast<size_t>(node)].slot, me);
  Pool::Cursor cursor = pool.At(tickets_[static_cast<size_t>(node)].slot);
  // Among very many, what takes the time is to reach their faces and traits, so they are called for some places ahead.
  Pool::Cursor ahead = cursor;
  std::array<Pool::Slot, kAhead> called;
  called.fill(Pool::kNoSlot);
  size_t turns = 0;
  const auto call_next = [&] {
    if (!ahead.valid()) return;
    step(ahead);
    if (!ahead.valid()) return;
    faces_.Prefetch(ahead.slot());
    called[turns % kAhead] = ahead.slot();
    faces_.PrefetchTraits(my_face, called[(turns + kAhead / 2) % kAhead]);  // its face is there by now
    ++turns;
  };
  for (size_t i = 0; i < kAhead; ++i) call_next();
  for (step(cursor); cursor.valid() && cursor.affinity() == entry.affinity; step(cursor)) {
    call_next();
    const MilliPoints gap = std::abs(cursor.value() - entry.value);
    if (gap > reach) return;
    if (left-- == 0 || (gap > reach_now && later >= enough)) {
      tickets_[static_cast<size_t>(node)].cut = true;
      return;
    }
    const Pool::Slot slot = cursor.slot();
    const DuelFace* face = faces_.Find(slot, cursor.arrival());
    Micros at = 0;
    if (face != nullptr) {
      const Micros least = faces_.WaitAtLeast(my_face, *face);
      if (least == kNever) continue;
      if (least > 0) at = book_.From(entry.queued_at, face->queued_at, least);
    }
    Waiter other;
    if (at <= now_) {
      other = {&pool.Get(slot), traits.Find(slot)};
      at = MeetingAt(me, other);
    }
    if (at == kNever) continue;
    if (at > now_) {
      ++later;
      tickets_[static_cast<size_t>(node)].later = std::min(tickets_[static_cast<size_t>(node)].later, at);
      continue;
    }
    const int64_t cost = CostOf(me, other);
    if (patience_.on()) {
      const Micros other_wait = WaitOf(other);
      if (overdue || Overdue(other_wait) || allowance + patience_.Allowance(other_wait) >= cost) {
        sights_.push_back({node, slot, now_});
        AddEdge(node, NodeOf(pool, traits, slot), cost);
      } else {
        // What is not ripe before its patience turns need not be known: then it looks again.
        const bool dear = cost > 2 * int64_t{patience_.price()};
        const Micros ripe_at =
            dear ? turn_at : patience_.RipeFrom(entry.queued_at, other.entry->queued_at, cost, now_, turn_at);
        sights_.push_back({node, slot, ripe_at});
      }
    } else {
      sights_.push_back({node, slot, now_});
      AddEdge(node, NodeOf(pool, traits, slot), cost);
    }
    if (++now == enough) {
      tickets_[static_cast<size_t>(node)].full = true;
      return;
    }
  }
}

// Nobody may have a seat that the oldest of all could have had, once it is overdue.
void RuledDuels::SeeOldest(const Pool& pool, const TraitTable& traits) {
  const Pool::Slot slot = pool.Oldest();
  if (!Overdue(now_ - pool.Get(slot).queued_at)) return;
  const int32_t oldest = NodeOf(pool, traits, slot);
  const auto count = static_cast<int32_t>(tickets_.size());
  const Waiter me = tickets_[static_cast<size_t>(oldest)].waiter;
  for (int32_t node = 0; node < count; ++node) {
    const Waiter& other = tickets_[static_cast<size_t>(node)].waiter;
    if (node == oldest || other.entry->affinity != me.entry->affinity || MeetingAt(me, other) > now_) continue;
    AddEdge(oldest, node, CostOf(me, other));
  }
}

void RuledDuels::Propose(const Ticket& a, const Ticket& b, std::vector<Proposal>* proposals) const {
  const bool a_first = a.waiter.entry->arrival < b.waiter.entry->arrival;
  const Ticket& one = a_first ? a : b;
  const Ticket& two = a_first ? b : a;
  Proposal& proposal = proposals->emplace_back();
  proposal.places = {{one.slot, 0}, {two.slot, 1}};
  const MilliPoints lead = one.waiter.entry->value - two.waiter.entry->value;
  const BasisPoints chance = WinChance(lead);
  proposal.win_chance = {chance, kCertain - chance};
  proposal.spread = std::abs(lead);
  const Waiter both[] = {one.waiter, two.waiter};
  CHECK(book_.RegionFor(both, book_.WaitOf(one.waiter, two.waiter, now_), &proposal.region));
  const Measures measures = book_.MeasuresOf(one.waiter, two.waiter, now_, proposal.region);
  const int64_t cost = book_.CostsOf(measures, book_.StricterWindow(one.waiter, two.waiter, now_), &proposal.costs);
  proposal.quality = static_cast<Quality>(std::max<int64_t>(kBestQuality - cost, 0));
  proposal.stage = std::max(book_.StageAt(WaitOf(one.waiter)), book_.StageAt(WaitOf(two.waiter)));
  if (!rules_.roles.on() || one.waiter.traits == nullptr) return;
  for (const Waiter& waiter : both) {
    const bool fill = (waiter.traits->wishes[0].roles & 1) == 0;
    proposal.roles.push_back({.role = 0, .fill = fill});
  }
}

void RuledDuels::SetNextDue(Pool& pool) {
  size_t sight = 0;
  for (int32_t node = 0; node < static_cast<int32_t>(tickets_.size()); ++node) {
    const Ticket& ticket = tickets_[static_cast<size_t>(node)];
    const Micros wait = WaitOf(ticket.waiter);
    const bool paired = partner_[static_cast<size_t>(node)] != DuelGraph::kAlone;
    Micros next = kNever;
    bool lost = false, others = false;  // whether of those it saw some sit with another, and some do not
    for (; sight < sights_.size() && sights_[sight].from == node; ++sight) {
      const Pool::Slot slot = sights_[sight].to;
      const int32_t other = slot < node_at_.size() ? node_at_[slot] : -1;
      if (other >= 0 && partner_[static_cast<size_t>(other)] != DuelGraph::kAlone) {
        lost = true;
      } else {
        others = true;
        next = std::min(next, sights_[sight].ready_at);
      }
    }
    if (paired) {
      if (patience_.on()) patience_.Paired(wait);
      continue;
    }
    if (!ticket.due) continue;
    // Who holds out anyway need not look at every instant at which one more may play.
    if (ticket.later != kNever) {
      next = std::min(next, patience_.on() && others ? std::max(ticket.later, now_ + wait / 4) : ticket.later);
    }
    // There may be more behind those.
    if (ticket.full && lost && !(patience_.on() && others)) next = now_ + 1;
    if (ticket.cut && !(patience_.on() && others)) next = std::min(next, now_ + std::max(kRecheck, wait / 2));
    if (patience_.on()) {
      const size_t alike = pool.CountWithAffinity(ticket.waiter.entry->affinity);
      if (alike > 1 || alike == pool.size()) patience_.LeftAlone(wait);
      const Micros turn = patience_.NextTurn(wait);
      if (turn != kNever) next = std::min(next, ticket.waiter.entry->queued_at + turn);
      if (wait < last_stage_ && last_stage_ != kNever) {
        next = std::min(next, ticket.waiter.entry->queued_at + last_stage_);
      }
    }
    if (next != kNever) pool.SetDue(ticket.slot, std::max(next, now_ + 1));
  }
}

}  // namespace evenmatch
