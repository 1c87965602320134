// From the Ticket of the wire to the Ticket of the model; see parse.h, which is the door.
#pragma once

#include "evenmatch/v1/ticket.pb.h"
#include "model/queue_rules.h"
#include "model/ticket.h"
#include "rpc/fields.h"
#include "rpc/names.h"

namespace evenmatch {

// Fills everything but session and peer. False: refused, and `fields` says why.
bool ParseTicket(const v1::Ticket& in, const Catalog& catalog, const Names& names, Fields* fields, Ticket* ticket);

}  // namespace evenmatch
