// UnaryCall: one request, one answer.
//
// Shape:   listens; when a client calls, another one listens in its place, and Handle() sees to it that Finish() is
//          called once, at once or from another thread.
#pragma once

#include "grpcpp/server_context.h"
#include "grpcpp/support/async_unary_call.h"
#include "rpc/call.h"
#include "rpc/codec.h"
#include "rpc/tag.h"

namespace evenmatch {

class UnaryCall : public Call, private Tag {
 public:
  // Listens for calls of every short method on `queue`.
  static void ListenAll(Core* core, grpc::ServerCompletionQueue* queue);
  static void Begin(UnaryCall* call);

 protected:
  UnaryCall(Core* core, grpc::ServerCompletionQueue* queue) : Call(core), queue_(queue), writer_(&context_) {}

  // A new call object of the same method.
  virtual UnaryCall* Another() = 0;
  virtual void Listen() = 0;
  virtual void Handle() = 0;

  // Call of the last of them: the object may be gone afterwards.
  void Finish(const google::protobuf::Message& answer) { FinishEncoded(Encode(answer)); }
  void Finish(const Fault& fault);
  void FinishEncoded(const grpc::ByteBuffer& answer);

  bool Read(google::protobuf::Message* request, Fault* fault) {
    return Decode(&request_, core_.limits.message_bytes, request, fault);
  }

  Tag* tag() { return this; }

  grpc::ServerCompletionQueue* const queue_;
  grpc::ServerContext context_;
  grpc::ByteBuffer request_;
  grpc::ServerAsyncResponseWriter<grpc::ByteBuffer> writer_;

 private:
  void Done(bool ok) final;

  bool called_ = false;
};

}  // namespace evenmatch
