// Egress: gives out what was decided and stored: replies to their sinks, events to streams and metrics.
//
// Shape:   one thread has several groups; a group's batches come in order and are told in order, replies and events
//          interleaved exactly as they were decided. A stream is registered when the reply to its attach passes, and
//          leaves when that of its detach passes.
// Cost:    a batch follows its events and replies, and the streams that hear of them.
// Errors:  none.
// Threads: Hand and Wake from any; Step from one thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "engine/batch.h"
#include "engine/event_tally.h"
#include "engine/metrics.h"
#include "model/units.h"
#include "runtime/inbox.h"
#include "runtime/waker.h"
#include "streams/hub.h"

namespace evenmatch {

// The place of one group between its shard and its egress thread.
struct GroupOutput {
  explicit GroupOutput(std::shared_ptr<Waker> shard) : shard_waker(std::move(shard)) {}

  const std::shared_ptr<Waker> shard_waker;
  BatchPool pool;
  std::atomic<size_t> untold = 0;        // events and replies handed over and not yet given out
  std::atomic<bool> shard_waits{false};  // the shard goes on when `untold` has fallen
  Hub hub;                               // egress thread only
};

class Egress {
 public:
  Egress(Metrics* metrics, Micros write_stall);

  // From the shard: the next batch of a group, in order.
  void Hand(GroupOutput* group, std::unique_ptr<Batch> batch);

  // Gives out everything handed over by now; true when there was something.
  bool Step(Micros now);
  // How long it may sleep after a Step that found nothing.
  Micros SleepLimit(Micros now) const;
  // Groups whose stalled streams this egress ends from time to time. Before the first Step.
  void Adopt(GroupOutput* group) { groups_.push_back(group); }

  Waker* waker() { return &waker_; }

 private:
  struct Handed {
    GroupOutput* group;
    std::unique_ptr<Batch> batch;
  };

  void GiveOut(GroupOutput& group, Batch& batch, Micros now);
  void TellEvents(GroupOutput& group, const Batch& batch, size_t from, size_t to, Micros now);
  void PassReply(GroupOutput& group, PendingReply& pending);
  void Refuse(GroupOutput& group, Batch& batch);

  Metrics* const metrics_;
  const Micros write_stall_;
  Waker waker_;
  Inbox<Handed> inbox_{Inbox<Handed>::kUnbounded, &waker_};  // bounded by each shard, which watches `untold`
  std::vector<Handed> handed_;
  std::vector<GroupOutput*> groups_;
  EventTally tally_;
  Micros next_sweep_ = 0;
};

}  // namespace evenmatch
