// SignalThread: SIGTERM and SIGINT as a call on a thread of its own, where everything is allowed.
//
// Shape:   the first signal calls `on_first`; a second one ends the process at once, with exit code 1. SIGHUP, which is
//          sent to daemons to have their configuration read again and would end this one, is only logged.
// Threads: BlockSignals before any other thread begins, so that all inherit it.
#pragma once

#include <functional>
#include <thread>

namespace evenmatch {

// Leaves SIGTERM, SIGINT and SIGHUP to a SignalThread and ignores SIGPIPE.
void BlockSignals();

class SignalThread {
 public:
  // `on_first`: with "SIGTERM" or "SIGINT".
  explicit SignalThread(std::function<void(const char* name)> on_first);
  ~SignalThread();

 private:
  void Run();

  const std::function<void(const char*)> on_first_;
  std::thread thread_;
};

}  // namespace evenmatch
