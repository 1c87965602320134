// The engine with its threads: nothing here depends on how fast they are.

#include "engine/engine.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.h"
#include "gtest/gtest.h"
#include "shard/pool_group.h"
#include "store/memory_store.h"
#include "tests/support/fake_store.h"
#include "tests/support/tickets.h"

namespace evenmatch {
namespace {

// Runs what it is given on a thread of its own, in order.
class Worker {
 public:
  Worker() : thread_([this] { Run(); }) {}
  ~Worker() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  void Do(std::function<void()> job) {
    {
      std::lock_guard lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    changed_.notify_one();
  }

 private:
  void Run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool stop_ = false;
  std::thread thread_;
};

// Answers from another thread, and sometimes loses the request or the answer.
class LateStore final : public Store {
 public:
  explicit LateStore(uint64_t seed) : random_(seed) {}

  absl::StatusOr<uint64_t> Claim(std::string_view group) override { return fake_.Claim(group); }
  absl::Status Load(std::string_view group, uint64_t fence, const std::function<void(const Event&)>& fold) override {
    return fake_.Load(group, fence, fold);
  }
  void Commit(std::string_view group, uint64_t fence, uint64_t batch_id, std::span<const Event> events,
              std::function<void(CommitOutcome)> done) override {
    worker_.Do([this, group = std::string(group), fence, batch_id, events, done = std::move(done)]() mutable {
      const uint64_t dice = random_.Below(20);
      fake_.Script({dice == 0   ? FakeStore::Act::kApplySayUnknown
                    : dice == 1 ? FakeStore::Act::kSayUnknown
                                : FakeStore::Act::kApply});
      fake_.Commit(group, fence, batch_id, events, std::move(done));
    });
  }

  std::vector<Event> stored() const { return fake_.stored(); }

 private:
  FakeStore fake_;
  Random random_;  // worker only
  Worker worker_;
};

// Waits for replies and remembers them.
class WaitingSink final : public ReplySink {
 public:
  void OnReply(uint64_t tag, Reply reply) override {
    std::lock_guard lock(mutex_);
    EXPECT_TRUE(replies_.emplace(tag, std::move(reply)).second) << "answered twice: " << tag;
    changed_.notify_all();
  }
  const Reply& WaitFor(uint64_t tag) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return replies_.contains(tag); });
    return replies_.at(tag);  // a node of a map stays where it is
  }
  std::map<uint64_t, Reply> replies() {
    std::lock_guard lock(mutex_);
    return replies_;
  }
  void WaitForCount(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return replies_.size() >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<uint64_t, Reply> replies_;
};

// A connection whose client reads, or does not, or goes away while reading.
class Client final : public Stream::Writer {
 public:
  enum class Manner { kReads, kNeverReads, kGoesAway };

  Client(Manner manner, size_t capacity, Worker* connection)
      : stream(std::make_shared<Stream>(this, capacity, 16)), manner_(manner), connection_(connection) {}

  void StartWrite(std::span<const Outgoing> items) override {
    {
      std::lock_guard lock(mutex_);
      for (const Outgoing& item : items) events_.push_back(std::get<Event>(item));
      changed_.notify_all();
    }
    if (manner_ == Manner::kNeverReads) return;
    connection_->Do([stream = stream, ok = manner_ == Manner::kReads] { stream->Written(ok, 0); });
  }
  void StartFinish(const absl::Status&) override { finishes_.fetch_add(1); }
  void Break() override { finishes_.fetch_add(1); }

  void WaitForEvents(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return events_.size() >= count; });
  }
  std::vector<Event> events() {
    std::lock_guard lock(mutex_);
    return events_;
  }
  int finishes() const { return finishes_.load(); }

  const std::shared_ptr<Stream> stream;

 private:
  const Manner manner_;
  Worker* const connection_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Event> events_;
  std::atomic<int> finishes_ = 0;
};

QueueRules FastDuel(const std::string& name) {
  QueueRules rules = DuelRules(name);
  rules.tick = 1 * kMillisecond;
  return rules;
}

// One queue a group.
Catalog CatalogOfGroups(int count) {
  Catalog catalog;
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<uint32_t>(i);
    catalog.queues.push_back(FastDuel("queue-" + std::to_string(i)));
    catalog.queues.back().group = index;
    catalog.groups.push_back({.name = "group-" + std::to_string(i), .queues = {index}});
  }
  return catalog;
}

std::shared_ptr<const Ticket> TicketIn(uint32_t group, const std::string& id, int rating,
                                       const std::string& session = "") {
  auto ticket = MakeTicket({.id = id, .players = {{"p-" + id, rating}}, .queues = {group}, .session = session});
  ticket->group = group;
  return ticket;
}

