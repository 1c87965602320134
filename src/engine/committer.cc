#include "engine/committer.h"

#include <algorithm>

#include "base/check.h"

namespace evenmatch {
namespace {

constexpr Micros kFirstPause = 1 * kMillisecond;
constexpr Micros kLongestPause = 1 * kSecond;

}  // namespace

Committer::Committer(std::string group, uint64_t fence, Store* store, Clock* clock, Metrics* metrics,
                     std::shared_ptr<Waker> waker)
    : group_(std::move(group)), fence_(fence), store_(store), clock_(clock), metrics_(metrics) {
  mailbox_->waker = std::move(waker);
}

void Committer::Start(std::unique_ptr<Batch> batch, Micros now) {
  CHECK(batch_ == nullptr);
  batch_ = std::move(batch);
  stores_ = std::any_of(batch_->events.begin(), batch_->events.end(),
                        [](const Event& event) { return IsStored(event.kind); });
  if (!stores_) return;
  batch_->id = ++last_id_;
  pause_ = kFirstPause;
  sent_at_ = now;
  Send();
}

Committer::Progress Committer::Poll(Micros now) {
  if (batch_ == nullptr) return Progress::kIdle;
  // Everything before it is applied, so what it tells is stored already.
  if (!stores_) return Progress::kApplied;
  if (retry_at_ <= now) {
    retry_at_ = kNever;
    Send();
  }
  const int answer = mailbox_->answer.exchange(kNoAnswer);
  if (answer == kNoAnswer) return Progress::kPending;
  const auto outcome = static_cast<CommitOutcome>(answer);
  metrics_->CountOutcome(outcome);
  switch (outcome) {
    case CommitOutcome::kApplied:
      metrics_->ObserveBatch(clock_->Now() - sent_at_, batch_->events.size());
      return Progress::kApplied;
    case CommitOutcome::kFenced:
      return Progress::kFenced;
    case CommitOutcome::kUnknown:
      retry_at_ = now + pause_;
      pause_ = std::min(2 * pause_, kLongestPause);
      return Progress::kPending;
  }
  CHECK(false);
}

void Committer::Send() {
  store_->Commit(group_, fence_, batch_->id, batch_->events, [mailbox = mailbox_](CommitOutcome outcome) {
    mailbox->answer.store(static_cast<int>(outcome));
    mailbox->waker->Wake();
  });
}

}  // namespace evenmatch
