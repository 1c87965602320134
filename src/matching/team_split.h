// TeamSplit: whole parties into teams so that the game is as even as it can be.
//
// Shape:   even means: the least difference between the means of the strongest and the weakest team, which is the
//          evenest win chance. Up to kExactPlayers players every way to fill the teams with whole parties is tried,
//          once whichever way teams of one size are numbered (ten solos: 126 ways, twelve: 462); among equals the one
//          whose teams have the most equal variances, so that no team has both the best and the worst player while the
//          other has the middle; then the one whose largest parties are most alike. Three and more teams begin from
//          what exchanges reach, and leave out what cannot be more even. Beyond kExactPlayers there are only the
//          exchanges: a ticket of one team for one or two of another while that brings the two closer, the strongest
//          and the weakest first.
//          A Judge refuses ways and adds what else they cost (roles, parties); then the cheapest way is sought, and
//          among equals the evenest.
//          A party counts as so many players of its mean value: its members by themselves matching does not see.
// Promise: exact up to kExactPlayers; never less even than the given way, and never dearer; teams of one size are
//          numbered by their first ticket.
// Units:   values in milli-points.
// Cost:    two teams of five 0.5 us or so, of six 2 us; many small teams of twelve some 10 us; beyond, at most one
//          exchange a ticket. Bounded by work, whatever the time.
// Threads: none.
#pragma once

#include <cstdint>
#include <limits>
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

  class Judge {
   public:
    static constexpr int64_t kRefused = std::numeric_limits<int64_t>::max();

    virtual ~Judge() = default;
    // What a way costs whose strongest and weakest team are `gap` milli-points apart; kRefused when it must not be.
    virtual int64_t Cost(std::span<const int32_t> team, MilliPoints gap) = 0;
    // No way with such a gap costs less.
    virtual int64_t AtLeast(MilliPoints gap) const = 0;
  };

  // `team` comes with a way, not refused, that fills teams of these sizes with all of `parties`, and leaves with the
  // best.
  void Split(std::span<const Party> parties, std::span<const int32_t> sizes, std::span<int32_t> team,
             Judge* judge = nullptr);

 private:
  // 64 ** 2 players * (2 * kMaxValue) ** 2 * the scale of uneven sizes squared need more than 64 bits.
  using Wide = __int128;
  struct Team {
    int64_t sum = 0;      // of values, by heads
    int64_t squares = 0;  // of values, by heads
    int32_t heads = 0;
    int32_t size = 0;
    int64_t scale = 1;  // sum * scale is comparable between teams: their common size is size * scale

    int64_t level() const { return sum * scale; }
  };
  struct Measure {
    int64_t cost;
    int64_t levels;  // between the strongest and the weakest
    Wide variances;
    int32_t largest;  // between the largest parties of two teams
    friend auto operator<=>(const Measure&, const Measure&) = default;
  };

  void Reset(std::span<const int32_t> sizes);
  template <bool kBare>
  void TryTwoFrom(size_t party, int32_t room, int64_t sum);
  void TryTeam(int32_t placed);
  void TryRestOf(int32_t team, size_t party, int32_t placed);
  bool MayBeBest(int64_t levels) const;
  void TryThis(std::span<const int32_t> team, int64_t levels);
  void Improve(std::span<int32_t> team);
  bool Exchange(std::span<int32_t> team);
  bool ExchangeBetween(int32_t stronger, int32_t weaker, std::span<int32_t> team);
  int64_t Levels() const;
  Measure MeasureOf(std::span<const int32_t> team, int64_t cost, int64_t levels);
  MilliPoints GapOf(int64_t levels) const { return static_cast<MilliPoints>(levels / common_size_); }
  void Add(size_t party, int32_t team, int64_t sign);
  void NumberByFirstTicket(std::span<int32_t> team);

  std::span<const Party> parties_;
  Judge* judge_ = nullptr;
  bool even_sizes_ = true;
  int64_t common_size_ = 1;
  int32_t players_ = 0;
  MilliPoints base_ = 0;  // subtracted from every value
  int64_t total_ = 0;     // of weight_
  std::vector<Team> teams_, measured_;
  std::vector<int32_t> trial_, best_;
  std::vector<int64_t> weight_;  // heads * (value - base_)
  std::vector<int32_t> left_;    // heads of it and those after it
  std::vector<int32_t> number_, given_;
  std::vector<size_t> strong_, weak_;
  Measure best_measure_{};
  bool best_is_measured_ = false;
};

}  // namespace evenmatch
