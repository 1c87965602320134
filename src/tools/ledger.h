// Ledger: what a run knows of each of its tickets, and the judge of the server's promises: no ticket is lost, none is
// in two matches, none has two ends.
//
//   sent -> refused | accepted -> matched | cancelled | expired, or cancelled by the run itself at its end (`waiting`)
//
// Shape:   one entry a ticket, by index. A match is known by a digest of its id.
// Errors:  none; what breaks a promise is counted in Faults.
// Cost:    sixteen bytes a ticket; one compare-and-swap an answer or seat.
// Threads: any; the Tally of a thread is its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

#include "base/histogram.h"
#include "evenmatch/v1/match.pb.h"
#include "model/units.h"
#include "tools/population.h"
#include "tools/run_ids.h"

namespace evenmatch {

// What one thread measured; merged at the end.
struct Tally {
  Histogram enqueue_us, match_us;                    // from the intended start
  Histogram gap, spread;                             // milli-points, a match
  Histogram favourite;                               // basis points, a match
  uint64_t matches = 0;                              // each counted by whoever met it first
  uint64_t doubled = 0;                              // tickets found in a second match
  uint64_t contradicted = 0;                         // tickets told of two different ends
  uint64_t with_others = 0;                          // of `matches`: with tickets that are not of this run
  uint64_t malformed = 0;                            // matches of the wrong shape, see Met
  std::map<int, uint64_t> refused;                   // enqueues by canonical code
  std::map<int, uint64_t> errors;                    // anything else that failed, by canonical code
  uint64_t resumes = 0;                              // streams taken up again
  Micros last_accepted_at = 0, last_matched_at = 0;  // since the start of the run
  uint64_t matched_in_time = 0;                      // tickets matched before the last one was sent

  void Merge(const Tally& other);
};

class Ledger {
 public:
  enum class Fate : uint8_t { kUnsent, kSent, kRefused, kAccepted, kMatched, kCancelled, kExpired };

  Ledger(const Population& population, const RunIds& ids, int team_count, int team_size);

  void Sent(uint32_t ticket);
  // The answer to the enqueue, once or (after a resumed stream) more often. Whether it was new.
  bool Answered(uint32_t ticket, bool accepted);
  // An end the server told of. `match`: with kMatched, the id; Met must have seated the ticket in it, else the match
  // counts as malformed. Whether it was new.
  bool Ended(uint32_t ticket, Fate fate, std::string_view match, Tally* tally);
  // A match the server told of, in full. Whether it was new. It is malformed when a team has not the queue's size, a
  // player has two seats, a party is torn or not whole, or none of our tickets is in it. Tickets of others are no
  // fault; where the server does not tell their ratings, the match counts neither for the gap nor for the spread.
  bool Met(const v1::Match& match, Tally* tally);

  Fate fate(uint32_t ticket) const { return entries_[ticket].fate.load(std::memory_order_acquire); }
  size_t size() const { return population_.tickets(); }

  // Live sums, for progress and for knowing when a run is over.
  uint64_t sent() const { return sent_.load(std::memory_order_relaxed); }
  uint64_t answered() const { return answered_.load(std::memory_order_relaxed); }
  uint64_t accepted() const { return accepted_.load(std::memory_order_relaxed); }
  uint64_t ended() const { return ended_.load(std::memory_order_relaxed); }
  uint64_t matched() const { return matched_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    std::atomic<uint64_t> match{0};  // digest of its match; 0: none
    std::atomic<Fate> fate{Fate::kUnsent};
  };

  // Writes the ticket into the match. Whether it stands there now.
  bool Claim(uint32_t ticket, uint64_t match, bool* is_new);

  const Population& population_;
  const RunIds& ids_;
  const int team_count_, team_size_;
  std::unique_ptr<Entry[]> entries_;
  std::atomic<uint64_t> sent_{0}, answered_{0}, accepted_{0}, ended_{0}, matched_{0};
};

}  // namespace evenmatch
