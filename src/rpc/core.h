// Core: what all calls of a server share.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "engine/engine.h"
#include "engine/metrics.h"
#include "evenmatch/v1/admin_service.grpc.pb.h"
#include "evenmatch/v1/match_service.grpc.pb.h"
#include "evenmatch/v1/matchmaking_service.grpc.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "model/limits.h"
#include "model/queue_rules.h"
#include "rpc/farewells.h"
#include "rpc/parse.h"
#include "rpc/peers.h"
#include "rpc/queues.h"
#include "runtime/clock.h"

namespace evenmatch {

// Every method raw (see codec.h) and asynchronous.
template <typename S>
using RawMatchmaking = typename S::template WithRawMethod_Enqueue<typename S::template WithRawMethod_Cancel<
    typename S::template WithRawMethod_GetTicket<typename S::template WithRawMethod_ExplainTicket<
        typename S::template WithRawMethod_WatchTicket<typename S::template WithRawMethod_Acknowledge<
            typename S::template WithRawMethod_Session<typename S::Service>>>>>>>;
template <typename S>
using RawMatch =
    typename S::template WithRawMethod_GetMatch<typename S::template WithRawMethod_EndMatch<typename S::Service>>;
template <typename S>
using RawAdmin = typename S::template WithRawMethod_ListQueues<
    typename S::template WithRawMethod_GetQueueStats<typename S::template WithRawMethod_WatchQueueStats<
        typename S::template WithRawMethod_PauseQueue<typename S::template WithRawMethod_ResumeQueue<
            typename S::template WithRawMethod_Drain<typename S::Service>>>>>>;
template <typename S>
using RawHealth =
    typename S::template WithRawMethod_Check<typename S::template WithRawMethod_Watch<typename S::Service>>;

struct Services {
  RawMatchmaking<v1::MatchmakingService> matchmaking;
  RawMatch<v1::MatchService> match;
  RawAdmin<v1::AdminService> admin;
  RawHealth<grpc::health::v1::Health> health;
};

class LatestCall;
class SessionCall;

// Open streams that the engine does not know and somebody has to see to.
template <typename C>
class CallList {
 public:
  // False once closed: no list takes it any more.
  bool Add(C* call) {
    std::lock_guard lock(mutex_);
    return !closed_ && calls_.insert(call).second;
  }
  // Whether it was listed.
  bool Remove(C* call) {
    std::lock_guard lock(mutex_);
    return calls_.erase(call) != 0;
  }
  // The visitor must not end up in Add or Remove.
  template <typename Visitor>
  void ForEach(Visitor visit) {
    std::lock_guard lock(mutex_);
    for (C* call : calls_) visit(*call);
  }
  // Takes no more; those listed stay until they are removed.
  void Close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
  }

 private:
  std::mutex mutex_;
  bool closed_ = false;
  absl::flat_hash_set<C*> calls_;
};

struct Core {
  Core(const Catalog& catalog_in, const Limits& limits_in, Engine* engine_in, Metrics* metrics_in, Clock* clock_in,
       std::function<void()> on_drain_requested_in, std::function<void()> on_farewell, bool identify_by_certificate)
      : catalog(catalog_in),
        limits(limits_in),
        engine(*engine_in),
        metrics(*metrics_in),
        clock(*clock_in),
        on_drain_requested(std::move(on_drain_requested_in)),
        parser(catalog_in, limits_in),
        peers(limits_in.commands_in_flight_per_peer, identify_by_certificate),
        farewells(std::move(on_farewell)) {}

  const Catalog& catalog;
  const Limits& limits;
  Engine& engine;
  Metrics& metrics;
  Clock& clock;
  const std::function<void()> on_drain_requested;
  const Parser parser;
  Peers peers;
  Services services;
  std::unique_ptr<Queues> queues;
  CallList<LatestCall> latest_calls;        // they repeat a state (health, stats)
  CallList<SessionCall> nameless_sessions;  // without a first message
  Farewells farewells;
  std::atomic<bool> serving = true;
  std::atomic<int64_t> calls = 0;  // call objects that exist
};

}  // namespace evenmatch
