#include "engine/engine.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "engine/egress.h"
#include "engine/group_runner.h"
#include "runtime/thread.h"
#include "runtime/waker.h"
#include "shard/pool_group.h"

namespace evenmatch {
namespace {

Micros Until(Micros at, Micros now) { return at == kNever ? kNever : std::max<Micros>(at - now, 0); }

}  // namespace

class Engine::Impl {
 public:
  Impl(const Catalog& catalog, const Limits& limits, const Options& options, Clock* clock, Store* store,
       Metrics* metrics)
      : options_(options), clock_(clock), metrics_(metrics) {
    CHECK_GT(options.shards, 0);
    CHECK_GT(options.egress_threads, 0);
    context_ = {&catalog, &limits, clock, store, metrics, &draining_};
    for (int i = 0; i < options.egress_threads; ++i) {
      egress_.push_back(std::make_unique<EgressThread>(metrics, options.write_stall));
    }
    for (int i = 0; i < options.shards; ++i) shards_.push_back(std::make_unique<Shard>());
  }

  absl::Status LoadGroups() {
    const Catalog& catalog = *context_.catalog;
    for (uint32_t index = 0; index < catalog.groups.size(); ++index) {
      const std::string& name = catalog.groups[index].name;
      uint64_t fence = 0;
      ASSIGN_OR_RETURN(fence, context_.store->Claim(name));
      auto group = std::make_unique<PoolGroup>(catalog, index, fence, *context_.limits);
      RETURN_IF_ERROR(context_.store->Load(name, fence, [&](const Event& event) { group->Restore(event); }));
      Shard& shard = *shards_[Hash64(name) % shards_.size()];
      Egress* egress = &egress_[index % egress_.size()]->egress;
      groups_.push_back(shard.groups
                            .emplace_back(std::make_unique<GroupRunner>(context_, index, std::move(group), fence,
                                                                        shard.waker, egress))
                            .get());
    }
    return absl::OkStatus();
  }

  void StartThreads() {
    metrics_->SetStart(clock_->Now());
    for (size_t i = 0; i < egress_.size(); ++i) {
      egress_[i]->thread = std::thread([this, i] { RunEgress(*egress_[i], static_cast<int>(i)); });
    }
    for (size_t i = 0; i < shards_.size(); ++i) {
      shards_[i]->thread = std::thread([this, i] { RunShard(*shards_[i], static_cast<int>(i)); });
    }
  }

  absl::Status Submit(uint32_t group, std::vector<Request>* requests) {
    CHECK_LT(group, groups_.size());
    return groups_[group]->Submit(requests);
  }

  void Drain() {
    draining_.store(true);
    metrics_->SetDraining(true);
  }
  bool draining() const { return draining_.load(); }

  void Stop() {
    std::lock_guard lock(stop_mutex_);
    // First the shards: what they decide still has to go out.
    for (const auto& shard : shards_) {
      shard->stop.store(true);
      shard->waker->Wake();
    }
    for (const auto& shard : shards_) {
      if (shard->thread.joinable()) shard->thread.join();
    }
    for (const auto& egress : egress_) {
      egress->stop.store(true);
      egress->egress.waker()->Wake();
    }
    for (const auto& egress : egress_) {
      if (egress->thread.joinable()) egress->thread.join();
    }
  }

 private:
  struct Shard {
    const std::shared_ptr<Waker> waker = std::make_shared<Waker>();
    std::vector<std::unique_ptr<GroupRunner>> groups;
    std::atomic<bool> stop = false;
    std::thread thread;
  };

  struct EgressThread {
    EgressThread(Metrics* metrics, Micros write_stall) : egress(metrics, write_stall) {}
    Egress egress;
    std::atomic<bool> stop = false;
    std::thread thread;
  };

  void RunShard(Shard& shard, int number) {
    NameThisThread("em-shard-" + std::to_string(number));
    bool stopping = false;
    for (;;) {
      const Micros now = clock_->Now();
      if (!stopping && shard.stop.load()) {
        stopping = true;
        for (const auto& group : shard.groups) group->BeginStop(now + options_.stop_patience);
      }
      bool more = false, finished = true;
      size_t depth = 0;
      Micros next = kNever;
      for (const auto& group : shard.groups) {
        depth += group->depth();
        more |= group->Step(now);
        finished &= group->finished();
        next = std::min(next, group->NextWork());
      }
      metrics_->SetInboxDepth(number, depth);
      if (stopping && finished) return;
      if (!more) shard.waker->Sleep(Until(next, clock_->Now()));
    }
  }

  void RunEgress(EgressThread& self, int number) {
    NameThisThread("em-egress-" + std::to_string(number));
    for (;;) {
      // Read before the last look: what was handed over before the stop is given out.
      const bool stop = self.stop.load();
      const Micros now = clock_->Now();
      if (self.egress.Step(now)) continue;
      if (stop) return;
      self.egress.waker()->Sleep(self.egress.SleepLimit(clock_->Now()));
    }
  }

  const Options options_;
  Clock* const clock_;
  Metrics* const metrics_;
  std::atomic<bool> draining_ = false;
  GroupRunner::Context context_;
  // Egress is named by the groups, so it goes last.
  std::vector<std::unique_ptr<EgressThread>> egress_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<GroupRunner*> groups_;  // by index in the catalog
  std::mutex stop_mutex_;
};

absl::StatusOr<std::unique_ptr<Engine>> Engine::Start(const Catalog& catalog, const Limits& limits,
                                                      const Options& options, Clock* clock, Store* store,
                                                      Metrics* metrics) {
  auto impl = std::make_unique<Impl>(catalog, limits, options, clock, store, metrics);
  RETURN_IF_ERROR(impl->LoadGroups());
  impl->StartThreads();
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() { Stop(); }

absl::Status Engine::Submit(uint32_t group, std::vector<Request>* requests) { return impl_->Submit(group, requests); }

absl::Status Engine::Submit(uint32_t group, Request request) {
  std::vector<Request> requests;
  requests.push_back(std::move(request));
  return impl_->Submit(group, &requests);
}

void Engine::Drain() { impl_->Drain(); }
bool Engine::draining() const { return impl_->draining(); }
void Engine::Stop() { impl_->Stop(); }

}  // namespace evenmatch
