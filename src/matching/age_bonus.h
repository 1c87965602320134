// AgeBonus: a small number for the age of a ticket among others, to let equal totals go to the older.
//
// Shape:   0..kMost; the longer queued the more, among those queued together the earlier arrived the more. Coarse: the
//          span of ages is cut into 128 parts and that of arrivals into 256.
// Threads: pure once made.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "model/units.h"

namespace evenmatch {

class AgeBonus {
 public:
  static constexpr int kAgeBits = 7;
  static constexpr int kArrivalBits = 8;
  static constexpr int32_t kMost = (1 << (kAgeBits + kArrivalBits)) - 1;

  // Of tickets with queued_at and arrival; at least one.
  template <typename Tickets>
  explicit AgeBonus(const Tickets& tickets) {
    Micros oldest = std::numeric_limits<Micros>::max();
    uint64_t first = std::numeric_limits<uint64_t>::max();
    for (const auto& ticket : tickets) {
      newest_ = std::max(newest_, ticket.queued_at);
      oldest = std::min(oldest, ticket.queued_at);
      last_ = std::max(last_, ticket.arrival);
      first = std::min(first, ticket.arrival);
    }
    age_shift_ = ShiftInto(kAgeBits, static_cast<uint64_t>(newest_ - oldest));
    arrival_shift_ = ShiftInto(kArrivalBits, last_ - first);
  }

  template <typename Ticket>
  int32_t Of(const Ticket& ticket) const {
    const int64_t age = (newest_ - ticket.queued_at) >> age_shift_;
    return static_cast<int32_t>((age << kArrivalBits) +
                                static_cast<int64_t>((last_ - ticket.arrival) >> arrival_shift_));
  }

 private:
  // The shift that brings 0..range into `bits` bits.
  static int ShiftInto(int bits, uint64_t range) { return std::max(0, static_cast<int>(std::bit_width(range)) - bits); }

  Micros newest_ = std::numeric_limits<Micros>::min();
  uint64_t last_ = 0;
  int age_shift_ = 0;
  int arrival_shift_ = 0;
};

// The older of two tickets: longer queued, then earlier arrived.
template <typename Ticket>
bool Older(const Ticket& a, const Ticket& b) {
  return a.queued_at != b.queued_at ? a.queued_at < b.queued_at : a.arrival < b.arrival;
}

}  // namespace evenmatch
