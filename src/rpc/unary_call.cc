#include "rpc/unary_call.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "rpc/convert.h"
#include "rpc/health.h"

namespace evenmatch {
namespace {

// Calls listened for at a time. More of them make no call faster, and each is one more operation under way.
constexpr int kOftenCalled = 16;
constexpr int kSeldomCalled = 2;

// The methods that are one command each: how to listen for them and how a good reply looks.
struct EnqueueMethod {
  using Request = v1::EnqueueRequest;
  using Response = v1::EnqueueResponse;
  template <typename... Args>
  static void Listen(Services& services, Args... args) {
    services.matchmaking.RequestEnqueue(args...);
  }
  static void Fill(const Reply& reply, Core&, Response* response) {
    ToProto(std::get<EnqueueReply>(reply.value), response);
  }
};

struct CancelMethod {
  using Request = v1::CancelRequest;
  using Response = v1::CancelResponse;
  template <typename... Args>
  static void Listen(Services& services, Args... args) {
    services.matchmaking.RequestCancel(args...);
  }
  static void Fill(const Reply& reply, Core& core, Response* response) {
    ToProto(std::get<CancelReply>(reply.value), core.catalog, Ratings::kHidden, response);
  }
};

struct GetTicketMethod {
  using Request = v1::GetTicketRequest;
  using Response = v1::GetTicketResponse;
  template <typename... Args>
  static void Listen(Services& services, Args... args) {
    services.matchmaking.RequestGetTicket(args...);
  }
  static void Fill(const Reply& reply, Core& core, Response* response) {
    ToProto(std::get<TicketView>(reply.value), core.catalog, core.clock.Now(), response->mutable_ticket());
  }
};

struct ExplainTicketMethod {
  using Request = v1::ExplainTicketRequest;
  using Response = v1::ExplainTicketResponse;
  template <typename... Args>
  static void Listen(Services& services, Args... args) {
    services.matchmaking.RequestExplainTicket(args...);
  }
  static void Fill(const Reply& reply, Core& core, Response* response) {
    ToProto(std::get<ExplainReply>(reply.value), core.catalog, core.clock.Now(), response);
  }
};

struct AcknowledgeMethod {
  using Request = v1::AcknowledgeRequest;
  using Response = v1::AcknowledgeResponse;
  template <typename... Args>
  static void Listen(Services& services, Args... args) {
    services.matchmaking.RequestAcknowledge(args...);
  }
  static void Fill(const Reply&, Core&, Response*) {}
};

struct GetMatchMethod {
  using Request = v1::GetMatchRequest;
  using Response = v1::GetMatchResponse;
  template <typename... Args>
  static void Listen(Services& services, Args... args) {
    services.match.RequestGetMatch(args...);
  }
  static void Fill(const Reply& reply, Core& core, Response* response) {
    ToProto(std::get<MatchView>(reply.value), core.catalog, response);
  }
};

struct EndMatchMethod {
  using Request = v1::EndMatchRequest;
  using Response = v1::EndMatchResponse;
  template <typename... Args>
  static void Listen(Services& services, Args... args) {
    services.match.RequestEndMatch(args...);
  }
  static void Fill(const Reply& reply, Core&, Response* response) {
    const MatchView& view = std::get<MatchView>(reply.value);
    response->set_state(ToProto(view.state));
    response->set_end_reason(ToProto(view.end));
  }
};

struct GetQueueStatsMethod {
  using Request = v1::GetQueueStatsRequest;
  using Response = v1::GetQueueStatsResponse;
  template <typename... Args>
  static void Listen(Services& services, Args... args) {
    services.admin.RequestGetQueueStats(args...);
  }
  static void Fill(const Reply& reply, Core& core, Response* response) {
    ToProto(std::get<QueueStats>(reply.value), core.catalog, response->mutable_stats());
  }
};

struct PauseQueueMethod {
  using Request = v1::PauseQueueRequest;
  using Response = v1::PauseQueueResponse;
  template <typename... Args>
  static void Listen(Services& services, Args... args) {
    services.admin.RequestPauseQueue(args...);
  }
  static void Fill(const Reply&, Core&, Response*) {}
};

struct ResumeQueueMethod {
  using Request = v1::ResumeQueueRequest;
  using Response = v1::ResumeQueueResponse;
  template <typename... Args>
  static void Listen(Services& services, Args... args) {
    services.admin.RequestResumeQueue(args...);
  }
  static void Fill(const Reply&, Core&, Response*) {}
};

// Parse, ask the engine, answer.
template <typename Method>
class EngineCall final : public UnaryCall, private ReplySink {
 public:
  EngineCall(Core* core, grpc::ServerCompletionQueue* queue) : UnaryCall(core, queue) {}

