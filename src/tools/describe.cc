#include "tools/describe.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/util/json_util.h"

namespace evenmatch {
namespace {

double Seconds(const google::protobuf::Duration& duration) {
  return static_cast<double>(duration.seconds()) + duration.nanos() / 1e9;
}

std::string PointsText(double points) {
  return std::isinf(points) ? std::string("any distance") : absl::StrFormat("%g points", points);
}

std::string ReasonText(v1::Reason reason) {
  switch (reason) {
    case v1::REASON_CLIENT:
      return " by a client";
    case v1::REASON_PRESENCE_LOST:
      return " because nobody watched it any more";
    case v1::REASON_TIMEOUT:
      return " at its timeout";
    default:
      return "";
  }
}

}  // namespace

std::string ToJsonLine(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string json;
  const auto status = google::protobuf::util::MessageToJsonString(message, &json, options);
  return status.ok() ? json + "\n" : std::string("{}\n");
}

std::string Describe(const v1::Match& match) {
  std::string text = absl::StrCat("match ", match.match_id(), ": ");
  if (!match.region().empty()) absl::StrAppend(&text, "in ", match.region(), ", ");
  for (int team = 0; team < match.teams_size(); ++team) {
    if (team > 0) absl::StrAppend(&text, " vs ");
    bool first = true;
    for (const v1::Seat& seat : match.teams(team).seats()) {
      absl::StrAppend(&text, first ? "" : " + ", seat.player_id());
      if (seat.has_rating()) absl::StrAppendFormat(&text, " %.0f", seat.rating());
      if (!seat.role().empty()) absl::StrAppend(&text, " as ", seat.role(), seat.filled_in() ? " (filled in)" : "");
      first = false;
    }
  }
  for (int team = 0; team < match.quality().win_probability_size(); ++team) {
    absl::StrAppendFormat(&text, "%s%.0f %%", team == 0 ? ", " : " to ", match.quality().win_probability(team) * 100);
  }
  absl::StrAppendFormat(&text, ", longest wait %.1f s", Seconds(match.quality().longest_wait()));
  return text;
}

std::string Describe(const v1::TicketEvent& event, const std::vector<std::string>& players) {
  std::vector<std::string> names;
  for (const v1::Team& team : event.match().teams()) {
    for (const v1::Seat& seat : team.seats()) {
      if (seat.ticket_id() == event.ticket_id()) names.push_back(seat.player_id());
    }
  }
  if (names.empty()) names = players;
  std::string text = event.ticket_id();
  if (!names.empty()) absl::StrAppend(&text, " (", absl::StrJoin(names, " + "), ")");
  text += " ";
  switch (event.kind()) {
    case v1::TICKET_EVENT_KIND_QUEUED:
      absl::StrAppend(&text, "waiting");
      break;
    case v1::TICKET_EVENT_KIND_WIDENED:
      absl::StrAppend(&text, "accepts ", PointsText(event.widening().to_points()), " now");
      break;
    case v1::TICKET_EVENT_KIND_MATCHED:
      absl::StrAppend(&text, "matched: ", Describe(event.match()));
      break;
    case v1::TICKET_EVENT_KIND_CANCELLED:
      absl::StrAppend(&text, "cancelled", ReasonText(event.reason()));
      break;
    case v1::TICKET_EVENT_KIND_EXPIRED:
      absl::StrAppend(&text, "expired", ReasonText(event.reason()));
      break;
    default:
      absl::StrAppend(&text, "event of kind ", event.kind());
  }
  return text;
}

std::string Describe(const v1::TicketStatus& ticket) {
  const std::string seconds = absl::StrFormat("%.1f s", Seconds(ticket.wait()));
  std::string text = absl::StrCat(ticket.ticket_id(), " ", StateName(ticket.state()), ReasonText(ticket.reason()));
  const bool waits = ticket.state() == v1::TICKET_STATE_WAITING || ticket.state() == v1::TICKET_STATE_PROPOSED;
  absl::StrAppend(&text, waits ? " for " : " after ", seconds);
  for (const v1::QueueStatus& queue : ticket.queues()) {
    absl::StrAppend(&text, "\n  queue ", queue.queue(), ": at ", absl::StrFormat("%g points", queue.value_points()),
                    ", accepts ", PointsText(queue.window_points()), " (step ", queue.stage(), ")");
  }
  if (ticket.has_match()) absl::StrAppend(&text, "\n  ", Describe(ticket.match()));
  return text;
}

std::string Describe(const std::string& match_id, const v1::EndMatchResponse& ended) {
  return absl::StrCat("match ", match_id, " is over",
                      ended.end_reason() == v1::MATCH_END_REASON_HOLD_TIMEOUT ? " since its hold timeout" : "");
}

std::string StateName(v1::TicketState state) {
  constexpr size_t kPrefix = sizeof("TICKET_STATE_") - 1;
  const std::string& name = v1::TicketState_Name(state);
  return name.size() > kPrefix ? absl::AsciiStrToLower(name.substr(kPrefix)) : absl::StrCat("state ", state);
}

std::string Table(const std::vector<v1::QueueStats>& stats) {
  size_t width = 5;
  for (const v1::QueueStats& queue : stats) width = std::max(width, queue.queue().size());
  const int w = static_cast<int>(width);
  std::string text = absl::StrFormat("%-*s %9s %9s %9s %11s %11s %10s %10s %9s %9s\n", w, "queue", "waiting", "players",
                                     "oldest s", "enqueued", "matched", "matches", "cancelled", "expired", "playing");
  for (const v1::QueueStats& queue : stats) {
    absl::StrAppendFormat(&text, "%-*s %9u %9u %9.1f %11u %11u %10u %10u %9u %9u%s\n", w, queue.queue(),
                          queue.waiting_tickets(), queue.waiting_players(), Seconds(queue.oldest_wait()),
                          queue.enqueued(), queue.matched_tickets(), queue.matches(), queue.cancelled(),
                          queue.expired(), queue.live_matches(), queue.paused() ? "  paused" : "");
  }
  return text;
}

}  // namespace evenmatch
