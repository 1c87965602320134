// The load generator against a server that is built to be caught: it pairs tickets in the order they come, and breaks
// one promise at a time.
#include "tools/load.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evenmatch/v1/admin_service.grpc.pb.h"
#include "evenmatch/v1/match_service.grpc.pb.h"
#include "evenmatch/v1/matchmaking_service.grpc.pb.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "gtest/gtest.h"

namespace evenmatch {
namespace {

enum class Crime {
  kNone,
  kRefuse,   // every third ticket
  kForget,   // accepts the third ticket and knows nothing of it later
  kDouble,   // tells the first ticket of a second match
  kBreak,    // ends the stream once, after some tickets
  kSilence,  // never tells the third ticket of its match
};

class FakeServer final : public v1::MatchmakingService::Service,
                         public v1::AdminService::Service,
                         public v1::MatchService::Service {
 public:
  explicit FakeServer(Crime crime) : crime_(crime) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(static_cast<v1::MatchmakingService::Service*>(this));
    builder.RegisterService(static_cast<v1::AdminService::Service*>(this));
    builder.RegisterService(static_cast<v1::MatchService::Service*>(this));
    server_ = builder.BuildAndStart();
  }
  ~FakeServer() override { server_->Shutdown(std::chrono::system_clock::now()); }

  std::string address() const { return absl::StrCat("127.0.0.1:", port_); }
  size_t acknowledged() const {
    const std::lock_guard lock(mutex_);
    return acknowledged_.size();
  }
  size_t ended() const { return ended_; }

 private:
  grpc::Status ListQueues(grpc::ServerContext*, const v1::ListQueuesRequest*,
                          v1::ListQueuesResponse* response) override {
    v1::QueueInfo* queue = response->add_queues();
    queue->set_queue("duel");
    queue->set_team_count(2);
    queue->set_team_size(1);
    return grpc::Status::OK;
  }

  grpc::Status EndMatch(grpc::ServerContext*, const v1::EndMatchRequest*, v1::EndMatchResponse*) override {
    ++ended_;
    return grpc::Status::OK;
  }

  grpc::Status Session(grpc::ServerContext*,
                       grpc::ServerReaderWriter<v1::SessionResponse, v1::SessionRequest>* stream) override {
    v1::SessionRequest request;
    for (int messages = 0; stream->Read(&request); ++messages) {
      v1::SessionResponse response;
      response.set_session_id(request.session_id());
      const std::lock_guard lock(mutex_);
      if (!request.session_id().empty()) {
        // After an attach: all that is not acknowledged.
        for (const auto& [ticket, match] : told_) {
          if (acknowledged_.contains(ticket)) continue;
          AddEvent(ticket, match, &response);
          *response.add_matches() = match;
        }
      }
      for (const v1::SessionCommand& command : request.commands()) {
        v1::SessionResult* result = response.add_results();
        result->set_request(command.request());
        if (command.has_enqueue()) Enqueue(command.enqueue().ticket(), result, &response);
        if (command.has_cancel()) Cancel(command.cancel().ticket_id(), result, &response);
        if (command.has_acknowledge()) {
          acknowledged_.insert(command.acknowledge().ticket_id());
          result->mutable_acknowledge();
        }
      }
      if (crime_ == Crime::kBreak && messages > 3 && !std::exchange(broken_, true)) {
        return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "too slow");
      }
      stream->Write(response);
    }
    return grpc::Status::OK;
  }

  void Enqueue(const v1::Ticket& ticket, v1::SessionResult* result, v1::SessionResponse* response) {
    const std::string& id = ticket.ticket_id();
    if (known_.contains(id)) {
      result->mutable_enqueue()->set_existing(true);
      return;
    }
    const size_t number = known_.size();
    known_.insert(id);
    if (crime_ == Crime::kRefuse && number % 3 == 2) {
      result->mutable_error()->set_code(grpc::StatusCode::RESOURCE_EXHAUSTED);
      return;
    }
    result->mutable_enqueue()->set_ticket_id(id);
    if (crime_ == Crime::kForget && number == 2) return;
    if (waiting_.ticket_id().empty()) {
      waiting_ = ticket;
      return;
    }
    const v1::Match match = MatchOf(waiting_, ticket);
    if (first_.ticket_id().empty()) first_ = waiting_;
    for (const v1::Ticket* one : {static_cast<const v1::Ticket*>(&waiting_), &ticket}) {
      if (crime_ == Crime::kSilence && number == 3 && one == &ticket) {
        untold_.insert(id);
        continue;
      }
      told_[one->ticket_id()] = match;
      AddEvent(one->ticket_id(), match, response);
    }
    *response->add_matches() = match;
    if (crime_ == Crime::kDouble && number == 5) {
      *response->add_matches() = MatchOf(first_, ticket);
    }
    waiting_.Clear();
  }

