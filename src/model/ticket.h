// Ticket: a party that waits for a match, as it comes through the door: parsed, checked against Limits, queue names
// resolved. Constant once made and shared by events, streams and the store; its changing state belongs to the shard.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "model/units.h"

namespace evenmatch {

using AttributeValue = std::variant<std::string, double, std::vector<std::string>>;
using Attributes = std::map<std::string, AttributeValue>;  // ordered: iterated for digests and answers

// What few tickets bring and matching does not read every tick.
struct PlayerDetails {
  std::string tier;
  int32_t games_played = 0;
  int32_t loss_streak = 0;
  std::map<std::string, int32_t> latency_ms;  // by region
  std::vector<std::string> roles;             // most wanted first
  Attributes attributes;
  std::vector<std::string> recent_opponents, avoid, block;

  friend bool operator==(const PlayerDetails&, const PlayerDetails&) = default;
};

struct Player {
  std::string player_id;
  MilliPoints value = kNoValue;  // rating; kNoValue: the queue's start value
  MilliPoints deviation = 0;
  std::unique_ptr<const PlayerDetails> details;  // null when all are at their defaults
};

enum class Presence : uint8_t { kNone, kStream };

struct QueueChoice {
  // A rating that overrules the player's in this queue.
  struct Rating {
    uint32_t player;  // index into Ticket::players
    MilliPoints value;
    MilliPoints deviation;

    friend bool operator==(const Rating&, const Rating&) = default;
  };
  uint32_t queue = 0;                                  // index into Catalog::queues
  int32_t preference = 0;                              // higher is better liked
  std::unique_ptr<const std::vector<Rating>> ratings;  // null when there are none
};

// What few tickets bring.
struct TicketDetails {
  std::string party_id;  // a label
  Attributes attributes;

  friend bool operator==(const TicketDetails&, const TicketDetails&) = default;
};

// Millions may wait at once, so what most tickets do not have costs them a pointer.
struct Ticket {
  std::string ticket_id;                         // empty: the shard mints one
  absl::InlinedVector<QueueChoice, 1> queues;    // all of one pool group, no queue twice
  absl::InlinedVector<Player, 1> players;        // the party, no player twice
  std::shared_ptr<const std::string> session;    // id of the Session that last asked for it; null: none
  std::unique_ptr<const TicketDetails> details;  // null when all are at their defaults
  uint16_t group = 0;                            // index into Catalog::groups
  Presence presence = Presence::kNone;
  bool accepts_bots = false;
  uint32_t peer = 0;   // digest of the client's address; not part of the content
  Micros timeout = 0;  // always set (the queue's default when the client named none)
};

// Whether two tickets are the same request: everything the client said is equal, except the session and the peer.
bool SameContent(const Ticket& a, const Ticket& b);

// A digest of everything the client said, except the session and the peer; equal content gives equal digests in every
// process.
uint64_t Digest(const Ticket& ticket);

// A copy under another id, or of another session.
std::shared_ptr<const Ticket> WithId(const Ticket& ticket, std::string ticket_id);
std::shared_ptr<const Ticket> WithSession(const Ticket& ticket, std::shared_ptr<const std::string> session);

// Which of its choices is this queue, an index into Catalog::queues; it is one of them.
uint16_t ChoiceOf(const Ticket& ticket, uint32_t queue);

// The matching value of a ticket in its `choice`: the mean over its players, rounded towards zero.
MilliPoints ValueIn(const Ticket& ticket, const QueueChoice& choice, MilliPoints start_value);

// The rating that counts for one player in `choice`, and its deviation.
MilliPoints PlayerValueIn(const Ticket& ticket, const QueueChoice& choice, size_t player, MilliPoints start_value);
MilliPoints PlayerDeviationIn(const Ticket& ticket, const QueueChoice& choice, size_t player);

// A number in thousandths, rounded to the nearest and within 2 ** 53; none of what is no number.
std::optional<int64_t> ThousandthsOf(const AttributeValue& value);
// A digest that is equal for equal values; the kinds of value differ, and so does the order of a list.
uint64_t DigestOf(const AttributeValue& value);

enum class TicketState : uint8_t { kWaiting, kProposed, kMatched, kCancelled, kExpired };
inline bool IsFinal(TicketState state) { return state >= TicketState::kMatched; }
// Whether the state machine of a ticket has this step.
bool MayFollow(TicketState from, TicketState to);

}  // namespace evenmatch
