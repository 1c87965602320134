// Stream: one subscriber's bounded buffer between the egress threads and a connection that may be slow.
//
// Shape:   answers and missed events (the backlog) go first, then a ring of events. At most one write is in flight;
//          what gathers meanwhile goes out together with the next. A status event (kWidened) overwrites an older one of
//          its ticket; any other event is never dropped: when the ring is full, or a write has been pending too long,
//          the stream ends, everybody else goes on, and the client resumes from its cursor.
// Cost:    Offer and Answer amortised O(1); an empty stream holds no buffers.
// Errors:  none; offering to an ended stream does nothing.
// Threads: any; one mutex a stream, held while calling the Writer, which must not call back from within.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <variant>
#include <vector>

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

enum class StreamEnd : uint8_t { kDone, kClient, kOverflow, kStalled, kReplaced, kDrained, kRefused };

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
    // Breaks the stream off; a write is pending.
    virtual void Break() = 0;
  };

  // `capacity`: events in the ring. `items_per_write`: at most so many go into one write. `writer` outlives the
  // stream's end.
  Stream(Writer* writer, size_t capacity, size_t items_per_write);

  // From egress: adds to the buffer; nothing is written before Flush.
  void Offer(const Event& event);
  void AddAnswer(Answer answer);
  void AddBacklog(std::vector<Event> events);
  // Starts a write if there is something to write and none is pending.
  void Flush(Micros now);
  // Ends with `status` once everything offered is written.
  void FinishWhenWritten(const absl::Status& status, StreamEnd reason);

  // From the connection: the pending write is over. !ok: the client is gone.
  void Written(bool ok, Micros now);
  // From the connection: the client went away or broke the stream off.
  void ClientGone();

  // Ends now: with `status` where no write is pending, else by breaking it off.
  void End(const absl::Status& status, StreamEnd reason);
  // Ends as kStalled when a write has been pending since before `now - limit`.
  void EndIfStalled(Micros now, Micros limit);

  bool ended() const;
  StreamEnd end_reason() const;  // once ended
  size_t buffered() const;       // items not yet handed to a write
};

}  // namespace evenmatch
