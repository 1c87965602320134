// StreamCall: one request, many answers; listened for on the queue that has room for one more stream.
//
// Shape:   listens; when a client calls, another one listens in its place, and Handle() begins. At most one of Write,
//          WriteLast and Finish is under way. Gone() comes once, when the call is over, whoever ended it; nothing may
//          be started afterwards.
// Threads: arrival, write completions and Gone on the queue's thread; writes from any.
#pragma once

#include "grpcpp/server_context.h"
#include "grpcpp/support/async_stream.h"
#include "rpc/call.h"
#include "rpc/codec.h"
#include "rpc/tag.h"

namespace evenmatch {

class StreamCall : public Call {
 public:
  // Listens for calls of every method with a stream of answers.
  static void ListenAll(Core* core);
  static void Begin(StreamCall* call);

 protected:
  explicit StreamCall(Core* core) : Call(core), queue_(core->queues->Pick()), writer_(&context_) {}
  ~StreamCall() override { core_.queues->Leave(queue_); }

  virtual StreamCall* Another() = 0;
  virtual void Listen(Tag* arrived) = 0;
  virtual void Handle() = 0;
  virtual void Written(bool ok) = 0;
  virtual void Gone() = 0;

  bool Read(google::protobuf::Message* request, Fault* fault) {
    const bool ok = Decode(&request_, core_.limits.message_bytes, request, fault);
    request_.Clear();
    return ok;
  }

  void Write(const grpc::ByteBuffer& answer);
  // Ends the call with OK; comes back through Written.
  void WriteLast(const grpc::ByteBuffer& answer);
  void Finish(const grpc::Status& status);

  grpc::ServerCompletionQueue* queue() { return queue_->queue.get(); }

  grpc::ServerContext context_;
  grpc::ByteBuffer request_;

 private:
  void OnArrived(bool ok);
  void OnWritten(bool ok);
  void OnFinished(bool ok) { Release(); }
  void OnDone(bool ok);

  Queues::StreamQueue* const queue_;

 protected:
  grpc::ServerAsyncWriter<grpc::ByteBuffer> writer_;

 private:
  MemberTag<StreamCall, &StreamCall::OnArrived> arrived_{this};
  MemberTag<StreamCall, &StreamCall::OnWritten> written_{this};
  MemberTag<StreamCall, &StreamCall::OnFinished> finished_{this};
  MemberTag<StreamCall, &StreamCall::OnDone> done_{this};
};

}  // namespace evenmatch