  void Cancel(const std::string& id, v1::SessionResult* result, v1::SessionResponse* response) {
    if (untold_.contains(id)) {
      result->mutable_cancel()->set_outcome(v1::CANCEL_OUTCOME_ALREADY_MATCHED);
    } else if (id != waiting_.ticket_id()) {
      result->mutable_error()->set_code(grpc::StatusCode::NOT_FOUND);
    } else {
      waiting_.Clear();
      result->mutable_cancel()->set_outcome(v1::CANCEL_OUTCOME_CANCELLED);
      v1::TicketEvent* event = response->add_events();
      event->set_ticket_id(id);
      event->set_kind(v1::TICKET_EVENT_KIND_CANCELLED);
    }
  }

  v1::Match MatchOf(const v1::Ticket& a, const v1::Ticket& b) {
    v1::Match match;
    match.set_match_id(absl::StrCat("m", ++matches_));
    for (const v1::Ticket* ticket : {&a, &b}) {
      v1::Seat* seat = match.add_teams()->add_seats();
      seat->set_ticket_id(ticket->ticket_id());
      seat->set_player_id(ticket->players(0).player_id());
    }
    return match;
  }

  static void AddEvent(const std::string& ticket, const v1::Match& match, v1::SessionResponse* response) {
    v1::TicketEvent* event = response->add_events();
    event->set_ticket_id(ticket);
    event->set_sequence(2);
    event->set_kind(v1::TICKET_EVENT_KIND_MATCHED);
    event->mutable_match()->set_match_id(match.match_id());
  }

  const Crime crime_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
  mutable std::mutex mutex_;
  std::set<std::string> known_, acknowledged_, untold_;
  std::map<std::string, v1::Match> told_;
  v1::Ticket waiting_, first_;
  int matches_ = 0;
  bool broken_ = false;
  std::atomic<size_t> ended_{0};
};

Report Play(FakeServer* server, size_t tickets, bool end_matches = false) {
  LoadOptions options;
  options.connect.address = server->address();
  options.rate = 20'000;
  options.duration = kNever;
  options.settle = 50 * kMillisecond;
  options.end_matches = end_matches;
  options.patience = 100 * kMillisecond;
  const auto queue = FindQueue(options.connect, "duel");
  EXPECT_TRUE(queue.ok());
  const auto report = PlayLoad(options, *queue, Population::Draw(tickets, {}, {}, 1));
  EXPECT_TRUE(report.ok());
  return report.ok() ? *report : Report();
}

TEST(Load, AnHonestServerKeepsItsPromises) {
  FakeServer server(Crime::kNone);
  const Report report = Play(&server, 501, true);
  EXPECT_TRUE(report.sound()) << report.Text();
  EXPECT_EQ(report.accepted, 501u);
  EXPECT_EQ(report.matched, 500u);
  EXPECT_EQ(report.tally.matches, 250u);
  EXPECT_EQ(report.waiting, 1u);
  EXPECT_EQ(report.tally.errors.size(), 0u);
  EXPECT_EQ(server.ended(), 250u);
  EXPECT_GE(server.acknowledged(), 500u);
}

TEST(Load, RefusalsAreCountedAndNotLost) {
  FakeServer server(Crime::kRefuse);
  const Report report = Play(&server, 300);
  EXPECT_TRUE(report.sound()) << report.Text();
  EXPECT_EQ(report.refused, 100u);
  EXPECT_EQ(report.tally.refused.at(grpc::StatusCode::RESOURCE_EXHAUSTED), 100u);
  EXPECT_EQ(report.matched, 200u);
}

TEST(Load, AForgottenTicketIsLost) {
  FakeServer server(Crime::kForget);
  const Report report = Play(&server, 101);
  EXPECT_EQ(report.lost, 1u) << report.Text();
  EXPECT_FALSE(report.sound());
}

TEST(Load, AMatchThatIsNeverToldIsLost) {
  FakeServer server(Crime::kSilence);
  const Report report = Play(&server, 100);
  EXPECT_EQ(report.lost, 1u) << report.Text();
}

TEST(Load, ATicketInTwoMatchesIsDoubled) {
  FakeServer server(Crime::kDouble);
  const Report report = Play(&server, 100);
  EXPECT_GT(report.tally.doubled, 0u) << report.Text();
  EXPECT_FALSE(report.sound());
}

TEST(Load, ABrokenStreamIsTakenUpAgain) {
  FakeServer server(Crime::kBreak);
  const Report report = Play(&server, 2000);
  EXPECT_EQ(report.tally.resumes, 1u);
  EXPECT_TRUE(report.sound()) << report.Text();
  EXPECT_EQ(report.accepted, 2000u);
  EXPECT_EQ(report.matched + report.waiting, 2000u) << report.Text();
}

TEST(Load, AnUnknownQueueIsNamedWithThoseThereAre) {
  FakeServer server(Crime::kNone);
  const auto queue = FindQueue({.address = server.address()}, "chess");
  EXPECT_EQ(queue.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(queue.status().message().find("duel"), absl::string_view::npos);
}

TEST(Load, NobodyThereIsAnError) {
  std::string address;
  { address = FakeServer(Crime::kNone).address(); }
  EXPECT_EQ(FindQueue({.address = address}, "duel").status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace evenmatch
