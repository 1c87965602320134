// HashIndex: from keys to small numbers, for tables that hold the keys themselves.
//
// Shape:   an open hash set of (number, 32 bits of hash); `Table::KeyOf(number)` tells the key, so none is stored
//          twice. Growing reads the hashes kept here and never the table. A key must be in the table before it is
//          inserted.
// Cost:    O(1); 9 bytes an entry, of which at most half may be empty.
// Errors:  inserting a key that is there, or erasing what is not, is a bug of the caller (CHECK).
// Threads: none. Nobody may depend on the order of a hash index, so there is no way to walk through it.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/slab.h"

namespace evenmatch {

// A key with its hash, so that a look-up and the insertion after it hash once.
template <typename Key>
struct Hashed {
  Key key;
  uint32_t hash;
};

struct HashedText : Hashed<std::string_view> {
  explicit HashedText(std::string_view text) : Hashed{text, static_cast<uint32_t>(Hash64(text))} {}
};

template <typename Table, typename Key>
class HashIndex {
 public:
  explicit HashIndex(const Table* table) : entries_(0, Hash(), Equal{table}) {}

  // The number of `key`, kNoSlot when it is not there.
  uint32_t Find(const Hashed<Key>& key) const {
    const auto found = entries_.find(key);
    return found == entries_.end() ? kNoSlot : found->number;
  }
  void Insert(uint32_t number, const Hashed<Key>& key) { CHECK(entries_.insert(Entry{number, key.hash}).second); }
  void Erase(uint32_t number, const Hashed<Key>& key) { CHECK_EQ(entries_.erase(Entry{number, key.hash}), 1u); }

  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    uint32_t number;
    uint32_t hash;
  };
  struct Hash {
    using is_transparent = void;
    // The set takes a position from the high bits and seven tag bits from the low ones; both need all of `hash`.
    static size_t Spread(uint32_t hash) {
      const size_t spread = hash * size_t{0x9e3779b97f4a7c15};
      return spread ^ (spread >> 32);
    }
    size_t operator()(const Entry& entry) const { return Spread(entry.hash); }
    size_t operator()(const Hashed<Key>& key) const { return Spread(key.hash); }
  };
  struct Equal {
    using is_transparent = void;
    const Table* table;
    bool operator()(const Entry& a, const Entry& b) const {
      return a.number == b.number || (a.hash == b.hash && table->KeyOf(a.number) == table->KeyOf(b.number));
    }
    bool operator()(const Entry& a, const Hashed<Key>& b) const {
      return a.hash == b.hash && table->KeyOf(a.number) == b.key;
    }
    bool operator()(const Hashed<Key>& a, const Entry& b) const { return (*this)(b, a); }
  };

  absl::flat_hash_set<Entry, Hash, Equal> entries_;
};

template <typename Table>
using TextIndex = HashIndex<Table, std::string_view>;

}  // namespace evenmatch
