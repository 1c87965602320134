// SlotMarks: one small mark per pool slot that lasts for a tick; cleaning costs what was marked.
#pragma once

#include <cstdint>
#include <vector>

#include "pool/pool.h"

namespace evenmatch {

class SlotMarks {
 public:
  uint8_t Get(Pool::Slot slot) const { return slot < marks_.size() ? marks_[slot] : 0; }

  void Set(Pool::Slot slot, uint8_t mark) {
    if (slot >= marks_.size()) marks_.resize(slot + slot / 2 + 64);
    if (marks_[slot] == 0) marked_.push_back(slot);
    marks_[slot] = mark;
  }

  void Clear() {
    for (const Pool::Slot slot : marked_) marks_[slot] = 0;
    marked_.clear();
  }

 private:
  std::vector<uint8_t> marks_;
  std::vector<Pool::Slot> marked_;
};

}  // namespace evenmatch
