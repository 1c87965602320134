// WatchCall: WatchTicket. A Stream decides what is written when; this is its connection.
//
// Threads: see StreamCall and Stream::Writer; replies come on the egress thread of the ticket's pool group.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "rpc/stream_call.h"
#include "streams/stream.h"

namespace evenmatch {

class WatchCall final : public StreamCall, private Stream::Writer, private ReplySink, private Farewells::Guest {
 public:
  explicit WatchCall(Core* core) : StreamCall(core) {}

 private:
  StreamCall* Another() override { return new WatchCall(&core_); }
  void Listen(Tag* arrived) override {
    core_.services.matchmaking.RequestWatchTicket(&context_, &request_, &writer_, queue(), queue(), arrived);
  }
  void Handle() override;
  void Written(bool ok) override { stream_->Written(ok, core_.clock.Now()); }
  void Gone() override;

  void StartWrite(std::span<const Outgoing> items) override;
  void StartFinish(const absl::Status& status) override;
  void Break() override { context_.TryCancel(); }

  void OnReply(uint64_t tag, Reply reply) override;
  void OnRepliesEnd() override { Release(); }

  // From the farewells.
  void Leave() override;

  void Refuse(Fault fault);
  void Detach();

  // Of the attached and the gone side, whoever comes second lets the engine know.
  enum : int { kAttached = 1, kGone = 2 };

  std::shared_ptr<Stream> stream_;
  std::unique_ptr<Fault> fault_;  // why the stream is refused
  uint64_t handle_ = 0;
  uint32_t group_ = 0;
  std::atomic<int> sides_ = 0;
  // What becomes of the end after the final event: nothing of it yet, with the event, or later.
  enum class End : uint8_t { kOpen, kWithEvent, kLater } end_ = End::kOpen;
};

}  // namespace evenmatch
