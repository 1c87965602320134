#include <map>
#include <set>

#include "grpcpp/generic/generic_stub.h"
#include "tests/unit/rpc/server_fixture.h"

namespace evenmatch {
namespace {

class WatchTest : public ServerTest {};

TEST_F(WatchTest, BeginsWithThePresentStateAndEndsWithTheFinalEvent) {
  Start();
  EnqueueOk(Solo("a"));
  const auto context = Context();
  v1::WatchTicketRequest request;
  request.set_ticket_id("t-a");
  const auto reader = matchmaking_->WatchTicket(context.get(), request);
  v1::WatchTicketResponse response;
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.event().kind(), v1::TICKET_EVENT_KIND_QUEUED);
  EXPECT_TRUE(response.event().snapshot());
  EXPECT_EQ(response.event().sequence(), 1u);
  EnqueueOk(Solo("b"));
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.event().kind(), v1::TICKET_EVENT_KIND_MATCHED);
  EXPECT_EQ(response.event().sequence(), 2u);
  EXPECT_EQ(response.event().match().teams_size(), 2);
  EXPECT_FALSE(reader->Read(&response));
  EXPECT_TRUE(reader->Finish().ok());
}

TEST_F(WatchTest, ResumesAfterItsCursor) {
  Start();
  EnqueueOk(Solo("a"));
  EnqueueOk(Solo("b"));
  grpc::Status status;
  std::vector<v1::TicketEvent> events = Watch("t-a", 1, &status);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].sequence(), 2u);
  EXPECT_FALSE(events[0].snapshot());
  EXPECT_TRUE(status.ok());
  // Until it is acknowledged the final event is told on each attach, then no more.
  EXPECT_EQ(Watch("t-a", -1, &status).size(), 1u);
  events = Watch("t-a", 0, &status);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind(), v1::TICKET_EVENT_KIND_QUEUED);
}

TEST_F(WatchTest, ACursorFromTheFutureIsInvalid) {
  Start();
  EnqueueOk(Solo("a"));
  grpc::Status status;
  EXPECT_TRUE(Watch("t-a", 7, &status).empty());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Field(status), "cursor");
}

TEST_F(WatchTest, UnknownTicketsAndBadRequestsAreRefused) {
  Start();
  grpc::Status status;
  Watch("t-nosuch", -1, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  Watch("", -1, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Field(status), "ticket_id");
}

TEST_F(WatchTest, ATicketThatNeedsItsStreamIsCancelledWhenTheClientGoesAway) {
  catalog_.presence_grace = 500 * kMillisecond;
  Start();
  v1::Ticket ticket = Solo("a");
  ticket.set_presence(v1::PRESENCE_STREAM);
  EnqueueOk(ticket);
  v1::WatchTicketRequest request;
  request.set_ticket_id("t-a");
  const auto context = Context();
  const auto reader = matchmaking_->WatchTicket(context.get(), request);
  v1::WatchTicketResponse response;
  ASSERT_TRUE(reader->Read(&response));
  context->TryCancel();
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);

  v1::GetTicketRequest get;
  v1::GetTicketResponse got;
  get.set_ticket_id("t-a");
  do {
    ASSERT_TRUE(matchmaking_->GetTicket(Context().get(), get, &got).ok());
  } while (got.ticket().state() == v1::TICKET_STATE_WAITING);
  EXPECT_EQ(got.ticket().state(), v1::TICKET_STATE_CANCELLED);
  EXPECT_EQ(got.ticket().reason(), v1::REASON_PRESENCE_LOST);
}

TEST_F(WatchTest, ManyWatchersOfManyTicketsAreAllTold) {
  Start();
  constexpr int kTickets = 200;
  grpc::CompletionQueue queue;
  struct Open {
    std::unique_ptr<grpc::ClientContext> context;
    std::unique_ptr<grpc::ClientAsyncReader<v1::WatchTicketResponse>> reader;
    v1::WatchTicketResponse response;
    grpc::Status status;
    int step = 0;
    std::vector<v1::TicketEventKind> kinds;
  };
  std::vector<Open> open(kTickets);
  for (int i = 0; i < kTickets; ++i) EnqueueOk(Solo(std::to_string(i), "squad"));
  for (int i = 0; i < kTickets; ++i) {
    v1::WatchTicketRequest request;
    request.set_ticket_id("t-" + std::to_string(i));
    request.set_cursor(1);
    open[i].context = Context();
    open[i].reader = matchmaking_->PrepareAsyncWatchTicket(open[i].context.get(), request, &queue);
    open[i].reader->StartCall(&open[i]);
  }
  int ended = 0;
  void* tag;
  bool ok;
  while (ended < kTickets && queue.Next(&tag, &ok)) {
    Open& stream = *static_cast<Open*>(tag);
    if (stream.step == 2) {
      ++ended;
      continue;
    }
    if (stream.step == 1 && ok) stream.kinds.push_back(stream.response.event().kind());
    if (stream.step == 1 && !ok) {
      stream.step = 2;
      stream.reader->Finish(&stream.status, &stream);
      continue;
    }
    stream.step = 1;
    stream.reader->Read(&stream.response, &stream);
  }
  for (const Open& stream : open) {
    EXPECT_TRUE(stream.status.ok()) << stream.status.error_message();
    ASSERT_FALSE(stream.kinds.empty());
    EXPECT_EQ(stream.kinds.back(), v1::TICKET_EVENT_KIND_MATCHED);
  }
}

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

    bool Read() {
      v1::SessionResponse response;
      if (!call->Read(&response)) return false;
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

  Session silent;
  silent.context = Context();
  silent.call = matchmaking_->Session(silent.context.get());
  ASSERT_TRUE(silent.call->WritesDone());
  status = silent.call->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
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

class LatestTest : public ServerTest {};

TEST_F(LatestTest, QueueStatsAreToldAgainAndAgain) {
  Start();
  v1::WatchQueueStatsRequest request;
  request.set_queue("duel");
  request.mutable_interval()->set_nanos(100'000'000);
  const auto context = Context();
  const auto reader = admin_->WatchQueueStats(context.get(), request);
  v1::WatchQueueStatsResponse response;
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.stats().waiting_tickets(), 0u);
  EnqueueOk(Solo("a"));
  do {
    ASSERT_TRUE(reader->Read(&response));
  } while (response.stats().waiting_tickets() == 0);
  context->TryCancel();
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(LatestTest, QueueStatsOfNoQueueAreRefused) {
  Start();
  v1::WatchQueueStatsRequest request;
  request.set_queue("nosuch");
  const auto context = Context();
  const auto reader = admin_->WatchQueueStats(context.get(), request);
  v1::WatchQueueStatsResponse response;
  EXPECT_FALSE(reader->Read(&response));
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(LatestTest, HealthWatchersHearOfChanges) {
  Start();
  using Response = grpc::health::v1::HealthCheckResponse;
  grpc::health::v1::HealthCheckRequest request;
  const auto context = Context();
  const auto reader = health_->Watch(context.get(), request);
  Response response;
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.status(), Response::SERVING);
  server_->SetServing(false);
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.status(), Response::NOT_SERVING);
  server_->SetServing(true);
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.status(), Response::SERVING);

  request.set_service("nosuch");
  const auto other_context = Context();
  const auto other = health_->Watch(other_context.get(), request);
  ASSERT_TRUE(other->Read(&response));
  EXPECT_EQ(response.status(), Response::SERVICE_UNKNOWN);
  Stop();
  EXPECT_EQ(other->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace evenmatch
