#include "tools/unary_worker.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "grpcpp/client_context.h"
#include "grpcpp/support/async_stream.h"
#include "grpcpp/support/async_unary_call.h"

namespace evenmatch {
namespace {

constexpr int kWatchAttempts = 10;

}  // namespace

class UnaryWorker::Tag {
 public:
  virtual ~Tag() = default;
  virtual void Proceed(bool ok) = 0;
};

template <typename Response>
class UnaryWorker::Call final : public Tag {
 public:
  using Done = std::function<void(const grpc::Status&, const Response&)>;

  // `prepare`: PrepareAsync... of the stub, bound to its request.
  template <typename Prepare>
  Call(UnaryWorker* worker, Prepare prepare, Done done) : worker_(*worker), done_(std::move(done)) {
    SetDeadline(&context_);
    ++worker_.outstanding_;
    reader_ = prepare(&context_, &worker_.queue_);
    reader_->StartCall();
    reader_->Finish(&response_, &status_, static_cast<Tag*>(this));
  }
  void Proceed(bool) override {
    --worker_.outstanding_;
    done_(status_, response_);
    delete this;
  }

 private:
  UnaryWorker& worker_;
  Done done_;
  grpc::ClientContext context_;
  Response response_;
  grpc::Status status_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> reader_;
};

// Watches one ticket from a cursor on until its end; begins again where the stream breaks.
class UnaryWorker::Watch final : public Tag {
 public:
  Watch(UnaryWorker* worker, uint32_t ticket, uint32_t cursor, int attempts_left)
      : worker_(*worker), ticket_(ticket), cursor_(cursor), attempts_left_(attempts_left) {
    v1::WatchTicketRequest request;
    worker_.run_.ids.Ticket(ticket, request.mutable_ticket_id());
    request.set_cursor(cursor);
    worker_.open_watches_.insert(this);
    reader_ = worker_.StubOf(ticket).PrepareAsyncWatchTicket(&context_, request, &worker_.queue_);
    reader_->StartCall(static_cast<Tag*>(this));
  }

  void Stop() { context_.TryCancel(); }

  void Proceed(bool ok) override {
    switch (next_) {
      case Next::kStarted:
        break;
      case Next::kRead:
        if (ok) OnEvent(response_.event());
        break;
      case Next::kFinished:
        OnFinished();
        delete this;
        return;
    }
    if (!ok) {
      next_ = Next::kFinished;
      return reader_->Finish(&status_, static_cast<Tag*>(this));
    }
    next_ = Next::kRead;
    reader_->Read(&response_, static_cast<Tag*>(this));
  }

 private:
  enum class Next { kStarted, kRead, kFinished };

  void OnEvent(const v1::TicketEvent& event) {
    cursor_ = event.sequence();
    v1::TicketState state;
    if (event.kind() == v1::TICKET_EVENT_KIND_MATCHED) {
      worker_.run_.OnMatch(event.match(), &worker_.tally);
      state = v1::TICKET_STATE_MATCHED;
    } else if (event.kind() == v1::TICKET_EVENT_KIND_CANCELLED) {
      state = v1::TICKET_STATE_CANCELLED;
    } else if (event.kind() == v1::TICKET_EVENT_KIND_EXPIRED) {
      state = v1::TICKET_STATE_EXPIRED;
    } else {
      return;
    }
    worker_.run_.OnEnd(ticket_, state, event.match().match_id(), worker_.run_.Now(), &worker_.tally);
    if (worker_.run_.options.acknowledge) worker_.Acknowledge(ticket_, event.sequence());
  }

  void OnFinished() {
    worker_.open_watches_.erase(this);
    if (worker_.run_.ledger.fate(ticket_) != Ledger::Fate::kAccepted || worker_.giving_up_) return;
    if (!status_.ok()) ++worker_.tally.errors[status_.error_code()];
    if (attempts_left_ == 0) return;
    ++worker_.tally.resumes;
    new Watch(&worker_, ticket_, cursor_, attempts_left_ - 1);
  }

