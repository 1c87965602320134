#include "rpc/session_call.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "google/protobuf/arena.h"
#include "rpc/convert.h"
#include "rpc/log.h"

namespace evenmatch {
namespace {

constexpr int kListening = 4;
constexpr size_t kItemsPerWrite = 512;
// Reading pauses above these. A busy backend has some thousands of commands under way; several of them behind one
// address must fit into what one peer may have. Unwritten events come in ticks, tens of thousands at once.
constexpr int64_t kMaxUnanswered = 16'384;
constexpr size_t kMaxUnwritten = 65'536;

// Messages of a session have many small parts: they live in one piece of memory, for the time of one read or write.
google::protobuf::ArenaOptions Blocks() {
  google::protobuf::ArenaOptions options;
  options.start_block_size = 16 << 10;
  options.max_block_size = 64 << 10;
  return options;
}

class ResponseBuilder {
 public:
  ResponseBuilder(const Catalog& catalog, v1::SessionResponse* response) : catalog_(catalog), response_(*response) {}

  void Add(const Answer& answer) {
    const Reply& reply = answer.reply;
    if (std::holds_alternative<AttachSessionReply>(reply.value)) return response_.set_caught_up(true);
    v1::SessionResult& result = *response_.add_results();
    result.set_request(answer.request);
    if (!reply.status.ok()) {
      ToProto(ToFault(reply, catalog_), result.mutable_error());
    } else if (const auto* enqueue = std::get_if<EnqueueReply>(&reply.value)) {
      ToProto(*enqueue, result.mutable_enqueue());
    } else if (const auto* cancel = std::get_if<CancelReply>(&reply.value)) {
      ToProto(*cancel, catalog_, Ratings::kShown, result.mutable_cancel());
    } else {
      result.mutable_acknowledge();
    }
  }

  void Add(const Event& event) {
    v1::TicketEvent& out = *response_.add_events();
    ToProto(event, &out);
    if (event.kind != EventKind::kMatched || event.match == nullptr) return;
    out.mutable_match()->set_match_id(ToMatchId(event.match->id, catalog_));
    if (matches_.insert(event.match.get()).second) {
      ToProto(*event.match, catalog_, Ratings::kShown, response_.add_matches());
    }
  }

