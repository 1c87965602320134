// GroupRunner: one pool group at work: takes commands from its inbox, lets the group decide, ticks its queues, and has
// the committer store what was decided before egress gives it out.
//
// Shape:   everything happens in Step, whose time is an argument, so that tests and simulation drive it as they like; a
//          shard's thread is a loop around it. While a batch is in flight the next one gathers. When too much has
//          gathered or waits in egress, the group stands still - no command, no tick - until that is gone, its inbox
//          fills, and Submit refuses.
// Promises: every request taken is answered once. Once the store says that another owner has the group, or the
//          patience of a stop is over, what is not applied is answered with UNAVAILABLE, and so is all that follows.
// Threads: Submit, depth from any; the rest from one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/batch.h"
#include "engine/committer.h"
#include "engine/egress.h"
#include "engine/engine.h"
#include "engine/metrics.h"
#include "model/limits.h"
#include "model/queue_rules.h"
#include "runtime/clock.h"
#include "runtime/inbox.h"
#include "runtime/waker.h"
#include "shard/pool_group.h"

namespace evenmatch {

class GroupRunner {
 public:
  // What all groups share. Outlives them.
  struct Context {
    const Catalog* catalog;
    const Limits* limits;
    Clock* clock;
    Store* store;
    Metrics* metrics;
    const std::atomic<bool>* draining;
  };

  // `group` is loaded already.
  GroupRunner(const Context& context, uint32_t index, std::unique_ptr<PoolGroup> group, uint64_t fence,
              std::shared_ptr<Waker> waker, Egress* egress);
  ~GroupRunner();

  absl::Status Submit(std::vector<Request>* requests);
  size_t depth() const { return inbox_.depth(); }  // commands taken and not yet decided

  // Does what is to be done at `now`; true when more can be done at once.
  bool Step(Micros now);
  // When the next Step has something to do, unless it is woken before.
  Micros NextWork() const;

  // From now on takes nothing, decides what was taken, and finishes; gives up at `give_up_at` on a batch whose outcome
  // is still unknown.
  void BeginStop(Micros give_up_at);
  bool finished() const { return finished_; }

 private:
  struct QueueTick {
    uint32_t queue;
    Micros every;
    Micros next;
  };

  bool StandsStill();
  bool DecideCommands(Micros now);
  void Decide(Request& request, Micros now);
  void RunTicks(Micros now);
  void Settle(Micros now);
  void Drop(const absl::Status& status);
  void RefuseCommands();
  void HandOver(std::unique_ptr<Batch> batch);
  template <typename Visitor>
  bool TakeCommands(size_t limit, Visitor visit);

  const Context context_;
  Egress* const egress_;
  GroupOutput output_;
  Inbox<std::vector<Request>> inbox_;
  std::unique_ptr<PoolGroup> group_;  // null once dropped
  Committer committer_;
  std::atomic<bool> dropped_ = false;
  absl::Status drop_status_;

  std::vector<std::vector<Request>> taken_;  // from the inbox, to be decided from [taken_at_][request_at_] on
  size_t taken_at_ = 0;
  size_t request_at_ = 0;
  std::unique_ptr<Batch> open_;  // gathers
  std::vector<QueueTick> ticks_;
  bool ticks_started_ = false;
  Micros advanced_at_ = 0;
  bool stands_still_ = false;
  bool stopping_ = false;
  bool finished_ = false;
  Micros give_up_at_ = kNever;
};

}  // namespace evenmatch
