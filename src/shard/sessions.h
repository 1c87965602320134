// Sessions: which tickets belong to a Session stream, the last one that asked for them, and how many streams of it are
// attached.
//
// Shape:   a session is known while a stream is attached or a ticket of it is kept; its tickets are linked through
//          their records, in the order in which they came to it.
// Cost:    O(1).
// Threads: none.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/hash_index.h"
#include "base/slab.h"
#include "base/slot_list.h"

namespace evenmatch {

struct SessionRecord {
  std::shared_ptr<const std::string> id;
  uint32_t streams = 0;  // attached now
  SlotList tickets;      // slots of the ticket table
};

class Sessions {
 public:
  Sessions() : index_(this) {}
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  uint32_t Find(std::string_view id) const { return index_.Find(HashedText(id)); }
  uint32_t FindOrAdd(const std::shared_ptr<const std::string>& id);
  // Lets go of a session that has neither streams nor tickets.
  void RemoveIfEmpty(uint32_t session);

  SessionRecord& operator[](uint32_t session) { return records_[session]; }
  const SessionRecord& operator[](uint32_t session) const { return records_[session]; }
  const Slab<SessionRecord>& records() const { return records_; }

  std::string_view KeyOf(uint32_t session) const { return *records_[session].id; }

 private:
  Slab<SessionRecord> records_;
  TextIndex<Sessions> index_;
};

}  // namespace evenmatch
