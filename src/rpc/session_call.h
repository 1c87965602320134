// SessionCall: Session, the volume path of game backends. A Stream decides what is written when; this is its
// connection, and the reader of its commands.
//
// Shape:   listed as nameless until its first message, which attaches the session to every pool group. The commands of
//          a message go to the engine grouped by pool group, in their order; what is refused at the door is answered
//          without disturbing the others. Reading pauses while too many commands are unanswered or too much is
//          unwritten, so a backend that is faster than we are is slowed down rather than refused. When the client
//          half-closes, what is under way is answered, then the call ends with OK.
// Threads: reads on the queue's thread; replies on the egress threads, those of one pool group on one.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "grpcpp/server_context.h"
#include "grpcpp/support/async_stream.h"
#include "rpc/call.h"
#include "rpc/codec.h"
#include "rpc/tag.h"
#include "rpc/wire.h"
#include "streams/stream.h"

namespace evenmatch {

class SessionCall final : public Call, private Stream::Writer {
 public:
  static void ListenAll(Core* core, grpc::ServerCompletionQueue* queue);

  // While it is listed in Core::nameless_sessions.
  void EndDrained() { Refuse({ServerStops(), "", "", ""}, StreamEnd::kDrained); }
  void EndIfSilent(Micros now, Micros limit);

 private:
  // One pool group: who hears its replies, and commands on their way to it.
  struct Group {
    class AttachSink final : public ReplySink {
     public:
      explicit AttachSink(SessionCall* call) : call_(call) {}
      void OnReply(uint64_t tag, Reply reply) override;
      void OnRepliesEnd() override;

     private:
      SessionCall* const call_;
    };
    class CommandSink final : public ReplySink {
     public:
      explicit CommandSink(SessionCall* call) : call_(call) {}
      void OnReply(uint64_t tag, Reply reply) override;
      void OnRepliesEnd() override;

     private:
      SessionCall* const call_;
      int run_ = 0;
    };

    explicit Group(SessionCall* call) : attach_sink(call), command_sink(call) {}

    AttachSink attach_sink;
    CommandSink command_sink;
    std::vector<Request> batch;
  };

  SessionCall(Core* core, grpc::ServerCompletionQueue* queue);
  void Listen();

  void OnArrived(bool ok);
  void OnRead(bool ok);
  void OnWritten(bool ok);
  void OnFinished(bool ok) { Release(); }
  void OnDone(bool ok);

  void TakeMessage();
  bool Attach(const std::string& session_id);
  void TakeCommands(const v1::SessionRequest& request);
  void SubmitBatch(uint32_t group);
  void RefuseCommand(uint64_t request, bool enqueue, Refusal reason, const absl::Status& status, std::string field);
  // Replies have come: somebody may wait for that.
  void Answered(int replies);
  // Reads on, unless too much is under way; then whoever makes it less calls this again.
  void ReadWhenReady();
  void FinishWhenAnswered();
  void Refuse(Fault fault, StreamEnd reason = StreamEnd::kRefused);

  void StartWrite(std::span<const Outgoing> items) override;
  void StartFinish(const absl::Status& status) override;
  void Break() override { context_.TryCancel(); }

  grpc::ServerCompletionQueue* const queue_;
  grpc::ServerContext context_;
  grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer> connection_;
  MemberTag<SessionCall, &SessionCall::OnArrived> arrived_{this};
  MemberTag<SessionCall, &SessionCall::OnRead> read_{this};
  MemberTag<SessionCall, &SessionCall::OnWritten> written_{this};
  MemberTag<SessionCall, &SessionCall::OnFinished> finished_{this};
  MemberTag<SessionCall, &SessionCall::OnDone> done_{this};

  std::shared_ptr<Stream> stream_;
  uint64_t peer_ = 0;
  Micros arrived_at_ = 0;
  bool gone_ = false;

  // From the first message on.
  std::shared_ptr<const std::string> session_id_;
  std::deque<Group> groups_;          // those asked to attach it
  std::atomic<size_t> attached_ = 0;  // of them

  // Of reading.
  grpc::ByteBuffer bytes_;
  std::atomic<bool> waiting_to_read_ = false;
  std::atomic<bool> half_closed_ = false;
  std::atomic<bool> refused_ = false;
  std::atomic<int64_t> unanswered_ = 0;  // requests the engine has

  bool first_written_ = false;  // by StartWrite

  std::mutex fault_mutex_;
  std::unique_ptr<Fault> fault_;  // why the stream is refused
};

}  // namespace evenmatch
