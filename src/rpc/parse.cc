#include "rpc/parse.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "rpc/fields.h"
#include "rpc/parse_ticket.h"

namespace evenmatch {
namespace {

constexpr Micros kMinStatsInterval = 100 * kMillisecond;
constexpr Micros kMaxStatsInterval = kHour;
constexpr Micros kDefaultStatsInterval = kSecond;

}  // namespace

// The parsing of one request.
class Parser::Run {
 public:
  explicit Run(const Parser& parser) : parser_(parser), fields(parser.limits_) {}

  template <typename C>
  Parsed Done(bool ok, C command) {
    if (!ok) return Parsed{fields.status(), fields.field(), group_, {}};
    return Parsed{absl::OkStatus(), "", group_, std::move(command)};
  }

  bool Group(const std::string& name) {
    const std::optional<uint32_t> found = parser_.names_.Group(name.empty() ? "default" : name);
    if (!found.has_value()) {
      return fields.Fail({nullptr, "pool_group"},
                         absl::StrCat("no such pool group: ", name.empty() ? "\"default\"" : Quote(name)));
    }
    group_ = *found;
    return true;
  }

  bool Name(const std::string& ticket_id, const std::string& player_id, TicketName* name) {
    if (ticket_id.empty() == player_id.empty()) {
      return fields.Fail({nullptr, "ticket_id"}, "give exactly one of ticket_id and player_id");
    }
    *name = {ticket_id, player_id};
    return fields.Label(ticket_id, {nullptr, "ticket_id"}) && fields.Label(player_id, {nullptr, "player_id"});
  }

  bool Queue(const std::string& name, uint32_t* queue) {
    const Path path{nullptr, "queue"};
    if (!fields.Id(name, path)) return false;
    const std::optional<uint32_t> found = parser_.names_.Queue(name);
    if (!found.has_value()) return fields.FailNotFound(path, absl::StrCat("no such queue: ", Quote(name)));
    *queue = *found;
    group_ = parser_.catalog_.queues[*found].group;
    return true;
  }

  bool Match(const std::string& text, MatchId* id) {
    const Path path{nullptr, "match_id"};
    // Longer than other ids: it holds the name of a pool group.
    if (!fields.Id(text, path, 2 * fields.limits().id_bytes)) return false;
    std::string_view group_name;
    std::optional<uint32_t> found;
    if (ParseMatchId(text, &id->fence, &id->sequence, &group_name)) found = parser_.names_.Group(group_name);
    if (!found.has_value()) return fields.FailNotFound(path, absl::StrCat("no such match: ", Quote(text)));
    id->group = group_ = *found;
    return true;
  }

 private:
  const Parser& parser_;
  uint32_t group_ = 0;

