// From a fault to what goes over the wire; the one place that knows how errors look there.
//
// Shape:   the code is the same inside and outside; details are those of google.rpc: BadRequest with the field,
//          ResourceInfo with the ticket or match in the way, RetryInfo for what may work later.
// Threads: pure functions.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "evenmatch/v1/matchmaking_service.pb.h"
#include "grpcpp/support/status.h"

namespace evenmatch {

struct Fault {
  absl::Status status;
  std::string field;      // the path of the field at fault; empty: none
  std::string ticket_id;  // the live ticket in the way; empty: none
  std::string match_id;   // the live match in the way; empty: none
};

grpc::Status ToGrpcStatus(const Fault& fault);
inline grpc::Status ToGrpcStatus(const absl::Status& status) { return ToGrpcStatus(Fault{status, "", "", ""}); }

// What streams are told at the end.
inline absl::Status ServerStops() { return absl::UnavailableError("the server stops"); }

void ToProto(const Fault& fault, v1::CommandError* error);

}  // namespace evenmatch
