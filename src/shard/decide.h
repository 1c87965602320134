// Decide: what a command, a proposal or the passing of time makes of the present state: events, or a refusal.
//
// Deciders change nothing. Each appends the events that follow to `events`, to be folded in order before the next
// decision, and sets what it can of the reply: a refusal, or the answer where nothing happens. A refusal leaves no
// event.
#pragma once

#include <vector>

#include "matching/matcher.h"
#include "model/command.h"
#include "model/event.h"
#include "model/units.h"
#include "shard/state.h"

namespace evenmatch {

void DecideEnqueue(const GroupState& state, const EnqueueCommand& command, Micros now, std::vector<Event>* events,
                   Reply* reply);
void DecideCancel(const GroupState& state, const CancelCommand& command, Micros now, std::vector<Event>* events,
                  Reply* reply);
void DecideAttach(const GroupState& state, const AttachCommand& command, Micros now, std::vector<Event>* events,
                  Reply* reply);
void DecideDetach(const GroupState& state, const DetachCommand& command, Micros now, std::vector<Event>* events);
void DecideAcknowledge(const GroupState& state, const AcknowledgeCommand& command, Micros now,
                       std::vector<Event>* events, Reply* reply);
// No event when the match has ended already.
void DecideEndMatch(const GroupState& state, uint32_t match, Micros now, std::vector<Event>* events);

// The refusals of whatever names something that is not there (kNoSlot).
bool RefuseUnknownTicket(uint32_t ticket, const TicketName& name, Reply* reply);
bool RefuseUnknownMatch(uint32_t match, Reply* reply);

// Makes a match of a proposal. That its tickets are free and its teams full is checked again (CHECK).
void DecideMatch(const GroupState& state, const QueueState& queue, const Proposal& proposal, Micros now,
                 std::vector<Event>* events);

// The next thing that has run out by `now`; no event when nothing has. Called until then.
void DecideDue(const GroupState& state, Micros now, std::vector<Event>* events);
// The oldest ended match when more are kept than may be.
void DecideMatchOverflow(const GroupState& state, Micros now, std::vector<Event>* events);

}  // namespace evenmatch