 public:
  Fields fields;
};

Parsed Parser::Parse(const v1::EnqueueRequest& request, const Origin& origin) const {
  Run run(*this);
  auto ticket = std::make_shared<Ticket>();
  if (!request.has_ticket()) return run.Done(run.fields.Fail({nullptr, "ticket"}, "is missing"), EnqueueCommand{});
  const bool ok = ParseTicket(request.ticket(), catalog_, names_, &run.fields, ticket.get());
  ticket->session = origin.session;
  ticket->peer = origin.peer;
  const uint32_t group = ticket->group;
  Parsed parsed = run.Done(ok, EnqueueCommand{std::move(ticket)});
  parsed.group = group;
  return parsed;
}

Parsed Parser::Parse(const v1::CancelRequest& request, const Origin&) const {
  Run run(*this);
  CancelCommand command;
  const bool ok = run.Group(request.pool_group()) && run.Name(request.ticket_id(), request.player_id(), &command.name);
  return run.Done(ok, std::move(command));
}

Parsed Parser::Parse(const v1::GetTicketRequest& request, const Origin&) const {
  Run run(*this);
  GetTicketCommand command;
  const bool ok = run.Group(request.pool_group()) && run.Name(request.ticket_id(), request.player_id(), &command.name);
  return run.Done(ok, std::move(command));
}

Parsed Parser::Parse(const v1::ExplainTicketRequest& request, const Origin&) const {
  Run run(*this);
  ExplainTicketCommand command;
  const bool ok = run.Group(request.pool_group()) && run.Name(request.ticket_id(), request.player_id(), &command.name);
  return run.Done(ok, std::move(command));
}

Parsed Parser::Parse(const v1::WatchTicketRequest& request, const Origin&) const {
  Run run(*this);
  AttachCommand command;
  command.from_cursor = request.has_cursor();
  command.cursor = request.cursor();
  const bool ok = run.Group(request.pool_group()) && run.Name(request.ticket_id(), request.player_id(), &command.name);
  return run.Done(ok, std::move(command));
}

Parsed Parser::Parse(const v1::AcknowledgeRequest& request, const Origin&) const {
  Run run(*this);
  const bool ok = run.Group(request.pool_group()) && run.fields.Id(request.ticket_id(), {nullptr, "ticket_id"}) &&
                  run.fields.Label(request.player_id(), {nullptr, "player_id"});
  return run.Done(ok, AcknowledgeCommand{{request.ticket_id(), ""}, request.player_id(), request.sequence()});
}

Parsed Parser::Parse(const v1::SessionCommand& request, const Origin& origin) const {
  switch (request.command_case()) {
    case v1::SessionCommand::kEnqueue:
      return Parse(request.enqueue(), origin);
    case v1::SessionCommand::kCancel:
      return Parse(request.cancel(), origin);
    case v1::SessionCommand::kAcknowledge:
      return Parse(request.acknowledge(), origin);
    case v1::SessionCommand::COMMAND_NOT_SET:
      break;
  }
  Run run(*this);
  return run.Done(run.fields.Fail({nullptr, "command"}, "is missing"), CancelCommand{});
}

Parsed Parser::Parse(const v1::GetMatchRequest& request, const Origin&) const {
  Run run(*this);
  GetMatchCommand command;
  const bool ok = run.Match(request.match_id(), &command.id);
  return run.Done(ok, command);
}

Parsed Parser::Parse(const v1::EndMatchRequest& request, const Origin&) const {
  Run run(*this);
  EndMatchCommand command;
  const bool ok = run.Match(request.match_id(), &command.id);
  return run.Done(ok, command);
}

Parsed Parser::Parse(const v1::GetQueueStatsRequest& request, const Origin&) const {
  Run run(*this);
  GetQueueStatsCommand command;
  const bool ok = run.Queue(request.queue(), &command.queue);
  return run.Done(ok, command);
}

Parsed Parser::Parse(const v1::PauseQueueRequest& request, const Origin&) const {
  Run run(*this);
  PauseQueueCommand command{.paused = true};
  const bool ok = run.Queue(request.queue(), &command.queue);
  return run.Done(ok, command);
}

Parsed Parser::Parse(const v1::ResumeQueueRequest& request, const Origin&) const {
  Run run(*this);
  PauseQueueCommand command{.paused = false};
  const bool ok = run.Queue(request.queue(), &command.queue);
  return run.Done(ok, command);
}

Parsed Parser::Parse(const v1::WatchQueueStatsRequest& request, Micros* interval) const {
  Run run(*this);
  GetQueueStatsCommand command;
  *interval = kDefaultStatsInterval;
  const bool ok = run.Queue(request.queue(), &command.queue) &&
                  (!request.has_interval() || run.fields.Span(request.interval(), {nullptr, "interval"},
                                                              kMinStatsInterval, kMaxStatsInterval, interval));
  return run.Done(ok, command);
}

Parsed Parser::ParseSessionId(const std::string& session_id) const {
  Run run(*this);
  const bool ok = run.fields.Id(session_id, {nullptr, "session_id"});
  return run.Done(ok, AttachSessionCommand{session_id});
}

}  // namespace evenmatch
