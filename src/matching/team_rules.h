// TeamRules: what the rule book asks of a whole match: every two of its tickets may meet, one region serves all, the
// roles of every team can be filled, and the largest parties of its teams are alike enough.
//
// Shape:   as Guard of a packing it follows a set as it grows: every ticket that joins is held against those that are
//          in it. The wait that counts is that of the set (QueueRules::wait_basis); by the strictest every pair has its
//          own.
//          As Judge of a split it refuses ways whose teams lack a role or do not mirror, and prices the others: by the
//          weights of parties, fills and evenness where one of the first two has any; before that come fill-ins that
//          differ by more than one between teams, and, where fills have no weight, their number.
//          Score gives the costs of a finished match, each term by its measure over the whole.
//          Teams differ by at most one player who is filled in, unless somebody is past his last stage.
//          Mirroring relaxes with the wait of the largest party, for it alone has nobody to face. Who takes a role that
//          he did not ask for goes by his own wait.
// Promise: symmetric in the teams; the same set costs the same whatever was tried before.
// Cost:    a pair is asked once a search; Join O(tickets in the set) and the roles of a team.
// Threads: none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "matching/role_assignment.h"
#include "matching/rule_book.h"
#include "matching/team_packing.h"
#include "matching/team_set.h"
#include "matching/team_split.h"
#include "model/match.h"
#include "model/units.h"

namespace evenmatch {

class TeamRules final : public TeamPacking::Guard, public TeamSplit::Judge {
 public:
  explicit TeamRules(const RuleBook& book);

  // Whether whole sets are asked more than that their tickets are within the range that each accepts.
  bool guards() const { return !book_.plain() || !book_.rules().party.mirror.empty(); }
  bool judges() const { return roles_on_ || !book_.rules().party.mirror.empty() || weighs_split_; }

  void BeginTick(Micros now, Micros longest_wait);

  // What a search has at hand: whether there are enough players for a shape, somebody for every seat, and parties for
  // the ticket's own to face.
  class Supply {
   public:
    void Add(const TeamCandidate& ticket, int32_t sign);
    bool Suffices();

   private:
    friend class TeamRules;
    const TeamRules* rules_ = nullptr;
    bool ever_ = false, roles_ = false, few_ = false;
    int32_t players_ = 0, largest_ = 0, like_size_ = 0, like_wanted_ = 0;
    int32_t heads_ = 0, like_ = 0;
    uint64_t all_ = 0;
    std::vector<int32_t> seats_;  // by role or set of roles
    std::vector<int32_t> takes_;  // players by what they would take: by role, or by set of roles
    std::vector<int32_t> within_;
  };
  // For a match of that shape with the ticket in it; `ever`: as if all had waited for ever.
  Supply& BeginSupply(const TeamCandidate& ticket, const TeamShape& shape, bool ever);

  // Tickets that a search may choose from; places below are indexes into them.
  void BeginSearch(std::span<const TeamCandidate* const> nearby);
  // Whether two may be in one match, and a ticket may play in a region, as far as can be said before the others are
  // known.
  bool MayMeet(const Waiter& a, const Waiter& b) const;
  bool PlaysIn(const TeamCandidate& ticket, int32_t region) const;

  // Of two places: whether they may meet, as MayMeet.
  bool MayMeet(size_t a, size_t b);

  // A packing of these (places) in this region, -1 for any, begins.
  void BeginPacking(std::span<const int32_t> places, const TeamShape& shape, int32_t region);
  int64_t looks() const { return looks_; }  // in this packing: how many others each that would join was held against
  bool Join(size_t ticket, int32_t team) override;
  void Leave(size_t ticket, int32_t team) override;
  bool Complete() override;

  // A split of these begins.
  void BeginSplit(std::span<const TeamCandidate* const> tickets, const TeamShape& shape);
  int64_t Cost(std::span<const int32_t> team, MilliPoints gap) override;
  int64_t AtLeast(MilliPoints gap) const override;

  // Before the split: the part of the distance, and what else is known of a set, is taken off the best.
  void Estimate(const TeamLine& line, TeamSet* set) const;
  // The same of teams of one player each, whose evenness follows from the strongest and the weakest: within a point of
  // what Score says, in a fraction of the time.
  void EstimateSingles(const TeamLine& line, TeamSet* set) const;
  // After it: win chances, costs and quality.
  void Score(const TeamLine& line, const TeamShape& shape, TeamSet* set);
  // The seats of a team's players, in order of its tickets; false without roles.
  bool AssignRoles(std::span<const TeamCandidate* const> team, std::vector<SeatRole>* seats);

 private:
  struct Saved {  // what a Join changed
    size_t place;
    Micros shortest, longest, waits, longest_meeting, longest_region;
    int32_t largest_of_team;
    size_t players_of_team;
  };

  Micros WaitOf(const TeamCandidate& ticket) const { return std::max<Micros>(now_ - ticket.queued_at, 0); }
  Micros SetWait(Micros shortest, Micros longest, Micros waits, size_t tickets) const;
  // The wait of the set after which two places may meet; by the strictest, where each pair has its own, 0 or kNever.
  Micros MeetingOf(size_t a, size_t b);
  bool CanMirror(size_t ticket, size_t to, int32_t room, int32_t largest) const;
  bool FillsAreLevelled();
  int32_t MirrorDifference(Micros wait) const;
  bool MayFill(const TeamCandidate& ticket) const { return WaitOf(ticket) >= book_.rules().roles.fill_after; }
  void AddPlayers(const TeamCandidate& ticket, std::vector<RoleAssignment::Player>* players) const;
  int32_t FillsOf(std::span<const int32_t> team, int32_t which);
  bool weighs(QualityTerm term) const { return book_.quality()[term].weight != 0; }
  void MeasurePairs(const TeamLine& line, const TeamSet& set, Measures* measures, int64_t* distance_cost);

  const RuleBook& book_;
  const bool roles_on_;
  const bool regions_on_;
  const bool strictest_;
  const bool weighs_split_;  // parties or fills have a price
  const bool weighs_pairs_;  // a term beyond distance, evenness, party and fills has one
  RoleAssignment roles_;
  Micros now_ = 0;
  Micros longest_wait_ = 0;
  Supply supply_;

  // Of a search.
  std::vector<const TeamCandidate*> nearby_;
  struct Known {
    uint32_t search = 0;
    Micros wait = 0;
  };
  // What is known of pairs is kept among this many tickets at most, or it would fill the memory.
  static constexpr size_t kMostKept = 1'024;
  std::vector<Known> meetings_;  // by pair of places
  uint32_t search_ = 0;
  // Of a packing.
  const TeamShape* shape_ = nullptr;
  int32_t region_ = -1;
  std::vector<int32_t> places_;
  std::vector<Saved> joined_;
  int64_t looks_ = 0;
  Micros shortest_ = 0, longest_ = 0, waits_ = 0, longest_meeting_ = 0, longest_region_ = 0;
  std::vector<int32_t> largest_, room_;
  int32_t packing_difference_ = 0;                            // the most that mirroring allows any of them
  std::vector<std::vector<RoleAssignment::Player>> players_;  // by team
  // Of a split.
  std::vector<const TeamCandidate*> tickets_;
  std::vector<int8_t> fills_known_;  // by set of tickets, while these are few
  MilliPoints deviation_ = 0;
  // Scratch.
  std::vector<RoleAssignment::Player> team_players_;
  std::vector<Waiter> waiters_;
  std::vector<int64_t> sums_;
  std::vector<MilliPoints> deviations_;
  std::vector<int64_t> squares_;
};

}  // namespace evenmatch