class EngineTest : public ::testing::Test {
 protected:
  void Start(const Engine::Options& options = {}) {
    auto engine = Engine::Start(catalog_, limits_, options, &clock_, &store_, &metrics_);
    ASSERT_TRUE(engine.ok());
    engine_ = std::move(*engine);
  }

  Catalog catalog_ = CatalogOfGroups(3);
  Limits limits_;
  SystemClock clock_;
  MemoryStore store_{1};
  Metrics metrics_{catalog_, 2};
  Worker connection_;
  WaitingSink sink_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(EngineTest, MatchesTwoAndTellsBothInEveryGroup) {
  Start({.shards = 2, .egress_threads = 2});
  for (uint32_t group = 0; group < 3; ++group) {
    Client a(Client::Manner::kReads, 64, &connection_);
    ASSERT_TRUE(engine_->Submit(group, {EnqueueCommand{TicketIn(group, "a", 1500)}, group * 10 + 0, &sink_}).ok());
    ASSERT_TRUE(engine_->Submit(group, {AttachCommand{{.ticket_id = "a"}}, group * 10 + 1, &sink_, a.stream}).ok());
    ASSERT_TRUE(engine_->Submit(group, {EnqueueCommand{TicketIn(group, "b", 1500)}, group * 10 + 2, &sink_}).ok());
    a.WaitForEvents(2);
    EXPECT_EQ(a.events()[1].kind, EventKind::kMatched);
    EXPECT_TRUE(sink_.WaitFor(group * 10 + 2).status.ok());
    engine_->Submit(group, {GetTicketCommand{{.ticket_id = "b"}}, group * 10 + 3, &sink_}).IgnoreError();
    EXPECT_EQ(std::get<TicketView>(sink_.WaitFor(group * 10 + 3).value).state, TicketState::kMatched);
    while (!a.stream->ended()) std::this_thread::yield();
  }
}

TEST_F(EngineTest, SubmitAfterStopIsUnavailableAndStopMayBeRepeated) {
  Start();
  engine_->Stop();
  engine_->Stop();
  EXPECT_EQ(engine_->Submit(0, {GetTicketCommand{{.ticket_id = "a"}}, 1, &sink_}).code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(EngineTest, DrainRefusesNewTicketsAndServesTheRest) {
  Start();
  ASSERT_TRUE(engine_->Submit(0, {EnqueueCommand{TicketIn(0, "a", 1500)}, 1, &sink_}).ok());
  EXPECT_TRUE(sink_.WaitFor(1).status.ok());
  EXPECT_FALSE(engine_->draining());
  engine_->Drain();
  EXPECT_TRUE(engine_->draining());
  ASSERT_TRUE(engine_->Submit(0, {EnqueueCommand{TicketIn(0, "b", 1500)}, 2, &sink_}).ok());
  EXPECT_EQ(sink_.WaitFor(2).status.code(), absl::StatusCode::kUnavailable);
  ASSERT_TRUE(engine_->Submit(0, {CancelCommand{{.ticket_id = "a"}}, 3, &sink_}).ok());
  EXPECT_TRUE(sink_.WaitFor(3).status.ok());
  EXPECT_NE(metrics_.Text().find("evenmatch_draining 1\n"), std::string::npos);
}

TEST_F(EngineTest, StartTellsTheStoresTroubleAndLoadsWhatItKeeps) {
  class BrokenStore final : public Store {
   public:
    absl::StatusOr<uint64_t> Claim(std::string_view) override { return 1; }
    absl::Status Load(std::string_view, uint64_t, const std::function<void(const Event&)>&) override {
      return absl::DataLossError("torn page");
    }
    void Commit(std::string_view, uint64_t, uint64_t, std::span<const Event>,
                std::function<void(CommitOutcome)>) override {}
  } broken;
  EXPECT_EQ(Engine::Start(catalog_, limits_, {}, &clock_, &broken, &metrics_).status().code(),
            absl::StatusCode::kDataLoss);

  FakeStore store;
  catalog_ = CatalogOfGroups(1);
  Event queued;
  queued.kind = EventKind::kQueued;
  queued.sequence = 1;
  queued.at = clock_.Now();
  queued.handle = 0;
  queued.ticket = TicketIn(0, "a", 1500);
  {
    // The handle of a group's first ticket, from a group that has one.
    PoolGroup group(catalog_, 0, 1, limits_);
    std::vector<Event> events;
    group.Apply(EnqueueCommand{queued.ticket}, queued.at, &events);
    ASSERT_FALSE(events.empty());
    queued = events.front();
  }
  store.SetRows({queued});
  auto engine = Engine::Start(catalog_, limits_, {}, &clock_, &store, &metrics_);
  ASSERT_TRUE(engine.ok());
  ASSERT_TRUE((*engine)->Submit(0, {GetTicketCommand{{.ticket_id = "a"}}, 1, &sink_}).ok());
  const Reply& reply = sink_.WaitFor(1);
  ASSERT_TRUE(reply.status.ok());
  EXPECT_EQ(std::get<TicketView>(reply.value).state, TicketState::kWaiting);
}

// Many producers, readers of every manner, a store that answers late and sometimes not at all, and a stop while all
// that goes on. Afterwards the books must balance.
class EngineStressTest : public ::testing::TestWithParam<uint64_t> {
 protected:
  static constexpr int kProducers = 4;
  static constexpr int kRounds = 3000;
  static constexpr uint32_t kGroups = 3;

  struct Attached {
    uint32_t group;
    std::string ticket_id;
    std::unique_ptr<Client> client;
  };

  struct Producer {
    WaitingSink sink;
    uint64_t submitted = 0;                               // tags 0..submitted-1 were taken
    std::map<uint64_t, std::string> enqueued, cancelled;  // by tag: "group/ticket"
    std::vector<Attached> attached;                       //
    std::vector<std::pair<uint32_t, std::unique_ptr<Client>>> sessions;
  };

  void Produce(Engine& engine, Producer& producer, int number, uint64_t seed, Worker* connection) {
    Random random(seed);
    const std::string session = "session-" + std::to_string(number);
    std::vector<std::pair<uint32_t, std::string>> tickets;
    const auto submit = [&](uint32_t group, Command command, std::shared_ptr<Stream> stream = nullptr) {
      for (;;) {
        const absl::Status status =
            engine.Submit(group, {command, producer.submitted, &producer.sink, std::move(stream)});
        if (status.ok()) {
          ++producer.submitted;
          return true;
        }
        if (status.code() == absl::StatusCode::kUnavailable) return false;
        std::this_thread::yield();  // full
      }
    };
    const auto manner = [&] {
      const uint64_t dice = random.Below(10);
      return dice == 0 ? Client::Manner::kNeverReads : dice == 1 ? Client::Manner::kGoesAway : Client::Manner::kReads;
    };
    for (int round = 0; round < kRounds; ++round) {
      const auto group = static_cast<uint32_t>(random.Below(kGroups));
      const uint64_t dice = random.Below(100);
      if (dice < 50 || tickets.empty()) {
        const std::string id = std::to_string(number) + "-" + std::to_string(round);
        const int rating = static_cast<int>(random.Between(1000, 2000));
        const uint64_t tag = producer.submitted;
        if (!submit(group, EnqueueCommand{TicketIn(group, id, rating, random.Percent(50) ? session : "")})) return;
        producer.enqueued[tag] = std::to_string(group) + "/" + id;
        tickets.emplace_back(group, id);
        continue;
      }
      const auto& [of_group, id] = tickets[random.Below(tickets.size())];
      if (dice < 60) {
        const uint64_t tag = producer.submitted;
        if (!submit(of_group, CancelCommand{{.ticket_id = id}})) return;
        producer.cancelled[tag] = std::to_string(of_group) + "/" + id;
      } else if (dice < 80) {
        auto client = std::make_unique<Client>(manner(), 4, connection);
        const uint64_t tag = producer.submitted;
        producer.attached.push_back({of_group, id, std::move(client)});
        const std::shared_ptr<Stream> stream = producer.attached.back().client->stream;
        if (!submit(of_group, AttachCommand{{.ticket_id = id}}, stream)) return;
        if (!random.Percent(30)) continue;
        const Reply& reply = producer.sink.WaitFor(tag);
        if (!reply.status.ok()) continue;
        stream->ClientGone();
        if (!submit(of_group, DetachCommand{std::get<AttachReply>(reply.value).handle}, stream)) return;
      } else if (dice < 84) {
        producer.sessions.emplace_back(group, std::make_unique<Client>(manner(), 64, connection));
        const std::shared_ptr<Stream> stream = producer.sessions.back().second->stream;
        if (!submit(group, AttachSessionCommand{session}, stream)) return;
        if (random.Percent(20)) {
          stream->ClientGone();
          if (!submit(group, DetachSessionCommand{session}, stream)) return;
        }
      } else {
        if (!submit(of_group, GetTicketCommand{{.ticket_id = id}})) return;
      }
    }
  }

  // Within a stream the numbered events of a ticket follow each other without a gap.
  static void CheckStream(const std::vector<Event>& events) {
    std::map<const Ticket*, uint32_t> last;
    for (const Event& event : events) {
      const auto [it, first] = last.try_emplace(event.ticket.get(), event.sequence);
      if (first) continue;
      if (event.kind == EventKind::kWidened || event.snapshot) {
        EXPECT_EQ(event.sequence, it->second);
      } else {
        EXPECT_EQ(event.sequence, it->second + 1);
        it->second = event.sequence;
      }
    }
  }

  struct Book {
    int queued = 0, finals = 0;
    EventKind end = EventKind::kQueued;
    uint32_t last = 0;
  };

  static std::string KeyOf(const Ticket& ticket) { return std::to_string(ticket.group) + "/" + ticket.ticket_id; }

  static std::map<std::string, Book> ReadBooks(const std::vector<Event>& stored) {
    std::map<std::string, Book> books;
    for (const Event& event : stored) {
      if (!IsNumbered(event.kind)) continue;
      Book& book = books[KeyOf(*event.ticket)];
      EXPECT_EQ(event.sequence, book.last + 1);
      book.last = event.sequence;
      if (event.kind == EventKind::kQueued) ++book.queued;
      if (IsFinal(event.kind)) {
        ++book.finals;
        book.end = event.kind;
      }
    }
    std::set<std::string> seated;
    for (const Event& event : stored) {
      if (event.kind != EventKind::kMatchFormed) continue;
      for (const Match::Side& side : event.match->sides) {
        const std::string key = KeyOf(*side.ticket);
        EXPECT_TRUE(seated.insert(key).second) << key << " is in two matches";
        EXPECT_EQ(books[key].end, EventKind::kMatched) << key;
      }
    }
    for (const auto& [key, book] : books) {
      EXPECT_EQ(book.queued, 1) << key;
      EXPECT_LE(book.finals, 1) << key;
      EXPECT_EQ(book.end == EventKind::kMatched, seated.contains(key)) << key;
    }
    return books;
  }
};

INSTANTIATE_TEST_SUITE_P(Seeds, EngineStressTest, ::testing::Range<uint64_t>(1, 5));

TEST_P(EngineStressTest, NothingIsLostDoubledOrToldOutOfOrder) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  const bool stop_in_the_middle = GetParam() % 2 == 0;
  const Catalog catalog = CatalogOfGroups(kGroups);
  const Limits limits = {.inbox_commands = 256};
  SystemClock clock;
  LateStore store(GetParam());
  Metrics metrics(catalog, 2);
  std::vector<std::unique_ptr<Producer>> producers;
  for (int i = 0; i < kProducers; ++i) producers.push_back(std::make_unique<Producer>());
  Worker connection;
  auto started = Engine::Start(catalog, limits, {.shards = 2, .egress_threads = 2}, &clock, &store, &metrics);
  ASSERT_TRUE(started.ok());
  Engine& engine = **started;

  std::vector<std::thread> threads;
  for (int i = 0; i < kProducers; ++i) {
    threads.emplace_back(
        [&, i] { Produce(engine, *producers[i], i, GetParam() * 100 + static_cast<uint64_t>(i), &connection); });
  }
  if (stop_in_the_middle) {
    producers[0]->sink.WaitForCount(kRounds / 3);
    engine.Stop();
  }
  for (std::thread& thread : threads) thread.join();
  engine.Stop();

  const std::map<std::string, Book> books = ReadBooks(store.stored());
  for (const auto& producer : producers) {
    const std::map<uint64_t, Reply> replies = producer->sink.replies();
    EXPECT_EQ(replies.size(), producer->submitted);
    for (const auto& [tag, key] : producer->enqueued) {
      const Reply& reply = replies.at(tag);
      ASSERT_TRUE(reply.status.ok()) << reply.status;
      EXPECT_EQ(books.count(key), 1u) << key << " was acknowledged and is not stored";
    }
    for (const auto& [tag, key] : producer->cancelled) {
      const Reply& reply = replies.at(tag);
      ASSERT_TRUE(reply.status.ok()) << reply.status;
      const EventKind end = books.at(key).end;
      switch (std::get<CancelReply>(reply.value).outcome) {
        case CancelOutcome::kCancelled:
          EXPECT_EQ(end, EventKind::kCancelled) << key;
          break;
        case CancelOutcome::kAlreadyMatched:
          EXPECT_EQ(end, EventKind::kMatched) << key;
          break;
        case CancelOutcome::kAlreadyEnded:
          EXPECT_NE(end, EventKind::kQueued) << key;
          break;
      }
    }
    for (const Attached& attached : producer->attached) {
      attached.client->stream->ClientGone();
      CheckStream(attached.client->events());
      for (const Event& event : attached.client->events()) {
        EXPECT_EQ(event.ticket->ticket_id, attached.ticket_id);
        EXPECT_LE(event.sequence, books.at(KeyOf(*event.ticket)).last);
      }
      EXPECT_LE(attached.client->finishes(), 1);
    }
    for (const auto& [group, client] : producer->sessions) {
      client->stream->ClientGone();
      CheckStream(client->events());
      EXPECT_LE(client->finishes(), 1);
    }
  }
}

}  // namespace
}  // namespace evenmatch
