// The families of Metrics and their children, by name. Private to metrics.cc and event_tally.cc.
#pragma once

#include <array>
#include <vector>

#include "engine/metrics.h"
#include "prometheus/counter.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"

namespace evenmatch {

// What happens at a later stage is counted as of the last one.
inline constexpr int kCountedStages = 16;

struct Metrics::Families {
  struct Queue {
    prometheus::Gauge *waiting_tickets, *waiting_players, *oldest_wait, *live_matches, *paused;
    prometheus::Counter *enqueues, *fills, *ended_by_client, *ended_by_timeout, *overruns;
    std::vector<prometheus::Counter*> matches, expiries;  // by stage
    std::array<prometheus::Histogram*, kWaitOutcomes> wait;
    prometheus::Histogram *spread, *win_probability, *quality, *tick_duration, *tick_due;
  };

  Families(const Catalog& catalog, int shards);

  prometheus::Registry registry;
  std::vector<Queue> queues;
  std::vector<prometheus::Gauge*> inbox;  // by shard
  std::array<prometheus::Counter*, kRefusals> refusals;
  prometheus::Histogram *batch_duration, *batch_events;
  std::array<prometheus::Counter*, 3> outcomes;  // by CommitOutcome
  std::array<prometheus::Gauge*, kStreamKinds> open_streams;
  std::array<std::array<prometheus::Counter*, kStreamEnds>, kStreamKinds> stream_ends;
  std::array<prometheus::Counter*, kStreamKinds> resumes;
  std::array<prometheus::Counter*, 2> tls_reloads;  // failed, done
  prometheus::Gauge *draining, *start;
};

// The upper bounds of each histogram's buckets, without the last, infinite one.
const std::vector<double>& WaitBounds();            // seconds
const std::vector<double>& SpreadBounds();          // points
const std::vector<double>& WinProbabilityBounds();  // of the favourite
const std::vector<double>& QualityBounds();         // 0..1

}  // namespace evenmatch
