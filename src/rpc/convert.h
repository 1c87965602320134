// From the model to the wire.
//
// Shape:   fills messages that may be reused: every field is set or cleared by the caller's Clear.
// Units:   points and shares as doubles, microseconds as Duration and Timestamp.
// Threads: pure functions.
#pragma once

#include <string>

#include "evenmatch/v1/admin_service.pb.h"
#include "evenmatch/v1/match_service.pb.h"
#include "evenmatch/v1/matchmaking_service.pb.h"
#include "model/command.h"
#include "model/event.h"
#include "model/match.h"
#include "model/queue_rules.h"
#include "rpc/status.h"

namespace evenmatch {

// Players are not shown each other's ratings; backends are.
enum class Ratings { kHidden, kShown };

std::string ToMatchId(const MatchId& id, const Catalog& catalog);
void ToProto(const Match& match, const Catalog& catalog, Ratings ratings, v1::Match* out);

// Everything but the match.
void ToProto(const Event& event, v1::TicketEvent* out);

v1::TicketState ToProto(TicketState state);
v1::Reason ToProto(Reason reason);
v1::MatchState ToProto(MatchState state);
v1::MatchEndReason ToProto(MatchEnd end);

void ToProto(const EnqueueReply& reply, v1::EnqueueResponse* out);
void ToProto(const CancelReply& reply, const Catalog& catalog, Ratings ratings, v1::CancelResponse* out);
void ToProto(const TicketView& view, const Catalog& catalog, Micros now, v1::TicketStatus* out);
void ToProto(const ExplainReply& reply, const Catalog& catalog, Micros now, v1::ExplainTicketResponse* out);
void ToProto(const MatchView& view, const Catalog& catalog, v1::GetMatchResponse* out);
void ToProto(const QueueStats& stats, const Catalog& catalog, v1::QueueStats* out);
void ToProto(const QueueRules& rules, const Catalog& catalog, bool paused, v1::QueueInfo* out);

// Of a reply whose status is not OK.
Fault ToFault(const Reply& reply, const Catalog& catalog);

}  // namespace evenmatch
