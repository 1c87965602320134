#include "tests/scenario/scenario.h"

#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <vector>

#include "shard/pool_group.h"
#include "tests/scenario/words.h"
#include "tests/support/tickets.h"

namespace evenmatch {
namespace {

std::string Points(MilliPoints value) {
  if (value == kUnlimitedWindow) return "any";
  std::string text = std::to_string(value / kPoint);
  if (value % kPoint != 0) text.append(".").append(std::to_string(value % kPoint + kPoint).substr(1));
  return text;
}

std::string Time(Micros time) {
  if (time % kSecond == 0) return std::to_string(time / kSecond).append("s");
  if (time % kMillisecond == 0) return std::to_string(time / kMillisecond).append("ms");
  return std::to_string(time).append("us");
}

const char* Text(TicketState state) {
  switch (state) {
    case TicketState::kWaiting:
      return "waiting";
    case TicketState::kProposed:
      return "proposed";
    case TicketState::kMatched:
      return "matched";
    case TicketState::kCancelled:
      return "cancelled";
    case TicketState::kExpired:
      return "expired";
  }
  return "?";
}

const char* Text(EventKind kind) {
  switch (kind) {
    case EventKind::kQueued:
      return "queued";
    case EventKind::kMatched:
      return "matched";
    case EventKind::kCancelled:
      return "cancelled";
    case EventKind::kExpired:
      return "expired";
    case EventKind::kWidened:
      return "widened";
    case EventKind::kAcknowledged:
      return "acknowledged";
    case EventKind::kMoved:
      return "moved";
    case EventKind::kAttached:
      return "attached";
    case EventKind::kDetached:
      return "detached";
    case EventKind::kForgotten:
      return "forgotten";
    case EventKind::kMatchFormed:
      return "formed";
    case EventKind::kMatchEnded:
      return "ended";
    case EventKind::kMatchForgotten:
      return "forgotten";
  }
  return "?";
}

const char* Text(Reason reason) {
  switch (reason) {
    case Reason::kNone:
      return "";
    case Reason::kClient:
      return " (client)";
    case Reason::kPresenceLost:
      return " (presence lost)";
    case Reason::kTimeout:
      return " (timeout)";
  }
  return "?";
}

const char* Text(MatchEnd end) {
  return end == MatchEnd::kEndMatch ? " (asked)" : end == MatchEnd::kHoldTimeout ? " (hold timeout)" : "";
}

const char* Text(Rule rule) {
  constexpr const char* kNames[kRules] = {"none",      "window", "difference", "tier",  "shelter",    "region",
                                          "attribute", "block",  "party",      "roles", "head count", "patience"};
  return kNames[static_cast<size_t>(rule)];
}

std::string MatchName(const Match& match) { return Name("M", match.id.sequence); }

class Stage {
 public:
  std::string Run(std::string_view script) {
    std::istringstream in{std::string(script)};
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("  ")) continue;  // what came of it last time
      out_ << line << '\n';
      const Words words = Split(line, ' ');
      if (words.empty() || line.starts_with('#')) continue;
      if (!Setup(words) && !Obey(words)) {
        out_ << "  ?\n";
        break;
      }
      TellEvents();
      if (group_ != nullptr) group_->CheckInvariants();
    }
    return out_.str();
  }

 private:
  bool Setup(const Words& words) {
    if (words[0] == "queue") {
      queues_.push_back(ParseQueue(words));
      return true;
    }
    if (words[0] == "limits") {
      if (const auto n = Option(words, "tickets")) limits_.tickets_per_group = static_cast<size_t>(std::stoi(*n));
      if (const auto n = Option(words, "matches")) {
        limits_.retained_matches_per_group = static_cast<size_t>(std::stoi(*n));
      }
      if (const auto n = Option(words, "peer")) limits_.waiting_per_peer = static_cast<size_t>(std::stoi(*n));
      return true;
    }
    if (words[0] == "grace") {
      grace_ = ParseTime(words.at(1));
      return true;
    }
    return false;
  }

  void Begin() {
    if (group_ != nullptr) return;
    catalog_ = MakeCatalog(queues_);
    catalog_.presence_grace = grace_;
    group_ = std::make_unique<PoolGroup>(catalog_, 0, fence_, limits_);
  }

  uint32_t Queue(const std::string& name) const { return static_cast<uint32_t>(catalog_.FindQueue(name)); }

  static TicketName NameOf(const std::string& word) {
    if (word.starts_with("player=")) return {.player_id = word.substr(7)};
    return {.ticket_id = word};
  }

