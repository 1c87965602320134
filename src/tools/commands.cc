#include "tools/commands.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evenmatch/v1/admin_service.grpc.pb.h"
#include "evenmatch/v1/match_service.grpc.pb.h"
#include "evenmatch/v1/matchmaking_service.grpc.pb.h"
#include "tools/describe.h"
#include "tools/failure.h"

namespace evenmatch {
namespace {

constexpr int kResumes = 10;

void Print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

int Fail(const Arguments& arguments, const grpc::Status& status) {
  Failure failure = FailureOf(status);
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE) {
    failure.message = absl::StrCat(arguments.connect.address, ": ", failure.message);
  }
  return Fail(arguments.json, failure);
}

int Fail(const Arguments& arguments, const absl::Status& status) { return Fail(arguments.json, FailureOf(status)); }

template <typename Message>
void Name(const TicketArguments& ticket, Message* message) {
  message->set_pool_group(ticket.pool_group);
  message->set_ticket_id(ticket.ticket_id);
  message->set_player_id(ticket.player_id);
}

void SetValue(const AttributeValue& value, v1::AttributeValue* message) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    message->set_text(*text);
  } else if (const auto* number = std::get_if<double>(&value)) {
    message->set_number(*number);
  } else {
    v1::TextList* list = message->mutable_texts();
    for (const std::string& each : std::get<std::vector<std::string>>(value)) list->add_values(each);
  }
}

bool IsFinal(v1::TicketEventKind kind) {
  return kind == v1::TICKET_EVENT_KIND_MATCHED || kind == v1::TICKET_EVENT_KIND_CANCELLED ||
         kind == v1::TICKET_EVENT_KIND_EXPIRED;
}

