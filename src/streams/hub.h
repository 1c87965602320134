// Hub: which streams hear of which tickets of one pool group.
//
// Shape:   watchers by ticket handle, one stream by session id. A stream is registered at the very place in the
//          group's output where its attach was decided, so between its backlog and what follows there is neither a gap
//          nor a repetition. A watcher leaves with its ticket's final event; ended streams leave when next met.
// Cost:    Tell O(1) a stream; FlushTouched follows what was told since the last one; EndStalled and EndAll O(streams).
// Threads: none; owned by one egress thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "model/event.h"
#include "streams/stream.h"

namespace evenmatch {

class Hub {
 public:
  using StreamPtr = std::shared_ptr<Stream>;

  // A stream begins to watch a ticket. With `final` there is nothing to wait for: it finishes once its backlog is
  // written.
  void Watch(uint64_t handle, StreamPtr stream, std::vector<Event> backlog, bool final);
  void Unwatch(uint64_t handle, const Stream* stream);

  // A stream becomes the one of a session; an older one of the same session ends with ABORTED, after a write
  // of it that is pending.
  void OpenSession(const std::string& id, StreamPtr stream, std::vector<Event> backlog);
  // Nothing when a newer stream has taken over meanwhile.
  void CloseSession(const std::string& id, const Stream* stream);

  // Offers a told event to the ticket's watchers and to its session. A session does not hear of `queued`: the answer to
  // its Enqueue says so already.
  void Tell(const Event& event);
  // Starts writes on every stream told something since the last call.
  void FlushTouched(Micros now);

  // Ends what has had a write pending longer than `limit`, and forgets what has ended.
  void EndStalled(Micros now, Micros limit);
  // Ends every stream at once, or once what it was told is written.
  void EndAll(const absl::Status& status, StreamEnd reason);
  void FinishAll(const absl::Status& status, StreamEnd reason, Micros now);

  size_t watched_tickets() const { return watchers_.size(); }
  size_t sessions() const { return sessions_.size(); }

 private:
  struct Session {
    StreamPtr stream;
    uint64_t touched_in = 0;
  };
  using Watchers = absl::InlinedVector<StreamPtr, 1>;

  void Finish(const StreamPtr& stream);
  void Touch(Session& session);
  template <typename Visitor>
  void ForEach(Visitor visit);

  absl::flat_hash_map<uint64_t, Watchers> watchers_;
  absl::flat_hash_map<std::string, Session> sessions_;
  std::vector<StreamPtr> touched_;
  uint64_t round_ = 1;  // of FlushTouched
  // Told all they will be told (or replaced), perhaps not yet read by the client.
  std::vector<StreamPtr> finishing_;
};

}  // namespace evenmatch
