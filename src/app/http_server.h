// HttpServer: health and metrics for probes and Prometheus, beside gRPC on an address of its own.
//
//   /healthz  200 while the process can serve whom it has and new clients can reach it, else 503 and the reason
//   /readyz   200 while it wants new work, else 503
//   /metrics  Prometheus' text format
//
// Bounds:  kThreads requests at a time, kWaiting connections that wait for a thread (more are closed at once), 64 kB
//          and two seconds a request, one request a connection. Connections that send no request keep nobody waiting:
//          they are closed as soon as their threads are needed.
// Errors:  Start: UNAVAILABLE when the address is taken or is none.
// Threads: any; the functions it is given are called on its own threads.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "config/config.h"

namespace evenmatch {

class HttpServer {
 public:
  static constexpr int kThreads = 16;
  static constexpr int kWaiting = 512;

  struct Pages {
    std::function<std::string()> fault;  // why the process is not alive; empty: it is
    std::function<bool()> ready;
    std::function<std::string()> metrics;
  };

  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const HostPort& address, Pages pages);
  ~HttpServer();  // answers what it has begun

  // With the real port.
  const HostPort& address() const;

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenmatch
