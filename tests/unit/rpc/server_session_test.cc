#include <map>
#include <set>

#include "grpcpp/generic/generic_stub.h"
#include "tests/unit/rpc/server_fixture.h"

namespace evenmatch {
namespace {

class SessionTest : public ServerTest {
 protected:
  using Call = grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionResponse>;

  struct Session {
    std::unique_ptr<grpc::ClientContext> context;
    std::unique_ptr<Call> call;
    std::map<uint64_t, v1::SessionResult> results;
    std::map<std::string, std::vector<v1::TicketEvent>> events;  // by ticket
    std::map<std::string, v1::Match> matches;
    std::string session_id;
    bool caught_up = false;
    int messages = 0;

    bool Read() {
      v1::SessionResponse response;
      if (!call->Read(&response)) return false;
      ++messages;
      EXPECT_FALSE(caught_up && response.caught_up()) << "told twice";
      caught_up |= response.caught_up();
      if (!response.session_id().empty()) session_id = response.session_id();
      for (const v1::SessionResult& result : response.results()) {
        EXPECT_TRUE(results.emplace(result.request(), result).second) << "answered twice: " << result.request();
      }
      std::set<std::string> named;
      for (const v1::TicketEvent& event : response.events()) {
        events[event.ticket_id()].push_back(event);
        if (event.has_match()) named.insert(event.match().match_id());
        EXPECT_EQ(event.match().teams_size(), 0);
      }
      for (const v1::Match& match : response.matches()) {
        EXPECT_EQ(named.erase(match.match_id()), 1u) << "a match without an event, or twice";
        matches[match.match_id()] = match;
      }
      EXPECT_TRUE(named.empty()) << "an event without its match";
      return true;
    }
  };

  Session Open(const std::string& session_id, v1::SessionRequest request = {}) {
    Session session;
    session.context = Context();
    session.call = matchmaking_->Session(session.context.get());
    request.set_session_id(session_id);
    EXPECT_TRUE(session.call->Write(request));
    return session;
  }

  // A session without a first message, once it has come through.
  Session OpenSilent() {
    Session session;
    session.context = Context();
    session.call = matchmaking_->Session(session.context.get());
    AwaitMetric("evenmatch_open_streams{kind=\"session\"} 1");
    return session;
  }

  void AwaitEnd(const std::string& reason, int count) {
    AwaitMetric("evenmatch_stream_ends_total{kind=\"session\",reason=\"" + reason + "\"} " + std::to_string(count));
    AwaitMetric("evenmatch_open_streams{kind=\"session\"} 0");
  }

