// ServerProcess: the server of a benchmark, in a process of its own forked from this one; CpuMeter: what both cost.
//
// Shape:   queues `duel`, as by default, and `gather`, in which nobody fits anybody for five seconds and then everybody
//          does. Told by commands of one byte on its standard input.
// Errors:  CHECK.
// Threads: one.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

namespace evenmatch {

struct ServerProcess {
  static constexpr char kToggleHealth = 'h';

  pid_t pid = 0;
  int commands = -1;
  std::string address;

  // Before anything of gRPC runs in this process.
  static ServerProcess Fork();
  void Send(char command) const;
  void Stop() const;

  size_t ResidentBytes() const;
  double CpuSeconds() const;
};

// Processor time of server and client since the beginning, by the operation.
class CpuMeter {
 public:
  explicit CpuMeter(const ServerProcess& server);
  std::string PerOperation(double operations) const;

 private:
  const ServerProcess& server_;
  const double server_start_, own_start_;
};

}  // namespace evenmatch
