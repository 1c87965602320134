// Messages to and from the bytes of a call. Calls are served raw, so that a request that cannot be read is answered
// with INVALID_ARGUMENT and the name of the field; the generated code would answer INTERNAL.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "google/protobuf/message.h"
#include "grpcpp/support/byte_buffer.h"
#include "rpc/status.h"

namespace evenmatch {

// False: `fault` says why.
bool Decode(grpc::ByteBuffer* bytes, size_t max_bytes, google::protobuf::Message* message, Fault* fault);

// One slice of exactly the message's size.
grpc::ByteBuffer Encode(const google::protobuf::Message& message);

// For what comes after Decode said no.
std::string ToString(const grpc::ByteBuffer& bytes);

}  // namespace evenmatch
