#include "rpc/convert.h"

#include <algorithm>
#include <limits>

namespace evenmatch {
namespace {

double ToPoints(MilliPoints value) { return static_cast<double>(value) / kPoint; }

double ToWindow(MilliPoints width) {
  return width == kUnlimitedWindow ? std::numeric_limits<double>::infinity() : ToPoints(width);
}

// Of instants and spans that are not negative.
template <typename T>
void SetTime(Micros micros, T* out) {
  out->set_seconds(micros / kSecond);
  out->set_nanos(static_cast<int32_t>(micros % kSecond) * 1000);
}

// Of an event, or of a ticket in a queue.
template <typename From>
void SetExpected(const From& from, v1::ExpectedWait* out) {
  SetTime(from.expected_p50, out->mutable_p50());
  SetTime(from.expected_p90, out->mutable_p90());
}

v1::Rule ToProto(Rule rule) {
  switch (rule) {
    case Rule::kNone:
      return v1::RULE_UNSPECIFIED;
    case Rule::kWindow:
      return v1::RULE_WINDOW;
    case Rule::kMaxDifference:
      return v1::RULE_MAX_DIFFERENCE;
    case Rule::kTier:
      return v1::RULE_TIER;
    case Rule::kShelter:
      return v1::RULE_SHELTER;
    case Rule::kRegion:
      return v1::RULE_REGION;
    case Rule::kAttribute:
      return v1::RULE_ATTRIBUTE;
    case Rule::kBlock:
      return v1::RULE_BLOCK;
    case Rule::kPartySize:
      return v1::RULE_PARTY_SIZE;
    case Rule::kRoles:
      return v1::RULE_ROLES;
    case Rule::kHeadCount:
      return v1::RULE_HEAD_COUNT;
    case Rule::kPatience:
      return v1::RULE_PATIENCE;
  }
  return v1::RULE_UNSPECIFIED;
}

v1::QualityTerm ToProto(QualityTerm term) {
  switch (term) {
    case QualityTerm::kDistance:
      return v1::QUALITY_TERM_DISTANCE;
    case QualityTerm::kEvenness:
      return v1::QUALITY_TERM_EVENNESS;
    case QualityTerm::kLatency:
      return v1::QUALITY_TERM_LATENCY;
    case QualityTerm::kParty:
      return v1::QUALITY_TERM_PARTY;
    case QualityTerm::kFill:
      return v1::QUALITY_TERM_FILL;
    case QualityTerm::kPreference:
      return v1::QUALITY_TERM_PREFERENCE;
    case QualityTerm::kRecent:
      return v1::QUALITY_TERM_RECENT;
    case QualityTerm::kAvoid:
      return v1::QUALITY_TERM_AVOID;
    case QualityTerm::kAttributes:
      return v1::QUALITY_TERM_ATTRIBUTES;
  }
  return v1::QUALITY_TERM_UNSPECIFIED;
}

// How many of the core's units one unit of the API is.
double UnitOf(QualityTerm term) {
  switch (term) {
    case QualityTerm::kDistance:
      return kPoint;
    case QualityTerm::kEvenness:
      return kCertain;
    case QualityTerm::kFill:
    case QualityTerm::kRecent:
    case QualityTerm::kAvoid:
    case QualityTerm::kAttributes:
      return 1000;
    case QualityTerm::kLatency:
    case QualityTerm::kParty:
    case QualityTerm::kPreference:
      return 1;
  }
  return 1;
}

void ToProto(const TermCost& cost, v1::QualityCost* out) {
  out->set_term(ToProto(cost.term));
  out->set_measure(static_cast<double>(cost.measure) / UnitOf(cost.term));
  out->set_cost(cost.cost);
}

void ToProto(const Explanation& explanation, const Catalog& catalog, v1::QueueExplanation* out) {
  out->set_queue(catalog.queues[explanation.queue].name);
  out->set_candidates_seen(explanation.seen);
  out->set_fitting_now(explanation.fitting);
  for (size_t rule = 0; rule < kRules; ++rule) {
    if (explanation.refused[rule] == 0) continue;
    v1::Refusals& refusals = *out->add_refusals();
    refusals.set_rule(ToProto(static_cast<Rule>(rule)));
    refusals.set_tickets(explanation.refused[rule]);
  }
  if (explanation.nearest.has_value()) {
    v1::NearestMiss& miss = *out->mutable_nearest_miss();
    miss.set_rule(ToProto(explanation.nearest->rule));
    if (explanation.nearest->in != kNever) SetTime(explanation.nearest->in, miss.mutable_fits_in());
    miss.set_gap_points(ToPoints(explanation.nearest->gap));
  }
  out->set_stage(explanation.stage);
  if (explanation.next_stage_in != kNever) SetTime(explanation.next_stage_in, out->mutable_next_stage_in());
  if (explanation.never != Rule::kNone) {
    out->mutable_never()->set_rule(ToProto(explanation.never));
    out->mutable_never()->set_field(explanation.never_field);
    out->mutable_never()->set_message(explanation.never_reason);
  }
}

Micros WaitOf(const TicketView& view, Micros now) {
  return std::max<Micros>((view.ended_at != 0 ? view.ended_at : now) - view.queued_at, 0);
}

}  // namespace

std::string ToMatchId(const MatchId& id, const Catalog& catalog) {
  return FormatMatchId(id, catalog.groups[id.group].name);
}

void ToProto(const Match& match, const Catalog& catalog, Ratings ratings, v1::Match* out) {
  const QueueRules& rules = catalog.queues[match.queue];
  out->set_match_id(ToMatchId(match.id, catalog));
  out->set_queue(rules.name);
  // In order of teams; a smaller match may have fewer of them than the queue says.
  for (int32_t team = 0; team <= match.sides.back().team; ++team) out->add_teams();
  size_t player = 0;  // of all
  for (const Match::Side& side : match.sides) {
    v1::Team& team = *out->mutable_teams(side.team);
    const QueueChoice& choice = side.ticket->queues[side.choice];
    for (size_t i = 0; i < side.ticket->players.size(); ++i) {
      v1::Seat& seat = *team.add_seats();
      seat.set_player_id(side.ticket->players[i].player_id);
      seat.set_ticket_id(side.ticket->ticket_id);
      if (ratings == Ratings::kShown) {
        seat.set_rating(ToPoints(PlayerValueIn(*side.ticket, choice, i, rules.start_value)));
      }
      if (player < match.roles.size()) {
        seat.set_role(rules.roles.roles[match.roles[player].role].name);
        seat.set_filled_in(match.roles[player].fill);
      }
      ++player;
    }
  }
  if (match.region >= 0) out->set_region(rules.regions.regions[static_cast<size_t>(match.region)]);
  v1::MatchQuality& quality = *out->mutable_quality();
  quality.set_score(match.quality);
  for (const BasisPoints chance : match.win_chance) {
    quality.add_win_probability(static_cast<double>(chance) / kCertain);
  }
  quality.set_spread_points(ToPoints(match.spread));
  SetTime(match.longest_wait, quality.mutable_longest_wait());
  quality.set_stage(match.stage);
  for (const TermCost& cost : match.costs) ToProto(cost, quality.add_costs());
  SetTime(match.formed_at, out->mutable_formed_at());
}

void ToProto(const Event& event, v1::TicketEvent* out) {
  out->set_ticket_id(event.ticket->ticket_id);
  out->set_sequence(event.sequence);
  out->set_reason(ToProto(event.reason));
  SetTime(event.at, out->mutable_at());
  out->set_snapshot(event.snapshot);
  switch (event.kind) {
    case EventKind::kQueued:
      out->set_kind(v1::TICKET_EVENT_KIND_QUEUED);
      if (event.expected_p90 != 0) SetExpected(event, out->mutable_expected_wait());
      break;
    case EventKind::kWidened:
      out->set_kind(v1::TICKET_EVENT_KIND_WIDENED);
      out->mutable_widening()->set_from_points(ToWindow(event.window_from));
      out->mutable_widening()->set_to_points(ToWindow(event.window));
      out->mutable_widening()->set_stage(event.stage);
      if (event.expected_p90 != 0) SetExpected(event, out->mutable_expected_wait());
      break;
    case EventKind::kMatched:
      out->set_kind(v1::TICKET_EVENT_KIND_MATCHED);
      break;
    case EventKind::kCancelled:
      out->set_kind(v1::TICKET_EVENT_KIND_CANCELLED);
      break;
    case EventKind::kExpired:
      out->set_kind(v1::TICKET_EVENT_KIND_EXPIRED);
      break;
    case EventKind::kAcknowledged:
    case EventKind::kMoved:
    case EventKind::kAttached:
    case EventKind::kDetached:
    case EventKind::kForgotten:
    case EventKind::kMatchFormed:
    case EventKind::kMatchEnded:
    case EventKind::kMatchForgotten:
      break;  // never told
  }
}

v1::TicketState ToProto(TicketState state) {
  switch (state) {
    case TicketState::kWaiting:
      return v1::TICKET_STATE_WAITING;
    case TicketState::kProposed:
      return v1::TICKET_STATE_PROPOSED;
    case TicketState::kMatched:
      return v1::TICKET_STATE_MATCHED;
    case TicketState::kCancelled:
      return v1::TICKET_STATE_CANCELLED;
    case TicketState::kExpired:
      return v1::TICKET_STATE_EXPIRED;
  }
  return v1::TICKET_STATE_UNSPECIFIED;
}

v1::Reason ToProto(Reason reason) {
  switch (reason) {
    case Reason::kNone:
      return v1::REASON_UNSPECIFIED;
    case Reason::kClient:
      return v1::REASON_CLIENT;
    case Reason::kPresenceLost:
      return v1::REASON_PRESENCE_LOST;
    case Reason::kTimeout:
      return v1::REASON_TIMEOUT;
  }
  return v1::REASON_UNSPECIFIED;
}

v1::MatchState ToProto(MatchState state) {
  switch (state) {
    case MatchState::kProposed:
      return v1::MATCH_STATE_PROPOSED;
    case MatchState::kFormed:
      return v1::MATCH_STATE_FORMED;
    case MatchState::kPlaced:
      return v1::MATCH_STATE_PLACED;
    case MatchState::kEnded:
      return v1::MATCH_STATE_ENDED;
    case MatchState::kDissolved:
      return v1::MATCH_STATE_DISSOLVED;
  }
  return v1::MATCH_STATE_UNSPECIFIED;
}

v1::MatchEndReason ToProto(MatchEnd end) {
  switch (end) {
    case MatchEnd::kNone:
      return v1::MATCH_END_REASON_UNSPECIFIED;
    case MatchEnd::kEndMatch:
      return v1::MATCH_END_REASON_END_MATCH;
    case MatchEnd::kHoldTimeout:
      return v1::MATCH_END_REASON_HOLD_TIMEOUT;
  }
  return v1::MATCH_END_REASON_UNSPECIFIED;
}

void ToProto(const EnqueueReply& reply, v1::EnqueueResponse* out) {
  out->set_ticket_id(reply.ticket.ticket->ticket_id);
  out->set_existing(reply.existing);
  out->set_state(ToProto(reply.ticket.state));
  out->set_sequence(reply.ticket.sequence);
  for (const std::string& warning : reply.warnings) out->add_warnings(warning);
}

void ToProto(const CancelReply& reply, const Catalog& catalog, Ratings ratings, v1::CancelResponse* out) {
  switch (reply.outcome) {
    case CancelOutcome::kCancelled:
      out->set_outcome(v1::CANCEL_OUTCOME_CANCELLED);
      break;
    case CancelOutcome::kAlreadyMatched:
      out->set_outcome(v1::CANCEL_OUTCOME_ALREADY_MATCHED);
      if (reply.ticket.match != nullptr) ToProto(*reply.ticket.match, catalog, ratings, out->mutable_match());
      break;
    case CancelOutcome::kAlreadyEnded:
      out->set_outcome(v1::CANCEL_OUTCOME_ALREADY_ENDED);
      break;
  }
  out->set_state(ToProto(reply.ticket.state));
}

void ToProto(const TicketView& view, const Catalog& catalog, Micros now, v1::TicketStatus* out) {
  out->set_ticket_id(view.ticket->ticket_id);
  out->set_pool_group(catalog.groups[view.ticket->group].name);
  out->set_state(ToProto(view.state));
  out->set_reason(ToProto(view.reason));
  out->set_sequence(view.sequence);
  SetTime(view.queued_at, out->mutable_queued_at());
  SetTime(view.expires_at, out->mutable_expires_at());
  if (view.ended_at != 0) SetTime(view.ended_at, out->mutable_ended_at());
  SetTime(WaitOf(view, now), out->mutable_wait());
  for (const TicketView::InQueue& in_queue : view.queues) {
    v1::QueueStatus& status = *out->add_queues();
    status.set_queue(catalog.queues[in_queue.queue].name);
    status.set_value_points(ToPoints(in_queue.value));
    status.set_window_points(ToWindow(in_queue.window));
    status.set_stage(in_queue.stage);
    if (in_queue.expected_p90 != 0) SetExpected(in_queue, status.mutable_expected_wait());
  }
  if (view.match != nullptr) ToProto(*view.match, catalog, Ratings::kHidden, out->mutable_match());
}

void ToProto(const ExplainReply& reply, const Catalog& catalog, Micros now, v1::ExplainTicketResponse* out) {
  out->set_ticket_id(reply.ticket.ticket->ticket_id);
  out->set_state(ToProto(reply.ticket.state));
  SetTime(WaitOf(reply.ticket, now), out->mutable_wait());
  for (size_t i = 0; i < reply.queues.size(); ++i) {
    v1::QueueExplanation& queue = *out->add_queues();
    ToProto(reply.queues[i], catalog, &queue);
    const TicketView::InQueue& in_queue = reply.ticket.queues[i];
    if (in_queue.expected_p90 != 0) SetExpected(in_queue, queue.mutable_expected_wait());
  }
}

void ToProto(const MatchView& view, const Catalog& catalog, v1::GetMatchResponse* out) {
  ToProto(*view.match, catalog, Ratings::kShown, out->mutable_match());
  out->set_state(ToProto(view.state));
  out->set_end_reason(ToProto(view.end));
  if (view.ended_at != 0) SetTime(view.ended_at, out->mutable_ended_at());
}

void ToProto(const QueueStats& stats, const Catalog& catalog, v1::QueueStats* out) {
  out->set_queue(catalog.queues[stats.queue].name);
  out->set_paused(stats.paused);
  out->set_waiting_tickets(stats.waiting_tickets);
  out->set_waiting_players(static_cast<uint64_t>(stats.waiting_players));
  SetTime(stats.oldest_wait, out->mutable_oldest_wait());
  out->set_enqueued(stats.enqueued);
  out->set_matched_tickets(stats.matched_tickets);
  out->set_matches(stats.matches);
  out->set_cancelled(stats.cancelled);
  out->set_expired(stats.expired);
  out->set_live_matches(stats.live_matches);
}

void ToProto(const QueueRules& rules, const Catalog& catalog, bool paused, v1::QueueInfo* out) {
  out->set_queue(rules.name);
  out->set_pool_group(catalog.groups[rules.group].name);
  out->set_team_count(rules.team_count);
  out->set_team_size(rules.team_size);
  SetTime(rules.tick, out->mutable_tick());
  out->set_paused(paused);
  for (const int32_t size : rules.sides) out->add_sides(size);
  for (const RoleRules::Role& role : rules.roles.roles) {
    for (int32_t i = 0; i < role.count; ++i) out->add_roles(role.name);
  }
  for (const std::string& region : rules.regions.regions) out->add_regions(region);
}

Fault ToFault(const Reply& reply, const Catalog& catalog) {
  Fault fault{reply.status, reply.field, "", ""};
  if (absl::IsAlreadyExists(reply.status) && reply.conflict.ticket != nullptr) {
    fault.ticket_id = reply.conflict.ticket->ticket_id;
  }
  if (absl::IsFailedPrecondition(reply.status) && reply.conflict.match != nullptr) {
    fault.match_id = ToMatchId(reply.conflict.match->id, catalog);
  }
  return fault;
}

}  // namespace evenmatch
