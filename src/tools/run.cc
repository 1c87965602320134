#include "tools/run.h"

#include <algorithm>
#include <utility>

#include "google/protobuf/duration.pb.h"

namespace evenmatch {

void Run::FillTicket(uint32_t ticket, v1::Ticket* message) const {
  ids.Ticket(ticket, message->mutable_ticket_id());
  message->add_queues()->set_queue(options.queue);
  uint32_t member = 0;
  for (const MilliPoints rating : population.Members(ticket)) {
    v1::Player* player = message->add_players();
    ids.Player(ticket, member++, player->mutable_player_id());
    player->set_rating(static_cast<double>(rating) / kPoint);
  }
  if (options.ticket_timeout > 0) {
    message->mutable_timeout()->set_seconds(options.ticket_timeout / kSecond);
    message->mutable_timeout()->set_nanos(static_cast<int32_t>(options.ticket_timeout % kSecond * 1000));
  }
}

void Run::OnSent(uint32_t ticket, Micros now) {
  ledger.Sent(ticket);
  Micros last = last_sent_at_.load(std::memory_order_relaxed);
  while (last < now && !last_sent_at_.compare_exchange_weak(last, now, std::memory_order_relaxed)) {
  }
}

void Run::OnAnswer(uint32_t ticket, int code, Micros now, Tally* tally) {
  if (!ledger.Answered(ticket, code == 0)) return;
  if (code != 0) {
    ++tally->refused[code];
    return;
  }
  tally->enqueue_us.Add(static_cast<uint64_t>(std::max<Micros>(now - Intended(ticket), 0)));
  tally->last_accepted_at = std::max(tally->last_accepted_at, now);
}

void Run::OnEnd(uint32_t ticket, v1::TicketState state, std::string_view match_id, Micros now, Tally* tally) {
  switch (state) {
    case v1::TICKET_STATE_MATCHED:
      if (!ledger.Ended(ticket, Ledger::Fate::kMatched, match_id, tally) || now == kNever) return;
      tally->match_us.Add(static_cast<uint64_t>(std::max<Micros>(now - Intended(ticket), 0)));
      tally->last_matched_at = std::max(tally->last_matched_at, now);
      if (senders_.load(std::memory_order_relaxed) > 0) ++tally->matched_in_time;
      return;
    case v1::TICKET_STATE_CANCELLED:
      ledger.Ended(ticket, Ledger::Fate::kCancelled, {}, tally);
      return;
    case v1::TICKET_STATE_EXPIRED:
      ledger.Ended(ticket, Ledger::Fate::kExpired, {}, tally);
      return;
    default:
      return;
  }
}

void Run::OnMatch(const v1::Match& match, Tally* tally) {
  if (!ledger.Met(match, tally)) return;
  if (!observer_ && !options.end_matches) return;
  const std::lock_guard lock(matches_mutex_);
  if (options.end_matches) matches_.push_back(match.match_id());
  if (observer_) observer_(match, ids);
}

std::vector<std::string> Run::TakeMatches() {
  const std::lock_guard lock(matches_mutex_);
  return std::exchange(matches_, {});
}

Report Run::Summarize(const Tally& tally) const {
  Report report;
  report.run = ids.mark();
  report.queue = options.queue;
  report.mode = options.mode == LoadOptions::Mode::kSession ? "session" : "unary";
  report.tickets = population.tickets();
  report.players = population.players();
  report.sending_seconds = static_cast<double>(last_sent_at_.load()) / kSecond;
  report.tally = tally;
  for (uint32_t ticket = 0; ticket < ledger.size(); ++ticket) {
    const Ledger::Fate fate = ledger.fate(ticket);
    report.unsent += fate == Ledger::Fate::kUnsent;
    report.unanswered += fate == Ledger::Fate::kSent;
    report.refused += fate == Ledger::Fate::kRefused;
    report.accepted += fate >= Ledger::Fate::kAccepted;
    report.lost += fate == Ledger::Fate::kAccepted;
    report.matched += fate == Ledger::Fate::kMatched;
    report.cancelled += fate == Ledger::Fate::kCancelled;
    report.expired += fate == Ledger::Fate::kExpired;
  }
  report.waiting = std::min<uint64_t>(left_waiting_.load(), report.cancelled);
  report.cancelled -= report.waiting;
  return report;
}

}  // namespace evenmatch
