// Strength: the matching value of a ticket, by StrengthRules: each player's rating or weighted mix, and from these the
// value of the party.
//
// Shape:   a mix is lowest + (highest - lowest) * (sum of weight * part) / (sum of weights), each part 0..1; parts
//          count in 2 ** -32ths, the sum is rounded to the nearest. A party's value lies between the mean and the
//          maximum of its players', whatever their order, before the bonus of its size is added.
// Units:   milli-points, within kMaxValue.
// Cost:    proportional to players and parts; once a ticket.
// Threads: pure.
#pragma once

#include "model/queue_rules.h"
#include "model/ticket.h"
#include "model/units.h"

namespace evenmatch {

// The tier that one player counts with: the one he names, else the highest that begins at his rating or below, else the
// weakest. An index into TierRules::tiers, which is not empty.
uint32_t TierOf(const TierRules& tiers, const Ticket& ticket, const QueueChoice& choice, size_t player,
                MilliPoints start_value);

MilliPoints PlayerStrength(const QueueRules& rules, const Ticket& ticket, const QueueChoice& choice, size_t player);

MilliPoints TicketStrength(const QueueRules& rules, const Ticket& ticket, const QueueChoice& choice);

}  // namespace evenmatch
