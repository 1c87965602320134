#include "tests/benchmark/rpc_client.h"

#include <cstdlib>
#include <utility>

#include "base/check.h"

namespace evenmatch {

std::shared_ptr<grpc::Channel> Connect(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt("grpc.minimal_stack", 1);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

grpc::ByteBuffer ToBuffer(const google::protobuf::Message& message) {
  grpc::Slice slice(message.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

void FillTicket(const std::string& queue, uint64_t number, double rating, v1::Ticket* ticket) {
  const std::string name = std::to_string(number);
  ticket->set_ticket_id("ticket-" + name);
  if (ticket->queues().empty()) ticket->add_queues();
  ticket->mutable_queues(0)->set_queue(queue);
  if (ticket->players().empty()) ticket->add_players();
  ticket->mutable_players(0)->set_player_id("player-" + name);
  ticket->mutable_players(0)->set_rating(rating);
}

uint64_t NumberOf(const std::string& ticket_id) { return std::strtoull(ticket_id.c_str() + 7, nullptr, 10); }

SessionClient::SessionClient(const ServerProcess& server, std::string session_id)
    : stub_(v1::MatchmakingService::NewStub(Connect(server.address))), stream_(stub_->Session(&context_)) {
  v1::SessionRequest first;
  first.set_session_id(std::move(session_id));
  CHECK(stream_->Write(first));
}

void SessionClient::Send(const v1::SessionRequest& request) { CHECK(stream_->Write(request)); }

}  // namespace evenmatch
