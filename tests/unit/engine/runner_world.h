// RunnerWorld: one pool group with its runner, a store that does as told, and egress, all moved by hand on one thread.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/egress.h"
#include "engine/engine.h"
#include "engine/group_runner.h"
#include "engine/metrics.h"
#include "gtest/gtest.h"
#include "tests/support/fake_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/tickets.h"

namespace evenmatch {

// Remembers replies, and the order in which things happened.
class RecordingSink final : public ReplySink {
 public:
  explicit RecordingSink(std::vector<std::string>* log = nullptr) : log_(log) {}

  void OnReply(uint64_t tag, Reply reply) override {
    EXPECT_FALSE(replies.contains(tag)) << "answered twice: " << tag;
    if (log_ != nullptr) log_->push_back("reply " + std::to_string(tag));
    replies[tag] = std::move(reply);
  }
  void OnRepliesEnd() override { ++runs; }

  bool answered(uint64_t tag) const { return replies.contains(tag); }
  absl::StatusCode code(uint64_t tag) const { return replies.at(tag).status.code(); }

  std::map<uint64_t, Reply> replies;
  int runs = 0;

 private:
  std::vector<std::string>* log_;
};

// A connection that takes everything, when Read, and remembers it.
class FastClient final : public Stream::Writer {
 public:
  explicit FastClient(size_t capacity = 1024, std::vector<std::string>* log = nullptr)
      : stream(std::make_shared<Stream>(this, capacity, 64)), log_(log) {}

  void StartWrite(std::span<const Outgoing> items) override {
    for (const Outgoing& item : items) {
      if (const Event* event = std::get_if<Event>(&item)) {
        events.push_back(*event);
        if (log_ != nullptr) log_->push_back("event " + std::to_string(event->sequence));
      }
    }
    pending_ = true;
  }
  void StartFinish(const absl::Status& end) override { status = end; }
  void Break() override { broken = true; }

  void Read() {
    while (std::exchange(pending_, false)) stream->Written(true, 0);
  }

  std::vector<std::pair<EventKind, uint32_t>> heard() const {
    std::vector<std::pair<EventKind, uint32_t>> heard;
    for (const Event& event : events) heard.emplace_back(event.kind, event.sequence);
    return heard;
  }

  std::shared_ptr<Stream> stream;
  std::vector<Event> events;
  absl::Status status = absl::UnknownError("open");
  bool broken = false;

 private:
  std::vector<std::string>* log_;
  bool pending_ = false;
};

class RunnerWorld : public ::testing::Test {
 protected:
  explicit RunnerWorld(std::vector<QueueRules> queues = {DuelRules("duel")}, const Limits& limits = {})
      : catalog(MakeCatalog(std::move(queues))), limits(limits), metrics(catalog) {
    const uint64_t fence = *store.Claim("default");
    const GroupRunner::Context context = {&catalog, &this->limits, &clock, &store, &metrics, &draining};
    runner = std::make_unique<GroupRunner>(context, 0, std::make_unique<PoolGroup>(catalog, 0, fence, this->limits),
                                           fence, waker, &egress);
  }

  // Everything that can be done now is done.
  void Run() {
    while (runner->Step(clock.Now())) {
    }
    while (egress.Step(clock.Now())) {
    }
  }
  void Pass(Micros span) {
    clock.Advance(span);
    Run();
  }

  absl::Status Submit(uint64_t tag, Command command, std::shared_ptr<Stream> stream = nullptr) {
    std::vector<Request> requests;
    requests.push_back({std::move(command), tag, &sink, std::move(stream)});
    return runner->Submit(&requests);
  }
  absl::Status Enqueue(uint64_t tag, const std::string& id, int rating = 1500) {
    return Submit(tag, EnqueueCommand{MakeTicket({.id = id, .players = {{"player-" + id, rating}}})});
  }
  absl::Status Get(uint64_t tag, const std::string& id) { return Submit(tag, GetTicketCommand{{.ticket_id = id}}); }
  absl::Status Cancel(uint64_t tag, const std::string& id) { return Submit(tag, CancelCommand{{.ticket_id = id}}); }
  absl::Status Attach(uint64_t tag, const std::string& id, FastClient& client) {
    return Submit(tag, AttachCommand{{.ticket_id = id}}, client.stream);
  }
  bool Exposes(const std::string& sample) const { return metrics.Text().find(sample + "\n") != std::string::npos; }

  Catalog catalog;
  Limits limits;
  ManualClock clock;
  FakeStore store;
  Metrics metrics;
  std::atomic<bool> draining = false;
  std::shared_ptr<Waker> waker = std::make_shared<Waker>();
  Egress egress{&metrics, 5 * kSecond};
  std::unique_ptr<GroupRunner> runner;
  std::vector<std::string> log;
  RecordingSink sink{&log};
};

}  // namespace evenmatch
