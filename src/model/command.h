// Command: what is asked of a pool group; Reply: the one answer to it. Every command is answered exactly once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "model/event.h"
#include "model/explanation.h"
#include "model/match.h"
#include "model/ticket.h"
#include "model/units.h"

namespace evenmatch {

// A ticket that is known already, asked for with the same content: through a session it belongs to that session from
// then on, if it lives or its final event is still to be told.
struct EnqueueCommand {
  std::shared_ptr<const Ticket> ticket;
};

// Names a ticket by its id or, when that is empty, by any of its players.
struct TicketName {
  std::string ticket_id;
  std::string player_id;
};

struct CancelCommand {
  TicketName name;
};

struct GetTicketCommand {
  TicketName name;
};

struct ExplainTicketCommand {
  TicketName name;
};

// A stream begins to watch one ticket. The reply carries what it missed; what follows comes as events.
struct AttachCommand {
  TicketName name;
  bool from_cursor = false;  // false: begin with the present state
  uint32_t cursor = 0;       // with from_cursor: the last sequence seen
};

// A stream of AttachCommand is gone.
struct DetachCommand {
  uint64_t handle = 0;
};

// A Session stream begins or is gone. The reply to an attach carries the present state of each live or unacknowledged
// ticket of the session.
struct AttachSessionCommand {
  std::string session_id;
};
struct DetachSessionCommand {
  std::string session_id;
};

struct AcknowledgeCommand {
  TicketName name;        // by ticket id
  std::string player_id;  // empty: for the whole ticket
  uint32_t sequence = 0;  // everything up to it
};

struct GetMatchCommand {
  MatchId id;
};

struct EndMatchCommand {
  MatchId id;
};

struct PauseQueueCommand {
  uint32_t queue = 0;
  bool paused = true;
};

struct GetQueueStatsCommand {
  uint32_t queue = 0;
};

using Command = std::variant<EnqueueCommand, CancelCommand, GetTicketCommand, ExplainTicketCommand, AttachCommand,
                             DetachCommand, AttachSessionCommand, DetachSessionCommand, AcknowledgeCommand,
                             GetMatchCommand, EndMatchCommand, PauseQueueCommand, GetQueueStatsCommand>;

// The state of one ticket at one instant.
struct TicketView {
  struct InQueue {
    uint32_t queue = 0;
    MilliPoints value = 0;
    MilliPoints window = 0;
    int32_t stage = 0;
    Micros expected_p50 = 0, expected_p90 = 0;  // see Event
  };
  uint64_t handle = 0;
  std::shared_ptr<const Ticket> ticket;
  TicketState state = TicketState::kWaiting;
  Reason reason = Reason::kNone;  // why it ended
  uint32_t sequence = 0;          // of its last numbered event
  Micros queued_at = 0;
  Micros ended_at = 0;  // 0 while it lives
  Micros expires_at = 0;
  absl::InlinedVector<InQueue, 1> queues;  // while it waits
  std::shared_ptr<const Match> match;      // when matched and the match is still known
};

struct MatchView {
  std::shared_ptr<const Match> match;
  MatchState state = MatchState::kFormed;
  MatchEnd end = MatchEnd::kNone;
  Micros ended_at = 0;
};

struct EnqueueReply {
  bool existing = false;
  TicketView ticket;
  std::vector<std::string> warnings;  // why it can never play in a queue, for each for which that is so
};

enum class CancelOutcome : uint8_t { kCancelled, kAlreadyMatched, kAlreadyEnded };
struct CancelReply {
  CancelOutcome outcome = CancelOutcome::kCancelled;
  TicketView ticket;
};

struct ExplainReply {
  TicketView ticket;
  std::vector<Explanation> queues;  // while it waits
};

struct AttachReply {
  uint64_t handle = 0;
  bool final = false;         // the last of `events` is the final one and nothing follows
  std::vector<Event> events;  // missed events in order, or one snapshot
};

struct AttachSessionReply {
  std::vector<Event> snapshots;  // in the order in which the tickets came to the session
};

struct QueueStats {
  uint32_t queue = 0;
  bool paused = false;
  size_t waiting_tickets = 0;
  int64_t waiting_players = 0;
  Micros oldest_wait = 0;
  uint64_t enqueued = 0, matched_tickets = 0, matches = 0, cancelled = 0, expired = 0;  // since start
  size_t live_matches = 0;
};

struct Reply {
  // Errors: INVALID_ARGUMENT (content differs, cursor from the future), ALREADY_EXISTS (`conflict` is the live ticket
  // of one of the players), FAILED_PRECONDITION (`conflict.match` is the live match of one of them), NOT_FOUND,
  // RESOURCE_EXHAUSTED, UNAVAILABLE (paused, draining, no longer owner).
  absl::Status status;
  std::string field;  // the request's field that is wrong or over a limit, when one is
  TicketView conflict;
  std::variant<std::monostate, EnqueueReply, CancelReply, TicketView, ExplainReply, AttachReply, AttachSessionReply,
               MatchView, QueueStats>
      value;
};

}  // namespace evenmatch
