#include "tools/describe.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
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

// ", half wait up to 2.0 s and nine in ten up to 9.5 s", or nothing where it is not known.
std::string ExpectedText(bool known, const v1::ExpectedWait& wait) {
  if (!known) return "";
  return absl::StrFormat(", half wait up to %.1f s and nine in ten up to %.1f s", Seconds(wait.p50()),
                         Seconds(wait.p90()));
}

// "tier" of RULE_TIER.
std::string RuleName(v1::Rule rule) {
  constexpr size_t kPrefix = sizeof("RULE_") - 1;
  const std::string& name = v1::Rule_Name(rule);
  if (name.size() <= kPrefix) return absl::StrCat("rule ", rule);
  return absl::StrReplaceAll(absl::AsciiStrToLower(name.substr(kPrefix)), {{"_", " "}});
}

std::string Describe(const v1::NearestMiss& miss) {
  std::string text =
      absl::StrCat("nearest miss: ", PointsText(miss.gap_points()), " away, kept apart by ", RuleName(miss.rule()));
  if (miss.has_fits_in()) {
    absl::StrAppendFormat(&text, " for another %.1f s", Seconds(miss.fits_in()));
  } else {
    text += " for ever";
  }
  return text;
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
      absl::StrAppend(&text, "waiting", ExpectedText(event.has_expected_wait(), event.expected_wait()));
      break;
    case v1::TICKET_EVENT_KIND_WIDENED:
      absl::StrAppend(&text, "accepts ", PointsText(event.widening().to_points()), " now",
                      ExpectedText(event.has_expected_wait(), event.expected_wait()));
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
                    ", accepts ", PointsText(queue.window_points()), " (step ", queue.stage(), ")",
                    ExpectedText(queue.has_expected_wait(), queue.expected_wait()));
  }
  if (ticket.has_match()) absl::StrAppend(&text, "\n  ", Describe(ticket.match()));
  return text;
}

std::string Describe(const v1::ExplainTicketResponse& explanation) {
  std::string text = absl::StrCat(explanation.ticket_id(), " ", StateName(explanation.state()),
                                  absl::StrFormat(" for %.1f s", Seconds(explanation.wait())));
  if (explanation.queues().empty()) text = absl::StrCat(explanation.ticket_id(), " ", StateName(explanation.state()));
  for (const v1::QueueExplanation& queue : explanation.queues()) {
    absl::StrAppend(&text, "\n  queue ", queue.queue(), ": ", queue.candidates_seen(),
                    queue.candidates_seen() == 1 ? " other, " : " others, ", queue.fitting_now(), " fit now",
                    ExpectedText(queue.has_expected_wait(), queue.expected_wait()));
    for (const v1::Refusals& refusals : queue.refusals()) {
      absl::StrAppend(&text, "\n    ", refusals.tickets(), " kept apart by ", RuleName(refusals.rule()));
    }
    if (queue.has_nearest_miss()) absl::StrAppend(&text, "\n    ", Describe(queue.nearest_miss()));
    absl::StrAppend(&text, "\n    step ", queue.stage());
    if (queue.has_next_stage_in()) {
      absl::StrAppendFormat(&text, ", the next in %.1f s", Seconds(queue.next_stage_in()));
    } else {
      text += ", the last";
    }
    if (queue.has_never()) absl::StrAppend(&text, "\n    can never play: ", queue.never().message());
  }
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
