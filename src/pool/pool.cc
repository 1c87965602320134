#include "pool/pool.h"

#include <algorithm>

namespace evenmatch {

Pool::Pool() : waits_({&records_}), dues_({&records_}) {}

Pool::Slot Pool::Insert(const PoolEntry& entry) {
  Slot slot = free_;
  if (slot != kNoSlot) {
    free_ = records_[slot].due_place;
  } else {
    slot = slot_count_++;
    if (slot >> kChunkBits == records_.chunks.size()) records_.chunks.emplace_back(new Record[kChunk]);
  }
  Record& record = records_[slot];
  record.entry = entry;
  record.due_place = kNowhere;
  index_.Insert({entry.affinity, entry.value, entry.arrival, slot, entry.heads});
  waits_.Push(slot, entry.queued_at);
  dues_.Append(slot, entry.queued_at);
  if (entry.affinity >= affinities_.size()) affinities_.resize(entry.affinity + 1);
  ++affinities_[entry.affinity];
  return slot;
}

void Pool::Remove(Slot slot) {
  Record& record = InUse(slot);
  index_.Erase(record.entry.affinity, record.entry.value, record.entry.arrival);
  waits_.Remove(slot);
  dues_.Remove(slot);
  --affinities_[record.entry.affinity];
  record.due_place = free_;
  free_ = slot;
}

size_t Pool::CountWithAffinity(uint32_t affinity) const {
  return affinity < affinities_.size() ? affinities_[affinity] : 0;
}

Pool::Cursor Pool::At(Slot slot) const {
  const PoolEntry& entry = Get(slot);
  return index_.Find(entry.affinity, entry.value, entry.arrival);
}

Pool::Cursor Pool::LowerBound(uint32_t affinity, MilliPoints value) const { return index_.LowerBound(affinity, value); }

int64_t Pool::HeadsWithin(uint32_t affinity, MilliPoints low, MilliPoints high) const {
  if (low > high) return 0;
  return index_.HeadsBelow(affinity, int64_t{high} + 1) - index_.HeadsBelow(affinity, low);
}

Pool::Slot Pool::Oldest() const { return waits_.empty() ? kNoSlot : waits_.top(); }

void Pool::SetDue(Slot slot, Micros at) {
  InUse(slot);
  if (at != kNever) {
    dues_.Set(slot, at);
  } else {
    dues_.Remove(slot);
  }
}

Micros Pool::NextDue() const { return dues_.Next(); }

void Pool::TakeDue(Micros now, std::vector<Slot>* due) { dues_.Take(now, due); }

size_t Pool::bytes() const {
  return records_.chunks.size() * kChunk * sizeof(Record) + records_.chunks.capacity() * sizeof(records_.chunks[0]) +
         index_.bytes() + waits_.bytes() + dues_.bytes() + affinities_.capacity() * sizeof(affinities_[0]);
}

}  // namespace evenmatch
