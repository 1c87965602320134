// WaitHistory: how long tickets like this one waited lately until they were matched, in one queue.
//
// Shape:   histograms by rating region and party size, by either of them, and of the queue; the finest that knows
// enough
//          answers. A region is twice as wide as a new ticket's window; regions far apart share a place. Buckets grow
//          with the wait, four to a doubling; within one the wait is taken as evenly spread, so an answer is at most a
//          quarter off. What was noted counts half after kHalfLife.
// Units:   Micros, milli-points.
// Cost:    Note and Of O(1); at most 400 bytes a histogram, 160 kB a queue, for what was seen only.
// Threads: none. Integers: the same history, the same answers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "model/queue_rules.h"
#include "model/units.h"

namespace evenmatch {

// Of the whole wait of a ticket; both 0: not known.
struct ExpectedWait {
  Micros p50 = 0;
  Micros p90 = 0;
};

class WaitHistory {
 public:
  static constexpr Micros kHalfLife = 2 * kMinute;
  static constexpr uint32_t kEnough = 20;  // matched tickets, of which a histogram answers

  explicit WaitHistory(const QueueRules& rules);

  // A ticket was matched after `wait`.
  void Note(MilliPoints value, int32_t heads, Micros wait, Micros now);
  ExpectedWait Of(MilliPoints value, int32_t heads, Micros now) const;

 private:
  static constexpr size_t kRegions = 64;
  static constexpr size_t kSizes = 5;      // parties of five and more are one
  static constexpr size_t kBuckets = 96;   // the last reaches beyond a day
  static constexpr uint32_t kWeight = 64;  // of one ticket, that halving leaves something
  static constexpr int kShift = 14;        // 16 ms: the finest that is told apart
  static constexpr int kMantissaBits = 2;

  class Cell {
   public:
    void Add(size_t bucket, uint32_t epoch);
    bool Knows(uint32_t epoch) const;
    ExpectedWait expected() const { return expected_; }

   private:
    void Refresh();
    Micros Quantile(uint32_t percent) const;

    std::array<uint32_t, kBuckets> counts_{};
    uint32_t total_ = 0;  // of counts_
    uint32_t epoch_ = 0;  // when it was last halved
    uint32_t stale_ = 0;  // added since expected_ was made
    ExpectedWait expected_;
  };
  using Row = std::array<std::unique_ptr<Cell>, kSizes + 1>;  // the last: parties of all sizes

  static size_t BucketOf(Micros wait);
  static Micros FirstOf(size_t bucket);
  static uint32_t EpochOf(Micros now) { return static_cast<uint32_t>(now / kHalfLife); }
  size_t RegionOf(MilliPoints value) const;

  const int64_t region_width_;
  std::array<std::unique_ptr<Row>, kRegions + 1> rows_;  // the last: all regions
};

}  // namespace evenmatch
