// Slab: records of one kind at stable addresses, named by handles that never name two of them.
//
// Shape:   blocks of cells and a list of free ones. A handle is slot | generation << 32; a slot is reused, with the
//          next generation, so an old handle finds nothing. Handle 0 is never given.
// Cost:    all O(1); 8 bytes a cell beside the record. Blocks are kept for reuse until the slab goes.
// Errors:  naming a slot that is not in use is a bug of the caller (CHECK); Find answers null.
// Threads: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"

namespace evenmatch {

inline constexpr uint32_t kNoSlot = 0xffffffff;

inline uint32_t SlotOf(uint64_t handle) { return static_cast<uint32_t>(handle); }

template <typename Record>
class Slab {
 public:
  // The handle that the next Add gives.
  uint64_t NextHandle() const { return free_ == kNoSlot ? Handle(end_, 1) : Handle(free_, cell(free_).generation); }
  // The handle that the next Add would give if the record of `slot` were removed before it.
  uint64_t NextHandleAfterRemoving(uint32_t slot) const { return Handle(slot, cell(slot).generation + 1); }

  uint64_t Add(Record record) {
    uint32_t slot = free_;
    if (slot == kNoSlot) {
      CHECK_LT(end_, kNoSlot);
      if (end_ % kBlock == 0) blocks_.push_back(std::make_unique<Cell[]>(kBlock));
      slot = end_++;
    } else {
      free_ = cell(slot).next_free;
    }
    Cell& added = cell(slot);
    added.next_free = kInUse;
    added.record = std::move(record);
    ++size_;
    return Handle(slot, added.generation);
  }

  void Remove(uint32_t slot) {
    (*this)[slot] = Record();
    Cell& removed = cell(slot);
    ++removed.generation;
    removed.next_free = std::exchange(free_, slot);
    --size_;
  }

  Record& operator[](uint32_t slot) {
    Cell& found = cell(slot);
    CHECK_EQ(found.next_free, kInUse);
    return found.record;
  }
  const Record& operator[](uint32_t slot) const { return const_cast<Slab&>(*this)[slot]; }

  Record* Find(uint64_t handle) {
    if (SlotOf(handle) >= end_) return nullptr;
    Cell& found = cell(SlotOf(handle));
    return found.next_free == kInUse && found.generation == handle >> 32 ? &found.record : nullptr;
  }
  const Record* Find(uint64_t handle) const { return const_cast<Slab&>(*this).Find(handle); }

  // Fetches a record that will be needed soon.
  void Prefetch(uint32_t slot) const { __builtin_prefetch(&cell(slot)); }

  uint64_t HandleOf(uint32_t slot) const { return Handle(slot, cell(slot).generation); }
  size_t size() const { return size_; }
  // Slots in use lie below it.
  uint32_t end() const { return end_; }
  bool InUse(uint32_t slot) const { return slot < end_ && cell(slot).next_free == kInUse; }

 private:
  static constexpr uint32_t kBlock = 512;
  static constexpr uint32_t kInUse = 0xfffffffe;

  struct Cell {
    Record record;
    uint32_t generation = 1;
    uint32_t next_free = kNoSlot;
  };

  static uint64_t Handle(uint32_t slot, uint32_t generation) { return static_cast<uint64_t>(generation) << 32 | slot; }
  Cell& cell(uint32_t slot) { return blocks_[slot / kBlock][slot % kBlock]; }
  const Cell& cell(uint32_t slot) const { return blocks_[slot / kBlock][slot % kBlock]; }

  std::vector<std::unique_ptr<Cell[]>> blocks_;
  uint32_t free_ = kNoSlot;
  uint32_t end_ = 0;
  size_t size_ = 0;
};

}  // namespace evenmatch