  bool Obey(const Words& words) {
    Begin();
    const std::string& verb = words[0];
    const std::string argument = words.size() > 1 ? words[1] : "";
    if (verb == "at") {
      now_ = kStart + ParseTime(argument);
      group_->Advance(now_, &events_);
    } else if (verb == "enqueue") {
      Enqueue(words);
    } else if (verb == "cancel") {
      Do(CancelCommand{NameOf(argument)});
    } else if (verb == "get") {
      Do(GetTicketCommand{NameOf(argument)});
    } else if (verb == "explain") {
      Do(ExplainTicketCommand{NameOf(argument)});
    } else if (verb == "attach") {
      AttachCommand command{NameOf(argument)};
      command.from_cursor = words.size() > 3;
      if (command.from_cursor) command.cursor = static_cast<uint32_t>(std::stoi(words[3]));
      const Reply reply = Do(command);
      if (reply.status.ok()) handles_[argument] = std::get<AttachReply>(reply.value).handle;
    } else if (verb == "detach") {
      Do(DetachCommand{handles_[argument]});
    } else if (verb == "session" && argument == "attach") {
      Do(AttachSessionCommand{words.at(2)});
    } else if (verb == "session" && argument == "detach") {
      Do(DetachSessionCommand{words.at(2)});
    } else if (verb == "ack") {
      Do(AcknowledgeCommand{NameOf(argument), words.size() > 3 ? words[3] : "",
                            static_cast<uint32_t>(std::stoi(words.at(2)))});
    } else if (verb == "match") {
      Do(GetMatchCommand{{fence_, std::stoull(argument), 0}});
    } else if (verb == "end") {
      Do(EndMatchCommand{{fence_, std::stoull(argument), 0}});
    } else if (verb == "pause" || verb == "resume") {
      Do(PauseQueueCommand{Queue(argument), verb == "pause"});
    } else if (verb == "stats") {
      Do(GetQueueStatsCommand{Queue(argument)});
    } else if (verb == "tick") {
      group_->Tick(Queue(argument), now_, &events_);
    } else if (verb == "restart") {
      group_ = std::make_unique<PoolGroup>(catalog_, 0, fence_, limits_);
      for (const Event& event : stored_) group_->Restore(event);
    } else {
      return false;
    }
    return true;
  }

