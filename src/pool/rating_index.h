// RatingIndex: the waiting tickets in order of (affinity, value, arrival), with the number of players below any place.
//
// Shape:   a deterministic skip list with unrolled lists. The lowest list holds the tickets, in linked blocks; every
//          block has one entry in the list above it (a lane): its least key, how many players it holds, where it is.
//          Lanes are cut into blocks of the same size, and so on up to a lane of one block. Heights follow from
//          counting (a full block is split, one under a quarter joins a neighbour), not from coins, so equal histories
//          give equal structures. A block keeps its keys (affinity above the biased value: 64 bits) in an array of
//          their own, padded with the largest number, and a place is found by counting smaller keys without a branch.
// Units:   values in milli-points, |value| <= kMaxValue; arrivals below 2^48; heads 0..65'535 a ticket.
// Cost:    Insert, Erase, Find, LowerBound, HeadsBelow O(log n): one block a level. A step of a cursor O(1).
//          20 bytes a ticket and place.
// Errors:  none; inserting a key twice or naming an absent one is a bug of the caller (CHECK).
// Threads: none.
// Source:  Munro, Papadakis, Sedgewick, "Deterministic skip lists", SODA 1992; Golovin, "The B-skip-list", 2010.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "model/units.h"

namespace evenmatch {

template <int kBlock>
class BasicRatingIndex {
  static_assert(kBlock >= 8 && kBlock % 8 == 0, "a quarter of a block must be two entries or more");

  struct Leaf;
  struct Lane;

 public:
  struct Entry {
    uint32_t affinity = 0;
    MilliPoints value = 0;
    uint64_t arrival = 0;
    uint32_t slot = 0;
    int32_t heads = 1;
  };

  // A place in the order: at an entry, past the last one, or before the first one. From either end it can step back
  // into the index; stepping further out changes nothing. Insert and Erase invalidate it.
  class Cursor {
   public:
    bool valid() const { return static_cast<uint32_t>(at_) < static_cast<uint32_t>(leaf_->count); }
    uint32_t affinity() const { return static_cast<uint32_t>(leaf_->key[at_] >> 32); }
    MilliPoints value() const { return static_cast<MilliPoints>(static_cast<uint32_t>(leaf_->key[at_]) ^ kBias); }
    uint64_t arrival() const { return ArrivalOf(leaf_->stamp[at_]); }
    uint32_t slot() const { return leaf_->slot[at_]; }
    int32_t heads() const { return HeadsOf(leaf_->stamp[at_]); }

    void Next() {
      if (++at_ < leaf_->count) return;
      if (leaf_->next != nullptr) {
        leaf_ = leaf_->next;
        at_ = 0;
      } else {
        at_ = leaf_->count;
      }
    }
    void Prev() {
      if (--at_ >= 0) return;
      if (leaf_->prev != nullptr) {
        leaf_ = leaf_->prev;
        at_ = leaf_->count - 1;
      } else {
        at_ = -1;
      }
    }

   private:
    friend class BasicRatingIndex;
    Cursor(const Leaf* leaf, int at) : leaf_(leaf), at_(at) {}

    const Leaf* leaf_;
    int at_;
  };

  BasicRatingIndex();
  ~BasicRatingIndex();
  BasicRatingIndex(const BasicRatingIndex&) = delete;
  BasicRatingIndex& operator=(const BasicRatingIndex&) = delete;

  void Insert(const Entry& entry);
  void Erase(uint32_t affinity, MilliPoints value, uint64_t arrival);

  Cursor Find(uint32_t affinity, MilliPoints value, uint64_t arrival) const;
  // At the first entry of at least (affinity, value), whatever the value.
  Cursor LowerBound(uint32_t affinity, MilliPoints value) const;
  // Players of entries below (affinity, value); the value may be any integer.
  int64_t HeadsBelow(uint32_t affinity, int64_t value) const;

  size_t size() const { return size_; }
  int64_t heads() const { return heads_; }
  size_t bytes() const;  // of memory held, used or not

  // CHECKs the whole structure. O(n); for tests.
  void CheckInvariants() const;

 private:
  static constexpr int kHeadBits = 16;
  static constexpr uint32_t kBias = 0x80000000;
  static constexpr uint64_t kPad = ~uint64_t{0};  // above every key, as values end well below the largest integer
  static constexpr int kMaxLevels = 32;
  static constexpr int kQuarter = kBlock / 4;
  static constexpr size_t kColdSize = 30'000;  // entries; about where the leaves outgrow the second cache

  static uint64_t KeyOf(uint32_t affinity, MilliPoints value) {
    return uint64_t{affinity} << 32 | (static_cast<uint32_t>(value) ^ kBias);
  }
  // A stamp is arrival and heads in one number. Arrivals are unique, so the heads never decide the order.
  static uint64_t ArrivalOf(uint64_t stamp) { return stamp >> kHeadBits; }
  static int32_t HeadsOf(uint64_t stamp) { return static_cast<int32_t>(stamp & ((1 << kHeadBits) - 1)); }
  static int32_t SumOfHeads(const uint64_t* stamps, int count);

  struct alignas(64) Leaf {
    uint64_t key[kBlock];
    uint64_t stamp[kBlock];
    uint32_t slot[kBlock];
    Leaf* prev;
    Leaf* next;
    int count;

    static void Move(Leaf* to, int to_at, const Leaf* from, int from_at, int count);
  };
  // Child i holds the entries from (key[i], arrival[i]) up to but not including those of child i + 1.
  struct alignas(64) Lane {
    uint64_t key[kBlock];
    uint64_t arrival[kBlock];
    void* child[kBlock];
    int32_t heads[kBlock];
    int count;

    static void Move(Lane* to, int to_at, const Lane* from, int from_at, int count);
  };
  struct Step {
    Lane* lane;
    int index;
  };
  using Path = Step[kMaxLevels];  // [level] for levels 1..height_, the way down from the root

  // Blocks in a few large pieces, reused; given back when the index ends.
  template <typename T>
  class Store {
   public:
    T* Take();
    void Give(T* block) { free_.push_back(block); }
    size_t bytes() const;

   private:
    std::vector<std::unique_ptr<T[]>> pieces_;
    std::vector<T*> free_;
    size_t unused_ = 0;  // blocks of the last piece never taken
    size_t total_ = 0;
  };

  static int CountBelow(const uint64_t* keys, uint64_t key);
  static int ChildOf(const Lane& lane, uint64_t key, uint64_t arrival);
  static int PlaceIn(const Leaf& leaf, uint64_t key, uint64_t arrival);
  Leaf* Descend(uint64_t key, uint64_t arrival, Path& path) const;

  void MakeRoom(Path& path, Leaf* leaf, int at);
  template <typename Block>
  Block* Split(Block* left, int keep, Store<Block>& store);
  template <typename Block>
  void Mend(const Step& parent, Store<Block>& store);
  void CheckBlock(const void* block, int level, int64_t* heads, size_t* entries, const Leaf** last) const;

  Store<Leaf> leaves_;
  Store<Lane> lanes_;
  void* root_;
  int height_ = 0;  // lanes above the leaves
  size_t size_ = 0;
  int64_t heads_ = 0;
};

using RatingIndex = BasicRatingIndex<64>;

}  // namespace evenmatch
