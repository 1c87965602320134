// Event: something that happened. Events are stored, streamed, counted and folded into state; nothing else changes it.
#pragma once

#include <cstdint>
#include <memory>

#include "model/match.h"
#include "model/ticket.h"
#include "model/units.h"

namespace evenmatch {

enum class EventKind : uint8_t {
  // Of a ticket: numbered without gaps, stored, told.
  kQueued,
  kMatched,
  kCancelled,
  kExpired,
  // Of a ticket: told to whoever watches it, neither stored nor numbered (they carry the last number), latest wins.
  kWidened,
  // Of a ticket: stored, not told.
  kAcknowledged,
  kMoved,  // another session asked for it: `ticket` is the ticket under that session
  // Of a ticket: neither stored nor told.
  kAttached,   // a stream began to watch it
  kDetached,   // one stopped
  kForgotten,  // its retention is over: the id is new again
  // Of a match: stored.
  kMatchFormed,
  kMatchEnded,
  kMatchForgotten,
};

enum class Reason : uint8_t {
  kNone,
  kClient,        // asked for by the client
  kPresenceLost,  // its watcher or session was gone longer than the grace
  kTimeout,       // the ticket's own timeout
};

inline bool IsNumbered(EventKind kind) { return kind <= EventKind::kExpired; }
inline bool IsStored(EventKind kind) {
  return IsNumbered(kind) || kind == EventKind::kAcknowledged || kind == EventKind::kMoved ||
         kind >= EventKind::kMatchFormed;
}
inline bool IsTold(EventKind kind) { return kind <= EventKind::kWidened; }
inline bool IsFinal(EventKind kind) { return kind >= EventKind::kMatched && kind <= EventKind::kExpired; }

struct Event {
  EventKind kind = EventKind::kQueued;
  Reason reason = Reason::kNone;
  MatchEnd match_end = MatchEnd::kNone;
  // A snapshot tells the present state instead of a change: the first event of a subscription whose cursor is gone.
  bool snapshot = false;
  uint32_t sequence = 0;                    // of the ticket's events, from 1
  int32_t stage = 0;                        // kWidened, kExpired: reached in its first queue
  MilliPoints window_from = 0, window = 0;  // kWidened
  // kQueued, kWidened: how long such tickets waited lately in all, in that of its queues where it is least; 0: not
  // known.
  Micros expected_p50 = 0, expected_p90 = 0;
  int32_t player = -1;  // kAcknowledged: index of the player, -1 for the whole ticket
  Micros at = 0;
  Micros queued_at = 0;                  // of a final event: since when the ticket waited
  uint64_t handle = 0;                   // the ticket within its group
  std::shared_ptr<const Ticket> ticket;  // of every event of a ticket
  std::shared_ptr<const Match> match;    // kMatched and the events of a match
};

}  // namespace evenmatch
