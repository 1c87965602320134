// RuleBook: the rules of one queue, made ready for use. Every rule that stands between two tickets comes down to one
// number: the wait after which it lets them meet. So a pair that may meet may meet for ever, "when" needs no search,
// and what a ticket is refused for, and for how long, is known by name.
//
// Shape:   Meet gives the longest of these waits over all rules, and the rule that asks for it. Which wait of the two
//          counts is QueueRules::wait_basis: see Meeting::From.
//          In a set of tickets every two must meet, in one region for all (RegionFor), and what belongs to the whole -
//          roles, mirrored parties, the number of heads - is asked of the set.
//          Stages are the instants at which any rule relaxes, merged into one list.
// Units:   milli-points, Micros, Quality.
// Cost:    Meet some tens of nanoseconds; TraitsOf proportional to what the ticket brings.
// Errors:  none; the rules are checked where they are read (config/).
// Threads: none; constant after construction.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "matching/traits.h"
#include "model/queue_rules.h"
#include "model/ticket.h"
#include "model/units.h"
#include "pool/pool.h"

namespace evenmatch {

// What keeps two tickets, or a set of them, from playing.
enum class Rule : uint8_t {
  kNone,
  kWindow,         // too far apart for the stricter window
  kMaxDifference,  // too far apart for ever
  kTier,
  kShelter,
  kRegion,     // no region for both
  kAttribute,  // one that is required does not agree; the affinity is part of it
  kBlock,
  kPartySize,  // their parties do not fit into the teams, or would not mirror
  kRoles,
  kHeadCount,  // not enough players that may meet
  kPatience,   // may meet, but is worth waiting for a better game
};
inline constexpr size_t kRules = 12;

// A ticket as matching sees it.
struct Waiter {
  const PoolEntry* entry = nullptr;
  const Traits* traits = nullptr;  // null in a queue whose book is plain
};

// The wait after which two tickets may meet, and the rule that asks for so much of it.
struct Meeting {
  Micros wait = 0;  // kNever: never
  Rule rule = Rule::kNone;
};

class RuleBook {
 public:
  explicit RuleBook(const QueueRules& rules);  // outlives it

  const QueueRules& rules() const { return rules_; }
  // Whether windows alone decide who meets, by the stricter of two, and distance alone what a duel is worth; then no
  // traits are needed.
  bool plain() const { return plain_; }
  const QualityRules& quality() const { return quality_; }

  // At the door.
  MilliPoints ValueOf(const Ticket& ticket, const QueueChoice& choice) const;
  std::unique_ptr<const Traits> TraitsOf(const Ticket& ticket, const QueueChoice& choice) const;
  // The rule for which this ticket can never play in this queue, whoever else comes and however long it waits; kNone
  // when there is none. `why` says it in words, with the field.
  Rule CannotPlay(const Ticket& ticket, const QueueChoice& choice, std::string* field, std::string* why) const;

  // Two tickets.
  Meeting Meet(const Waiter& a, const Waiter& b) const;
  // The same, rule by rule: calls `refused(rule, wait)` for every rule that asks for a wait of more than `waited`.
  template <typename Refused>
  void ForEachRefusal(const Waiter& a, const Waiter& b, Micros waited, Refused&& refused) const;
  // The wait of the two that counts at `now`, and when it will have reached `wait`.
  Micros WaitOf(const Waiter& a, const Waiter& b, Micros now) const;
  Micros From(const Waiter& a, const Waiter& b, Micros wait) const;

  // A set: its waits count as `wait` together (see SetWait).
  Micros SetWait(std::span<const Waiter> set, Micros now) const;
  // The region in which all may play after `wait`: the least worst latency, among equals the first; -1 when latency
  // does not matter to any of them. False when there is none.
  bool RegionFor(std::span<const Waiter> set, Micros wait, int32_t* region) const;

  // One ticket.
  MilliPoints WindowOf(const Waiter& ticket, Micros wait) const;  // what it is told
  int StageAt(Micros wait) const;                                 // 0..stage_count() - 1
  Micros NextStageAfter(Micros wait) const;                       // kNever after the last
  bool PastLastStage(Micros wait) const;                          // never in a queue that does not relax

  // Costs. Quality is kBestQuality less all costs, at least 0.
  // The measures of one pair, and of two tickets whose window the distance is held against (QualityRules::Weight::scale
  // 0).
  int64_t PairCost(const Waiter& a, const Waiter& b, Micros now, int32_t region) const;
  int64_t CostOf(QualityTerm term, int64_t measure, MilliPoints stricter_window) const;

 private:
  const QueueRules& rules_;
  const QualityRules quality_;
  bool plain_;
  std::vector<Micros> stages_;
};

}  // namespace evenmatch
