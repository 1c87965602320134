// How tickets, events, matches and queues look to people, and any message to programs.
//
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "evenmatch/v1/admin_service.pb.h"
#include "evenmatch/v1/match.pb.h"
#include "evenmatch/v1/match_service.pb.h"
#include "evenmatch/v1/matchmaking_service.pb.h"
#include "evenmatch/v1/ticket.pb.h"
#include "google/protobuf/message.h"

namespace evenmatch {

// One line of JSON with the field names of the .proto files.
std::string ToJsonLine(const google::protobuf::Message& message);

// "match 1-2-3: ada 1500 vs bob 1520, 47 % to 53 %, longest wait 0.3 s"
std::string Describe(const v1::Match& match);
// "t-7 (bob) matched: match ..." `players`: those of the ticket that are known, where its match does not tell them.
std::string Describe(const v1::TicketEvent& event, const std::vector<std::string>& players);
// "t-7 waiting for 3.2 s", and a line for each queue or the match.
std::string Describe(const v1::TicketStatus& ticket);
// "t-7 waiting for 3.2 s", and for each queue whom it could meet and what keeps it from the others.
std::string Describe(const v1::ExplainTicketResponse& explanation);
// "match 1-2-3 is over", and why if not because somebody said so.
std::string Describe(const std::string& match_id, const v1::EndMatchResponse& ended);
// "waiting", "matched", ...
std::string StateName(v1::TicketState state);

// Lines with columns under a header.
std::string Table(const std::vector<v1::QueueStats>& stats);

}  // namespace evenmatch
