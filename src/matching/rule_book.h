// RuleBook: the rules of one queue, made ready for use. Every rule that stands between two tickets comes down to one
// number: the wait after which it lets them meet. So a pair that may meet may meet for ever, "when" needs no search,
// and what a ticket is refused for, and for how long, is known by name.
//
// Shape:   Meet gives the longest of these waits over all rules, and the rule that asks for it. Which wait of the two
//          counts is QueueRules::wait_basis: see WaitOf and From.
//          In a set of tickets every two must meet, in one region for all (RegionFor), and what belongs to the whole -
//          roles, mirrored parties, the number of heads - is asked of the set.
//          Stages are the instants at which any rule relaxes, merged into one list.
//          After losses (StreakRules) a ticket counts as weaker for those below it, for both of the two: its window
//          reaches further down and theirs as far up to it. One side alone would change nothing, for of two with one
//          counting wait the narrower window decides.
// Units:   milli-points, Micros, Quality.
// Cost:    Meet some tens of nanoseconds, MayMeet fewer; TraitsOf proportional to what the ticket brings.
// Errors:  none; the rules are checked where they are read (config/).
// Threads: none; constant after construction, except that KeepTraits ends being plain.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "matching/quality.h"
#include "matching/traits.h"
#include "matching/window.h"
#include "model/match.h"
#include "model/queue_rules.h"
#include "model/rule.h"
#include "model/ticket.h"
#include "model/units.h"
#include "pool/pool.h"

namespace evenmatch {

// A ticket as matching sees it.
struct Waiter {
  const PoolEntry* entry = nullptr;
  const Traits* traits = nullptr;  // null in a queue whose book is plain
};

inline Waiter WaiterAt(const Pool& pool, const TraitTable& traits, Pool::Slot slot) {
  return {&pool.Get(slot), traits.Find(slot)};
}

// The wait after which two tickets may meet, and the rule that asks for so much of it.
struct Meeting {
  Micros wait = 0;  // kNever: never
  Rule rule = Rule::kNone;
};

class RuleBook {
 public:
  explicit RuleBook(const QueueRules& rules);  // outlives it
  RuleBook(const RuleBook&) = delete;
  RuleBook& operator=(const RuleBook&) = delete;

  const QueueRules& rules() const { return rules_; }
  // Whether windows alone decide who meets, by the stricter of two, and distance alone what a duel is worth; then no
  // traits are needed. To be asked anew each tick: a queue that is plain but for block lists ceases to be when the
  // first ticket comes that brings one (NeedsTraits). From then on all its tickets have traits (KeepTraits).
  bool plain() const { return plain_; }
  bool NeedsTraits(const Ticket& ticket) const;
  void KeepTraits() { plain_ = false; }
  const QualityRules& quality() const { return quality_; }

  // At the door.
  MilliPoints ValueOf(const Ticket& ticket, const QueueChoice& choice) const;
  std::unique_ptr<const Traits> TraitsOf(const Ticket& ticket, const QueueChoice& choice) const;
  // The rule for which this ticket can never play in this queue, whoever else comes and however long it waits; kNone
  // when there is none. `why` says it in words, with the field; both may be null. TakesParty looks at its size alone.
  Rule CannotPlay(const Ticket& ticket, const QueueChoice& choice, std::string* field, std::string* why) const;
  bool TakesParty(const Ticket& ticket, std::string* field, std::string* why) const;

  // Two tickets. Symmetric.
  Meeting Meet(const Waiter& a, const Waiter& b) const;
  // Whether they may after `waited`, the wait of the two that counts: what Meet says, sooner.
  bool MayMeet(const Waiter& a, const Waiter& b, Micros waited) const;
  // The same, rule by rule: calls `refused(rule, wait)` for every rule that asks for a wait of more than `waited`.
  template <typename Refused>
  void ForEachRefusal(const Waiter& a, const Waiter& b, Micros waited, Refused&& refused) const;
  // The wait of the two that counts at `now`, and when it will have reached `wait`.
  Micros WaitOf(const Waiter& a, const Waiter& b, Micros now) const;
  Micros From(const Waiter& a, const Waiter& b, Micros wait) const {
    return From(a.entry->queued_at, b.entry->queued_at, wait);
  }
  Micros From(Micros a_queued_at, Micros b_queued_at, Micros wait) const;