  UnaryWorker& worker_;
  const uint32_t ticket_;
  uint32_t cursor_;
  const int attempts_left_;
  Next next_ = Next::kStarted;
  grpc::ClientContext context_;
  v1::WatchTicketResponse response_;
  grpc::Status status_;
  std::unique_ptr<grpc::ClientAsyncReader<v1::WatchTicketResponse>> reader_;
};

UnaryWorker::UnaryWorker(Run* run, const std::vector<std::shared_ptr<grpc::Channel>>& channels) : run_(*run) {
  for (const auto& channel : channels) stubs_.push_back(v1::MatchmakingService::NewStub(channel));
}

UnaryWorker::~UnaryWorker() {
  giving_up_ = true;
  for (Watch* watch : open_watches_) watch->Stop();
  queue_.Shutdown();
  void* tag;
  bool ok;
  while (queue_.Next(&tag, &ok)) static_cast<Tag*>(tag)->Proceed(ok);
}

void UnaryWorker::Play() {
  const uint32_t count = static_cast<uint32_t>(run_.ledger.size());
  uint32_t next = 0;
  while (next < count) {
    const Micros now = run_.Now();
    if (now >= run_.sending_ends_at()) break;
    const bool room = outstanding_ < run_.options.outstanding;
    if (room && run_.Intended(next) <= now) {
      Enqueue(next++);
      continue;
    }
    Wait(room ? std::min(run_.Intended(next), run_.sending_ends_at()) : now + kSecond);
  }
  run_.OnAllSent();

  const Micros settled = run_.Now() + run_.options.settle;
  while (run_.Now() < settled && (outstanding_ > 0 || (run_.options.watch && !run_.AllEnded()))) Wait(settled);

  const Micros over = run_.Now() + run_.options.patience;
  for (uint32_t ticket = 0; ticket < next; ++ticket) {
    if (run_.ledger.fate(ticket) != Ledger::Fate::kAccepted) continue;
    while (outstanding_ >= run_.options.outstanding) Wait(run_.Now() + kSecond);
    Cancel(ticket);
  }
  while (run_.Now() < over && (outstanding_ > 0 || !run_.AllEnded())) Wait(over);
}

void UnaryWorker::Wait(Micros until) {
  void* tag;
  bool ok;
  const auto deadline =
      std::chrono::system_clock::now() + std::chrono::microseconds(std::max<Micros>(until - run_.Now(), 0));
  if (queue_.AsyncNext(&tag, &ok, deadline) == grpc::CompletionQueue::GOT_EVENT) static_cast<Tag*>(tag)->Proceed(ok);
}

void UnaryWorker::Enqueue(uint32_t ticket) {
  v1::EnqueueRequest request;
  run_.FillTicket(ticket, request.mutable_ticket());
  run_.OnSent(ticket, run_.Now());
  new Call<v1::EnqueueResponse>(
      this,
      [&](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
        return StubOf(ticket).PrepareAsyncEnqueue(context, request, queue);
      },
      [this, ticket](const grpc::Status& status, const v1::EnqueueResponse& response) {
        run_.OnAnswer(ticket, status.error_code(), run_.Now(), &tally);
        if (status.ok() && run_.options.watch) new Watch(this, ticket, response.sequence(), kWatchAttempts);
      });
}

void UnaryWorker::Acknowledge(uint32_t ticket, uint32_t sequence) {
  v1::AcknowledgeRequest request;
  run_.ids.Ticket(ticket, request.mutable_ticket_id());
  request.set_sequence(sequence);
  new Call<v1::AcknowledgeResponse>(
      this,
      [&](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
        return StubOf(ticket).PrepareAsyncAcknowledge(context, request, queue);
      },
      [this](const grpc::Status& status, const v1::AcknowledgeResponse&) {
        if (!status.ok()) ++tally.errors[status.error_code()];
      });
}

void UnaryWorker::Cancel(uint32_t ticket) {
  v1::CancelRequest request;
  run_.ids.Ticket(ticket, request.mutable_ticket_id());
  new Call<v1::CancelResponse>(
      this,
      [&](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
        return StubOf(ticket).PrepareAsyncCancel(context, request, queue);
      },
      [this, ticket](const grpc::Status& status, const v1::CancelResponse& response) {
        OnCancelled(ticket, status, response);
      });
}

void UnaryWorker::OnCancelled(uint32_t ticket, const grpc::Status& status, const v1::CancelResponse& response) {
  if (!status.ok()) {
    ++tally.errors[status.error_code()];
    return;
  }
  if (response.outcome() == v1::CANCEL_OUTCOME_CANCELLED) run_.OnLeftWaiting();
  // Who watches must be told by the stream; else this answer is how the end is learnt.
  if (run_.options.watch) return;
  if (response.has_match()) run_.OnMatch(response.match(), &tally);
  run_.OnEnd(ticket, response.state(), response.match().match_id(), kNever, &tally);
}

}  // namespace evenmatch
