// Histogram: how often which value came, close enough for percentiles, in fixed memory however many values come.
//
// Shape:   log-linear buckets, 128 to each power of two, so a percentile is at most 0.8 % above the true one; values
//          below 256 and the mean, minimum and maximum are exact.
// Cost:    Add a few instructions; 8 bytes a bucket up to that of the largest value, at most 59 kB.
// Threads: none; one a thread, merged at the end.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace evenmatch {

class Histogram {
 public:
  void Add(uint64_t value) {
    const size_t bucket = BucketOf(value);
    if (bucket >= buckets_.size()) buckets_.resize(std::min(kBuckets, bucket + bucket / 8 + 16));
    ++buckets_[bucket];
    ++count_;
    sum_ += static_cast<double>(value);
    max_ = std::max(max_, value);
  }

  void Merge(const Histogram& other) {
    if (buckets_.size() < other.buckets_.size()) buckets_.resize(other.buckets_.size());
    for (size_t i = 0; i < other.buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    max_ = std::max(max_, other.max_);
  }

  uint64_t count() const { return count_; }
  uint64_t max() const { return max_; }
  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

  // The smallest value (rounded up to its bucket's end) that at least `percent` % of all values do not exceed; 0 when
  // there are none.
  uint64_t Percentile(double percent) const {
    const double wanted = percent / 100 * static_cast<double>(count_);
    uint64_t below = 0;
    for (size_t i = 0; i < buckets_.size(); ++i) {
      below += buckets_[i];
      if (below > 0 && static_cast<double>(below) >= wanted) return std::min(LastOf(i), max_);
    }
    return max_;
  }

  // How many values lie in [low, high]; a bucket that straddles a border counts as if it were evenly filled.
  double CountWithin(uint64_t low, uint64_t high) const {
    double count = 0;
    for (size_t i = BucketOf(low); i < buckets_.size() && FirstOf(i) <= high; ++i) {
      if (buckets_[i] == 0) continue;
      const uint64_t first = FirstOf(i), last = LastOf(i);
      const double share = static_cast<double>(std::min(last, high) - std::max(first, low)) + 1;
      count += static_cast<double>(buckets_[i]) * share / (static_cast<double>(last - first) + 1);
    }
    return count;
  }

 private:
  static constexpr int kBits = 7;
  static constexpr uint64_t kLinear = uint64_t{1} << (kBits + 1);

  static size_t BucketOf(uint64_t value) {
    if (value < kLinear) return value;
    const int shift = std::bit_width(value) - (kBits + 1);
    return (static_cast<size_t>(shift) << kBits) + (value >> shift);
  }
  static uint64_t FirstOf(size_t bucket) { return bucket == 0 ? 0 : LastOf(bucket - 1) + 1; }
  static uint64_t LastOf(size_t bucket) {
    if (bucket < kLinear) return bucket;
    const int shift = static_cast<int>(bucket >> kBits) - 1;
    const uint64_t top = (bucket & ((size_t{1} << kBits) - 1)) | (size_t{1} << kBits);
    return (top << shift) + ((uint64_t{1} << shift) - 1);
  }
  static constexpr size_t kBuckets = static_cast<size_t>(64 - kBits + 1) << kBits;

  std::vector<uint64_t> buckets_;
  uint64_t count_ = 0;
  uint64_t max_ = 0;
  double sum_ = 0;
};

}  // namespace evenmatch
