// Server: the gRPC API on one address: matchmaking, matches, admin, health and, when configured, reflection.
//
// Shape:   asynchronous; see unary_call.h, stream_call.h and session_call.h for how a call lives, queues.h for threads.
//          A message of more than Limits::message_bytes is refused with INVALID_ARGUMENT; one of more than four times
//          that (at least 4 MiB) is refused by the library before it is read, with RESOURCE_EXHAUSTED.
// Errors:  Start: UNAVAILABLE when the address is taken or is none, INVALID_ARGUMENT for TLS files that do not fit.
// Threads: any.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine/engine.h"
#include "engine/metrics.h"
#include "model/limits.h"
#include "model/queue_rules.h"
#include "model/units.h"
#include "rpc/tls_files.h"
#include "runtime/clock.h"

namespace evenmatch {

class Server {
 public:
  struct Options {
    std::string address = "127.0.0.1:9050";  // HOST:PORT; port 0 takes a free one
    TlsFiles tls;                            // without a certificate: plain text
    bool reflection = true;
    int unary_queues = 1;                   // each with a thread: short calls and sessions
    Micros write_stall = 5 * kSecond;       // of health and stats streams; the others have the engine's
    Micros first_message = 10 * kSecond;    // a session that has not said its id by then is ended
    Micros refresh_interval = 1 * kSecond;  // how often TLS files, stalled writes and silence are looked at
  };

  // All arguments outlive the server. `on_drain_requested` is called by AdminService.Drain, on any thread, perhaps more
  // than once.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const Options& options, const Catalog& catalog,
                                                       const Limits& limits, Engine* engine, Metrics* metrics,
                                                       Clock* clock, std::function<void()> on_drain_requested);
  // Like Shutdown with no grace, when that was not called.
  ~Server();

  // HOST:PORT with the real port.
  const std::string& address() const { return address_; }

  // What health says; it begins with true.
  void SetServing(bool serving);

  // Takes no more calls, lets those under way end, and cancels what is left after `grace`. Stop the engine before: it
  // answers what it was asked and ends the streams, and no call ends while the engine owes it a reply.
  void Shutdown(Micros grace);

 private:
  class Impl;

  explicit Server(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
  std::string address_;
};

}  // namespace evenmatch
