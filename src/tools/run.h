// Run: what the threads of one load run share.
//
// Threads: any; a Tally is its caller's own.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "evenmatch/v1/ticket.pb.h"
#include "tools/ledger.h"
#include "tools/load.h"
#include "tools/report.h"

namespace evenmatch {

class Run {
 public:
  Run(const LoadOptions& options, const v1::QueueInfo& queue, const Population& population, const RunIds& ids,
      MatchObserver observer, int senders)
      : options(options),
        queue(queue),
        population(population),
        ids(ids),
        ledger(population, ids, queue.team_count(), queue.team_size()),
        observer_(std::move(observer)),
        start_(std::chrono::steady_clock::now()),
        senders_(senders) {}

  // Since the start.
  Micros Now() const {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start_).count();
  }
  std::chrono::steady_clock::time_point At(Micros at) const { return start_ + std::chrono::microseconds(at); }
  // When a ticket should be sent.
  Micros Intended(uint32_t ticket) const {
    return static_cast<Micros>(static_cast<double>(ticket) * 1e6 / options.rate);
  }

  // Nothing is sent any more then; a little later than asked for, so that only a real backlog is cut off.
  Micros sending_ends_at() const {
    constexpr Micros kSlack = 250 * kMillisecond;
    return options.duration < kNever - kSlack ? options.duration + kSlack : kNever;
  }

  // The ticket as a message; what was in it is overwritten.
  void FillTicket(uint32_t ticket, v1::Ticket* message) const;

  // The enqueue of a ticket was answered at `now`; `code` is canonical, 0 when it was accepted.
  void OnAnswer(uint32_t ticket, int code, Micros now, Tally* tally);
  // The server told of the end of a ticket; OnMatch came before for a match. `now`: kNever when it told only because it
  // was asked, which says nothing about how long the news took.
  void OnEnd(uint32_t ticket, v1::TicketState state, std::string_view match_id, Micros now, Tally* tally);
  // The server told of a match in full.
  void OnMatch(const v1::Match& match, Tally* tally);

  // Whether every ticket that was sent is answered and, if accepted, ended.
  bool AllEnded() const { return ledger.answered() == ledger.sent() && ledger.ended() == ledger.accepted(); }

  // A ticket was sent; a worker has sent all of its tickets.
  void OnSent(uint32_t ticket, Micros now);
  void OnAllSent() { senders_.fetch_sub(1, std::memory_order_relaxed); }
  // The cancel at the end found it waiting.
  void OnLeftWaiting() { left_waiting_.fetch_add(1, std::memory_order_relaxed); }

  // Ids of matches that were told since the last call, to be ended.
  std::vector<std::string> TakeMatches();

  // After all threads are done.
  Report Summarize(const Tally& tally) const;

  const LoadOptions& options;
  const v1::QueueInfo& queue;
  const Population& population;
  const RunIds& ids;
  Ledger ledger;

 private:
  const MatchObserver observer_;
  std::mutex matches_mutex_;  // guards what follows, and calls of the observer
  std::vector<std::string> matches_;

  const std::chrono::steady_clock::time_point start_;
  std::atomic<Micros> last_sent_at_{0};
  std::atomic<int> senders_;
  std::atomic<uint64_t> left_waiting_{0};
};

}  // namespace evenmatch