  void Enqueue(const Words& words) {
    TicketSpec spec{.id = words.at(1) == "-" ? "" : words[1]};
    std::vector<Player> players;
    for (size_t i = 2; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word == "in") {
        spec.queues.clear();
        for (const std::string& queue : Split(words.at(++i), ',')) spec.queues.push_back(Queue(queue));
      } else if (word.starts_with("timeout=")) {
        spec.timeout = ParseTime(word.substr(8));
      } else if (word == "presence=stream") {
        spec.presence = Presence::kStream;
      } else if (word.starts_with("session=")) {
        spec.session = word.substr(8);
      } else if (word.starts_with("peer=")) {
        spec.peer = static_cast<uint32_t>(std::stoi(word.substr(5)));
      } else if (word.find(':') != std::string::npos) {
        spec.attributes[word.substr(0, word.find(':'))] = word.substr(word.find(':') + 1);
      } else {
        players.push_back(ParsePlayer(word));
      }
    }
    const auto ticket = MakeTicket(spec);
    for (Player& player : players) ticket->players.push_back(std::move(player));
    Do(EnqueueCommand{ticket});
  }

  Reply Do(const Command& command) {
    Reply reply = group_->Apply(command, now_, &events_);
    out_ << "  -> ";
    if (reply.status.ok()) {
      std::visit([this](const auto& answer) { Tell(answer); }, reply.value);
    } else {
      out_ << absl::StatusCodeToString(reply.status.code()) << ' ' << (reply.field.empty() ? "-" : reply.field) << ": "
           << reply.status.message();
      if (reply.conflict.ticket != nullptr) {
        out_ << " [";
        Tell(reply.conflict);
        out_ << ']';
      }
    }
    out_ << '\n';
    return reply;
  }

  void Tell(std::monostate) { out_ << "done"; }
  void Tell(const EnqueueReply& reply) {
    out_ << (reply.existing ? "existing " : "new ");
    Tell(reply.ticket);
    for (const std::string& warning : reply.warnings) out_ << "\n     warning: " << warning;
  }
  void Tell(const CancelReply& reply) {
    out_ << (reply.outcome == CancelOutcome::kCancelled        ? "CANCELLED "
             : reply.outcome == CancelOutcome::kAlreadyMatched ? "ALREADY_MATCHED "
                                                               : "ALREADY_ENDED ");
    Tell(reply.ticket);
  }
  void Tell(const TicketView& view) {
    out_ << view.ticket->ticket_id << " #" << view.sequence << ' ' << Text(view.state) << Text(view.reason);
    if (view.match != nullptr) out_ << ' ' << MatchName(*view.match);
    for (const TicketView::InQueue& in : view.queues) {
      out_ << ", " << catalog_.queues[in.queue].name << ' ' << Points(in.value) << " +-" << Points(in.window);
      if (in.stage > 0) out_ << " stage " << in.stage;
    }
  }
  void Tell(const ExplainReply& reply) {
    Tell(reply.ticket);
    for (const Explanation& queue : reply.queues) {
      out_ << "\n     " << catalog_.queues[queue.queue].name << ": " << queue.fitting << " of " << queue.seen << " fit";
      if (queue.nearest.has_value()) {
        out_ << ", nearest miss " << Points(queue.nearest->gap) << " away fits ";
        if (queue.nearest->in == kNever) {
          out_ << "never";
        } else {
          out_ << "in " << Time(queue.nearest->in);
        }
        out_ << " (" << Text(queue.nearest->rule) << ')';
      }
      if (queue.next_stage_in != kNever) out_ << ", next stage in " << Time(queue.next_stage_in);
      if (queue.never != Rule::kNone) out_ << ", never: " << queue.never_reason;
    }
  }
  void Tell(const AttachReply& reply) {
    out_ << (reply.final ? "final" : "watching");
    for (const Event& event : reply.events) TellNested(event);
  }
  void Tell(const AttachSessionReply& reply) {
    out_ << "attached";
    for (const Event& event : reply.snapshots) TellNested(event);
  }
  void Tell(const MatchView& view) {
    const char* state = IsLive(view.state) ? "live" : "ended";
    out_ << MatchName(*view.match) << ' ' << state << Text(view.end);
  }
  void Tell(const QueueStats& stats) {
    out_ << (stats.paused ? "paused, " : "") << "waiting " << stats.waiting_tickets << " tickets "
         << stats.waiting_players << " players, oldest " << Time(stats.oldest_wait) << ", live matches "
         << stats.live_matches << "; enqueued " << stats.enqueued << " matched " << stats.matched_tickets << " in "
         << stats.matches << " cancelled " << stats.cancelled << " expired " << stats.expired;
  }
  void TellNested(const Event& event) {
    out_ << "\n     ";
    Tell(event);
  }

  void Tell(const Event& event) {
    if (event.ticket == nullptr) {
      const Match& match = *event.match;
      out_ << MatchName(match) << ' ' << Text(event.kind) << Text(event.match_end);
      if (event.kind != EventKind::kMatchFormed) return;
      out_ << " in " << catalog_.queues[match.queue].name << ':';
      for (size_t i = 0; i < match.sides.size(); ++i) {
        if (i > 0 && match.sides[i].team != match.sides[i - 1].team) out_ << " |";
        out_ << ' ' << match.sides[i].ticket->ticket_id;
      }
      const QueueRules& rules = catalog_.queues[match.queue];
      for (const SeatRole& seat : match.roles)
        out_ << (seat.fill ? " fill-" : " ") << rules.roles.roles[seat.role].name;
      if (match.region >= 0) out_ << " in " << rules.regions.regions[static_cast<size_t>(match.region)];
      return;
    }
    out_ << event.ticket->ticket_id << " #" << event.sequence << ' ' << Text(event.kind) << Text(event.reason);
    if (event.kind == EventKind::kMatched) out_ << ' ' << MatchName(*event.match);
    if (event.kind == EventKind::kMoved) out_ << " to " << *event.ticket->session;
    if (event.kind == EventKind::kWidened) {
      out_ << ' ' << Points(event.window_from) << " to " << Points(event.window);
      if (event.stage > 0) out_ << " stage " << event.stage;
    }
    if (event.player >= 0) out_ << " by " << event.ticket->players[static_cast<size_t>(event.player)].player_id;
    if (event.snapshot) out_ << ", snapshot";
    if (event.at != now_) out_ << ", at " << Time(event.at - kStart);
  }

  void TellEvents() {
    for (const Event& event : events_) {
      out_ << "  ";
      Tell(event);
      out_ << '\n';
      if (IsStored(event.kind)) stored_.push_back(event);
    }
    events_.clear();
  }

  static constexpr Micros kStart = 1'000 * kHour;

  std::vector<QueueRules> queues_;
  Limits limits_;
  Micros grace_ = 10 * kSecond;
  const uint64_t fence_ = 1;
  Catalog catalog_;
  std::unique_ptr<PoolGroup> group_;
  Micros now_ = kStart;
  std::vector<Event> events_, stored_;
  std::map<std::string, uint64_t> handles_;  // by the name a stream attached to
  std::ostringstream out_;
};

}  // namespace

std::string Play(std::string_view script) { return Stage().Run(script); }

}  // namespace evenmatch
