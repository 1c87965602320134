// Stream: one subscriber's bounded buffer between the egress threads and a connection that may be slow.
//
// Shape:   one line of answers, missed events (the backlog) and events, first in, first out. At most one write is in
//          flight; what gathers meanwhile goes out together with the next. Only offered events count against the
//          capacity: answers are bounded by the commands in flight, a backlog by what the group keeps. A status event
//          (kWidened) overwrites one of its ticket that still waits with no other event of that ticket after it; any
//          other event is never dropped: when the line is full, or a write has been pending too long, the stream ends,
//          everybody else goes on, and the client resumes from its cursor.
// Cost:    Offer and AddAnswer amortised O(1). An empty stream holds no buffers (a wide one keeps a small one).
// Errors:  none; adding to an ended or finishing stream does nothing.
// Threads: any; one mutex a stream, held while calling the Writer, which must not call back from within.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "model/command.h"
#include "model/event.h"
#include "model/units.h"

namespace evenmatch {

// An answer to a command of the stream (Session), told in order with the events.
struct Answer {
  uint64_t request = 0;
  Reply reply;
};

using Outgoing = std::variant<Event, Answer>;

enum class StreamEnd : uint8_t {
  kDone,         // told everything there is to tell
  kClient,       // the client went away
  kOverflow,     // more events than the line takes
  kStalled,      // a write was pending too long
  kReplaced,     // a newer stream of the same session took over
  kDrained,      // the server stops
  kRefused,      // the first request was answered with an error
  kUnavailable,  // this server owns the group no longer
};
inline constexpr int kStreamEnds = 8;

class Stream {
 public:
  // The connection. Calls come one at a time.
  class Writer {
   public:
    virtual ~Writer() = default;
    // Starts one write; its end is told by Written(). `items` are valid during the call only.
    virtual void StartWrite(std::span<const Outgoing> items) = 0;
    // Ends the stream with a status; no write is pending and none follows.
    virtual void StartFinish(const absl::Status& status) = 0;
    // Breaks the stream off; a write is pending and comes back through Written(), and nothing follows.
    virtual void Break() = 0;
  };

  // `capacity`: offered events that may wait. `items_per_write`: at most so many go into one write. `writer` outlives
  // the stream's end.
  Stream(Writer* writer, size_t capacity, size_t items_per_write);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // From egress: adds to the line; nothing is written before Flush.
  void Offer(const Event& event);
  void AddAnswer(Answer answer);
  void AddBacklog(std::vector<Event> events);
  // Starts a write if there is something to write and none is pending.
  void Flush(Micros now);
  // Ends with `status` once everything in the line is written (Flush starts that); takes nothing more. The first call
  // counts.
  void FinishWhenWritten(const absl::Status& status, StreamEnd reason);
  // The same without what is in the line: ends at once, or with the write that is pending. Breaking that off would keep
  // the status from the client.
  void FinishAfterWrite(const absl::Status& status, StreamEnd reason);

  // From the connection: the pending write is over. !ok: the client is gone.
  void Written(bool ok, Micros now);
  // From the connection: the client went away or broke the stream off, or the call is over with its last write.
  void ClientGone();

  // Ends now: with `status` where no write is pending, else by breaking it off.
  void End(const absl::Status& status, StreamEnd reason);
  // Ends as kStalled when a write has been pending since before `now - limit`.
  void EndIfStalled(Micros now, Micros limit);

  bool ended() const;
  StreamEnd end_reason() const;  // once ended
  size_t buffered() const;       // items not yet handed to a write

 private:
  enum class State : uint8_t { kOpen, kFinishing, kEnded };

  void Append(Outgoing item);
  void BeginFinish(const absl::Status& status, StreamEnd reason);
  void WriteOrFinish(Micros now);
  void EndLocked(const absl::Status& status, StreamEnd reason);
  void CloseLocked(StreamEnd reason);
  void Empty(bool keep_buffers);

  Writer* const writer_;
  const size_t capacity_;
  const size_t items_per_write_;

  mutable std::mutex mutex_;
  // The line is buffer_[head_..]. A write takes from the front, Append makes room there before it makes the buffer
  // longer.
  std::vector<Outgoing> buffer_;
  size_t head_ = 0;
  uint64_t written_ = 0;     // items that have left the front of the line, ever
  size_t events_ = 0;        // events in the line
  size_t backlog_room_ = 0;  // beyond the capacity, until the line is empty
  // The status event in the line that may be overwritten, by ticket: its number in the line, counted from written_ = 0.
  absl::flat_hash_map<const Ticket*, uint64_t> status_;

  State state_ = State::kOpen;
  bool write_pending_ = false;
  StreamEnd reason_ = StreamEnd::kDone;
  Micros write_started_ = 0;
  absl::Status finish_status_;
};

}  // namespace evenmatch
