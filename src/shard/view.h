// What the state tells: views for replies, and the events that a new subscriber missed. Pure reading.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/command.h"
#include "model/event.h"
#include "model/units.h"
#include "shard/state.h"

namespace evenmatch {

// The slot of the ticket, kNoSlot when unknown. By player: the ticket that holds the player.
uint32_t FindTicket(const GroupState& state, const TicketName& name);

TicketView ViewTicket(const GroupState& state, uint32_t ticket, Micros now);
// Why it can never play, for each queue in which it waits for nothing.
std::vector<std::string> WarningsOf(const GroupState& state, uint32_t ticket);
MatchView ViewMatch(const GroupState& state, uint32_t match);
QueueStats ViewQueue(const QueueState& queue, Micros now);

// The present state as an event.
Event Snapshot(const GroupState& state, uint32_t ticket, Micros now);
// The events after `cursor` (not above the last), or a snapshot where they are no longer known. A final event that is
// not acknowledged is told again to a subscriber who has seen it.
std::vector<Event> MissedEvents(const GroupState& state, uint32_t ticket, uint32_t cursor, Micros now);

// The present state of every live or unacknowledged ticket of a session, oldest first.
std::vector<Event> SessionSnapshots(const GroupState& state, std::string_view session_id, Micros now);

// Whether the ticket's final event is still to be told on each attach.
bool AwaitsAcknowledgement(const TicketRecord& ticket, Micros now);

}  // namespace evenmatch
