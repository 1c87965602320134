// Patience: how long a ticket of a queue with QueueRules::target_wait_p95 holds out for a better game. It never lets
// two meet who may not; of those who may it says which are worth taking now.
//
// Shape:   a ticket allows for a distance that depends on its wait alone: its Allowance. Two tickets are ripe when they
//          are no further apart than their allowances together, so the one that can wait no longer makes up for the one
//          that just came. While the target is far, the allowance is a small share of the price, rising as the time
//          left to find somebody falls. In the last tick before the target it is the whole price. Who is still alone
//          then has spent his place among the 5 % that may wait longer and holds out anew, up to kLongest times the
//          target; then his patience is over (Over) and anybody who fits will do.
//          The price is the same for all ratings: where tickets are sparse fewer find somebody for it, so the thin
//          regions spend most of the 5 %, where it buys most. It is the one number to learn: price = spread / tickets
//          that wait. The number that wait follows a jump of arrivals within a target's length, by itself; the spread
//          depends on how values are distributed and is corrected slowly by how many of those that reach the target are
//          left over.
// Units:   Micros, milli-points. P95 counts the wait until the tick that makes the match.
// Cost:    O(steps), some ten.
// Threads: none. Deterministic: integers, the same history gives the same answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/queue_rules.h"
#include "model/units.h"

namespace evenmatch {

class Patience {
 public:
  static constexpr int32_t kLongest = 2'700;  // thousandths of the target: nobody holds out longer
  static constexpr int32_t kLeftOver = 46;  // thousandths of the tickets that are meant to wait longer than the target

  // The spread that a new queue starts from, in milli-points: about what N(1500, 300) comes to.
  static constexpr int64_t kFirstSpread = 1'600 * int64_t{kPoint};

  // Distances may be counted in another unit than milli-points, if `first_spread` is.
  explicit Patience(const QueueRules& rules, int64_t first_spread = kFirstSpread);

  bool on() const { return target_ > 0; }

  // Around the tick of a matcher; `waiting` tickets can be found in it.
  void BeginTick(Micros now, size_t waiting);
  void EndTick();

  // The distance that a ticket puts up with after `wait`, at most price().
  MilliPoints Allowance(Micros wait) const;
  MilliPoints price() const { return price_; }
  // Whether it takes anybody who fits. For good.
  bool Over(Micros wait) const { return wait >= over_; }
  // The wait at which it next puts up with more; kNever once its patience is over.
  Micros NextStep(Micros wait) const;

  // The wait at which its patience turns: the last tick before the target, and the end of it; kNever afterwards.
  Micros NextTurn(Micros wait) const;
  // The first instant from `now` on at which two tickets allow together for a distance, at today's price; `until` when
  // that is not before it.
  Micros RipeFrom(Micros queued_at, Micros other_queued_at, int64_t distance, Micros now, Micros until) const;

  // What became in this tick of tickets that were looked at.
  void Paired(Micros wait);
  void LeftAlone(Micros wait);

 private:
  struct Step {
    Micros after;
    int32_t share;  // thousandths of the price
  };

  // Whether this tick is the first of the last ones before the target.
  bool ReachedThisTick(Micros wait) const { return wait >= last_chance_ && wait - since_last_tick_ < last_chance_; }

  Micros target_;
  Micros last_chance_ = 0;  // a ticket that has waited so long meets the target in this tick or misses it
  Micros over_ = kNever;
  std::vector<Step> steps_;

  // Learned.
  int64_t spread_;             // price * tickets, in 1 / 1024 of a milli-point
  int64_t usual_waiting_ = 0;  // 1 / 1024 of a ticket, smoothed over the target
  int64_t usual_decided_ = 0;  // 1 / 1024 of a ticket a tick, likewise
  MilliPoints price_ = 0;

  // Of the tick.
  Micros last_tick_ = kNever;
  Micros since_last_tick_ = 0;
  int64_t in_time_ = 0;
  int64_t too_late_ = 0;
};

}  // namespace evenmatch
