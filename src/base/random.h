// Random: the only source of chance; seeded, and the same numbers on every compiler and machine.
//
// Shape:   xoshiro256** (Blackman and Vigna, 2018) seeded through splitmix64.
// Cost:    about a nanosecond a number.
// Threads: none; every owner has its own.
#pragma once

#include <cstdint>

#include "base/check.h"

namespace evenmatch {

class Random {
 public:
  explicit Random(uint64_t seed) {
    for (uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15;
      uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
      z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
      word = z ^ (z >> 31);
    }
  }

  uint64_t Next() {
    const uint64_t result = Rotate(state_[1] * 5, 7) * 9;
    const uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = Rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound), bound > 0. Lemire's multiply-and-shift; the bias is below bound / 2^64.
  uint64_t Below(uint64_t bound) {
    CHECK_GT(bound, 0u);
    return static_cast<uint64_t>((static_cast<unsigned __int128>(Next()) * bound) >> 64);
  }

  // Uniform in [low, high], both included.
  int64_t Between(int64_t low, int64_t high) {
    CHECK_LE(low, high);
    return low + static_cast<int64_t>(Below(static_cast<uint64_t>(high - low) + 1));
  }

  // Uniform in [0, 1).
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

  // True with probability `percent` / 100.
  bool Percent(uint32_t percent) { return Below(100) < percent; }

 private:
  static uint64_t Rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

  uint64_t state_[4];
};

}  // namespace evenmatch
