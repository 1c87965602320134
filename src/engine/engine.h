// Engine: threads and order around the pool groups. Commands go in, replies and events come out, and nothing comes out
// before the store has it.
//
//   Submit -> inbox of the shard that owns the group -> its thread decides and folds -> the committer stores the batch
//          -> an egress thread releases the replies, tells the events to the streams, and counts them
//
// Shape:    groups are spread over shards by hash of the name; a shard is one thread; every group has its own bounded
//           inbox there, so one whose store stands still hinders no other. The batches of a group are committed
//           strictly in order, one in flight; one egress thread handles a group's output in the order it was decided.
// Promises: every request that Submit took is answered exactly once, also when the engine stops; replies and events of
//           a batch leave only after it is applied; after kFenced the group is dropped: its callers get UNAVAILABLE and
//           its streams end; after kUnknown its output waits until the same batch is resolved.
// Errors:   Submit: RESOURCE_EXHAUSTED when the inbox is full, UNAVAILABLE after Stop; nothing was taken then. While
//           draining an Enqueue is taken and answered with UNAVAILABLE.
// Threads:  Submit from any thread; never blocks. ReplySink and Stream are called on egress threads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/metrics.h"
#include "model/command.h"
#include "model/limits.h"
#include "model/queue_rules.h"
#include "runtime/clock.h"
#include "store/store.h"
#include "streams/stream.h"

namespace evenmatch {

// Whoever waits for replies. Consecutive replies to one sink are a run. A sink outlives every run of replies to
// requests it submitted, OnRepliesEnd included.
class ReplySink {
 public:
  virtual ~ReplySink() = default;
  virtual void OnReply(uint64_t tag, Reply reply) = 0;
  // After the last OnReply of a run: time to flush what was made of them.
  virtual void OnRepliesEnd() {}
};

struct Request {
  Command command;
  uint64_t tag = 0;
  ReplySink* sink = nullptr;
  // With AttachCommand and AttachSessionCommand: where events go from the reply on. The engine puts the missed events
  // into its backlog, in order, before any newer one, so they are no longer in the reply; a watcher finishes with OK
  // after the final event. With their detaches: the stream that is gone.
  std::shared_ptr<Stream> stream;
};

class Engine {
 public:
  struct Options {
    int shards = 1;
    int egress_threads = 1;
    Micros write_stall = 5 * kSecond;    // a stream whose write is pending longer ends
    Micros stop_patience = 5 * kSecond;  // Stop answers UNAVAILABLE where the store says kUnknown for longer
  };

  // Claims and loads every group, then starts the threads. All arguments outlive the engine.
  static absl::StatusOr<std::unique_ptr<Engine>> Start(const Catalog& catalog, const Limits& limits,
                                                       const Options& options, Clock* clock, Store* store,
                                                       Metrics* metrics);
  ~Engine();  // stops

  // Takes requests for one group, all or none. `requests` is left empty when they are taken and untouched when not.
  // Detaches alone are taken however full the inbox is: what was attached can always be detached.
  absl::Status Submit(uint32_t group, std::vector<Request>* requests);
  absl::Status Submit(uint32_t group, Request request);

  // From now on Enqueue is answered with UNAVAILABLE; everything else goes on.
  void Drain();
  bool draining() const;
  // Answers what was taken, finishes the streams (kDrained), then ends the threads.
  void Stop();

 private:
  class Impl;
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenmatch
