// Metrics: what operators scrape, by the names under which they scrape it; the only place that knows those names.
//
// Shape:   a Prometheus registry; families of counters, gauges and histograms in base units, prefix evenmatch_. Label
//          values come from the catalog and from the enums below, never from clients.
// Cost:    a call is an atomic addition or, for a histogram, a short lock; children are looked up once, at the start.
//          What happens per event is counted by an EventTally first.
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "model/command.h"
#include "model/queue_rules.h"
#include "model/units.h"
#include "store/store.h"
#include "streams/stream.h"

namespace evenmatch {

// Why an Enqueue was refused.
enum class Refusal : uint8_t {
  kInvalid,      // bad input, or the same ticket id with other content
  kExists,       // a player waits on another ticket
  kInMatch,      // a player is in a live match
  kLimit,        // a queue or the group is full
  kPeerCap,      // the client has too much under way
  kBusy,         // the inbox is full
  kUnavailable,  // paused, draining, or no longer owner
};
inline constexpr int kRefusals = 7;

enum class StreamKind : uint8_t { kWatch, kSession };
inline constexpr int kStreamKinds = 2;

// How a ticket's wait ended.
enum class WaitOutcome : uint8_t { kMatched, kCancelled, kAbandoned, kExpired };
inline constexpr int kWaitOutcomes = 4;

class Metrics {
 public:
  // `shards`: of the engine it will serve.
  explicit Metrics(const Catalog& catalog, int shards = 1);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // By the engine.
  void SetStart(Micros at);
  void SetQueue(const QueueStats& stats);
  void ObserveTick(uint32_t queue, Micros duration, size_t due);
  void CountOverruns(uint32_t queue, int64_t ticks);
  void SetInboxDepth(int shard, size_t commands);
  void ObserveBatch(Micros duration, size_t events);
  void CountOutcome(CommitOutcome outcome);
  void CountResume(StreamKind kind);
  void SetDraining(bool draining);

  // By whoever refuses: the engine what it decides, the API what it does not hand on or the engine does not take.
  void CountRefusal(Refusal reason, int64_t count = 1);

  // By the API.
  void StreamOpened(StreamKind kind);
  void StreamEnded(StreamKind kind, StreamEnd reason);
  void CountTlsReload(bool success);

  // The exposition in Prometheus' text format, version 0.0.4.
  std::string Text() const;

 private:
  friend class EventTally;
  struct Families;

  std::unique_ptr<Families> families_;
};

}  // namespace evenmatch
