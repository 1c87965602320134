#include "engine/metrics.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/metric_families.h"
#include "matching/rule_book.h"
#include "prometheus/text_serializer.h"

namespace evenmatch {
namespace {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Labels;

// In the order of the enums.
constexpr const char* kRefusalNames[kRefusals] = {"invalid",  "exists", "in_match",   "limit",
                                                  "peer_cap", "busy",   "unavailable"};
constexpr const char* kStreamKindNames[kStreamKinds] = {"watch", "session"};
constexpr const char* kStreamEndNames[kStreamEnds] = {"done",     "client",  "overflow", "stalled",
                                                      "replaced", "drained", "refused",  "unavailable"};
constexpr const char* kWaitOutcomeNames[kWaitOutcomes] = {"matched", "cancelled", "abandoned", "expired"};
constexpr const char* kCommitOutcomeNames[3] = {"applied", "fenced", "unknown"};

const std::vector<double> kTickBounds = {0.00001, 0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                         0.025,   0.05,   0.1,    0.25,  0.5,    1,     2.5};
const std::vector<double> kBatchBounds = {0.00001, 0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                          0.05,    0.1,    0.25,   0.5,   1,      2.5,   5,    10};
const std::vector<double> kCountBounds = {0, 1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144};

double Seconds(Micros span) { return static_cast<double>(span) / kSecond; }

}  // namespace

const std::vector<double>& WaitBounds() {
  static const std::vector<double> bounds = {0.05, 0.1, 0.25, 0.5, 1,   2.5, 5,   10, 20,
                                             30,   45,  60,   90,  120, 180, 300, 600};
  return bounds;
}

const std::vector<double>& SpreadBounds() {
  static const std::vector<double> bounds = {1, 2.5, 5, 10, 25, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1200, 2000};
  return bounds;
}

const std::vector<double>& WinProbabilityBounds() {
  static const std::vector<double> bounds = {0.25, 0.5, 0.51, 0.52, 0.54, 0.56, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 1};
  return bounds;
}

const std::vector<double>& QualityBounds() {
  static const std::vector<double> bounds = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1};
  return bounds;
}

Metrics::Families::Families(const Catalog& catalog, int shards) {
  const auto counters = [this](const char* name, const char* help) -> prometheus::Family<Counter>& {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
  };
  const auto gauges = [this](const char* name, const char* help) -> prometheus::Family<Gauge>& {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
  };
  const auto histograms = [this](const char* name, const char* help) -> prometheus::Family<Histogram>& {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
  };

  auto& waiting_tickets = gauges("evenmatch_waiting_tickets", "Tickets waiting in a queue, as of its last tick.");
  auto& waiting_players = gauges("evenmatch_waiting_players", "Players waiting in a queue, as of its last tick.");
  auto& oldest_wait = gauges("evenmatch_oldest_wait_seconds", "The longest wait in a queue, as of its last tick.");
  auto& live_matches = gauges("evenmatch_live_matches", "Matches whose players are still held, as of the last tick.");
  auto& paused = gauges("evenmatch_queue_paused", "1 while a queue is paused.");
  auto& enqueues = counters("evenmatch_enqueues_total", "Tickets taken; one in several queues counts in each.");
  auto& matches =
      counters("evenmatch_matches_total", "Matches formed, by the furthest relaxation stage of their tickets.");
  auto& fills = counters("evenmatch_filled_in_players_total", "Players seated in a role that they did not ask for.");
  auto& match_ends = counters("evenmatch_match_ends_total", "Matches ended, by how.");
  auto& expiries =
      counters("evenmatch_expiries_total",
               "Tickets that ran out of time, by the relaxation stage they had reached in their first queue.");
  auto& wait = histograms("evenmatch_wait_seconds",
                          "Waits of tickets, by outcome, in the queue that matched, else in the ticket's first queue.");
  auto& spread = histograms("evenmatch_match_spread_points", "Highest less lowest rating among a match's tickets.");
  auto& win = histograms("evenmatch_match_win_probability", "Win probability of a match's favourite.");
  auto& quality = histograms("evenmatch_match_quality_ratio", "Quality of matches, 1 is best.");
  auto& tick_duration = histograms("evenmatch_tick_duration_seconds", "Time a queue's tick took.");
  auto& tick_due = histograms("evenmatch_tick_due_tickets", "Tickets a tick looked at.");
  auto& overruns = counters("evenmatch_tick_overruns_total", "Ticks skipped because the shard was late.");
  for (const QueueRules& rules : catalog.queues) {
    const Labels labels = {{"queue", rules.name}};
    const auto with = [&](const char* key, const std::string& value) {
      Labels both = labels;
      both.emplace(key, value);
      return both;
    };
    Queue queue;
    queue.waiting_tickets = &waiting_tickets.Add(labels);
    queue.waiting_players = &waiting_players.Add(labels);
    queue.oldest_wait = &oldest_wait.Add(labels);
    queue.live_matches = &live_matches.Add(labels);
    queue.paused = &paused.Add(labels);
    queue.enqueues = &enqueues.Add(labels);
    queue.fills = &fills.Add(labels);
    queue.ended_by_client = &match_ends.Add(with("end", "client"));
    queue.ended_by_timeout = &match_ends.Add(with("end", "timeout"));
    queue.overruns = &overruns.Add(labels);
    const int stages = std::min(RuleBook(rules).stage_count(), kCountedStages);
    for (int stage = 0; stage < stages; ++stage) {
      queue.matches.push_back(&matches.Add(with("stage", std::to_string(stage))));
      queue.expiries.push_back(&expiries.Add(with("stage", std::to_string(stage))));
    }
    for (int outcome = 0; outcome < kWaitOutcomes; ++outcome) {
      queue.wait[outcome] = &wait.Add(with("outcome", kWaitOutcomeNames[outcome]), WaitBounds());
    }
    queue.spread = &spread.Add(labels, SpreadBounds());
    queue.win_probability = &win.Add(labels, WinProbabilityBounds());
    queue.quality = &quality.Add(labels, QualityBounds());
    queue.tick_duration = &tick_duration.Add(labels, kTickBounds);
    queue.tick_due = &tick_due.Add(labels, kCountBounds);
    queues.push_back(std::move(queue));
  }

  auto& inbox_depth = gauges("evenmatch_inbox_commands", "Commands taken and not yet decided, by shard.");
  for (int shard = 0; shard < shards; ++shard) {
    inbox.push_back(&inbox_depth.Add({{"shard", std::to_string(shard)}}));
  }
  auto& refused = counters("evenmatch_refusals_total", "Enqueues refused, by reason.");
  for (int i = 0; i < kRefusals; ++i) refusals[i] = &refused.Add({{"reason", kRefusalNames[i]}});
  batch_duration = &histograms("evenmatch_store_batch_duration_seconds",
                               "Time from handing a batch to the store until it was applied.")
                        .Add({}, kBatchBounds);
  batch_events = &histograms("evenmatch_store_batch_events", "Events in a batch.").Add({}, kCountBounds);
  auto& commits = counters("evenmatch_store_commits_total", "Attempts to store a batch, by outcome.");
  for (int i = 0; i < 3; ++i) outcomes[i] = &commits.Add({{"outcome", kCommitOutcomeNames[i]}});

  auto& open = gauges("evenmatch_open_streams", "Streams open now, by kind.");
  auto& ends = counters("evenmatch_stream_ends_total", "Streams ended, by kind and reason.");
  auto& resumed = counters("evenmatch_resumes_total", "Streams that went on from a cursor or took up a session again.");
  for (int kind = 0; kind < kStreamKinds; ++kind) {
    const Labels labels = {{"kind", kStreamKindNames[kind]}};
    open_streams[kind] = &open.Add(labels);
    resumes[kind] = &resumed.Add(labels);
    for (int end = 0; end < kStreamEnds; ++end) {
      stream_ends[kind][end] = &ends.Add({{"kind", kStreamKindNames[kind]}, {"reason", kStreamEndNames[end]}});
    }
  }
  auto& tls = counters("evenmatch_tls_reloads_total", "Attempts to take up changed certificates, by result.");
  tls_reloads = {&tls.Add({{"result", "failure"}}), &tls.Add({{"result", "success"}})};
  draining = &gauges("evenmatch_draining", "1 while the server drains.").Add({});
  start = &gauges("evenmatch_start_time_seconds", "When the engine started, since the epoch.").Add({});
  gauges("evenmatch_build_info", "1, with the version as a label.").Add({{"version", EVENMATCH_VERSION}}).Set(1);
}

