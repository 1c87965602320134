#include "rpc/codec.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "grpcpp/support/slice.h"
#include "rpc/wire.h"

namespace evenmatch {

bool Decode(grpc::ByteBuffer* bytes, size_t max_bytes, google::protobuf::Message* message, Fault* fault) {
  if (bytes->Length() > max_bytes) {
    fault->status =
        absl::InvalidArgumentError(absl::StrCat("a message of ", bytes->Length(), " bytes; at most ", max_bytes));
    return false;
  }
  {
    grpc::ProtoBufferReader reader(bytes);
    if (reader.status().ok() && message->ParseFromZeroCopyStream(&reader)) return true;
  }
  const std::optional<std::string> path = FindBadText(ToString(*bytes), *message->GetDescriptor());
  fault->field = path.value_or("");
  fault->status = absl::InvalidArgumentError(path.has_value() ? absl::StrCat(*path, ": not UTF-8")
                                                              : "the bytes are not a message of this kind");
  return false;
}

grpc::ByteBuffer Encode(const google::protobuf::Message& message) {
  const size_t size = message.ByteSizeLong();
  grpc::Slice slice(size);
  message.SerializeWithCachedSizesToArray(const_cast<uint8_t*>(slice.begin()));
  return grpc::ByteBuffer(&slice, 1);
}

std::string ToString(const grpc::ByteBuffer& bytes) {
  std::string text;
  std::vector<grpc::Slice> slices;
  if (!bytes.Dump(&slices).ok()) return text;
  for (const grpc::Slice& slice : slices) text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return text;
}

}  // namespace evenmatch
