// The door of a queue: what its rules see of a ticket (Traits), and whether it could ever play.
//
// Shape:   MakeTraits turns names into numbers; unknown regions, roles and tiers are as if they had not been named.
//          What belongs to a party is made of its players:
//          latency to a region: that of the worst; a player who brings none to any region of the queue does not count
//                   under Missing::kMeetsAnybody and shuts the ticket out under kMeetsNobody. A region that somebody
//                   does not know, who knows another, is none for the ticket.
//          attribute: the ticket's own, else its players': of kEqual the value on which all agree, of kDistance their
//                   mean, of kOverlap what all have. A player without it does not count under Missing::kMeetsAnybody,
//                   else the ticket lacks it, as it does when players disagree.
//          relations: those of all its players together.
// Cost:    proportional to what the ticket brings.
// Threads: pure.
#pragma once

#include <memory>
#include <string>

#include "matching/traits.h"
#include "model/queue_rules.h"
#include "model/rule.h"
#include "model/ticket.h"

namespace evenmatch {

std::unique_ptr<const Traits> MakeTraits(const QueueRules& rules, const Ticket& ticket, const QueueChoice& choice);

// The rule for which a ticket can never play, whoever else comes; kNone when there is none. `field` is the part of the
// ticket that is at fault, from "ticket" on, and `why` says it in words; both may be null.
Rule NeverPlays(const QueueRules& rules, const Ticket& ticket, const Traits& traits, std::string* field,
                std::string* why);

// kPartySize when the queue does not take parties of this size.
Rule RefusesParty(const QueueRules& rules, const Ticket& ticket, std::string* field, std::string* why);

// Whether each player can have a seat of a role he wishes, in one team.
bool SeatsFor(const RoleRules& roles, const Traits& traits);

}  // namespace evenmatch
