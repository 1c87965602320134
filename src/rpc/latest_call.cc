#include "rpc/latest_call.h"

#include <chrono>
#include <utility>

#include "rpc/convert.h"
#include "rpc/health.h"

namespace evenmatch {

void LatestCall::Tell(grpc::ByteBuffer state) {
  std::lock_guard lock(mutex_);
  if (ended_ || finish_.has_value()) return;
  if (writing_) {
    next_ = std::move(state);
  } else {
    WriteLocked(state);
  }
}

void LatestCall::End(const grpc::Status& status) {
  std::lock_guard lock(mutex_);
  if (ended_ || finish_.has_value()) return;
  finish_ = status;
  if (writing_) return;
  ended_ = true;
  Finish(status);
}

void LatestCall::EndIfStalled(Micros now, Micros limit) {
  std::lock_guard lock(mutex_);
  if (ended_ || !writing_ || now - write_started_ <= limit) return;
  ended_ = true;
  context_.TryCancel();
}

void LatestCall::WriteLocked(const grpc::ByteBuffer& state) {
  writing_ = true;
  write_started_ = core_.clock.Now();
  Write(state);
}

void LatestCall::Written(bool ok) {
  std::lock_guard lock(mutex_);
  writing_ = false;
  if (ended_ || !ok) return;
  if (next_.has_value()) {
    WriteLocked(*std::exchange(next_, std::nullopt));
  } else if (finish_.has_value()) {
    ended_ = true;
    Finish(*finish_);
  }
}

void LatestCall::Gone() {
  core_.latest_calls.Remove(this);
  {
    std::lock_guard lock(mutex_);
    ended_ = true;
  }
  OnGone();
}

void HealthWatchCall::Handle() {
  grpc::health::v1::HealthCheckRequest request;
  Fault fault;
  if (!Read(&request, &fault)) return End(ToGrpcStatus(fault));
  known_ = IsServiceName(request.service());
  // Listed before it is told, so that no change falls between.
  Open();
  grpc::health::v1::HealthCheckResponse response = HealthOf(core_);
  if (!known_) response.set_status(grpc::health::v1::HealthCheckResponse::SERVICE_UNKNOWN);
  Tell(Encode(response));
}

void HealthWatchCall::HealthChanged(const grpc::ByteBuffer& health) {
  if (known_) Tell(health);
}

void QueueStatsCall::Handle() {
  v1::WatchQueueStatsRequest request;
  Fault fault;
  if (!Read(&request, &fault)) return End(ToGrpcStatus(fault));
  const Parsed parsed = core_.parser.Parse(request, &interval_);
  if (!parsed.status.ok()) return End(ToGrpcStatus({parsed.status, parsed.field, "", ""}));
  command_ = std::get<GetQueueStatsCommand>(parsed.command);
  group_ = parsed.group;
  Open();
  Ask();
}

void QueueStatsCall::Ask() {
  Hold();  // the reply
  const absl::Status taken = core_.engine.Submit(group_, Request{command_, 0, this, nullptr});
  if (taken.ok()) return;
  End(ToGrpcStatus(taken));
  Release();
}

void QueueStatsCall::OnReply(uint64_t, Reply reply) {
  if (!reply.status.ok()) return End(ToGrpcStatus(ToFault(reply, core_.catalog)));
  v1::WatchQueueStatsResponse response;
  ToProto(std::get<QueueStats>(reply.value), core_.catalog, response.mutable_stats());
  Tell(Encode(response));
}

void QueueStatsCall::OnRepliesEnd() {
  {
    std::lock_guard lock(alarm_mutex_);
    if (!gone_) {
      Hold();
      alarm_.Set(queue(), std::chrono::system_clock::now() + std::chrono::microseconds(interval_), &alarm_tag_);
    }
  }
  Release();
}

void QueueStatsCall::OnAlarm(bool ok) {
  if (ok) Ask();
  Release();
}

void QueueStatsCall::OnGone() {
  std::lock_guard lock(alarm_mutex_);
  gone_ = true;
  alarm_.Cancel();
}

}  // namespace evenmatch