  static v1::SessionCommand* AddEnqueue(v1::SessionRequest* request, const v1::Ticket& ticket) {
    v1::SessionCommand* command = request->add_commands();
    command->set_request(static_cast<uint64_t>(request->commands_size()));
    *command->mutable_enqueue()->mutable_ticket() = ticket;
    return command;
  }
};

TEST_F(SessionTest, BeginsWithItsIdAlsoWhenThereIsNothingToTell) {
  Start();
  Session session = Open("s1");
  ASSERT_TRUE(session.Read());
  EXPECT_EQ(session.session_id, "s1");
  EXPECT_TRUE(session.caught_up);
}

TEST_F(SessionTest, CommandsAreAnsweredAndMatchesToldOnce) {
  Start();
  v1::SessionRequest request;
  AddEnqueue(&request, Solo("a"));
  AddEnqueue(&request, Solo("b"));
  Session session = Open("s1", request);
  while (session.events.size() < 2) ASSERT_TRUE(session.Read());
  EXPECT_EQ(session.session_id, "s1");
  ASSERT_EQ(session.results.size(), 2u);
  EXPECT_EQ(session.results[1].enqueue().ticket_id(), "t-a");
  EXPECT_EQ(session.results[2].enqueue().sequence(), 1u);
  ASSERT_EQ(session.matches.size(), 1u);
  const v1::Match& match = session.matches.begin()->second;
  EXPECT_EQ(match.teams(0).seats(0).rating(), 1500) << "backends see ratings";
  EXPECT_EQ(session.events["t-a"].back().kind(), v1::TICKET_EVENT_KIND_MATCHED);
  EXPECT_EQ(session.events["t-a"].back().match().match_id(), match.match_id());

  v1::SessionRequest more;
  v1::SessionCommand* acknowledge = more.add_commands();
  acknowledge->set_request(10);
  acknowledge->mutable_acknowledge()->set_ticket_id("t-a");
  acknowledge->mutable_acknowledge()->set_sequence(2);
  v1::SessionCommand* cancel = more.add_commands();
  cancel->set_request(11);
  cancel->mutable_cancel()->set_ticket_id("t-b");
  ASSERT_TRUE(session.call->Write(more));
  ASSERT_TRUE(session.call->WritesDone());
  while (session.Read()) {
  }
  EXPECT_TRUE(session.call->Finish().ok()) << "half-closing ends the session";
  AwaitEnd("done", 1);
  EXPECT_TRUE(session.results.at(10).has_acknowledge());
  EXPECT_EQ(session.results.at(11).cancel().outcome(), v1::CANCEL_OUTCOME_ALREADY_MATCHED);
  EXPECT_EQ(session.results.at(11).cancel().match().match_id(), match.match_id());
}

TEST_F(SessionTest, BadCommandsDoNotDisturbTheOthers) {
  Start();
  v1::SessionRequest request;
  v1::Ticket bad = Solo("bad");
  bad.mutable_players(0)->set_rating(1e9);
  AddEnqueue(&request, bad);
  AddEnqueue(&request, Solo("a"));
  request.add_commands()->set_request(3);
  v1::SessionCommand* unknown = request.add_commands();
  unknown->set_request(4);
  unknown->mutable_cancel()->set_ticket_id("t-nosuch");
  v1::Ticket taken = Solo("a");
  taken.set_ticket_id("t-other");
  AddEnqueue(&request, taken);
  // Of the other pool group.
  AddEnqueue(&request, Solo("c", "arena"));
  Session session = Open("s1", request);
  ASSERT_TRUE(session.call->WritesDone());
  while (session.Read()) {
  }
  EXPECT_TRUE(session.call->Finish().ok());
  ASSERT_EQ(session.results.size(), 6u);
  EXPECT_EQ(session.results[1].error().code(), 3);
  EXPECT_EQ(session.results[1].error().field(), "ticket.players[0].rating");
  EXPECT_TRUE(session.results[2].has_enqueue());
  EXPECT_EQ(session.results[3].error().field(), "command");
  EXPECT_EQ(session.results[4].error().code(), 5);
  EXPECT_EQ(session.results[5].error().code(), 6);
  EXPECT_EQ(session.results[5].error().ticket_id(), "t-a");
  EXPECT_TRUE(session.results[6].has_enqueue());
}

TEST_F(SessionTest, NeedsAnIdFirst) {
  Start();
  Session session = Open("");
  EXPECT_FALSE(session.Read());
  grpc::Status status = session.call->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Field(status), "session_id");
  AwaitEnd("refused", 1);

