#include "pool/rating_index.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "base/check.h"

namespace evenmatch {
namespace {

template <typename T>
void MoveArray(T* to, int to_at, const T* from, int from_at, int count) {
  std::memmove(to + to_at, from + from_at, static_cast<size_t>(count) * sizeof(T));
}

}  // namespace

template <int kBlock>
void BasicRatingIndex<kBlock>::Leaf::Move(Leaf* to, int to_at, const Leaf* from, int from_at, int count) {
  MoveArray(to->key, to_at, from->key, from_at, count);
  MoveArray(to->stamp, to_at, from->stamp, from_at, count);
  MoveArray(to->slot, to_at, from->slot, from_at, count);
}

template <int kBlock>
void BasicRatingIndex<kBlock>::Lane::Move(Lane* to, int to_at, const Lane* from, int from_at, int count) {
  MoveArray(to->key, to_at, from->key, from_at, count);
  MoveArray(to->arrival, to_at, from->arrival, from_at, count);
  MoveArray(to->child, to_at, from->child, from_at, count);
  MoveArray(to->heads, to_at, from->heads, from_at, count);
}

template <int kBlock>
template <typename T>
T* BasicRatingIndex<kBlock>::Store<T>::Take() {
  T* block;
  if (!free_.empty()) {
    block = free_.back();
    free_.pop_back();
  } else {
    if (unused_ == 0) {
      unused_ = std::clamp<size_t>(total_ / 4, 1, 64);  // small pools stay small, large ones waste little
      total_ += unused_;
      pieces_.emplace_back(new T[unused_]);
    }
    block = &pieces_.back()[--unused_];
  }
  block->count = 0;
  std::fill_n(block->key, kBlock, kPad);
  return block;
}

template <int kBlock>
template <typename T>
size_t BasicRatingIndex<kBlock>::Store<T>::bytes() const {
  return total_ * sizeof(T) + pieces_.capacity() * sizeof(pieces_[0]) + free_.capacity() * sizeof(free_[0]);
}

template <int kBlock>
BasicRatingIndex<kBlock>::BasicRatingIndex() {
  Leaf* leaf = leaves_.Take();
  leaf->prev = leaf->next = nullptr;
  root_ = leaf;
}

template <int kBlock>
BasicRatingIndex<kBlock>::~BasicRatingIndex() = default;

template <int kBlock>
int32_t BasicRatingIndex<kBlock>::SumOfHeads(const uint64_t* stamps, int count) {
  int32_t heads = 0;
  for (int i = 0; i < count; ++i) heads += HeadsOf(stamps[i]);
  return heads;
}

// Which group of eight, then where in it: loops of constant length without a branch.
template <int kBlock>
int BasicRatingIndex<kBlock>::CountBelow(const uint64_t* keys, uint64_t key) {
  int groups = 0;
  for (int i = 8; i < kBlock; i += 8) groups += keys[i - 1] < key;
  int count = groups * 8;
  const uint64_t* group = keys + count;
  for (int i = 0; i < 8; ++i) count += group[i] < key;
  return count;
}

// The last child that begins at or before the key; the first one takes everything below.
template <int kBlock>
int BasicRatingIndex<kBlock>::ChildOf(const Lane& lane, uint64_t key, uint64_t arrival) {
  int at = CountBelow(lane.key, key);
  if (at < lane.count && lane.key[at] == key) {
    const int end = CountBelow(lane.key, key + 1);
    at = static_cast<int>(std::upper_bound(lane.arrival + at, lane.arrival + end, arrival) - lane.arrival);
  }
  return at == 0 ? 0 : at - 1;
}

// The first entry at or after the key.
template <int kBlock>
int BasicRatingIndex<kBlock>::PlaceIn(const Leaf& leaf, uint64_t key, uint64_t arrival) {
  int at = CountBelow(leaf.key, key);
  if (at < leaf.count && leaf.key[at] == key) {
    const int end = CountBelow(leaf.key, key + 1);
    at = static_cast<int>(std::lower_bound(leaf.stamp + at, leaf.stamp + end, arrival << kHeadBits) - leaf.stamp);
  }
  return at;
}

template <int kBlock>
typename BasicRatingIndex<kBlock>::Leaf* BasicRatingIndex<kBlock>::Descend(uint64_t key, uint64_t arrival,
                                                                           Path& path) const {
  void* block = root_;
  for (int level = height_; level > 0; --level) {
    Lane* lane = static_cast<Lane*>(block);
    const int index = ChildOf(*lane, key, arrival);
    path[level] = {lane, index};
    block = lane->child[index];
  }
  Leaf* leaf = static_cast<Leaf*>(block);
  if (size_ >= kColdSize) {
    // A leaf of a large index is in no near cache, and its arrays would be waited for one after the other.
    __builtin_prefetch(&leaf->count);
    for (int i = 0; i < kBlock; i += 8) __builtin_prefetch(leaf->key + i);
    for (int i = 0; i < kBlock; i += 8) __builtin_prefetch(leaf->stamp + i);
  }
  return leaf;
}

template <int kBlock>
void BasicRatingIndex<kBlock>::Insert(const Entry& entry) {
  CHECK(entry.value >= -kMaxValue && entry.value <= kMaxValue);
  CHECK_LT(entry.arrival, uint64_t{1} << (64 - kHeadBits));
  CHECK(entry.heads >= 0 && entry.heads < 1 << kHeadBits);
  heads_ += entry.heads;
  CHECK_LE(heads_, std::numeric_limits<int32_t>::max());  // what a lane can count
  ++size_;

  const uint64_t key = KeyOf(entry.affinity, entry.value);
  Path path;
  Leaf* leaf = Descend(key, entry.arrival, path);
  int at = PlaceIn(*leaf, key, entry.arrival);
  while (leaf->count == kBlock) {
    MakeRoom(path, leaf, at);
    leaf = Descend(key, entry.arrival, path);
    at = PlaceIn(*leaf, key, entry.arrival);
  }
  CHECK(at == leaf->count || leaf->key[at] != key || ArrivalOf(leaf->stamp[at]) != entry.arrival);
  Leaf::Move(leaf, at + 1, leaf, at, leaf->count - at);
  leaf->key[at] = key;
  leaf->stamp[at] = entry.arrival << kHeadBits | static_cast<uint64_t>(entry.heads);
  leaf->slot[at] = entry.slot;
  ++leaf->count;
  for (int level = 1; level <= height_; ++level) path[level].lane->heads[path[level].index] += entry.heads;
}

// Moves what is behind the first `keep` entries of a full block into a new one.
template <int kBlock>
template <typename Block>
Block* BasicRatingIndex<kBlock>::Split(Block* left, int keep, Store<Block>& store) {
  Block* right = store.Take();
  right->count = left->count - keep;
  Block::Move(right, 0, left, keep, right->count);
  std::fill_n(left->key + keep, right->count, kPad);
  left->count = keep;
  return right;
}

// Splits one block on the way to a full leaf: the highest of those that are full in a row from the leaf upwards, so
// that its parent has room. The caller walks down again.
template <int kBlock>
void BasicRatingIndex<kBlock>::MakeRoom(Path& path, Leaf* leaf, int at) {
  int level = 0;
  while (level < height_ && path[level + 1].lane->count == kBlock) ++level;
  if (level == height_) {
    CHECK_LT(height_ + 1, kMaxLevels);
    Lane* top = lanes_.Take();
    top->key[0] = 0;
    top->arrival[0] = 0;
    top->child[0] = root_;
    top->heads[0] = level == 0 ? SumOfHeads(leaf->stamp, kBlock)
                               : std::accumulate(path[level].lane->heads, path[level].lane->heads + kBlock, 0);
    top->count = 1;
    root_ = top;
    path[++height_] = {top, 0};
  }
  Lane* parent = path[level + 1].lane;
  const int index = path[level + 1].index;
  Lane::Move(parent, index + 2, parent, index + 1, parent->count - index - 1);
  ++parent->count;

  // Keys that come in order always land at the end: leave the left block fuller then.
  const bool at_end = level == 0 ? at == kBlock : path[level].index == kBlock - 1;
  const int keep = at_end ? kBlock - kQuarter : kBlock / 2;
  if (level == 0) {
    Leaf* right = Split(leaf, keep, leaves_);
    right->prev = leaf;
    right->next = leaf->next;
    if (right->next != nullptr) right->next->prev = right;
    leaf->next = right;
    parent->key[index + 1] = right->key[0];
    parent->arrival[index + 1] = ArrivalOf(right->stamp[0]);
    parent->child[index + 1] = right;
    parent->heads[index + 1] = SumOfHeads(right->stamp, right->count);
  } else {
    Lane* right = Split(path[level].lane, keep, lanes_);
    parent->key[index + 1] = right->key[0];
    parent->arrival[index + 1] = right->arrival[0];
    parent->child[index + 1] = right;
    parent->heads[index + 1] = std::accumulate(right->heads, right->heads + right->count, 0);
  }
  parent->heads[index] -= parent->heads[index + 1];
}

template <int kBlock>
void BasicRatingIndex<kBlock>::Erase(uint32_t affinity, MilliPoints value, uint64_t arrival) {
  const uint64_t key = KeyOf(affinity, value);
  Path path;
  Leaf* leaf = Descend(key, arrival, path);
  const int at = PlaceIn(*leaf, key, arrival);
  CHECK(at < leaf->count && leaf->key[at] == key && ArrivalOf(leaf->stamp[at]) == arrival);
  const int32_t heads = HeadsOf(leaf->stamp[at]);
  --leaf->count;
  Leaf::Move(leaf, at, leaf, at + 1, leaf->count - at);
  leaf->key[leaf->count] = kPad;
  heads_ -= heads;
  --size_;
  for (int level = 1; level <= height_; ++level) path[level].lane->heads[path[level].index] -= heads;

  if (height_ == 0 || leaf->count >= kQuarter) return;
  Mend(path[1], leaves_);
  for (int level = 1; level < height_ && path[level].lane->count < kQuarter; ++level) Mend(path[level + 1], lanes_);
  while (height_ > 0 && static_cast<Lane*>(root_)->count == 1) {
    Lane* top = static_cast<Lane*>(root_);
    root_ = top->child[0];
    lanes_.Give(top);
    --height_;
  }
}

// The child of this step is under a quarter: joins it with a neighbour, or lets the two share when together they would
// be nearly full again.
template <int kBlock>
template <typename Block>
void BasicRatingIndex<kBlock>::Mend(const Step& parent, Store<Block>& store) {
  constexpr bool kLeaves = std::is_same_v<Block, Leaf>;
  Lane& lane = *parent.lane;
  const int at = std::min(parent.index + 1, lane.count - 1);  // of the right one of the two
  Block* left = static_cast<Block*>(lane.child[at - 1]);
  Block* right = static_cast<Block*>(lane.child[at]);
  const int total = left->count + right->count;
  if (total <= kBlock - kQuarter) {
    Block::Move(left, left->count, right, 0, right->count);
    left->count = total;
    if constexpr (kLeaves) {
      left->next = right->next;
      if (left->next != nullptr) left->next->prev = left;
    }
    store.Give(right);
    lane.heads[at - 1] += lane.heads[at];
    --lane.count;
    Lane::Move(&lane, at, &lane, at + 1, lane.count - at);
    lane.key[lane.count] = kPad;
    return;
  }
  const int keep = total / 2;
  const int moved = std::abs(left->count - keep);
  if (left->count > keep) {
    Block::Move(right, moved, right, 0, right->count);
    Block::Move(right, 0, left, keep, moved);
    std::fill_n(left->key + keep, moved, kPad);
  } else {
    Block::Move(left, left->count, right, 0, moved);
    Block::Move(right, 0, right, moved, right->count - moved);
    std::fill_n(right->key + right->count - moved, moved, kPad);
  }
  left->count = keep;
  right->count = total - keep;
  const int32_t heads = lane.heads[at - 1] + lane.heads[at];
  lane.key[at] = right->key[0];
  if constexpr (kLeaves) {
    lane.arrival[at] = ArrivalOf(right->stamp[0]);
    lane.heads[at] = SumOfHeads(right->stamp, right->count);
  } else {
    lane.arrival[at] = right->arrival[0];
    lane.heads[at] = std::accumulate(right->heads, right->heads + right->count, 0);
  }
  lane.heads[at - 1] = heads - lane.heads[at];
}

template <int kBlock>
typename BasicRatingIndex<kBlock>::Cursor BasicRatingIndex<kBlock>::Find(uint32_t affinity, MilliPoints value,
                                                                         uint64_t arrival) const {
  const uint64_t key = KeyOf(affinity, value);
  Path path;
  const Leaf* leaf = Descend(key, arrival, path);
  const int at = PlaceIn(*leaf, key, arrival);
  CHECK(at < leaf->count && leaf->key[at] == key && ArrivalOf(leaf->stamp[at]) == arrival);
  return Cursor(leaf, at);
}

template <int kBlock>
typename BasicRatingIndex<kBlock>::Cursor BasicRatingIndex<kBlock>::LowerBound(uint32_t affinity,
                                                                               MilliPoints value) const {
  const uint64_t key = KeyOf(affinity, value);
  Path path;
  const Leaf* leaf = Descend(key, 0, path);
  const int at = PlaceIn(*leaf, key, 0);
  if (at == leaf->count && leaf->next != nullptr) return Cursor(leaf->next, 0);
  return Cursor(leaf, at);
}

template <int kBlock>
int64_t BasicRatingIndex<kBlock>::HeadsBelow(uint32_t affinity, int64_t value) const {
  value = std::clamp<int64_t>(value, -kMaxValue, kMaxValue + 1);
  const uint64_t key = KeyOf(affinity, static_cast<MilliPoints>(value));
  Path path;
  const Leaf* leaf = Descend(key, 0, path);
  int64_t heads = SumOfHeads(leaf->stamp, PlaceIn(*leaf, key, 0));
  for (int level = 1; level <= height_; ++level) {
    heads += std::accumulate(path[level].lane->heads, path[level].lane->heads + path[level].index, 0);
  }
  return heads;
}

template <int kBlock>
size_t BasicRatingIndex<kBlock>::bytes() const {
  return leaves_.bytes() + lanes_.bytes();
}

template <int kBlock>
void BasicRatingIndex<kBlock>::CheckInvariants() const {
  int64_t heads = 0;
  size_t entries = 0;
  const Leaf* last = nullptr;
  CheckBlock(root_, height_, &heads, &entries, &last);
  CHECK_EQ(heads, heads_);
  CHECK_EQ(entries, size_);
  CHECK(last->next == nullptr);
}

template <int kBlock>
void BasicRatingIndex<kBlock>::CheckBlock(const void* block, int level, int64_t* heads, size_t* entries,
                                          const Leaf** last) const {
  const auto before = [](uint64_t a_key, uint64_t a_arrival, uint64_t b_key, uint64_t b_arrival) {
    return a_key < b_key || (a_key == b_key && a_arrival < b_arrival);
  };
  if (level == 0) {
    const Leaf& leaf = *static_cast<const Leaf*>(block);
    CHECK_LE(leaf.count, kBlock);
    CHECK(height_ == 0 || leaf.count >= kQuarter);
    CHECK(leaf.prev == *last);
    if (*last != nullptr) CHECK((*last)->next == &leaf);
    for (int i = 1; i < leaf.count; ++i) {
      CHECK(before(leaf.key[i - 1], leaf.stamp[i - 1], leaf.key[i], leaf.stamp[i]));
    }
    for (int i = leaf.count; i < kBlock; ++i) CHECK_EQ(leaf.key[i], kPad);
    *heads += SumOfHeads(leaf.stamp, leaf.count);
    *entries += static_cast<size_t>(leaf.count);
    *last = &leaf;
    return;
  }
  const Lane& lane = *static_cast<const Lane*>(block);
  CHECK_LE(lane.count, kBlock);
  CHECK_GE(lane.count, level == height_ ? 2 : kQuarter);
  for (int i = lane.count; i < kBlock; ++i) CHECK_EQ(lane.key[i], kPad);
  for (int i = 0; i < lane.count; ++i) {
    if (i > 0) {
      CHECK(before(lane.key[i - 1], lane.arrival[i - 1], lane.key[i], lane.arrival[i]));
      const int end = (*last)->count - 1;
      CHECK(before((*last)->key[end], ArrivalOf((*last)->stamp[end]), lane.key[i], lane.arrival[i]));
    }
    const void* first = lane.child[i];
    for (int below = level - 1; below > 0; --below) first = static_cast<const Lane*>(first)->child[0];
    const Leaf& leaf = *static_cast<const Leaf*>(first);
    CHECK(!before(leaf.key[0], ArrivalOf(leaf.stamp[0]), lane.key[i], lane.arrival[i]));
    int64_t child_heads = 0;
    CheckBlock(lane.child[i], level - 1, &child_heads, entries, last);
    CHECK_EQ(child_heads, lane.heads[i]);
    *heads += child_heads;
  }
}

template class BasicRatingIndex<64>;
template class BasicRatingIndex<8>;  // splits and merges all the time: the property tests use it

}  // namespace evenmatch
