#include "shard/wait_history.h"

#include <algorithm>
#include <bit>

#include "matching/window.h"

namespace evenmatch {

WaitHistory::WaitHistory(const QueueRules& rules)
    : region_width_(2 * std::max<int64_t>(WindowAt(rules.window, 0), kPoint)) {}

size_t WaitHistory::RegionOf(MilliPoints value) const {
  return static_cast<size_t>((int64_t{value} + kMaxValue) / region_width_) % kRegions;
}

size_t WaitHistory::BucketOf(Micros wait) {
  constexpr uint64_t kLinear = uint64_t{1} << (kMantissaBits + 1);
  const uint64_t units = static_cast<uint64_t>(std::max<Micros>(wait, 0)) >> kShift;
  if (units < kLinear) return units;
  const int shift = std::bit_width(units) - (kMantissaBits + 1);
  return std::min(kBuckets - 1, (static_cast<size_t>(shift) << kMantissaBits) + (units >> shift));
}

Micros WaitHistory::FirstOf(size_t bucket) {
  constexpr size_t kLinear = size_t{1} << (kMantissaBits + 1);
  if (bucket < kLinear) return static_cast<Micros>(bucket) << kShift;
  const int shift = static_cast<int>(bucket >> kMantissaBits) - 1;
  const uint64_t top = (bucket & (kLinear / 2 - 1)) | (kLinear / 2);
  return static_cast<Micros>(top << shift) << kShift;
}

void WaitHistory::Cell::Add(size_t bucket, uint32_t epoch) {
  if (epoch > epoch_) {
    const uint32_t halvings = std::min<uint32_t>(epoch - epoch_, 31);
    total_ = 0;
    for (uint32_t& count : counts_) total_ += count >>= halvings;
    epoch_ = epoch;
  }
  counts_[bucket] += kWeight;
  total_ += kWeight;
  stale_ += kWeight;
  if (stale_ >= total_ / 16) Refresh();
}

bool WaitHistory::Cell::Knows(uint32_t epoch) const {
  const uint32_t halvings = epoch > epoch_ ? std::min<uint32_t>(epoch - epoch_, 31) : 0;
  return total_ >> halvings >= kEnough * kWeight;
}

void WaitHistory::Cell::Refresh() {
  stale_ = 0;
  expected_ = {Quantile(50), Quantile(90)};
}

Micros WaitHistory::Cell::Quantile(uint32_t percent) const {
  const uint64_t wanted = (uint64_t{total_} * percent + 99) / 100;
  uint64_t below = 0;
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    if (below + counts_[bucket] < wanted) {
      below += counts_[bucket];
      continue;
    }
    const Micros first = FirstOf(bucket);
    const auto width = static_cast<uint64_t>(FirstOf(bucket + 1) - first);
    return first + static_cast<Micros>(width * (wanted - below) / std::max<uint32_t>(counts_[bucket], 1));
  }
  return FirstOf(kBuckets);
}

void WaitHistory::Note(MilliPoints value, int32_t heads, Micros wait, Micros now) {
  const size_t bucket = BucketOf(wait);
  const size_t size = std::min(static_cast<size_t>(heads) - 1, kSizes - 1);
  for (const size_t region : {RegionOf(value), kRegions}) {
    if (rows_[region] == nullptr) rows_[region] = std::make_unique<Row>();
    for (const size_t of_size : {size, kSizes}) {
      std::unique_ptr<Cell>& cell = (*rows_[region])[of_size];
      if (cell == nullptr) cell = std::make_unique<Cell>();
      cell->Add(bucket, EpochOf(now));
    }
  }
}

ExpectedWait WaitHistory::Of(MilliPoints value, int32_t heads, Micros now) const {
  const size_t size = std::min(static_cast<size_t>(heads) - 1, kSizes - 1);
  for (const size_t region : {RegionOf(value), kRegions}) {
    if (rows_[region] == nullptr) continue;
    for (const size_t of_size : {size, kSizes}) {
      const Cell* cell = (*rows_[region])[of_size].get();
      if (cell != nullptr && cell->Knows(EpochOf(now))) return cell->expected();
    }
  }
  return {};
}

}  // namespace evenmatch