 private:
  const Catalog& catalog_;
  v1::SessionResponse& response_;
  absl::flat_hash_set<const Match*> matches_;  // in the response
};

}  // namespace

SessionCall::SessionCall(Core* core, grpc::ServerCompletionQueue* queue)
    : Call(core), queue_(queue), connection_(&context_) {}

void SessionCall::ListenAll(Core* core, grpc::ServerCompletionQueue* queue) {
  for (int i = 0; i < kListening; ++i) (new SessionCall(core, queue))->Listen();
}

void SessionCall::Listen() {
  // Before the call is asked for, or it is too late.
  context_.AsyncNotifyWhenDone(&done_);
  core_.services.matchmaking.RequestSession(&context_, &connection_, queue_, queue_, &arrived_);
}

void SessionCall::OnArrived(bool ok) {
  // Nobody will call any more, and then the done tag does not come either.
  if (!ok) return Release();
  (new SessionCall(&core_, queue_))->Listen();
  stream_ =
      std::make_shared<Stream>(static_cast<Stream::Writer*>(this), core_.limits.events_per_session, kItemsPerWrite);
  peer_ = core_.peers.Identify(context_);
  arrived_at_ = core_.clock.Now();
  core_.metrics.StreamOpened(StreamKind::kSession);
  Hold(2);  // the done tag and the read
  connection_.Read(&bytes_, &read_);
  if (!core_.nameless_sessions.Add(this)) EndDrained();
  Release();
}

void SessionCall::OnRead(bool ok) {
  if (ok && !gone_) {
    TakeMessage();
    waiting_to_read_ = true;
    ReadWhenReady();
  } else if (!ok) {
    if (session_id_ == nullptr) {
      Refuse({absl::InvalidArgumentError("session_id: must not be empty"), "session_id", "", ""});
    }
    half_closed_ = true;
    FinishWhenAnswered();
  }
  Release();
}

void SessionCall::EndIfSilent(Micros now, Micros limit) {
  if (now - arrived_at_ <= limit) return;
  Refuse({absl::DeadlineExceededError("no first message with a session_id came in time"), "", "", ""});
}

void SessionCall::ReadWhenReady() {
  if (refused_ || stream_->ended() || unanswered_ > kMaxUnanswered || stream_->buffered() > kMaxUnwritten) return;
  if (!waiting_to_read_.exchange(false)) return;
  Hold();
  connection_.Read(&bytes_, &read_);
}

void SessionCall::FinishWhenAnswered() {
  if (!half_closed_ || unanswered_ != 0) return;
  stream_->FinishWhenWritten(absl::OkStatus(), StreamEnd::kDone);
  stream_->Flush(core_.clock.Now());
}

void SessionCall::TakeMessage() {
  google::protobuf::Arena arena(Blocks());
  auto& request = *google::protobuf::Arena::CreateMessage<v1::SessionRequest>(&arena);
  std::vector<BadCommand> bad;
  Fault fault;
  if (!Decode(&bytes_, core_.limits.message_bytes, &request, &fault)) {
    // One bad text makes the library refuse the whole message.
    if (bytes_.Length() > core_.limits.message_bytes || !SalvageSession(ToString(bytes_), &request, &bad)) {
      return Refuse(std::move(fault));
    }
  }
  bytes_.Clear();
  if (session_id_ == nullptr) {
    // Somebody may have ended it meanwhile.
    if (!core_.nameless_sessions.Remove(this) || refused_ || !Attach(request.session_id())) return;
  } else if (!request.session_id().empty() && request.session_id() != *session_id_) {
    return Refuse(
        {absl::InvalidArgumentError("session_id: the session has begun under another"), "session_id", "", ""});
  }
  for (BadCommand& command : bad) {
    const char* what = command.field.empty() ? "the bytes are not a command" : ": not UTF-8";
    RefuseCommand(command.request, true, Refusal::kInvalid,
                  absl::InvalidArgumentError(absl::StrCat(command.field, what)), command.field);
  }
  TakeCommands(request);
  // Until then the answers wait for the attach, and go with it.
  if (attached_ != 0) stream_->Flush(core_.clock.Now());
}

bool SessionCall::Attach(const std::string& session_id) {
  const Parsed parsed = core_.parser.ParseSessionId(session_id);
  if (!parsed.status.ok()) {
    Refuse({parsed.status, parsed.field, "", ""});
    return false;
  }
  session_id_ = std::make_shared<const std::string>(session_id);
  for (uint32_t group = 0; group < core_.catalog.groups.size(); ++group) {
    Group& to = groups_.emplace_back(this);
    Hold();
    ++unanswered_;
    const absl::Status taken =
        core_.engine.Submit(group, Request{AttachSessionCommand{session_id}, 0, &to.attach_sink, stream_});
    if (taken.ok()) continue;
    groups_.pop_back();
    Refuse({taken, "", "", ""});
    Answered(1);
    return false;
  }
  return true;
}

void SessionCall::TakeCommands(const v1::SessionRequest& request) {
  size_t room = core_.peers.Enter(peer_, static_cast<size_t>(request.commands_size()));
  const absl::Status no_room = absl::ResourceExhaustedError("too many commands of this client are under way");
  const Origin origin{peer_, session_id_};
  for (const v1::SessionCommand& command : request.commands()) {
    if (room == 0) {
      RefuseCommand(command.request(), command.has_enqueue(), Refusal::kPeerCap, no_room, "");
      continue;
    }
    Parsed parsed = core_.parser.Parse(command, origin);
    if (parsed.status.ok()) {
      --room;
      Group& to = groups_[parsed.group];
      to.batch.push_back(Request{std::move(parsed.command), command.request(), &to.command_sink, nullptr});
    } else {
      RefuseCommand(command.request(), command.has_enqueue(), Refusal::kInvalid, parsed.status, parsed.field);
    }
  }
  core_.peers.Leave(peer_, room);
  for (uint32_t group = 0; group < groups_.size(); ++group) SubmitBatch(group);
}

void SessionCall::SubmitBatch(uint32_t group) {
  std::vector<Request>& batch = groups_[group].batch;
  if (batch.empty()) return;
  const int count = static_cast<int>(batch.size());
  Hold(count);
  unanswered_ += count;
  const absl::Status taken = core_.engine.Submit(group, &batch);
  if (taken.ok()) return;
  const Refusal reason = absl::IsResourceExhausted(taken) ? Refusal::kBusy : Refusal::kUnavailable;
  for (const Request& request : batch) {
    RefuseCommand(request.tag, std::holds_alternative<EnqueueCommand>(request.command), reason, taken, "");
  }
  batch.clear();
  core_.peers.Leave(peer_, static_cast<size_t>(count));
  Answered(count);
}

void SessionCall::RefuseCommand(uint64_t request, bool enqueue, Refusal reason, const absl::Status& status,
                                std::string field) {
  if (enqueue) core_.metrics.CountRefusal(reason);
  Answer answer;
  answer.request = request;
  answer.reply.status = status;
  answer.reply.field = std::move(field);
  stream_->AddAnswer(std::move(answer));
}

void SessionCall::Answered(int replies) {
  unanswered_ -= replies;
  FinishWhenAnswered();
  ReadWhenReady();
  Release(replies);
}

void SessionCall::Group::AttachSink::OnReply(uint64_t tag, Reply reply) {
  // Without one of the groups it would miss events.
  if (!reply.status.ok()) return call_->Refuse(ToFault(reply, call_->core_.catalog));
  // What a group has of the session stands in the line by now. The last one marks that, and so the client hears of its
  // session even when there is nothing to tell.
  if (++call_->attached_ == call_->core_.catalog.groups.size()) {
    call_->stream_->AddAnswer(Answer{tag, std::move(reply)});
  }
}

void SessionCall::Group::AttachSink::OnRepliesEnd() {
  call_->stream_->Flush(call_->core_.clock.Now());
  call_->Answered(1);
}

void SessionCall::Group::CommandSink::OnReply(uint64_t tag, Reply reply) {
  ++run_;
  call_->stream_->AddAnswer(Answer{tag, std::move(reply)});
}

void SessionCall::Group::CommandSink::OnRepliesEnd() {
  const int run = std::exchange(run_, 0);
  call_->core_.peers.Leave(call_->peer_, static_cast<size_t>(run));
  call_->stream_->Flush(call_->core_.clock.Now());
  call_->Answered(run);
}

void SessionCall::OnWritten(bool ok) {
  stream_->Written(ok, core_.clock.Now());
  ReadWhenReady();
  Release();
}

void SessionCall::OnDone(bool) {
  gone_ = true;
  core_.nameless_sessions.Remove(this);
  stream_->ClientGone();
  StreamEnd reason = stream_->end_reason();
  // Reading says the same of a client that goes away and of one that half-closes.
  const bool half_closed = reason == StreamEnd::kDone || reason == StreamEnd::kRefused;
  if (half_closed && context_.IsCancelled()) reason = StreamEnd::kClient;
  core_.metrics.StreamEnded(StreamKind::kSession, reason);
  if (session_id_ != nullptr) WarnIfTooSlow(reason, absl::StrCat("session ", Quote(*session_id_)));
  for (uint32_t group = 0; group < groups_.size(); ++group) {
    // Refused only when the engine has stopped, and then there is nobody to tell.
    (void)core_.engine.Submit(group, Request{DetachSessionCommand{*session_id_}, 0, nullptr, stream_});
  }
  Release();
}

void SessionCall::Refuse(Fault fault, StreamEnd reason) {
  const absl::Status status = fault.status;
  refused_ = true;
  {
    std::lock_guard lock(fault_mutex_);
    if (fault_ == nullptr) fault_ = std::make_unique<Fault>(std::move(fault));
  }
  // Ending at once would break off a write that is pending, and the client would not hear why.
  stream_->FinishWhenWritten(status, reason);
  stream_->Flush(core_.clock.Now());
}

void SessionCall::StartWrite(std::span<const Outgoing> items) {
  google::protobuf::Arena arena(Blocks());
  auto& response = *google::protobuf::Arena::CreateMessage<v1::SessionResponse>(&arena);
  if (!std::exchange(first_written_, true)) response.set_session_id(*session_id_);
  ResponseBuilder builder(core_.catalog, &response);
  for (const Outgoing& item : items) {
    std::visit([&](const auto& known) { builder.Add(known); }, item);
  }
  Hold();
  connection_.Write(Encode(response), &written_);
}

void SessionCall::StartFinish(const absl::Status& status) {
  Hold();
  std::lock_guard lock(fault_mutex_);
  connection_.Finish(fault_ != nullptr ? ToGrpcStatus(*fault_) : ToGrpcStatus(status), &finished_);
}

}  // namespace evenmatch
