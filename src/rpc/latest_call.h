// LatestCall: a stream that repeats a state; a reader that is slow gets the latest one. Health.Watch and
// WatchQueueStats.
//
// Threads: Tell, End and EndIfStalled from any.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "grpcpp/alarm.h"
#include "rpc/stream_call.h"

namespace evenmatch {

class LatestCall : public StreamCall {
 public:
  // Once the server's health has changed.
  virtual void HealthChanged(const grpc::ByteBuffer& health) {}

  void End(const grpc::Status& status);
  // Breaks off when a write has been pending since before `now - limit`.
  void EndIfStalled(Micros now, Micros limit);

 protected:
  explicit LatestCall(Core* core) : StreamCall(core) {}

  // Listed in Core::latest_calls from here until it is gone.
  void Open() {
    if (!core_.latest_calls.Add(this)) End(ToGrpcStatus(ServerStops()));
  }
  void Tell(grpc::ByteBuffer state);
  void Gone() override;
  virtual void OnGone() {}

 private:
  void Written(bool ok) override;
  void WriteLocked(const grpc::ByteBuffer& state);

  std::mutex mutex_;
  bool ended_ = false;  // nothing is written any more
  bool writing_ = false;
  Micros write_started_ = 0;
  std::optional<grpc::ByteBuffer> next_;
  std::optional<grpc::Status> finish_;
};

class HealthWatchCall final : public LatestCall {
 public:
  explicit HealthWatchCall(Core* core) : LatestCall(core) {}
  void HealthChanged(const grpc::ByteBuffer& health) override;

 private:
  StreamCall* Another() override { return new HealthWatchCall(&core_); }
  void Listen(Tag* arrived) override {
    core_.services.health.RequestWatch(&context_, &request_, &writer_, queue(), queue(), arrived);
  }
  void Handle() override;

  bool known_ = false;
};

class QueueStatsCall final : public LatestCall, private ReplySink {
 public:
  explicit QueueStatsCall(Core* core) : LatestCall(core) {}

 private:
  StreamCall* Another() override { return new QueueStatsCall(&core_); }
  void Listen(Tag* arrived) override {
    core_.services.admin.RequestWatchQueueStats(&context_, &request_, &writer_, queue(), queue(), arrived);
  }
  void Handle() override;
  void OnGone() override;

  void Ask();
  void OnReply(uint64_t tag, Reply reply) override;
  void OnRepliesEnd() override;
  void OnAlarm(bool ok);

  GetQueueStatsCommand command_;
  uint32_t group_ = 0;
  Micros interval_ = 0;
  std::mutex alarm_mutex_;
  bool gone_ = false;
  grpc::Alarm alarm_;
  MemberTag<QueueStatsCall, &QueueStatsCall::OnAlarm> alarm_tag_{this};
};

}  // namespace evenmatch
