// Pool: the tickets that wait in one queue, in rating order, in order of wait, and by when they must be looked at
// again.
//
// Shape:   three indexes behind one face: a rating index (skip list of blocks, ordered by (affinity, value, arrival),
//          with order statistics of the players waiting), a wait heap (oldest first, every ticket knows its place), and
//          a due list (every ticket at most once, by the time at which matching must look at it again).
//          Affinity leads the order of the rating index so that tickets that may meet stand side by side: a walk never
//          steps over strangers, however many wait, and the statistics count only players who may meet.
// Units:   values in milli-points (|value| <= kMaxValue), times in Micros, heads in players (at most 65'535 a ticket);
//          arrivals below 2^48.
// Cost:    Insert, Remove, SetDue, At, HeadsWithin O(log n); Get, Oldest, NextDue, size O(1); TakeDue O(1) for a new
//          ticket, else O(log n); a step of a Cursor O(1), mostly within the cache lines of one block.
// Errors:  none; naming a slot that is not in use is a bug of the caller (CHECK).
// Threads: none; owned by one pool group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/check.h"
#include "model/units.h"
#include "pool/due_list.h"
#include "pool/indexed_heap.h"
#include "pool/rating_index.h"

namespace evenmatch {

// What matching sees of a waiting ticket. Constant while it waits.
struct PoolEntry {
  MilliPoints value = 0;  // matching value of the ticket in this queue
  int32_t heads = 1;      // players in it
  uint32_t affinity = 0;  // only tickets of equal affinity may meet; small numbers, handed out and reused by the owner
  uint32_t ticket = 0;    // the owner's number for it; opaque here
  Micros queued_at = 0;   // its window opens from here
  uint64_t arrival = 0;   // rising number of the group; breaks every tie, oldest first
};

class Pool {
 public:
  using Slot = uint32_t;
  using Cursor = RatingIndex::Cursor;  // valid(), slot(), value(), affinity(), heads(), Next(), Prev()
  static constexpr Slot kNoSlot = 0xffffffff;

  Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Adds a ticket that is due at once (at its queued_at). Slots are reused after Remove.
  Slot Insert(const PoolEntry& entry);
  void Remove(Slot slot);
  const PoolEntry& Get(Slot slot) const { return InUse(slot).entry; }
  // Whether the ticket that came under this number is still at that slot, for who remembers slots between ticks.
  bool Holds(Slot slot, uint64_t arrival) const {
    return slot < slot_count_ && records_[slot].wait_place != kNowhere && records_[slot].entry.arrival == arrival;
  }

  size_t size() const { return index_.size(); }     // tickets
  int64_t heads() const { return index_.heads(); }  // players
  bool empty() const { return size() == 0; }
  // Tickets waiting with this affinity: one that is alone in it has nobody to look for.
  size_t CountWithAffinity(uint32_t affinity) const;

  // Rating order: by affinity, in it by (value, arrival). A cursor that leaves an affinity enters the next one.
  // Cursors are invalidated by Insert and Remove.
  Cursor At(Slot slot) const;  // at that ticket
  // At the first ticket of this affinity and at least that value, else the first of the next affinity.
  Cursor LowerBound(uint32_t affinity, MilliPoints value) const;
  // Players of tickets of this affinity with low <= value <= high.
  int64_t HeadsWithin(uint32_t affinity, MilliPoints low, MilliPoints high) const;

  // Order of wait: the ticket with the smallest (queued_at, arrival); kNoSlot when empty.
  Slot Oldest() const;

  // The due list. SetDue replaces an earlier time; kNever takes the ticket off the list.
  void SetDue(Slot slot, Micros at);
  Micros NextDue() const;  // kNever when nothing is due ever
  // Appends every ticket due at or before `now` in order of (due time, arrival) and takes it off the list.
  void TakeDue(Micros now, std::vector<Slot>* due);

  size_t bytes() const;  // of memory held, used or not

 private:
  static constexpr size_t kChunkBits = 8;
  static constexpr size_t kChunk = size_t{1} << kChunkBits;
  static constexpr uint32_t kNowhere = 0xffffffff;

  struct Record {
    PoolEntry entry;
    uint32_t wait_place = kNowhere;  // in the wait heap; kNowhere while the slot is free
    uint32_t due_place = kNowhere;   // in the due list; while the slot is free, the next free one
  };
  // In chunks: growing moves nothing and leaves little unused.
  struct Records {
    std::vector<std::unique_ptr<Record[]>> chunks;
    Record& operator[](Slot slot) const { return chunks[slot >> kChunkBits][slot & (kChunk - 1)]; }
  };
  template <uint32_t Record::*kPlace>
  struct Home {
    const Records* records;
    uint32_t& Place(Slot slot) const { return (*records)[slot].*kPlace; }
    bool Before(Slot a, Slot b) const { return (*records)[a].entry.arrival < (*records)[b].entry.arrival; }
  };

  Record& InUse(Slot slot) const {
    CHECK_LT(slot, slot_count_);
    Record& record = records_[slot];
    CHECK_NE(record.wait_place, kNowhere);
    return record;
  }

  Records records_;
  Slot slot_count_ = 0;  // slots ever used
  Slot free_ = kNoSlot;  // the first of the free ones
  RatingIndex index_;
  IndexedHeap<Micros, Home<&Record::wait_place>> waits_;
  DueList<Home<&Record::due_place>> dues_;
  std::vector<uint32_t> affinities_;  // tickets waiting, by affinity
};

}  // namespace evenmatch
