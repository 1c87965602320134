#include "rpc/watch_call.h"

#include <utility>

#include "rpc/convert.h"
#include "rpc/log.h"

namespace evenmatch {

void WatchCall::Handle() {
  core_.metrics.StreamOpened(StreamKind::kWatch);
  stream_ = std::make_shared<Stream>(static_cast<Stream::Writer*>(this), core_.limits.events_per_stream,
                                     /*items_per_write=*/1);
  v1::WatchTicketRequest request;
  Fault fault;
  if (!Read(&request, &fault)) return Refuse(std::move(fault));
  const uint64_t peer = core_.peers.Identify(context_);
  Parsed parsed = core_.parser.Parse(request, Origin{peer, nullptr});
  if (!parsed.status.ok()) return Refuse({parsed.status, parsed.field, "", ""});
  group_ = parsed.group;
  Hold();  // the reply
  const absl::Status taken = core_.engine.Submit(group_, Request{std::move(parsed.command), 0, this, stream_});
  if (taken.ok()) return;
  Refuse({taken, "", "", ""});
  Release();
}

void WatchCall::OnReply(uint64_t, Reply reply) {
  if (!reply.status.ok()) return Refuse(ToFault(reply, core_.catalog));
  handle_ = std::get<AttachReply>(reply.value).handle;
  if (sides_.fetch_or(kAttached) == kGone) Detach();
}

void WatchCall::Gone() {
  stream_->ClientGone();
  const StreamEnd reason = stream_->end_reason();
  core_.metrics.StreamEnded(StreamKind::kWatch, reason);
  WarnIfTooSlow(reason, "a watcher of a ticket");
  if (sides_.fetch_or(kGone) == kAttached) Detach();
}

void WatchCall::Detach() {
  // With its final event the engine let go of the stream by itself.
  if (stream_->end_reason() == StreamEnd::kDone) return;
  // Refused only when the engine has stopped, and then there is nobody to tell.
  (void)core_.engine.Submit(group_, Request{DetachCommand{handle_}, 0, nullptr, stream_});
}

void WatchCall::Refuse(Fault fault) {
  fault_ = std::make_unique<Fault>(std::move(fault));
  stream_->End(fault_->status, StreamEnd::kRefused);
}

void WatchCall::StartWrite(std::span<const Outgoing> items) {
  const Event& event = std::get<Event>(items.front());
  thread_local v1::WatchTicketResponse response;
  response.Clear();
  ToProto(event, response.mutable_event());
  if (event.kind == EventKind::kMatched && event.match != nullptr) {
    ToProto(*event.match, core_.catalog, Ratings::kHidden, response.mutable_event()->mutable_match());
  }
  if (!IsFinal(event.kind)) return Write(Encode(response));
  if (core_.farewells.InBurst(core_.clock.Now())) {
    end_ = End::kLater;
    Write(Encode(response));
  } else {
    end_ = End::kWithEvent;
    WriteLast(Encode(response));
  }
}

void WatchCall::StartFinish(const absl::Status& status) {
  switch (end_) {
    case End::kOpen:
      return Finish(fault_ != nullptr ? ToGrpcStatus(*fault_) : ToGrpcStatus(status));
    case End::kWithEvent:
      return;
    case End::kLater:
      Hold();
      return core_.farewells.Wait(this, core_.clock.Now());
  }
}

void WatchCall::Leave() {
  Finish(grpc::Status::OK);
  Release();
}

}  // namespace evenmatch
