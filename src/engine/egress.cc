#include "engine/egress.h"

#include <utility>

namespace evenmatch {
namespace {

constexpr Micros kSweepInterval = 1 * kSecond;
// After so many events the streams told so far start their writes, so that the first ones need not wait for the last.
constexpr size_t kEventsPerFlush = 1024;

Refusal RefusalOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return Refusal::kInvalid;
    case absl::StatusCode::kAlreadyExists:
      return Refusal::kExists;
    case absl::StatusCode::kFailedPrecondition:
      return Refusal::kInMatch;
    case absl::StatusCode::kResourceExhausted:
      return Refusal::kLimit;
    default:
      return Refusal::kUnavailable;
  }
}

// Tells a sink when a run of replies to it is over.
class SinkRun {
 public:
  ~SinkRun() { To(nullptr); }
  void To(ReplySink* sink) {
    if (sink == sink_) return;
    if (sink_ != nullptr) sink_->OnRepliesEnd();
    sink_ = sink;
  }

 private:
  ReplySink* sink_ = nullptr;
};

}  // namespace

Egress::Egress(Metrics* metrics, Micros write_stall) : metrics_(metrics), write_stall_(write_stall), tally_(metrics) {}

void Egress::Hand(GroupOutput* group, std::unique_ptr<Batch> batch) {
  group->untold.fetch_add(batch->size(), std::memory_order_relaxed);
  inbox_.Push({group, std::move(batch)}, 1);
}

bool Egress::Step(Micros now) {
  inbox_.Take(&handed_);
  const bool any = !handed_.empty();
  for (Handed& handed : handed_) {
    GroupOutput& group = *handed.group;
    const size_t size = handed.batch->size();
    if (handed.batch->refused.ok()) {
      GiveOut(group, *handed.batch, now);
    } else {
      Refuse(group, *handed.batch);
    }
    group.pool.Put(std::move(handed.batch));
    // Sequentially consistent with the shard, which sets shard_waits and then looks at untold once more.
    group.untold.fetch_sub(size);
    if (group.shard_waits.load() && group.shard_waits.exchange(false)) group.shard_waker->Wake();
  }
  inbox_.Release(handed_.size());
  handed_.clear();
  if (any) tally_.Publish();
  if (now >= next_sweep_) {
    next_sweep_ = now + kSweepInterval;
    for (GroupOutput* group : groups_) group->hub.EndStalled(now, write_stall_);
  }
  return any;
}

Micros Egress::SleepLimit(Micros now) const { return next_sweep_ - now; }

void Egress::GiveOut(GroupOutput& group, Batch& batch, Micros now) {
  SinkRun run;
  size_t told = 0;
  for (PendingReply& pending : batch.replies) {
    TellEvents(group, batch, told, pending.events_before, now);
    told = pending.events_before;
    run.To(pending.sink);
    PassReply(group, pending);
  }
  run.To(nullptr);
  TellEvents(group, batch, told, batch.events.size(), now);
  group.hub.FlushTouched(now);
  if (batch.last) {
    group.hub.FinishAll(absl::UnavailableError("the server stops"), StreamEnd::kDrained, now);
  }
}

void Egress::TellEvents(GroupOutput& group, const Batch& batch, size_t from, size_t to, Micros now) {
  for (size_t i = from; i < to; ++i) {
    const Event& event = batch.events[i];
    tally_.Count(event);
    if (IsTold(event.kind)) group.hub.Tell(event);
    if (i % kEventsPerFlush == kEventsPerFlush - 1) group.hub.FlushTouched(now);
  }
}

void Egress::PassReply(GroupOutput& group, PendingReply& pending) {
  Reply& reply = pending.reply;
  switch (pending.kind) {
    case ReplyKind::kOther:
      break;
    case ReplyKind::kEnqueue:
      if (!reply.status.ok()) tally_.CountRefusal(RefusalOf(reply.status));
      break;
    case ReplyKind::kAttach:
    case ReplyKind::kResume:
      if (AttachReply* attach = std::get_if<AttachReply>(&reply.value)) {
        if (pending.kind == ReplyKind::kResume) metrics_->CountResume(StreamKind::kWatch);
        group.hub.Watch(attach->handle, std::move(pending.stream), std::exchange(attach->events, {}), attach->final);
      }
      break;
    case ReplyKind::kDetach:
      group.hub.Unwatch(pending.handle, pending.stream.get());
      break;
    case ReplyKind::kAttachSession:
      if (AttachSessionReply* attach = std::get_if<AttachSessionReply>(&reply.value)) {
        if (!attach->snapshots.empty()) metrics_->CountResume(StreamKind::kSession);
        group.hub.OpenSession(pending.session_id, std::move(pending.stream), std::exchange(attach->snapshots, {}));
      }
      break;
    case ReplyKind::kDetachSession:
      group.hub.CloseSession(pending.session_id, pending.stream.get());
      break;
  }
  if (pending.sink != nullptr) pending.sink->OnReply(pending.tag, std::move(reply));
}

void Egress::Refuse(GroupOutput& group, Batch& batch) {
  SinkRun run;
  for (PendingReply& pending : batch.replies) {
    if (pending.kind == ReplyKind::kEnqueue) tally_.CountRefusal(Refusal::kUnavailable);
    run.To(pending.sink);
    if (pending.sink == nullptr) continue;
    Reply reply;
    reply.status = absl::Status(batch.refused.code(), batch.refused.message());  // each its own, see Stream
    pending.sink->OnReply(pending.tag, std::move(reply));
  }
  run.To(nullptr);
  if (batch.last) group.hub.EndAll(batch.refused, StreamEnd::kUnavailable);
}

}  // namespace evenmatch