// Tells the events of a ticket until its end, also over broken streams, and acknowledges the end.
int Follow(const Arguments& arguments, v1::MatchmakingService::Stub* stub, v1::WatchTicketRequest request,
           const std::vector<std::string>& players) {
  for (int resumes = 0;; ++resumes) {
    grpc::ClientContext context;
    const auto stream = stub->WatchTicket(&context, request);
    v1::WatchTicketResponse response;
    while (stream->Read(&response)) {
      const v1::TicketEvent& event = response.event();
      Print(arguments.json ? ToJsonLine(event) : Describe(event, players) + "\n");
      request.set_cursor(event.sequence());
      if (!IsFinal(event.kind())) continue;
      v1::AcknowledgeRequest acknowledge;
      acknowledge.set_pool_group(request.pool_group());
      acknowledge.set_ticket_id(event.ticket_id());
      acknowledge.set_sequence(event.sequence());
      grpc::ClientContext acknowledge_context;
      SetDeadline(&acknowledge_context);
      v1::AcknowledgeResponse acknowledged;
      const grpc::Status status = stub->Acknowledge(&acknowledge_context, acknowledge, &acknowledged);
      context.TryCancel();
      return status.ok() ? 0 : Fail(arguments, status);
    }
    const grpc::Status status = stream->Finish();
    const bool again = status.error_code() == grpc::StatusCode::UNAVAILABLE ||
                       status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED ||
                       status.error_code() == grpc::StatusCode::CANCELLED;
    if (!again || resumes == kResumes || !request.has_cursor()) {
      return status.ok()
                 ? Fail(arguments, absl::UnavailableError("the server ended the stream before the ticket's end"))
                 : Fail(arguments, status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}

}  // namespace

int RunEnqueue(const Arguments& arguments, const EnqueueArguments& command) {
  const auto channel = OpenChannel(arguments.connect);
  if (!channel.ok()) return Fail(arguments, channel.status());
  const auto stub = v1::MatchmakingService::NewStub(*channel);
  v1::EnqueueRequest request;
  v1::Ticket& ticket = *request.mutable_ticket();
  ticket.set_ticket_id(command.ticket_id);
  ticket.set_pool_group(command.pool_group);
  for (size_t i = 0; i < command.queues.size(); ++i) {
    v1::QueueChoice* choice = ticket.add_queues();
    choice->set_queue(command.queues[i]);
    if (!command.preferences.empty()) choice->set_preference(command.preferences[i]);
  }
  for (size_t i = 0; i < command.players.size(); ++i) {
    v1::Player* player = ticket.add_players();
    player->set_player_id(command.players[i]);
    if (!command.ratings.empty()) player->set_rating(command.ratings[i]);
    if (!command.deviations.empty()) player->set_rating_deviation(command.deviations[i]);
    player->set_tier(command.tier);
    player->set_games_played(command.games_played);
    player->set_loss_streak(command.loss_streak);
    for (const std::string& other : command.block) player->add_block(other);
    for (const std::string& other : command.avoid) player->add_avoid(other);
    for (const std::string& other : command.recent) player->add_recent_opponents(other);
    for (const std::string& role : command.roles) player->add_roles(role);
    for (const auto& [region, ms] : command.latencies) (*player->mutable_latency_ms())[region] = ms;
  }
  for (const auto& [key, value] : command.attributes) SetValue(value, &(*ticket.mutable_attributes())[key]);
  if (command.timeout > 0) {
    ticket.mutable_timeout()->set_seconds(command.timeout / kSecond);
    ticket.mutable_timeout()->set_nanos(static_cast<int32_t>(command.timeout % kSecond * 1000));
  }
  grpc::ClientContext context;
  SetDeadline(&context);
  v1::EnqueueResponse response;
  const grpc::Status status = stub->Enqueue(&context, request, &response);
  if (!status.ok()) return Fail(arguments, status);
  if (arguments.json) {
    Print(ToJsonLine(response));
  } else {
    Print(absl::StrCat("ticket ", response.ticket_id(), " ", response.existing() ? "was known already: " : "",
                       StateName(response.state()), "\n"));
    for (const std::string& warning : response.warnings()) Print(absl::StrCat("  warning: ", warning, "\n"));
  }
  if (!command.watch) return 0;
  v1::WatchTicketRequest watch;
  watch.set_pool_group(command.pool_group);
  watch.set_ticket_id(response.ticket_id());
  if (!response.existing()) watch.set_cursor(response.sequence());
  return Follow(arguments, stub.get(), std::move(watch), command.players);
}

int RunCancel(const Arguments& arguments, const CancelArguments& command) {
  const auto channel = OpenChannel(arguments.connect);
  if (!channel.ok()) return Fail(arguments, channel.status());
  v1::CancelRequest request;
  Name(command.ticket, &request);
  grpc::ClientContext context;
  SetDeadline(&context);
  v1::CancelResponse response;
  const grpc::Status status = v1::MatchmakingService::NewStub(*channel)->Cancel(&context, request, &response);
  if (!status.ok()) return Fail(arguments, status);
  if (arguments.json) {
    Print(ToJsonLine(response));
    return 0;
  }
  switch (response.outcome()) {
    case v1::CANCEL_OUTCOME_CANCELLED:
      Print("cancelled\n");
      break;
    case v1::CANCEL_OUTCOME_ALREADY_MATCHED:
      Print(absl::StrCat("too late: ", Describe(response.match()), "\n"));
      break;
    default:
      Print(absl::StrCat("too late: it was ", StateName(response.state()), " before\n"));
  }
  return 0;
}

int RunGet(const Arguments& arguments, const GetArguments& command) {
  const auto channel = OpenChannel(arguments.connect);
  if (!channel.ok()) return Fail(arguments, channel.status());
  v1::GetTicketRequest request;
  Name(command.ticket, &request);
  grpc::ClientContext context;
  SetDeadline(&context);
  v1::GetTicketResponse response;
  const grpc::Status status = v1::MatchmakingService::NewStub(*channel)->GetTicket(&context, request, &response);
  if (!status.ok()) return Fail(arguments, status);
  Print(arguments.json ? ToJsonLine(response.ticket()) : Describe(response.ticket()) + "\n");
  return 0;
}

int RunExplain(const Arguments& arguments, const ExplainArguments& command) {
  const auto channel = OpenChannel(arguments.connect);
  if (!channel.ok()) return Fail(arguments, channel.status());
  v1::ExplainTicketRequest request;
  Name(command.ticket, &request);
  grpc::ClientContext context;
  SetDeadline(&context);
  v1::ExplainTicketResponse response;
  const grpc::Status status = v1::MatchmakingService::NewStub(*channel)->ExplainTicket(&context, request, &response);
  if (!status.ok()) return Fail(arguments, status);
  Print(arguments.json ? ToJsonLine(response) : Describe(response) + "\n");
  return 0;
}

int RunEnd(const Arguments& arguments, const EndArguments& command) {
  const auto channel = OpenChannel(arguments.connect);
  if (!channel.ok()) return Fail(arguments, channel.status());
  v1::EndMatchRequest request;
  request.set_match_id(command.match_id);
  grpc::ClientContext context;
  SetDeadline(&context);
  v1::EndMatchResponse response;
  const grpc::Status status = v1::MatchService::NewStub(*channel)->EndMatch(&context, request, &response);
  if (!status.ok()) return Fail(arguments, status);
  Print(arguments.json ? ToJsonLine(response) : Describe(command.match_id, response) + "\n");
  return 0;
}

int RunWatch(const Arguments& arguments, const WatchArguments& command) {
  const auto channel = OpenChannel(arguments.connect);
  if (!channel.ok()) return Fail(arguments, channel.status());
  const auto stub = v1::MatchmakingService::NewStub(*channel);
  v1::WatchTicketRequest request;
  Name(command.ticket, &request);
  if (command.cursor.has_value()) request.set_cursor(*command.cursor);
  std::vector<std::string> players;
  if (!command.ticket.player_id.empty()) players.push_back(command.ticket.player_id);
  return Follow(arguments, stub.get(), std::move(request), players);
}

int RunStats(const Arguments& arguments, const StatsArguments& command) {
  const auto channel = OpenChannel(arguments.connect);
  if (!channel.ok()) return Fail(arguments, channel.status());
  const auto stub = v1::AdminService::NewStub(*channel);
  while (true) {
    std::vector<std::string> queues{command.queue};
    if (command.queue.empty()) {
      grpc::ClientContext context;
      SetDeadline(&context);
      v1::ListQueuesResponse response;
      const grpc::Status status = stub->ListQueues(&context, {}, &response);
      if (!status.ok()) return Fail(arguments, status);
      queues.clear();
      for (const v1::QueueInfo& queue : response.queues()) queues.push_back(queue.queue());
    }
    std::vector<v1::QueueStats> stats;
    for (const std::string& queue : queues) {
      grpc::ClientContext context;
      SetDeadline(&context);
      v1::GetQueueStatsRequest request;
      v1::GetQueueStatsResponse response;
      request.set_queue(queue);
      const grpc::Status status = stub->GetQueueStats(&context, request, &response);
      if (!status.ok()) return Fail(arguments, status);
      stats.push_back(std::move(*response.mutable_stats()));
    }
    if (arguments.json) {
      for (const v1::QueueStats& queue : stats) Print(ToJsonLine(queue));
    } else {
      Print(Table(stats));
    }
    if (!command.follow) return 0;
    std::this_thread::sleep_for(std::chrono::microseconds(command.interval));
  }
}

}  // namespace evenmatch
