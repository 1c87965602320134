// What every command of the client needs to speak to a server: a channel, a deadline.
//
// Threads: pure functions; a channel may be used by any.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "grpcpp/support/channel_arguments.h"
#include "grpcpp/support/status.h"

namespace evenmatch {

struct ConnectOptions {
  std::string address = "127.0.0.1:9050";
  // Files in PEM. TLS is on as soon as one is named; without `tls_ca` the system's authorities are trusted.
  std::string tls_ca, tls_cert, tls_key;
};

// A channel with a connection of its own, made when the first call needs it. Errors: INVALID_ARGUMENT when only one of
// certificate and key is named, NOT_FOUND when a file cannot be read.
absl::StatusOr<std::shared_ptr<grpc::Channel>> OpenChannel(const ConnectOptions& options,
                                                           grpc::ChannelArguments arguments = {});

// The name of a canonical code: "RESOURCE_EXHAUSTED".
std::string CodeName(int code);

// For calls that are answered at once.
inline void SetDeadline(grpc::ClientContext* context, std::chrono::milliseconds after = std::chrono::seconds(10)) {
  context->set_deadline(std::chrono::system_clock::now() + after);
}

}  // namespace evenmatch
