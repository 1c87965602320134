#include "tools/session_worker.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/arena.h"
#include "grpcpp/client_context.h"

namespace evenmatch {
namespace {

constexpr int kBatch = 256;              // commands a message
constexpr Micros kPause = kMillisecond;  // between messages that are not full
constexpr int kAttempts = 10;            // to take a broken stream up again, in a row ...
constexpr int kResumes = 100;            // ... and in all
constexpr size_t kArenaBlock = 256 << 10;

// An arena that keeps its first block: in the long run a message costs no call of the allocator but for long texts.
class MessageArena {
 public:
  template <typename Message>
  Message* New() {
    arena_.Reset();
    return google::protobuf::Arena::CreateMessage<Message>(&arena_);
  }

 private:
  static google::protobuf::ArenaOptions Options(std::vector<char>* block) {
    google::protobuf::ArenaOptions options;
    options.initial_block = block->data();
    options.initial_block_size = block->size();
    return options;
  }

  std::vector<char> block_ = std::vector<char>(kArenaBlock);
  google::protobuf::Arena arena_{Options(&block_)};
};

}  // namespace

SessionWorker::SessionWorker(Run* run, std::shared_ptr<grpc::Channel> channel, uint32_t first, uint32_t step)
    : run_(*run),
      stub_(v1::MatchmakingService::NewStub(channel)),
      first_(first),
      step_(step),
      max_outstanding_(std::max<int64_t>(run->options.outstanding / static_cast<int>(step), 1)),
      next_(first) {}

void SessionWorker::Play() {
  int attempts_left = kAttempts;
  while (attempts_left-- > 0) {
    attached_ = false;
    broken_ = false;
    outstanding_ = 0;
    grpc::ClientContext context;
    const std::unique_ptr<Stream> stream = stub_->Session(&context);
    std::thread reader([this, &stream] { Read(stream.get()); });
    const bool done = Write(stream.get());
    if (done) stream->WritesDone();
    // The server ends the stream when it has seen the end of the writes; a dead one must not keep us.
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (!broken_ && std::chrono::steady_clock::now() < patience) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (!broken_) context.TryCancel();
    reader.join();
    const grpc::Status status = stream->Finish();
    if (done) return;
    ++tally.errors[status.error_code()];
    if (attached_) attempts_left = std::min(kAttempts, kResumes - static_cast<int>(tally.resumes));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ++tally.resumes;
    to_send_again_ = Unfinished(Ledger::Fate::kSent);
    if (phase_ == Phase::kCancelling || phase_ == Phase::kClosing) to_cancel_ = Unfinished(Ledger::Fate::kAccepted);
  }
  if (phase_ == Phase::kSending) run_.OnAllSent();
}

std::vector<uint32_t> SessionWorker::Unfinished(Ledger::Fate fate) const {
  std::vector<uint32_t> tickets;
  for (size_t ticket = first_; ticket < run_.ledger.size(); ticket += step_) {
    if (run_.ledger.fate(static_cast<uint32_t>(ticket)) == fate) tickets.push_back(static_cast<uint32_t>(ticket));
  }
  return tickets;
}

bool SessionWorker::Write(Stream* stream) {
  MessageArena arena;
  bool first = true;
  while (!broken_) {
    auto* request = arena.New<v1::SessionRequest>();
    if (std::exchange(first, false)) request->set_session_id(absl::StrCat("load-", run_.ids.mark(), "-", first_));
    const Micros now = run_.Now();
    AddCommands(now, request);
    if (request->commands_size() > 0 || !request->session_id().empty()) {
      outstanding_.fetch_add(request->commands_size(), std::memory_order_relaxed);
      if (!stream->Write(*request)) return false;
    }
    if (request->commands_size() >= kBatch) continue;
    NextPhase(now);
    if (phase_ == Phase::kClosing && (outstanding_.load() <= 0 || run_.Now() >= phase_ends_at_)) {
      const std::lock_guard lock(acks_mutex_);
      if (acks_.empty()) return true;
    }
    // Where tickets come densely, wait for company; else for the next one, but never long: acknowledgements come too.
    const Micros due = phase_ == Phase::kSending ? run_.Intended(next_) : kNever;
    const bool dense = static_cast<double>(step_) * 1e6 / run_.options.rate < kPause;
    std::this_thread::sleep_until(run_.At(std::min(std::max(due, dense ? now + kPause : now), now + kPause)));
  }
  return false;
}

v1::SessionCommand* SessionWorker::AddCommand(Kind kind, uint32_t ticket, v1::SessionRequest* request) {
  v1::SessionCommand* command = request->add_commands();
  command->set_request(static_cast<uint64_t>(ticket) << 2 | static_cast<uint64_t>(kind));
  return command;
}

void SessionWorker::AddCommands(Micros now, v1::SessionRequest* request) {
  {
    const std::lock_guard lock(acks_mutex_);
    const size_t count = std::min<size_t>(acks_.size(), kBatch / 2);
    for (size_t i = 0; i < count; ++i) {
      const Ack ack = acks_[acks_.size() - 1 - i];
      v1::AcknowledgeRequest* message = AddCommand(Kind::kAcknowledge, ack.ticket, request)->mutable_acknowledge();
      run_.ids.Ticket(ack.ticket, message->mutable_ticket_id());
      message->set_sequence(ack.sequence);
    }
    acks_.resize(acks_.size() - count);
  }
  const auto room = [&] {
    return request->commands_size() < kBatch &&
           outstanding_.load(std::memory_order_relaxed) + request->commands_size() < max_outstanding_;
  };
  const auto enqueue = [&](uint32_t ticket) {
    run_.FillTicket(ticket, AddCommand(Kind::kEnqueue, ticket, request)->mutable_enqueue()->mutable_ticket());
    run_.OnSent(ticket, now);
  };
  while (!to_send_again_.empty() && room()) {
    enqueue(to_send_again_.back());
    to_send_again_.pop_back();
  }
  if (phase_ == Phase::kSending && now < run_.sending_ends_at()) {
    while (next_ < run_.ledger.size() && run_.Intended(next_) <= now && room()) {
      enqueue(next_);
      next_ += step_;
    }
  }
  while (!to_cancel_.empty() && room()) {
    run_.ids.Ticket(to_cancel_.back(),
                    AddCommand(Kind::kCancel, to_cancel_.back(), request)->mutable_cancel()->mutable_ticket_id());
    to_cancel_.pop_back();
  }
}

void SessionWorker::NextPhase(Micros now) {
  switch (phase_) {
    case Phase::kSending:
      if (next_ < run_.ledger.size() && now < run_.sending_ends_at()) return;
      run_.OnAllSent();
      phase_ = Phase::kSettling;
      phase_ends_at_ = now + run_.options.settle;
      return;
    case Phase::kSettling:
      if (!run_.AllEnded() && now < phase_ends_at_) return;
      leftovers_ = to_cancel_ = Unfinished(Ledger::Fate::kAccepted);
      phase_ = Phase::kCancelling;
      phase_ends_at_ = now + run_.options.patience;
      return;
    case Phase::kCancelling:
      while (!leftovers_.empty() && run_.ledger.fate(leftovers_.back()) != Ledger::Fate::kAccepted) {
        leftovers_.pop_back();
      }
      if (now < phase_ends_at_ && (!to_cancel_.empty() || outstanding_.load() > 0 || !leftovers_.empty())) return;
      phase_ = Phase::kClosing;
      phase_ends_at_ = now + run_.options.patience;
      return;
    case Phase::kClosing:
      return;
  }
}

void SessionWorker::Read(Stream* stream) {
  MessageArena arena;
  while (true) {
    auto* response = arena.New<v1::SessionResponse>();
    if (!stream->Read(response)) break;
    attached_ = true;
    const Micros now = run_.Now();
    for (const v1::SessionResult& result : response->results()) OnResult(result, now);
    outstanding_.fetch_sub(response->results_size(), std::memory_order_relaxed);
    for (const v1::Match& match : response->matches()) run_.OnMatch(match, &tally);
    for (const v1::TicketEvent& event : response->events()) OnEvent(event, now);
  }
  broken_ = true;
}

void SessionWorker::OnResult(const v1::SessionResult& result, Micros now) {
  const auto ticket = static_cast<uint32_t>(result.request() >> 2);
  const bool failed = result.has_error();
  if (ticket >= run_.ledger.size()) {
    ++tally.errors[grpc::StatusCode::INTERNAL];
    return;
  }
  switch (static_cast<Kind>(result.request() & 3)) {
    case Kind::kEnqueue:
      return run_.OnAnswer(ticket, failed ? result.error().code() : 0, now, &tally);
    case Kind::kCancel:
      if (result.cancel().outcome() == v1::CANCEL_OUTCOME_CANCELLED) run_.OnLeftWaiting();
      break;
    case Kind::kAcknowledge:
      break;
  }
  if (failed) ++tally.errors[result.error().code()];
}

void SessionWorker::OnEvent(const v1::TicketEvent& event, Micros now) {
  v1::TicketState state;
  switch (event.kind()) {
    case v1::TICKET_EVENT_KIND_MATCHED:
      state = v1::TICKET_STATE_MATCHED;
      break;
    case v1::TICKET_EVENT_KIND_CANCELLED:
      state = v1::TICKET_STATE_CANCELLED;
      break;
    case v1::TICKET_EVENT_KIND_EXPIRED:
      state = v1::TICKET_STATE_EXPIRED;
      break;
    default:
      return;
  }
  const std::optional<uint32_t> ticket = run_.ids.ParseTicket(event.ticket_id());
  if (!ticket.has_value() || *ticket >= run_.ledger.size()) {
    ++tally.errors[grpc::StatusCode::INTERNAL];
    return;
  }
  run_.OnEnd(*ticket, state, event.match().match_id(), now, &tally);
  if (!run_.options.acknowledge) return;
  const std::lock_guard lock(acks_mutex_);
  acks_.push_back({*ticket, event.sequence()});
}

}  // namespace evenmatch
