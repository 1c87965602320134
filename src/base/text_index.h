// TextIndex: a hash index from texts to small numbers, for tables that hold the texts themselves.
//
// Shape:   an open hash set of (number, 32 bits of hash); `Table::TextOf(number)` tells the text, so no key is stored
//          twice. Growing reads the hashes kept here and never the table.
// Cost:    O(1); 9 bytes an entry at most half of which may be empty.
// Errors:  inserting a text that is there, or erasing what is not, is a bug of the caller (CHECK).
// Threads: none. Nobody may depend on the order of a hash index, so there is no way to walk through it.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/slab.h"

namespace evenmatch {

// A text with its hash, so that a look-up and the insertion after it hash once.
struct HashedText {
  explicit HashedText(std::string_view text) : text(text), hash(static_cast<uint32_t>(Hash64(text))) {}

  std::string_view text;
  uint32_t hash;
};

template <typename Table>
class TextIndex {
 public:
  explicit TextIndex(const Table* table) : entries_(0, Hash(), Equal{table}) {}

  // The number of `text`, kNoSlot when it is not there.
  uint32_t Find(const HashedText& text) const {
    const auto found = entries_.find(text);
    return found == entries_.end() ? kNoSlot : found->number;
  }
  void Insert(uint32_t number, const HashedText& text) { CHECK(entries_.insert(Entry{number, text.hash}).second); }
  void Erase(uint32_t number, const HashedText& text) { CHECK_EQ(entries_.erase(Entry{number, text.hash}), 1u); }

  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    uint32_t number;
    uint32_t hash;
  };
  struct Hash {
    using is_transparent = void;
    static size_t Spread(uint32_t hash) { return hash * size_t{0x9e3779b97f4a7c15}; }
    // The set takes its position from the high bits and seven tag bits from the low ones; both need all of `hash`.
    size_t operator()(const Entry& entry) const { return Spread(entry.hash) ^ (Spread(entry.hash) >> 32); }
    size_t operator()(const HashedText& text) const { return (*this)(Entry{0, text.hash}); }
  };
  struct Equal {
    using is_transparent = void;
    const Table* table;
    bool operator()(const Entry& a, const Entry& b) const { return a.number == b.number; }
    bool operator()(const Entry& a, const HashedText& b) const {
      return a.hash == b.hash && table->TextOf(a.number) == b.text;
    }
    bool operator()(const HashedText& a, const Entry& b) const { return (*this)(b, a); }
  };

  absl::flat_hash_set<Entry, Hash, Equal> entries_;
};

}  // namespace evenmatch
