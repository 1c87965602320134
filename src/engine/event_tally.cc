#include "engine/event_tally.h"

#include <algorithm>
#include <utility>

#include "engine/metric_families.h"

namespace evenmatch {
namespace {

void Add(prometheus::Counter* counter, int64_t* count) {
  if (*count == 0) return;
  counter->Increment(static_cast<double>(std::exchange(*count, 0)));
}

int64_t& At(int32_t stage, std::vector<int64_t>* counts) {
  return (*counts)[std::min(static_cast<size_t>(stage), counts->size() - 1)];
}

}  // namespace

EventTally::Histogram::Histogram(prometheus::Histogram* target, const std::vector<double>& bounds)
    : target_(target), bounds_(&bounds), counts_(bounds.size() + 1) {}

void EventTally::Histogram::Observe(double value) {
  // A bucket takes what is at most its bound.
  ++counts_[static_cast<size_t>(std::lower_bound(bounds_->begin(), bounds_->end(), value) - bounds_->begin())];
  sum_ += value;
  any_ = true;
}

void EventTally::Histogram::Publish() {
  if (!std::exchange(any_, false)) return;
  target_->ObserveMultiple(counts_, std::exchange(sum_, 0));
  std::fill(counts_.begin(), counts_.end(), 0);
}

EventTally::EventTally(Metrics* metrics) : metrics_(metrics) {
  for (const Metrics::Families::Queue& families : metrics->families_->queues) {
    Queue queue{.matches = std::vector<int64_t>(families.matches.size()),
                .expiries = std::vector<int64_t>(families.expiries.size()),
                .wait = {},
                .spread = {families.spread, SpreadBounds()},
                .win_probability = {families.win_probability, WinProbabilityBounds()},
                .quality = {families.quality, QualityBounds()}};
    for (prometheus::Histogram* wait : families.wait) queue.wait.emplace_back(wait, WaitBounds());
    queues_.push_back(std::move(queue));
  }
}

void EventTally::Count(const Event& event) {
  switch (event.kind) {
    case EventKind::kQueued:
      for (const QueueChoice& choice : event.ticket->queues) {
        ++queues_[choice.queue].enqueues;
        queues_[choice.queue].any = true;
      }
      break;
    case EventKind::kMatched:
      CountWait(WaitOutcome::kMatched, event.match->queue, event);
      break;
    case EventKind::kCancelled:
      CountWait(event.reason == Reason::kPresenceLost ? WaitOutcome::kAbandoned : WaitOutcome::kCancelled,
                event.ticket->queues[0].queue, event);
      break;
    case EventKind::kExpired: {
      const uint32_t index = event.ticket->queues[0].queue;
      Queue& queue = queues_[index];
      ++At(event.stage, &queue.expiries);
      CountWait(WaitOutcome::kExpired, index, event);
      break;
    }
    case EventKind::kMatchFormed:
      CountMatch(queues_[event.match->queue], *event.match);
      break;
    case EventKind::kMatchEnded: {
      Queue& queue = queues_[event.match->queue];
      ++(event.match_end == MatchEnd::kHoldTimeout ? queue.ended_by_timeout : queue.ended_by_client);
      queue.any = true;
      break;
    }
    case EventKind::kWidened:
    case EventKind::kAcknowledged:
    case EventKind::kMoved:
    case EventKind::kAttached:
    case EventKind::kDetached:
    case EventKind::kForgotten:
    case EventKind::kMatchForgotten:
      break;
  }
}

void EventTally::CountMatch(Queue& queue, const Match& match) {
  ++At(match.stage, &queue.matches);
  queue.fills += std::count_if(match.roles.begin(), match.roles.end(), [](const SeatRole& seat) { return seat.fill; });
  queue.any = true;
  queue.spread.Observe(static_cast<double>(match.spread) / kPoint);
  queue.quality.Observe(static_cast<double>(match.quality) / kBestQuality);
  BasisPoints favourite = 0;
  for (const BasisPoints chance : match.win_chance) favourite = std::max(favourite, chance);
  queue.win_probability.Observe(static_cast<double>(favourite) / kCertain);
}

void EventTally::CountWait(WaitOutcome outcome, uint32_t queue, const Event& event) {
  queues_[queue].wait[static_cast<size_t>(outcome)].Observe(static_cast<double>(event.at - event.queued_at) / kSecond);
  queues_[queue].any = true;
}

void EventTally::Publish() {
  for (size_t i = 0; i < queues_.size(); ++i) {
    Queue& queue = queues_[i];
    if (!std::exchange(queue.any, false)) continue;
    const Metrics::Families::Queue& families = metrics_->families_->queues[i];
    Add(families.enqueues, &queue.enqueues);
    Add(families.fills, &queue.fills);
    Add(families.ended_by_client, &queue.ended_by_client);
    Add(families.ended_by_timeout, &queue.ended_by_timeout);
    for (size_t stage = 0; stage < queue.matches.size(); ++stage) {
      Add(families.matches[stage], &queue.matches[stage]);
      Add(families.expiries[stage], &queue.expiries[stage]);
    }
    for (Histogram& wait : queue.wait) wait.Publish();
    queue.spread.Publish();
    queue.win_probability.Publish();
    queue.quality.Publish();
  }
  for (int i = 0; i < kRefusals; ++i) {
    if (refusals_[i] != 0) metrics_->CountRefusal(static_cast<Refusal>(i), std::exchange(refusals_[i], 0));
  }
}

}  // namespace evenmatch