Metrics::Metrics(const Catalog& catalog, int shards) : families_(std::make_unique<Families>(catalog, shards)) {}
Metrics::~Metrics() = default;

void Metrics::SetStart(Micros at) { families_->start->Set(Seconds(at)); }

void Metrics::SetQueue(const QueueStats& stats) {
  const Families::Queue& queue = families_->queues[stats.queue];
  queue.waiting_tickets->Set(static_cast<double>(stats.waiting_tickets));
  queue.waiting_players->Set(static_cast<double>(stats.waiting_players));
  queue.oldest_wait->Set(Seconds(stats.oldest_wait));
  queue.live_matches->Set(static_cast<double>(stats.live_matches));
  queue.paused->Set(stats.paused ? 1 : 0);
}

void Metrics::ObserveTick(uint32_t queue, Micros duration, size_t due) {
  families_->queues[queue].tick_duration->Observe(Seconds(duration));
  families_->queues[queue].tick_due->Observe(static_cast<double>(due));
}

void Metrics::CountOverruns(uint32_t queue, int64_t ticks) {
  families_->queues[queue].overruns->Increment(static_cast<double>(ticks));
}

void Metrics::SetInboxDepth(int shard, size_t commands) {
  families_->inbox[static_cast<size_t>(shard)]->Set(static_cast<double>(commands));
}

void Metrics::ObserveBatch(Micros duration, size_t events) {
  families_->batch_duration->Observe(Seconds(duration));
  families_->batch_events->Observe(static_cast<double>(events));
}

void Metrics::CountOutcome(CommitOutcome outcome) { families_->outcomes[static_cast<size_t>(outcome)]->Increment(); }

void Metrics::CountRefusal(Refusal reason, int64_t count) {
  families_->refusals[static_cast<size_t>(reason)]->Increment(static_cast<double>(count));
}

void Metrics::SetDraining(bool draining) { families_->draining->Set(draining ? 1 : 0); }

void Metrics::StreamOpened(StreamKind kind) { families_->open_streams[static_cast<size_t>(kind)]->Increment(); }

void Metrics::StreamEnded(StreamKind kind, StreamEnd reason) {
  families_->open_streams[static_cast<size_t>(kind)]->Decrement();
  families_->stream_ends[static_cast<size_t>(kind)][static_cast<size_t>(reason)]->Increment();
}

void Metrics::CountResume(StreamKind kind) { families_->resumes[static_cast<size_t>(kind)]->Increment(); }

void Metrics::CountTlsReload(bool success) { families_->tls_reloads[success ? 1 : 0]->Increment(); }

std::string Metrics::Text() const { return prometheus::TextSerializer().Serialize(families_->registry.Collect()); }

}  // namespace evenmatch
