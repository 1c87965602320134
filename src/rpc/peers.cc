#include "rpc/peers.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "base/hash.h"

namespace evenmatch {

uint64_t HashOfHost(std::string_view peer) {
  // A path of a Unix socket has no port, and all who come through one are one host.
  if (peer.starts_with("unix:")) return Hash64("unix:");
  return Hash64(peer.substr(0, peer.rfind(':')));
}

uint64_t Peers::Identify(const grpc::ServerContext& context) const {
  if (by_certificate_) {
    const auto identity = context.auth_context()->GetPeerIdentity();
    if (!identity.empty()) return Hash64(std::string_view(identity[0].data(), identity[0].size()), /*seed=*/1);
  }
  return HashOfHost(context.peer());
}

size_t Peers::Enter(uint64_t peer, size_t commands) {
  if (commands == 0 || max_commands_ == 0) return 0;
  std::lock_guard lock(mutex_);
  size_t& under_way = under_way_[peer];
  const size_t entering = std::min(commands, max_commands_ - under_way);
  under_way += entering;
  return entering;
}

void Peers::Leave(uint64_t peer, size_t commands) {
  if (commands == 0) return;
  std::lock_guard lock(mutex_);
  const auto entry = under_way_.find(peer);
  CHECK(entry != under_way_.end() && entry->second >= commands);
  entry->second -= commands;
  if (entry->second == 0) under_way_.erase(entry);
}

}  // namespace evenmatch
