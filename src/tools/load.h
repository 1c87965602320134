// Load: plays a population against a server through real gRPC and reports what came of it.
//
// Shape:   open loop: each ticket has an intended start, `rate` a second, and every latency counts from it, whatever
//          delayed the sending. Mode kSession sends batches on a Session stream a connection; kUnary one Enqueue a
//          ticket, and WatchTicket for its news. Every match is acknowledged, and ended with EndMatch where asked.
//          After the last send the run waits up to `settle` for the rest, then cancels what still waits: the answers
//          decide what was lost.
// Errors:  the server cannot be reached, or the queue does not exist. What fails for single tickets is counted.
// Threads: one caller; uses threads of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "evenmatch/v1/admin_service.pb.h"
#include "evenmatch/v1/match.pb.h"
#include "model/units.h"
#include "tools/client.h"
#include "tools/population.h"
#include "tools/report.h"
#include "tools/run_ids.h"

namespace evenmatch {

struct LoadOptions {
  enum class Mode { kSession, kUnary };
  ConnectOptions connect;
  Mode mode = Mode::kSession;
  std::string queue = "duel";
  double rate = 1000;              // tickets a second
  Micros duration = 10 * kSecond;  // sending stops then, sent or not
  int connections = 1;
  int outstanding = 50'000;  // commands without an answer, over all connections
  Micros settle = 5 * kSecond;
  Micros patience = 10 * kSecond;  // for the answers to the last cancels
  Micros ticket_timeout = 0;       // 0: the queue's default
  bool acknowledge = true;
  bool watch = true;  // kUnary: hear of matches as they come
  bool end_matches = false;
  bool progress = false;  // a bar on stderr
};

// Told of each match once, one at a time, from threads of the run.
using MatchObserver = std::function<void(const v1::Match& match, const RunIds& ids)>;

// The configured shape of a queue; NOT_FOUND names those there are.
absl::StatusOr<v1::QueueInfo> FindQueue(const ConnectOptions& connect, const std::string& queue);

absl::StatusOr<Report> PlayLoad(const LoadOptions& options, const v1::QueueInfo& queue, const Population& population,
                                MatchObserver observer = nullptr);

}  // namespace evenmatch
