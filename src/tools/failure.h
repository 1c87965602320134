// Failure: what a command says on stderr when it fails, for people or for programs.
//
// Shape:   "evenmatch: CODE: MESSAGE (DETAILS)", or with --json {"code":...,"message":...,"field":...}, always one
// line. Threads: pure functions, but for Fail, which writes to stderr.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

namespace evenmatch {

struct Failure {
  std::string code;  // canonical, like "NOT_FOUND"; empty: goes without saying, for people
  std::string message;
  std::string field;  // of the request; empty: none
};

// What a server answered, with everything the details add.
Failure FailureOf(const grpc::Status& status);
// What failed on this side.
Failure FailureOf(const absl::Status& status);

std::string FailureText(bool json, const Failure& failure);

// Says it; the exit code.
int Fail(bool json, const Failure& failure);

}  // namespace evenmatch