  Session silent;
  silent.context = Context();
  silent.call = matchmaking_->Session(silent.context.get());
  ASSERT_TRUE(silent.call->WritesDone());
  status = silent.call->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  AwaitEnd("refused", 2);
}

TEST_F(SessionTest, NeedsItsFirstMessageInTime) {
  options_.first_message = 500 * kMillisecond;
  options_.refresh_interval = 1 * kMillisecond;
  Start();
  Session silent = OpenSilent();
  Session named = Open("s1");
  ASSERT_TRUE(named.Read());
  const grpc::Status status = silent.call->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_NE(status.error_message().find("first message"), std::string::npos) << "not the client's own deadline";
  AwaitMetric("evenmatch_stream_ends_total{kind=\"session\",reason=\"refused\"} 1");
  // One that has come in time may be silent afterwards.
  Session later;
  later.context = Context();
  later.call = matchmaking_->Session(later.context.get());
  EXPECT_EQ(later.call->Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  v1::SessionRequest request;
  AddEnqueue(&request, Solo("a"));
  ASSERT_TRUE(named.call->Write(request));
  while (named.results.empty()) ASSERT_TRUE(named.Read());
}

TEST_F(SessionTest, OneThatIsStillSilentEndsWithTheServer) {
  Start();
  Session silent = OpenSilent();
  engine_->Stop();
  server_->Shutdown(kHour);
  const grpc::Status status = silent.call->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(status.error_message(), "the server stops");
  EXPECT_TRUE(HasRetryInfo(status));
  AwaitEnd("drained", 1);
}

TEST_F(SessionTest, OneThatItsClientCancelsEndsAsTheClientsWish) {
  Start();
  Session named = Open("s1");
  ASSERT_TRUE(named.Read());
  named.context->TryCancel();
  EXPECT_EQ(named.call->Finish().error_code(), grpc::StatusCode::CANCELLED);
  AwaitEnd("client", 1);
  Session silent = OpenSilent();
  silent.context->TryCancel();
  EXPECT_EQ(silent.call->Finish().error_code(), grpc::StatusCode::CANCELLED);
  AwaitEnd("client", 2);
}

TEST_F(SessionTest, AMessageTheLibraryDoesNotReadEndsIt) {
  Start();
  Session session = Open("s1");
  ASSERT_TRUE(session.Read());
  v1::SessionRequest request;
  request.add_commands()->mutable_cancel()->set_ticket_id(std::string(5 << 20, 'x'));
  session.call->Write(request);
  while (session.Read()) {
  }
  const grpc::Status status = session.call->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(status.error_details().empty()) << "no retry cures it";
}

TEST_F(SessionTest, CannotChangeItsId) {
  Start();
  Session session = Open("s1");
  ASSERT_TRUE(session.Read());
  v1::SessionRequest request;
  request.set_session_id("s2");
  ASSERT_TRUE(session.call->Write(request));
  EXPECT_FALSE(session.Read());
  EXPECT_EQ(session.call->Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(SessionTest, ResumesWithThePresentStateOfItsTickets) {
  Start();
  v1::SessionRequest request;
  AddEnqueue(&request, Solo("a"));
  Session first = Open("s1", request);
  while (first.results.empty()) ASSERT_TRUE(first.Read());
  Session second = Open("s1");
  while (second.events.empty()) ASSERT_TRUE(second.Read());
  EXPECT_TRUE(second.events["t-a"][0].snapshot());
  EXPECT_EQ(second.events["t-a"][0].kind(), v1::TICKET_EVENT_KIND_QUEUED);
  // The newer stream ended the older one.
  while (first.Read()) {
  }
  EXPECT_EQ(first.call->Finish().error_code(), grpc::StatusCode::ABORTED);
  EnqueueOk(Solo("b"));
  while (second.events["t-a"].size() < 2) ASSERT_TRUE(second.Read());
  EXPECT_EQ(second.events["t-a"][1].kind(), v1::TICKET_EVENT_KIND_MATCHED);
}

TEST_F(SessionTest, SaysWhenEverythingItHadIsTold) {
  Start();
  constexpr size_t kEach = 700;
  v1::SessionRequest request;
  for (size_t i = 0; i < kEach; ++i) {
    AddEnqueue(&request, Solo(std::to_string(i)));
    AddEnqueue(&request, Solo("other-" + std::to_string(i), "arena"));
  }
  Session first = Open("s1", request);
  while (first.results.size() < 2 * kEach) ASSERT_TRUE(first.Read());
  Session second = Open("s1");
  while (!second.caught_up) ASSERT_TRUE(second.Read());
  EXPECT_GE(second.messages, 3);
  EXPECT_EQ(second.events.size(), 2 * kEach);
  for (const auto& [ticket, events] : second.events) EXPECT_TRUE(events[0].snapshot()) << ticket;
  v1::SessionRequest more;
  AddEnqueue(&more, Solo("late"));
  ASSERT_TRUE(second.call->Write(more));
  while (second.results.empty()) ASSERT_TRUE(second.Read());
}

TEST_F(SessionTest, OfTooManyCommandsAsManyAsFitAreTaken) {
  limits_.commands_in_flight_per_peer = 2;
  Start();
  v1::SessionRequest request;
  for (const char* name : {"a", "", "b", "c", "d"}) AddEnqueue(&request, Solo(name, name[0] != 0 ? "squad" : "nosuch"));
  Session session = Open("s1", request);
  while (session.results.size() < 5) ASSERT_TRUE(session.Read());
  EXPECT_TRUE(session.results[1].has_enqueue());
  EXPECT_EQ(session.results[2].error().code(), 3) << "takes no room";
  EXPECT_FALSE(session.results[2].error().has_retry_delay());
  EXPECT_TRUE(session.results[3].has_enqueue());
  for (const uint64_t left_out : {4, 5}) {
    EXPECT_EQ(session.results[left_out].error().code(), 8);
    EXPECT_GT(session.results[left_out].error().retry_delay().seconds(), 0);
  }
  v1::SessionRequest again;
  AddEnqueue(&again, Solo("c", "squad"))->set_request(10);
  AddEnqueue(&again, Solo("d", "squad"))->set_request(11);
  ASSERT_TRUE(session.call->Write(again));
  while (session.results.size() < 7) ASSERT_TRUE(session.Read());
  EXPECT_TRUE(session.results[10].has_enqueue());
  EXPECT_TRUE(session.results[11].has_enqueue());
}

TEST_F(SessionTest, ATextThatIsNotUtf8SpoilsOnlyItsOwnCommand) {
  Start();
  v1::SessionRequest request;
  request.set_session_id("s1");
  AddEnqueue(&request, Solo("a"));
  AddEnqueue(&request, Solo("\xff"));
  AddEnqueue(&request, Solo("c"));
  const std::string bytes = request.SerializeAsString();

  grpc::GenericStub stub(channel_);
  const auto context = Context();
  grpc::CompletionQueue queue;
  void* tag;
  bool ok;
  auto call = stub.PrepareCall(context.get(), "/evenmatch.v1.MatchmakingService/Session", &queue);
  call->StartCall(nullptr);
  queue.Next(&tag, &ok);
  grpc::Slice slice(bytes);
  call->WriteLast(grpc::ByteBuffer(&slice, 1), grpc::WriteOptions(), nullptr);
  queue.Next(&tag, &ok);
  std::map<uint64_t, v1::SessionResult> results;
  while (true) {
    grpc::ByteBuffer answer;
    call->Read(&answer, nullptr);
    queue.Next(&tag, &ok);
    if (!ok) break;
    v1::SessionResponse response;
    grpc::ProtoBufferReader reader(&answer);
    ASSERT_TRUE(response.ParseFromZeroCopyStream(&reader));
    for (const v1::SessionResult& result : response.results()) results[result.request()] = result;
  }
  grpc::Status status;
  call->Finish(&status, nullptr);
  queue.Next(&tag, &ok);
  EXPECT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(results.size(), 3u);
  EXPECT_TRUE(results[1].has_enqueue());
  EXPECT_EQ(results[2].error().code(), 3);
  EXPECT_EQ(results[2].error().field(), "ticket.ticket_id");
  EXPECT_TRUE(results[3].has_enqueue());
}

TEST_F(SessionTest, ManyCommandsInManyMessagesAreEachAnsweredOnce) {
  Start();
  constexpr int kMessages = 50, kCommands = 100;
  Session session = Open("s1");
  for (int m = 0; m < kMessages; ++m) {
    v1::SessionRequest request;
    for (int c = 0; c < kCommands; ++c) {
      const std::string name = std::to_string(m) + "-" + std::to_string(c);
      AddEnqueue(&request, Solo(name))->set_request(static_cast<uint64_t>(m * kCommands + c));
    }
    ASSERT_TRUE(session.call->Write(request));
  }
  size_t matched = 0;
  while (session.results.size() < kMessages * kCommands || matched < kMessages * kCommands) {
    ASSERT_TRUE(session.Read());
    matched = 0;
    for (const auto& [ticket, events] : session.events) {
      matched += events.back().kind() == v1::TICKET_EVENT_KIND_MATCHED;
    }
  }
  EXPECT_EQ(session.matches.size(), static_cast<size_t>(kMessages * kCommands / 2));
}

}  // namespace
}  // namespace evenmatch
