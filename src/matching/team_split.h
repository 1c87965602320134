// TeamSplit: whole parties into teams so that the game is as even as it can be.
//
// Shape:   even means: the least difference between the sums of the strongest and the weakest team, which is the
//          evenest win chance. Up to kExactPlayers players every way to fill the teams with whole parties is tried,
//          once whichever way the teams are numbered (ten solos: 126 ways, twelve: 462); among equals the one whose
//          teams have the most equal variances, so that no team has both the best and the worst player while the other
//          has the middle. Beyond, a given way is improved by exchanging a ticket of one team for one or two of another
//          while that brings the two closer, the strongest and the weakest first.
//          A party counts as so many players of its mean value: its members by themselves matching does not see.
// Promise: exact up to kExactPlayers; never less even than the given way; teams are numbered by their first ticket;
//          among equals the first in order of tickets.
// Units:   values in milli-points.
// Cost:    two teams of five 0.5 us or so, of six 2 us; many small teams of twelve up to 15'400 ways; beyond, at most
//          one exchange a ticket.
// Threads: none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/units.h"

namespace evenmatch {

class TeamSplit {
 public:
  static constexpr int32_t kExactPlayers = 12;

  struct Party {
    MilliPoints value;
    int32_t heads;
  };

  // `team` comes with a way that fills `teams` teams of `team_size` with all of `parties` and leaves with the evenest.
  void Split(std::span<const Party> parties, int32_t teams, int32_t team_size, std::span<int32_t> team);

 private:
  using Wide = __int128;  // team_size ** 2 * (2 * kMaxValue) ** 2 needs more than 64 bits
  struct Team {
    int64_t sum = 0;      // of values, by heads
    int64_t squares = 0;  // of values, by heads
    int32_t heads = 0;
  };
  struct Unevenness {
    int64_t sums;
    Wide variances;
    friend auto operator<=>(const Unevenness&, const Unevenness&) = default;
  };

  void TryFrom(size_t party, int32_t opened);
  void TryTwoFrom(size_t party, int32_t room, int64_t sum);
  bool Exchange(std::span<int32_t> team);
  bool ExchangeBetween(int32_t stronger, int32_t weaker, std::span<int32_t> team);
  Unevenness Measure() const;
  void Add(size_t party, int32_t team, int64_t sign);
  void NumberByFirstTicket(std::span<int32_t> team);

  std::span<const Party> parties_;
  int32_t team_size_ = 0;
  MilliPoints base_ = 0;  // subtracted from every value
  std::vector<Team> teams_;
  std::vector<int32_t> trial_, best_;
  std::vector<int64_t> weight_;  // TryTwoFrom: heads * (value - base_)
  std::vector<int32_t> left_;    // heads of it and those after it
  int64_t total_ = 0;
  std::vector<int32_t> number_;
  std::vector<size_t> strong_, weak_;
  Unevenness best_measure_{};
};

}  // namespace evenmatch
