// IndexedHeap: elements by key, the smallest on top; any of them can be removed or re-keyed without a search.
//
// An element is a 32-bit id of the owner's. Its place in the heap is kept with the element itself, where `Home` says:
//
//   struct Home {
//     uint32_t& Place(uint32_t id) const;                // kNowhere while it is in no heap; else the heap writes it
//     bool Before(uint32_t a, uint32_t b) const;         // which of two elements with equal keys comes first
//   };
//
// Shape:   4-ary, keys in the nodes: a comparison looks at the element only when two keys are equal.
// Cost:    top O(1); Push, Remove, Set, Pop O(log n).
// Errors:  none; pushing twice or removing what is absent is a bug of the caller (CHECK).
// Threads: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"

namespace evenmatch {

template <typename Key, typename Home>
class IndexedHeap {
 public:
  static constexpr uint32_t kNowhere = 0xffffffff;

  explicit IndexedHeap(Home home) : home_(std::move(home)) {}

  bool empty() const { return nodes_.empty(); }
  size_t size() const { return nodes_.size(); }
  bool Contains(uint32_t id) const { return home_.Place(id) != kNowhere; }

  uint32_t top() const {
    CHECK(!nodes_.empty());
    return nodes_[0].id;
  }
  Key top_key() const {
    CHECK(!nodes_.empty());
    return nodes_[0].key;
  }

  void Push(uint32_t id, Key key) {
    CHECK(home_.Place(id) == kNowhere);
    if (nodes_.size() == nodes_.capacity()) nodes_.reserve(nodes_.size() + nodes_.size() / 4 + 16);  // little unused
    nodes_.push_back({key, id});
    Rise(nodes_.size() - 1, {key, id});
  }

  void Remove(uint32_t id) {
    const size_t place = PlaceOf(id);
    home_.Place(id) = kNowhere;
    const Node last = nodes_.back();
    nodes_.pop_back();
    if (place < nodes_.size()) Settle(place, last);
  }

  // Pushes the element, or changes its key.
  void Set(uint32_t id, Key key) {
    if (!Contains(id)) return Push(id, key);
    Settle(PlaceOf(id), {key, id});
  }

  uint32_t Pop() {
    const uint32_t id = top();
    Remove(id);
    return id;
  }

  size_t bytes() const { return nodes_.capacity() * sizeof(Node); }

 private:
  static constexpr size_t kArity = 4;

  struct __attribute__((packed, aligned(4))) Node {
    Key key;
    uint32_t id;
  };

  bool Before(const Node& a, const Node& b) const {
    if (a.key < b.key) return true;
    if (b.key < a.key) return false;
    return home_.Before(a.id, b.id);
  }

  size_t PlaceOf(uint32_t id) const {
    const uint32_t place = home_.Place(id);
    CHECK(place < nodes_.size() && nodes_[place].id == id);
    return place;
  }

  void Put(size_t place, const Node& node) {
    nodes_[place] = node;
    home_.Place(node.id) = static_cast<uint32_t>(place);
  }

  // Puts `node` at `place` or wherever above or below it belongs. Whatever was at `place` is overwritten.
  void Settle(size_t place, const Node& node) {
    if (place > 0 && Before(node, nodes_[(place - 1) / kArity])) {
      Rise(place, node);
    } else {
      Sink(place, node);
    }
  }

  void Rise(size_t place, const Node node) {
    while (place > 0) {
      const size_t parent = (place - 1) / kArity;
      if (!Before(node, nodes_[parent])) break;
      Put(place, nodes_[parent]);
      place = parent;
    }
    Put(place, node);
  }

  void Sink(size_t place, const Node node) {
    const size_t size = nodes_.size();
    for (;;) {
      size_t child = place * kArity + 1;
      if (child >= size) break;
      const size_t end = child + kArity < size ? child + kArity : size;
      size_t first = child;
      while (++child < end) {
        if (Before(nodes_[child], nodes_[first])) first = child;
      }
      if (!Before(nodes_[first], node)) break;
      Put(place, nodes_[first]);
      place = first;
    }
    Put(place, node);
  }

  Home home_;
  std::vector<Node> nodes_;
};

}  // namespace evenmatch
