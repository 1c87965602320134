// Limits: what the service accepts and keeps, at most. Defaults are the ceilings; configuration only lowers them where
// the comment says "ceiling", and sets them freely within their range elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/units.h"

namespace evenmatch {

struct Limits {
  // Of one message from outside (all ceilings).
  size_t id_bytes = 128;               // ticket, player, party, session, queue, region and role names; valid UTF-8
  size_t attributes = 64;              // a ticket or a player
  size_t attribute_key_bytes = 64;     //
  size_t attribute_value_bytes = 256;  // a text, or all texts of a list together
  size_t queues_per_ticket = 16;       //
  size_t players_per_ticket = 64;      //
  size_t regions = 64;                 // latency entries a player
  size_t relations = 256;              // recent opponents, avoided and blocked players, each
  MilliPoints rating = kMaxValue;      // |rating|
  MilliPoints deviation = 10'000 * kPoint;
  int32_t latency_ms = 10'000;
  size_t message_bytes = 1 << 20;
  Micros ticket_timeout = 24 * kHour;  // the longest a ticket may ask for

  // Of what is kept, per pool group. When one is reached new tickets are refused with RESOURCE_EXHAUSTED.
  size_t tickets_per_group = 4'000'000;  // waiting and ended ones together, those due to be forgotten not counted
  size_t waiting_per_peer = 0;           // tickets of one client address that wait; 0: no cap
  size_t retained_matches_per_group = 200'000;  // ended ones kept for GetMatch; the oldest is forgotten first

  // Of what is under way.
  size_t commands_in_flight_per_peer = 100'000;
  size_t inbox_commands = 1 << 17;      // a pool group
  size_t events_per_stream = 64;        // WatchTicket
  size_t events_per_session = 131'072;  // Session: more than a tick of a busy backend
};

inline constexpr Micros kDefaultTicketTimeout = 90 * kSecond;
inline constexpr Micros kEndedTicketRetention = 10 * kMinute;  // GetTicket and repeated Enqueue know an ended ticket
inline constexpr Micros kDeliveryRetention = 120 * kSecond;    // an unacknowledged final event is told on each attach
inline constexpr Micros kMatchRetention = 24 * kHour;          // GetMatch knows an ended match
inline constexpr size_t kReplayableEvents = 16;                // of one ticket

}  // namespace evenmatch