 private:
  static constexpr bool kEnqueue = std::is_same_v<Method, EnqueueMethod>;

  UnaryCall* Another() override { return new EngineCall(&core_, queue_); }
  void Listen() override { Method::Listen(core_.services, &context_, &request_, &writer_, queue_, queue_, tag()); }

  void Handle() override {
    peer_ = core_.peers.Identify(context_);
    typename Method::Request request;
    Fault fault;
    if (!Read(&request, &fault)) return Refuse(fault, Refusal::kInvalid);
    Parsed parsed = core_.parser.Parse(request, Origin{peer_, nullptr});
    if (!parsed.status.ok()) return Refuse({parsed.status, parsed.field, "", ""}, Refusal::kInvalid);
    if (!core_.peers.Enter(peer_, 1)) {
      return Refuse({absl::ResourceExhaustedError("too many commands of this client are under way"), "", "", ""},
                    Refusal::kPeerCap);
    }
    const absl::Status taken = core_.engine.Submit(parsed.group, Request{std::move(parsed.command), 0, this, nullptr});
    if (taken.ok()) return;  // and this object may be gone
    core_.peers.Leave(peer_, 1);
    Refuse({taken, "", "", ""}, absl::IsResourceExhausted(taken) ? Refusal::kBusy : Refusal::kUnavailable);
  }

  void Refuse(const Fault& fault, Refusal reason) {
    if (kEnqueue) core_.metrics.CountRefusal(reason);
    Finish(fault);
  }

  void OnReply(uint64_t, Reply reply) override {
    if (!reply.status.ok()) {
      fault_ = std::make_unique<Fault>(ToFault(reply, core_.catalog));
      return;
    }
    typename Method::Response response;
    Method::Fill(reply, core_, &response);
    answer_ = Encode(response);
  }

  // Not before the end of the run: the engine still knows this object until then.
  void OnRepliesEnd() override {
    core_.peers.Leave(peer_, 1);
    if (fault_ != nullptr) {
      Finish(*fault_);
    } else {
      FinishEncoded(answer_);
    }
  }

  uint64_t peer_ = 0;
  std::unique_ptr<Fault> fault_;
  grpc::ByteBuffer answer_;
};

// Whether a queue is paused is known to its pool group, so every one is asked.
class ListQueuesCall final : public UnaryCall {
 public:
  ListQueuesCall(Core* core, grpc::ServerCompletionQueue* queue) : UnaryCall(core, queue) {}

 private:
  // The answer about one queue; each is a sink of its own, because pool groups answer from different threads.
  struct Part final : ReplySink {
    void OnReply(uint64_t, Reply reply) override {
      status = reply.status;
      if (status.ok()) paused = std::get<QueueStats>(reply.value).paused;
    }
    void OnRepliesEnd() override { call->PartDone(); }

    ListQueuesCall* call = nullptr;
    absl::Status status;
    bool paused = false;
  };

  UnaryCall* Another() override { return new ListQueuesCall(&core_, queue_); }
  void Listen() override {
    core_.services.admin.RequestListQueues(&context_, &request_, &writer_, queue_, queue_, tag());
  }

  void Handle() override {
    parts_ = std::vector<Part>(core_.catalog.queues.size());
    missing_ = parts_.size() + 1;
    for (uint32_t i = 0; i < parts_.size(); ++i) {
      parts_[i].call = this;
      const absl::Status taken =
          core_.engine.Submit(core_.catalog.queues[i].group, Request{GetQueueStatsCommand{i}, 0, &parts_[i], nullptr});
      if (taken.ok()) continue;
      parts_[i].status = taken;
      PartDone();
    }
    PartDone();
  }

