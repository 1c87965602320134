// Committer: has a group's batches stored strictly in order, one in flight, and hands them on only when applied.
//
// Shape:   Start gives it a batch; Poll says how that stands. An outcome that is unknown makes it send the same batch
//          again after a pause that doubles from 1 ms to 1 s, for ever: giving up would be a guess.
// Cost:    a batch without stored events asks the store nothing.
// Threads: one, the shard's; the store's answer may come from any and wakes it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "engine/batch.h"
#include "engine/metrics.h"
#include "model/units.h"
#include "runtime/clock.h"
#include "runtime/waker.h"
#include "store/store.h"

namespace evenmatch {

class Committer {
 public:
  enum class Progress { kIdle, kPending, kApplied, kFenced };

  Committer(std::string group, uint64_t fence, Store* store, Clock* clock, Metrics* metrics,
            std::shared_ptr<Waker> waker);

  // Sends a batch; nothing else is in flight. Poll may have its outcome at once.
  void Start(std::unique_ptr<Batch> batch, Micros now);
  // Takes up an answer, and sends again what is due to be sent again. After kApplied and kFenced the batch is the
  // caller's to take.
  Progress Poll(Micros now);
  std::unique_ptr<Batch> TakeBatch() { return std::move(batch_); }

  bool idle() const { return batch_ == nullptr; }
  // The last answer was kUnknown: the store may or may not have the batch, and nobody is working on it now.
  bool unknown() const { return retry_at_ != kNever; }
  // When Poll sends again; kNever when nothing waits for that.
  Micros retry_at() const { return retry_at_; }

 private:
  static constexpr int kNoAnswer = -1;

  // Shared with the store's callback, which may still be waking the shard when the committer is gone.
  struct Mailbox {
    std::atomic<int> answer = kNoAnswer;
    std::shared_ptr<Waker> waker;
  };

  void Send();

  const std::string group_;
  const uint64_t fence_;
  Store* const store_;
  Clock* const clock_;
  Metrics* const metrics_;
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();

  std::unique_ptr<Batch> batch_;
  bool stores_ = false;  // the batch has something to store
  uint64_t last_id_ = 0;
  Micros sent_at_ = 0;
  Micros retry_at_ = kNever;
  Micros pause_ = 0;
};

}  // namespace evenmatch
