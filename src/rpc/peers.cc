#include "rpc/peers.h"

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

bool Peers::Enter(uint64_t peer, size_t commands) {
  if (commands == 0) return true;
  std::lock_guard lock(mutex_);
  const auto [entry, added] = under_way_.try_emplace(peer, 0);
  if (entry->second + commands > max_commands_) {
    if (added) under_way_.erase(entry);
    return false;
  }
  entry->second += commands;
  return true;
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
