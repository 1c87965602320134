// What every subject of rpc_benchmark needs to speak to its server.
//
// Errors:  CHECK.
// Threads: pure functions; a SessionClient may be written and read by two.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "evenmatch/v1/matchmaking_service.grpc.pb.h"
#include "grpcpp/grpcpp.h"
#include "tests/benchmark/server_process.h"

namespace evenmatch {

using SteadyTime = std::chrono::steady_clock::time_point;

inline double SecondsSince(SteadyTime start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A connection of its own.
std::shared_ptr<grpc::Channel> Connect(const std::string& address);
grpc::ByteBuffer ToBuffer(const google::protobuf::Message& message);

// A single player, both named by a number; what was in the message is overwritten.
void FillTicket(const std::string& queue, uint64_t number, double rating, v1::Ticket* ticket);
uint64_t NumberOf(const std::string& ticket_id);

// One Session stream.
class SessionClient {
 public:
  SessionClient(const ServerProcess& server, std::string session_id);

  void Send(const v1::SessionRequest& request);
  bool Read(v1::SessionResponse* response) { return stream_->Read(response); }
  void Close() { stream_->WritesDone(); }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<v1::MatchmakingService::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionResponse>> stream_;
};

}  // namespace evenmatch