  // A set: its waits count as `wait` together (see SetWait).
  Micros SetWait(std::span<const Waiter> set, Micros now) const;
  // The region in which all may play after `wait`: the least worst latency, among equals the first; -1 when latency
  // does not matter to any of them. False when there is none.
  bool RegionFor(std::span<const Waiter> set, Micros wait, int32_t* region) const;

  // One ticket.
  MilliPoints WindowOf(const Waiter& ticket, Micros wait) const;  // what it is told
  // The wait after which its window is wider than `width`; kNever when it never is.
  Micros WiderAfter(const Waiter& ticket, MilliPoints width) const;
  int stage_count() const { return static_cast<int>(stages_.size()) + 1; }
  int StageAt(Micros wait) const;            // 0..stage_count() - 1
  Micros NextStageAfter(Micros wait) const;  // kNever after the last
  // Whether the last stage has come; never in a queue that does not relax.
  bool PastLastStage(Micros wait) const { return !stages_.empty() && wait >= stages_.back(); }

  // Costs. Quality is kBestQuality less all costs, at least 0.
  // The measures of two tickets, as if they made up a match: of kParty the difference of their sizes, of kEvenness that
  // of their win chances by value, of kFill nothing. What is not known in `region` (-1: none) does not differ.
  Measures MeasuresOf(const Waiter& a, const Waiter& b, Micros now, int32_t region) const;
  // The stricter of the windows of the two, which the distance is held against (QualityRules::Weight::scale 0).
  MilliPoints StricterWindow(const Waiter& a, const Waiter& b, Micros now) const;
  int64_t CostOf(QualityTerm term, int64_t measure, MilliPoints stricter_window) const {
    return TermCostOf(quality_[term], measure, stricter_window);
  }
  // All of them, and with `costs` each term that has a weight.
  int64_t CostsOf(const Measures& measures, MilliPoints stricter_window,
                  absl::InlinedVector<TermCost, 2>* costs = nullptr) const;
  int64_t PairCost(const Waiter& a, const Waiter& b, Micros now, int32_t region) const {
    return CostsOf(MeasuresOf(a, b, now, region), StricterWindow(a, b, now));
  }

 private:
  // The rules between two tickets, hardest first.
  static constexpr Rule kPairRules[] = {Rule::kAttribute, Rule::kBlock,  Rule::kMaxDifference, Rule::kTier,
                                        Rule::kShelter,   Rule::kRegion, Rule::kWindow};

  // What one of them asks for.
  Micros WaitFor(Rule rule, const Waiter& a, const Waiter& b) const;
  Micros AttributeWait(const Waiter& a, const Waiter& b) const;
  Micros TierWait(const Waiter& a, const Waiter& b) const;
  Micros ShelterWait(const Waiter& a, const Waiter& b) const;
  Micros RegionWait(const Waiter& a, const Waiter& b) const;
  Micros WindowWait(const Waiter& a, const Waiter& b) const;
  int32_t Disagreements(const Waiter& a, const Waiter& b) const;

  const QueueRules& rules_;
  const QualityRules quality_;
  bool plain_;
  std::vector<Rule> active_;           // of kPairRules
  std::vector<QualityTerm> weighted_;  // terms that count
  std::vector<Micros> stages_;         // when they begin, but the first
};

template <typename Refused>
void RuleBook::ForEachRefusal(const Waiter& a, const Waiter& b, Micros waited, Refused&& refused) const {
  for (const Rule rule : kPairRules) {
    const Micros wait = WaitFor(rule, a, b);
    if (wait > waited) refused(rule, wait);
  }
  if (a.traits == nullptr) return;
  // Of these no pair knows.
  for (const Rule rule : {Rule::kPartySize, Rule::kRoles}) {
    if (a.traits->never == rule || b.traits->never == rule) refused(rule, kNever);
  }
}

}  // namespace evenmatch
