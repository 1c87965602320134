// How tickets, events, matches and queues look to people, and any message to programs.
//
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "evenmatch/v1/admin_service.pb.h"
#include "evenmatch/v1/match.pb.h"
#include "evenmatch/v1/ticket.pb.h"
#include "google/protobuf/message.h"

namespace evenmatch {

// One line of JSON with the field names of the .proto files.
std::string ToJsonLine(const google::protobuf::Message& message);

// "match 1-2-3: ada 1500 vs bob 1520, 47 % to 53 %, longest wait 0.3 s"
std::string Describe(const v1::Match& match);
// "#3 matched: match ...", without the ticket's id.
std::string Describe(const v1::TicketEvent& event);
// "waiting", "matched", ...
std::string StateName(v1::TicketState state);

// Lines with columns under a header.
std::string Table(const std::vector<v1::QueueStats>& stats);

}  // namespace evenmatch
