// Affinities: small numbers for the values of a queue's required attributes; only tickets of equal affinity may meet.
//
// Shape:   a number is the slot of its values, counted by the tickets that wait with it and reused when none does.
//          Without required attributes everybody has affinity 0.
// Cost:    proportional to the length of the values.
// Threads: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash_index.h"
#include "base/slab.h"
#include "model/ticket.h"

namespace evenmatch {

class Affinities {
 public:
  // `required` outlives it.
  explicit Affinities(const std::vector<std::string>* required) : required_(*required), index_(this) {}
  Affinities(const Affinities&) = delete;
  Affinities& operator=(const Affinities&) = delete;

  uint32_t Add(const Ticket& ticket);
  void Remove(uint32_t affinity);

  size_t size() const { return values_.size(); }
  uint32_t TicketsWith(uint32_t affinity) const { return values_[affinity].tickets; }

  std::string_view KeyOf(uint32_t affinity) const { return values_[affinity].text; }

 private:
  struct Values {
    std::string text;
    uint32_t tickets = 0;
  };

  const std::vector<std::string>& required_;
  Slab<Values> values_;
  TextIndex<Affinities> index_;
  std::string scratch_;
  uint32_t none_ = kNoSlot;  // of tickets that have none of the attributes, while there are any
};

}  // namespace evenmatch
