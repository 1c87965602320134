// Measures: what came of the tickets and matches of one queue, as counts and histograms, however many there were.
//
// Units:   waits in Micros, gaps and spreads in milli-points, favourite in BasisPoints, latencies in milliseconds.
//          gap        between the mean ratings of the strongest and the weakest team of a match
//          spread     between its highest and its lowest ticket, in what the queue orders by
//          favourite  the chance of its likeliest winner
// Cost:    some tens of nanoseconds an event; some hundred kilobytes in all.
// Threads: none.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/histogram.h"
#include "model/event.h"
#include "model/queue_rules.h"
#include "model/units.h"

namespace evenmatch {

// Bands of rating by share of all tickets: the lowest 1 %, up to 10 %, 25 %, the median, 75 %, 90 %, 99 %, and the
// rest.
class RatingBands {
 public:
  static constexpr std::array<int, 7> kPercents{1, 10, 25, 50, 75, 90, 99};
  static constexpr size_t kCount = kPercents.size() + 1;

  RatingBands() = default;
  explicit RatingBands(std::vector<MilliPoints> sample);  // ratings of tickets; not empty

  size_t BandOf(MilliPoints rating) const;
  static std::string Name(size_t band);                       // "lowest 1 %", "1-10 %", ..., "highest 1 %"
  MilliPoints border(size_t i) const { return borders_[i]; }  // between band i and the next

 private:
  std::array<MilliPoints, kPercents.size()> borders_{};
};

// Of tickets of one kind. `tickets` is the sum of matched, elsewhere, cancelled, expired and those that still wait.
struct TicketMeasures {
  uint64_t tickets = 0, players = 0;
  uint64_t matched = 0;
  uint64_t elsewhere = 0;  // matched in another of their queues
  uint64_t cancelled = 0, expired = 0;
  Histogram wait;                     // of the matched
  Histogram gap, favourite, quality;  // of the match that a ticket got

  uint64_t waiting() const { return tickets - matched - elsewhere - cancelled - expired; }
};

struct StageMeasures {
  uint64_t matches = 0;
  Histogram longest_wait, gap;
};

struct TermMeasures {
  uint64_t matches = 0;           // that told of the term
  uint64_t paid = 0;              // that it cost anything
  int64_t measure = 0, cost = 0;  // sums
};

struct MatchMeasures {
  static constexpr BasisPoints kEven = 5'500;

  uint64_t matches = 0;
  uint64_t even = 0;  // nobody's chance was above kEven
  Histogram gap, spread, favourite, quality, longest_wait;
  std::vector<StageMeasures> stages;  // by the furthest stage of its tickets
  std::array<TermMeasures, kQualityTerms> terms{};
  uint64_t seats_with_role = 0, fills = 0;  // players, and those of them who got a role that they did not ask for
  Histogram fill_difference;                // between the teams of a match with the most and the fewest of them
  std::vector<uint64_t> regions;            // matches, by RegionRules::regions
  Histogram latency, detour;                // of a player: to the region of his match, and beyond his own best
  std::map<int, uint64_t> heads;            // matches by number of players
};

// What happened in one slice of the time, from the start of the world on.
struct SliceMeasures {
  uint64_t tickets = 0, matches = 0;
  Histogram wait, gap;  // of tickets and matches that were matched in it
};

struct QueueMeasures {
  std::string queue;
  int team_count = 2, team_size = 1;
  MilliPoints start_value = 0;
  TicketMeasures all;
  std::array<TicketMeasures, RatingBands::kCount> bands;
  std::map<int, TicketMeasures> parties;  // by size
  MatchMeasures matches;
  std::vector<SliceMeasures> slices;
};

// Measures the queues of one catalog from the events of its groups.
class Judge {
 public:
  // Counts what was queued at `from` or later; only slices, each so long, count from `start` on.
  Judge(const Catalog& catalog, const std::vector<uint32_t>& queues, const RatingBands& bands, Micros start,
        Micros from, Micros slice);

  void Observe(const Event& event);

  const std::vector<QueueMeasures>& queues() const { return measures_; }

 private:
  struct Game {  // what a ticket gets from its match
    uint64_t gap = 0, favourite = 0, quality = 0;
  };

  QueueMeasures* Of(uint32_t queue) { return of_queue_[queue] < 0 ? nullptr : &measures_[of_queue_[queue]]; }
  template <typename Count>
  void CountTicket(const Ticket& ticket, QueueMeasures* queue, Count count) const;
  void ObserveMatch(const Match& match);
  void ObserveMatched(const Event& event);
  void ObserveRoles(const Match& match, MatchMeasures* measures) const;
  void ObserveLatency(const Match& match, MatchMeasures* measures) const;
  SliceMeasures& SliceAt(Micros at, QueueMeasures* queue) const;

  const Catalog& catalog_;
  const RatingBands& bands_;
  const Micros start_, from_, slice_;
  std::vector<int> of_queue_;  // index into measures_ by queue; -1: not measured
  std::vector<QueueMeasures> measures_;
  Game game_;  // of the match whose events come now
};

// The mean rating of a ticket's players.
MilliPoints RatingOf(const Ticket& ticket, MilliPoints start_value);

}  // namespace evenmatch
