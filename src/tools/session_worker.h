// SessionWorker: one Session stream of a run and the tickets of one connection: every `step`th, from `first` on.
//
// Shape:   a writing thread (the caller of Play) and a reading one. The writer sends what is due in batches, the
//          acknowledgements that the reader asks for, and at the end the cancels; a stream that breaks is taken up
//          again under the same session id, and what had no answer yet is sent again.
// Threads: Play by one; `tally` after it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "evenmatch/v1/matchmaking_service.grpc.pb.h"
#include "tools/run.h"

namespace evenmatch {

class SessionWorker {
 public:
  SessionWorker(Run* run, std::shared_ptr<grpc::Channel> channel, uint32_t first, uint32_t step);

  // Returns when all tickets have ended or cannot be brought to an end.
  void Play();

  Tally tally;

 private:
  using Stream = grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionResponse>;
  enum class Kind : uint64_t { kEnqueue, kCancel, kAcknowledge };
  enum class Phase { kSending, kSettling, kCancelling, kClosing };
  struct Ack {
    uint32_t ticket;
    uint32_t sequence;
  };

  // Both return when the stream is over.
  bool Write(Stream* stream);
  void Read(Stream* stream);

  void OnResult(const v1::SessionResult& result, Micros now);
  void OnEvent(const v1::TicketEvent& event, Micros now);

  // Adds commands to the request, up to a batch.
  void AddCommands(Micros now, v1::SessionRequest* request);
  v1::SessionCommand* AddCommand(Kind kind, uint32_t ticket, v1::SessionRequest* request);
  // Moves on where the phase is over. `idle`: nothing was there to send.
  void NextPhase(Micros now);
  std::vector<uint32_t> Unfinished(Ledger::Fate fate) const;

  Run& run_;
  const std::unique_ptr<v1::MatchmakingService::Stub> stub_;
  const uint32_t first_, step_;
  const int64_t max_outstanding_;

  // The writer's.
  Phase phase_ = Phase::kSending;
  Micros phase_ends_at_ = kNever;
  uint32_t next_;
  std::vector<uint32_t> to_send_again_, to_cancel_;
  std::vector<uint32_t> leftovers_;  // of which the cancel must bring the end

  std::mutex acks_mutex_;
  std::vector<Ack> acks_;
  std::atomic<int64_t> outstanding_{0};
  std::atomic<bool> broken_{false};
  std::atomic<bool> attached_{false};
};

}  // namespace evenmatch
