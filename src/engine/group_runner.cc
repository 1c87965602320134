#include "engine/group_runner.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace evenmatch {
namespace {

// So many commands share a Step and its time; then ticks and other groups have their turn.
constexpr size_t kCommandsPerStep = 1024;
// The group stands still while more events and replies than this wait for the store or in egress.
constexpr size_t kMostGathered = 65'536;
constexpr Micros kAdvanceInterval = 5 * kMillisecond;

bool IsDetach(const Request& request) {
  return std::holds_alternative<DetachCommand>(request.command) ||
         std::holds_alternative<DetachSessionCommand>(request.command);
}

// Moves out of the command what egress needs of it.
void NoteCommand(Command& command, PendingReply* pending) {
  if (std::holds_alternative<EnqueueCommand>(command)) {
    pending->kind = ReplyKind::kEnqueue;
  } else if (const auto* attach = std::get_if<AttachCommand>(&command)) {
    pending->kind = attach->from_cursor ? ReplyKind::kResume : ReplyKind::kAttach;
  } else if (const auto* detach = std::get_if<DetachCommand>(&command)) {
    pending->kind = ReplyKind::kDetach;
    pending->handle = detach->handle;
  } else if (auto* attach_session = std::get_if<AttachSessionCommand>(&command)) {
    pending->kind = ReplyKind::kAttachSession;
    pending->session_id = std::move(attach_session->session_id);
  } else if (auto* detach_session = std::get_if<DetachSessionCommand>(&command)) {
    pending->kind = ReplyKind::kDetachSession;
    pending->session_id = std::move(detach_session->session_id);
  }
}

}  // namespace

GroupRunner::GroupRunner(const Context& context, uint32_t index, std::unique_ptr<PoolGroup> group, uint64_t fence,
                         std::shared_ptr<Waker> waker, Egress* egress)
    : context_(context),
      egress_(egress),
      output_(waker),
      inbox_(context.limits->inbox_commands, waker.get()),
      group_(std::move(group)),
      committer_(context.catalog->groups[index].name, fence, context.store, context.clock, context.metrics, waker),
      open_(output_.pool.Get()) {
  for (const uint32_t queue : context.catalog->groups[index].queues) {
    ticks_.push_back({queue, context.catalog->queues[queue].tick, 0});
  }
  egress_->Adopt(&output_);
}

GroupRunner::~GroupRunner() = default;

absl::Status GroupRunner::Submit(std::vector<Request>* requests) {
  if (requests->empty()) return absl::OkStatus();
  if (dropped_.load(std::memory_order_relaxed)) {
    return absl::UnavailableError("another server owns this pool group");
  }
  const size_t count = requests->size();
  const bool detaches = std::all_of(requests->begin(), requests->end(), IsDetach);
  switch (inbox_.Push(std::move(*requests), count, /*always=*/detaches)) {
    case PushResult::kTaken:
      requests->clear();
      return absl::OkStatus();
    case PushResult::kFull:
      return absl::ResourceExhaustedError("more commands are waiting than the server takes; try again");
    case PushResult::kClosed:
      return absl::UnavailableError("the server stops");
  }
  CHECK(false);
}

bool GroupRunner::Step(Micros now) {
  if (finished_) return false;
  Settle(now);
  bool more = false;
  if (group_ == nullptr) {
    RefuseCommands();
  } else if (stopping_) {
    more = DecideCommands(now);
  } else if (!(stands_still_ = StandsStill())) {
    more = DecideCommands(now);
    RunTicks(now);
  }
  if (group_ != nullptr && committer_.idle() && open_->size() > 0) {
    committer_.Start(std::exchange(open_, output_.pool.Get()), now);
    Settle(now);  // a store that answers at once
  }
  if (stopping_ && !more && committer_.idle() && open_->size() == 0) {
    finished_ = true;
    open_->last = true;
    open_->refused = drop_status_;
    HandOver(std::move(open_));
  }
  return more;
}

Micros GroupRunner::NextWork() const {
  if (finished_ || group_ == nullptr) return kNever;
  Micros next = std::min(committer_.retry_at(), committer_.unknown() ? give_up_at_ : kNever);
  if (stopping_ || stands_still_) return next;
  if (!ticks_started_) return 0;
  for (const QueueTick& tick : ticks_) next = std::min(next, tick.next);
  return std::min(next, std::max(group_->NextDeadline(), advanced_at_ + kAdvanceInterval));
}

void GroupRunner::BeginStop(Micros give_up_at) {
  inbox_.Close();
  stopping_ = true;
  give_up_at_ = give_up_at;
}

