// Hash64: a 64-bit digest of bytes that is the same in every process and build, so it may be stored. Not for secrets.
//
// Shape:   multiply-and-fold over eight-byte words (the mixing step of wyhash, Wang Yi, plus the rotated seed), length
// included. Cost:    about one multiplication per eight bytes. Threads: pure functions.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace evenmatch {

// Folds `word` into `seed`; order matters.
inline uint64_t HashMix(uint64_t seed, uint64_t word) {
  const unsigned __int128 product = static_cast<unsigned __int128>(seed ^ 0xa0761d6478bd642f) *
                                    static_cast<unsigned __int128>(word ^ 0xe7037ed1a0b428db);
  // The rotated seed keeps what came before even where a factor happens to be zero.
  return (static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64)) + ((seed << 23) | (seed >> 41));
}

inline uint64_t Hash64(std::string_view bytes, uint64_t seed = 0) {
  uint64_t hash = HashMix(seed, bytes.size());
  while (bytes.size() >= 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    hash = HashMix(hash, word);
    bytes.remove_prefix(8);
  }
  if (!bytes.empty()) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), bytes.size());
    hash = HashMix(hash, word);
  }
  return hash;
}

}  // namespace evenmatch
