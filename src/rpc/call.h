// Call: one call of a client, from listening for it to its end; it frees itself.
//
// Shape:   a count of whatever may still come back to it: tags on a completion queue, replies of the engine. At zero it
//          is deleted; so a member function that lets go of its last hold must not touch the object afterwards.
// Threads: Hold and Release from any.
#pragma once

#include <atomic>

#include "rpc/core.h"

namespace evenmatch {

class Call {
 public:
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 protected:
  // Begins with one hold.
  explicit Call(Core* core) : core_(*core) { core_.calls.fetch_add(1, std::memory_order_relaxed); }
  virtual ~Call() { core_.calls.fetch_sub(1, std::memory_order_release); }

  void Hold(int holds = 1) { holds_.fetch_add(holds, std::memory_order_relaxed); }
  void Release(int holds = 1) {
    if (holds_.fetch_sub(holds, std::memory_order_acq_rel) == holds) delete this;
  }

  Core& core_;

 private:
  std::atomic<int> holds_ = 1;
};

}  // namespace evenmatch
