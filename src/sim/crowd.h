// Crowd: the players of a simulated world, drawn ticket by ticket; each comes once.
//
// Shape:   what a player brings is drawn from independent distributions, and a party of them makes a ticket. What a
//          ticket holds depends on the rules and the seed alone, never on a configuration, so several configurations
//          see the same players (common random numbers). The exception is its queues, which every catalog numbers
//          itself.
//          Latency: everybody lives near one region, 15 to 45 ms from it, and every region that lies further on adds
//          60 to 90 ms; the regions lie on a ring, in the order of the rules. A party lives together.
// Units:   milli-points, Micros.
// Cost:    a quarter of a microsecond a ticket with nothing but ratings.
// Threads: none.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "model/ticket.h"
#include "model/units.h"
#include "sim/distributions.h"

namespace evenmatch {

struct CrowdRules {
  RatingDistribution ratings;
  bool in_order = false;  // of a list of ratings: one after the other, and again from the start
  PartyDistribution parties;
  double party_spread = -1;                      // points: members are drawn around the first with this deviation;
                                                 // below 0: each on his own
  std::optional<RatingDistribution> deviations;  // of ratings
  NameDistribution regions;                      // where players live; empty: nobody brings latencies
  NameDistribution roles;                        // the role most wanted; empty: nobody names any
  int roles_each = 1;                            // how many different ones everybody names
  std::vector<std::pair<std::string, MilliPoints>> tiers;                 // name and lowest rating, weakest first
  std::vector<std::pair<std::string, AttributeDistribution>> attributes;  // of tickets
  std::optional<CountDistribution> games_played;
  bool losing_streaks = false;  // every player won his last game with chance one half, and the one before, ...
  Micros leave_after = 0;       // players lose patience after so long, on average (exponential); 0: never
};

class Crowd {
 public:
  Crowd(const CrowdRules& rules, uint64_t seed);  // `rules` outlive it

  struct Comer {
    std::shared_ptr<Ticket> ticket;  // without queues, group and timeout
    uint64_t number = 0;             // from 0; its id is IdOf(number)
    Micros leaves_after = kNever;
    double chance = 0;  // in [0, 1): what else is to be drawn for it
  };
  Comer Next();

  static std::string IdOf(uint64_t number);

 private:
  MilliPoints NextRating();
  std::unique_ptr<const PlayerDetails> DrawDetails(MilliPoints rating, size_t home);

  const CrowdRules& rules_;
  const bool bare_;  // nothing but ratings
  Random random_;
  uint64_t tickets_ = 0;
  size_t listed_ = 0;
};

}  // namespace evenmatch
