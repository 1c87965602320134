// Peers: who calls, and how much of it is under way.
//
// Shape:   a peer is the identity of its client certificate, where one was asked for, else the host part of its
//          address: ports change with every connection. Kept only while something of it is under way.
// Cost:    a hash look-up under a lock.
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "grpcpp/server_context.h"

namespace evenmatch {

// A digest of the host part of a gRPC peer string ("ipv4:127.0.0.1:1234").
uint64_t HashOfHost(std::string_view peer);

class Peers {
 public:
  Peers(size_t max_commands, bool by_certificate) : max_commands_(max_commands), by_certificate_(by_certificate) {}

  uint64_t Identify(const grpc::ServerContext& context) const;

  // So many commands more are under way, or as many of them as there is room for; gives how many.
  size_t Enter(uint64_t peer, size_t commands);
  void Leave(uint64_t peer, size_t commands);

 private:
  const size_t max_commands_;
  const bool by_certificate_;
  std::mutex mutex_;
  absl::flat_hash_map<uint64_t, size_t> under_way_;
};

}  // namespace evenmatch
