// Logs that outsiders can cause: a few lines a second, the rest is counted.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "model/units.h"
#include "streams/stream.h"

namespace evenmatch {

// Whether one more line may be written; a budget for each second.
class LogBudget {
 public:
  explicit LogBudget(int lines_per_second) : lines_per_second_(lines_per_second) {}

  // True: write it, and that so many were left out before.
  bool Take(Micros now, int64_t* left_out);

 private:
  const int lines_per_second_;
  std::atomic<int64_t> second_ = -1;
  std::atomic<int> written_ = 0;
  std::atomic<int64_t> left_out_ = 0;
};

// A warning about something an outsider did.
void WarnLimited(std::string_view text);

// One about a stream that ended because its client did not read.
void WarnIfTooSlow(StreamEnd reason, std::string_view stream);

// The lines of gRPC and Protobuf go the same way, for whole processes: both write about bad input of clients.
void RouteLibraryLogs();

// Nothing of gRPC is written while one of these lives.
class NoLibraryLogs {
 public:
  NoLibraryLogs();
  ~NoLibraryLogs();
  NoLibraryLogs(const NoLibraryLogs&) = delete;
  NoLibraryLogs& operator=(const NoLibraryLogs&) = delete;
};

}  // namespace evenmatch
