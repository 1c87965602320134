// UnaryWorker: all tickets of a run by single calls: Enqueue, WatchTicket until its end, Acknowledge, spread over the
// connections; at the end Cancel.
//
// Shape:   one thread, one completion queue. Calls without an answer are bounded by `outstanding`; streams that watch
//          are not counted, a waiting ticket has one.
// Threads: Play by one; `tally` after it.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "evenmatch/v1/matchmaking_service.grpc.pb.h"
#include "grpcpp/completion_queue.h"
#include "tools/run.h"

namespace evenmatch {

class UnaryWorker {
 public:
  UnaryWorker(Run* run, const std::vector<std::shared_ptr<grpc::Channel>>& channels);
  ~UnaryWorker();

  void Play();

  Tally tally;

 private:
  // Something that waits in the completion queue; deletes itself when it is over.
  class Tag;
  template <typename Response>
  class Call;
  class Watch;

  v1::MatchmakingService::Stub& StubOf(uint32_t ticket) { return *stubs_[ticket % stubs_.size()]; }
  void Enqueue(uint32_t ticket);
  void Acknowledge(uint32_t ticket, uint32_t sequence);
  void Cancel(uint32_t ticket);
  void OnCancelled(uint32_t ticket, const grpc::Status& status, const v1::CancelResponse& response);
  // Handles what comes until `until`, or one thing.
  void Wait(Micros until);

  Run& run_;
  std::vector<std::unique_ptr<v1::MatchmakingService::Stub>> stubs_;
  grpc::CompletionQueue queue_;
  int outstanding_ = 0;
  std::set<Watch*> open_watches_;
  bool giving_up_ = false;
};

}  // namespace evenmatch
