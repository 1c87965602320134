// ListenerCheck: whether a new client would be served, found out by being one.
//
// Running out of descriptors once ends the accepting of this gRPC for ever while the process and its old connections
// live on; and since the kernel goes on completing connections, only an answer proves that somebody accepts them. So
// this connects, greets (with TLS: a ClientHello, else the preface of HTTP/2) and waits for the first byte.
//
// Cost:    a connection, at most once in `kFresh`; who asks meanwhile gets the last answer.
// Errors:  the reason, for people; empty when all is well.
// Threads: any; one checks, the others wait for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace evenmatch {

class ListenerCheck {
 public:
  static constexpr auto kFresh = std::chrono::seconds(1);

  // `host` as it was configured: a server that listens everywhere is asked on the loopback. `patience`: for an answer.
  ListenerCheck(std::string host, uint16_t port, bool tls, std::chrono::milliseconds patience = std::chrono::seconds(1))
      : host_(std::move(host)), port_(port), tls_(tls), patience_(patience) {}

  // Why a new client would not be served; empty: it would.
  std::string Fault();

 private:
  std::string Try() const;

  const std::string host_;
  const uint16_t port_;
  const bool tls_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::optional<std::chrono::steady_clock::time_point> checked_at_;
  std::string fault_;
};

}  // namespace evenmatch
