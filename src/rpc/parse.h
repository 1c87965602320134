// Parser: requests as they come through the door become commands, or are refused with the path of the field at fault.
//
// Shape:   everything that can be known without the state of a pool group is checked here, once; behind this door a
//          Ticket is within Limits, its queues exist and form one group, its numbers are integers.
// Cost:    one pass.
// Errors:  Parsed::status: INVALID_ARGUMENT with `field`; NOT_FOUND for the name of nothing (a match, an operator's
//          queue).
// Threads: any; a Parser never changes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "evenmatch/v1/admin_service.pb.h"
#include "evenmatch/v1/match_service.pb.h"
#include "evenmatch/v1/matchmaking_service.pb.h"
#include "model/command.h"
#include "model/limits.h"
#include "model/queue_rules.h"
#include "rpc/names.h"

namespace evenmatch {

// Whom a request comes from.
struct Origin {
  uint64_t peer = 0;
  std::shared_ptr<const std::string> session;  // null: a call of its own
};

struct Parsed {
  absl::Status status;
  std::string field;   // the path of the field at fault
  uint32_t group = 0;  // whom to ask
  Command command;
};

class Parser {
 public:
  // Both outlive the parser.
  Parser(const Catalog& catalog, const Limits& limits) : catalog_(catalog), limits_(limits), names_(catalog) {}

  Parsed Parse(const v1::EnqueueRequest& request, const Origin& origin) const;
  Parsed Parse(const v1::CancelRequest& request, const Origin& origin) const;
  Parsed Parse(const v1::GetTicketRequest& request, const Origin& origin) const;
  Parsed Parse(const v1::ExplainTicketRequest& request, const Origin& origin) const;
  Parsed Parse(const v1::WatchTicketRequest& request, const Origin& origin) const;
  Parsed Parse(const v1::AcknowledgeRequest& request, const Origin& origin) const;
  Parsed Parse(const v1::SessionCommand& request, const Origin& origin) const;
  Parsed Parse(const v1::GetMatchRequest& request, const Origin& origin) const;
  Parsed Parse(const v1::EndMatchRequest& request, const Origin& origin) const;
  Parsed Parse(const v1::GetQueueStatsRequest& request, const Origin& origin) const;
  Parsed Parse(const v1::PauseQueueRequest& request, const Origin& origin) const;
  Parsed Parse(const v1::ResumeQueueRequest& request, const Origin& origin) const;
  // And how often.
  Parsed Parse(const v1::WatchQueueStatsRequest& request, Micros* interval) const;

  // The id in the first message of a session.
  Parsed ParseSessionId(const std::string& session_id) const;

 private:
  class Run;

  const Catalog& catalog_;
  const Limits& limits_;
  const Names names_;
};

}  // namespace evenmatch