bool GroupRunner::StandsStill() {
  const size_t gathered = open_->size();
  if (gathered + output_.untold.load() <= kMostGathered) return false;
  // First the flag, then another look: either egress sees the flag, or this sees what egress has done.
  output_.shard_waits.store(true);
  return gathered + output_.untold.load() > kMostGathered;
}

// Visits taken requests in order, at most `limit`; true when some are left.
template <typename Visitor>
bool GroupRunner::TakeCommands(size_t limit, Visitor visit) {
  if (taken_at_ == taken_.size()) {
    taken_.clear();
    taken_at_ = 0;
    inbox_.Take(&taken_);
  }
  size_t count = 0;
  while (taken_at_ < taken_.size() && count < limit) {
    std::vector<Request>& requests = taken_[taken_at_];
    const size_t end = request_at_ + std::min(requests.size() - request_at_, limit - count);
    count += end - request_at_;
    for (; request_at_ < end; ++request_at_) visit(requests[request_at_]);
    if (request_at_ < requests.size()) break;
    request_at_ = 0;
    std::vector<Request>().swap(requests);
    ++taken_at_;
  }
  if (count > 0) inbox_.Release(count);
  return inbox_.depth() > 0;
}

bool GroupRunner::DecideCommands(Micros now) {
  return TakeCommands(kCommandsPerStep, [&](Request& request) { Decide(request, now); });
}

void GroupRunner::Decide(Request& request, Micros now) {
  PendingReply& pending = open_->replies.emplace_back();
  pending.tag = request.tag;
  pending.sink = request.sink;
  pending.stream = std::move(request.stream);
  if (std::holds_alternative<EnqueueCommand>(request.command) && context_.draining->load(std::memory_order_relaxed)) {
    pending.kind = ReplyKind::kEnqueue;
    pending.reply.status = absl::UnavailableError("the server drains and takes no new tickets");
  } else {
    pending.reply = group_->Apply(request.command, now, &open_->events);
    NoteCommand(request.command, &pending);
  }
  // After the command's own events: what an attach missed is in its reply already.
  pending.events_before = open_->events.size();
}

void GroupRunner::RunTicks(Micros now) {
  if (!ticks_started_) {
    ticks_started_ = true;
    advanced_at_ = now;
    for (QueueTick& tick : ticks_) tick.next = now + tick.every;
  }
  if (now - advanced_at_ >= kAdvanceInterval && now >= group_->NextDeadline()) {
    advanced_at_ = now;
    group_->Advance(now, &open_->events);
  }
  for (QueueTick& tick : ticks_) {
    if (now < tick.next) continue;
    const Micros start = context_.clock->Now();
    const PoolGroup::TickStats stats = group_->Tick(tick.queue, now, &open_->events);
    context_.metrics->ObserveTick(tick.queue, context_.clock->Now() - start, stats.due);
    context_.metrics->SetQueue(group_->Stats(tick.queue, now));
    const Micros missed = (now - tick.next) / tick.every;
    if (missed > 0) context_.metrics->CountOverruns(tick.queue, missed);
    tick.next += (missed + 1) * tick.every;
  }
}

void GroupRunner::Settle(Micros now) {
  switch (committer_.Poll(now)) {
    case Committer::Progress::kIdle:
      return;
    case Committer::Progress::kApplied:
      HandOver(committer_.TakeBatch());
      return;
    case Committer::Progress::kFenced:
      Drop(absl::UnavailableError("another server owns this pool group"));
      return;
    case Committer::Progress::kPending:
      if (committer_.unknown() && now >= give_up_at_) {
        Drop(absl::UnavailableError("the server stops and cannot say whether this was done; ask again"));
      }
      return;
  }
}

// What is not applied is answered with `status`, and the group's state, which has run ahead of the store, is given up.
void GroupRunner::Drop(const absl::Status& status) {
  dropped_.store(true, std::memory_order_relaxed);
  drop_status_ = status;
  group_.reset();
  std::unique_ptr<Batch> in_flight = committer_.TakeBatch();
  in_flight->refused = status;
  HandOver(std::move(in_flight));
  open_->refused = status;
  open_->last = true;
  HandOver(std::exchange(open_, output_.pool.Get()));
}

void GroupRunner::RefuseCommands() {
  TakeCommands(std::numeric_limits<size_t>::max(), [&](Request& request) {
    PendingReply& pending = open_->replies.emplace_back();
    pending.tag = request.tag;
    pending.sink = request.sink;
    NoteCommand(request.command, &pending);
  });
  if (open_->size() == 0) return;
  open_->refused = drop_status_;
  HandOver(std::exchange(open_, output_.pool.Get()));
}

void GroupRunner::HandOver(std::unique_ptr<Batch> batch) { egress_->Hand(&output_, std::move(batch)); }

}  // namespace evenmatch