  void PartDone() {
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    v1::ListQueuesResponse response;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (!parts_[i].status.ok()) return Finish({parts_[i].status, "", "", ""});
      ToProto(core_.catalog.queues[i], core_.catalog, parts_[i].paused, response.add_queues());
    }
    Finish(response);
  }

  std::vector<Part> parts_;
  std::atomic<size_t> missing_ = 0;
};

class DrainCall final : public UnaryCall {
 public:
  DrainCall(Core* core, grpc::ServerCompletionQueue* queue) : UnaryCall(core, queue) {}

 private:
  UnaryCall* Another() override { return new DrainCall(&core_, queue_); }
  void Listen() override { core_.services.admin.RequestDrain(&context_, &request_, &writer_, queue_, queue_, tag()); }
  void Handle() override {
    core_.on_drain_requested();
    Finish(v1::DrainResponse());
  }
};

class HealthCheckCall final : public UnaryCall {
 public:
  HealthCheckCall(Core* core, grpc::ServerCompletionQueue* queue) : UnaryCall(core, queue) {}

 private:
  UnaryCall* Another() override { return new HealthCheckCall(&core_, queue_); }
  void Listen() override { core_.services.health.RequestCheck(&context_, &request_, &writer_, queue_, queue_, tag()); }
  void Handle() override {
    grpc::health::v1::HealthCheckRequest request;
    Fault fault;
    if (!Read(&request, &fault)) return Finish(fault);
    if (!IsServiceName(request.service())) {
      return Finish(
          {absl::NotFoundError(absl::StrCat("no such service: ", Quote(request.service()))), "service", "", ""});
    }
    Finish(HealthOf(core_));
  }
};

template <typename C>
void Listen(Core* core, grpc::ServerCompletionQueue* queue, int count) {
  for (int i = 0; i < count; ++i) UnaryCall::Begin(new C(core, queue));
}

}  // namespace

void UnaryCall::Begin(UnaryCall* call) { call->Listen(); }

void UnaryCall::ListenAll(Core* core, grpc::ServerCompletionQueue* queue) {
  evenmatch::Listen<EngineCall<EnqueueMethod>>(core, queue, kOftenCalled);
  evenmatch::Listen<EngineCall<CancelMethod>>(core, queue, kOftenCalled);
  evenmatch::Listen<EngineCall<GetTicketMethod>>(core, queue, kOftenCalled);
  evenmatch::Listen<EngineCall<AcknowledgeMethod>>(core, queue, kOftenCalled);
  evenmatch::Listen<EngineCall<EndMatchMethod>>(core, queue, kOftenCalled);
  evenmatch::Listen<EngineCall<ExplainTicketMethod>>(core, queue, kSeldomCalled);
  evenmatch::Listen<EngineCall<GetMatchMethod>>(core, queue, kSeldomCalled);
  evenmatch::Listen<EngineCall<GetQueueStatsMethod>>(core, queue, kSeldomCalled);
  evenmatch::Listen<EngineCall<PauseQueueMethod>>(core, queue, kSeldomCalled);
  evenmatch::Listen<EngineCall<ResumeQueueMethod>>(core, queue, kSeldomCalled);
  evenmatch::Listen<ListQueuesCall>(core, queue, kSeldomCalled);
  evenmatch::Listen<DrainCall>(core, queue, kSeldomCalled);
  evenmatch::Listen<HealthCheckCall>(core, queue, kSeldomCalled);
}

void UnaryCall::Finish(const Fault& fault) { writer_.FinishWithError(ToGrpcStatus(fault), tag()); }

void UnaryCall::FinishEncoded(const grpc::ByteBuffer& answer) { writer_.Finish(answer, grpc::Status::OK, tag()); }

void UnaryCall::Done(bool ok) {
  // Back from Finish, or nobody will call any more.
  if (called_ || !ok) return Release();
  called_ = true;
  Begin(Another());
  Handle();
}

}  // namespace evenmatch
