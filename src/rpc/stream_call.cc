#include "rpc/stream_call.h"

#include "rpc/latest_call.h"
#include "rpc/watch_call.h"

namespace evenmatch {
namespace {

constexpr int kOftenCalled = 16;
constexpr int kSeldomCalled = 2;

}  // namespace

void StreamCall::ListenAll(Core* core) {
  for (int i = 0; i < kOftenCalled; ++i) Begin(new WatchCall(core));
  for (int i = 0; i < kSeldomCalled; ++i) Begin(new HealthWatchCall(core));
  for (int i = 0; i < kSeldomCalled; ++i) Begin(new QueueStatsCall(core));
}

void StreamCall::Begin(StreamCall* call) {
  // Before the call is asked for, or it is too late.
  call->context_.AsyncNotifyWhenDone(&call->done_);
  call->Listen(&call->arrived_);
}

void StreamCall::OnArrived(bool ok) {
  // Nobody will call any more, and then the done tag does not come either.
  if (!ok) return Release();
  Hold();  // the done tag
  Begin(Another());
  Handle();
  Release();
}

void StreamCall::Write(const grpc::ByteBuffer& answer) {
  Hold();
  writer_.Write(answer, &written_);
}

void StreamCall::WriteLast(const grpc::ByteBuffer& answer) {
  Hold();
  writer_.WriteAndFinish(answer, grpc::WriteOptions(), grpc::Status::OK, &written_);
}

void StreamCall::Finish(const grpc::Status& status) {
  Hold();
  writer_.Finish(status, &finished_);
}

void StreamCall::OnWritten(bool ok) {
  Written(ok);
  Release();
}

void StreamCall::OnDone(bool) {
  Gone();
  Release();
}

}  // namespace evenmatch
