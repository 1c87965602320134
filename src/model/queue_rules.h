// QueueRules: what a queue is and what it accepts; PoolGroupRules: queues that may share a ticket; Catalog: all of
// them. Made from configuration, checked there (see config/), and constant while the server runs.
//
// Relaxation: a rule that loosens names waits since a ticket was queued. Lists of steps begin at 0, come in order of
// time, and no step is stricter than the one before, so whoever may meet may meet for ever after.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/quality_terms.h"
#include "model/units.h"

namespace evenmatch {

// Whose wait counts for tickets that would play together: that of the last queued, of the first, or the mean of all.
enum class WaitBasis : uint8_t { kStrictest, kOldest, kAverage };

// What a value means that a ticket does not bring: it meets only others that lack it, anybody, or nobody.
enum class Missing : uint8_t { kMeetsMissing, kMeetsAnybody, kMeetsNobody };

// The distance in matching value that a ticket accepts after a wait. Never narrows with wait.
struct WindowRules {
  struct Step {
    Micros after;       // since the ticket was queued; the first step is at 0, later ones strictly later
    MilliPoints width;  // not below the step before; kUnlimitedWindow for any distance
  };

  // Linear when `steps` is empty: base + growth_per_second * wait, up to max.
  MilliPoints base = 100 * kPoint;
  MilliPoints growth_per_second = 50 * kPoint;
  MilliPoints max = 800 * kPoint;

  std::vector<Step> steps;

  // Thousandths: every width is wider by this times the deviation of the ticket's value.
  int32_t deviation_factor = 0;
};

// Named tiers in groups. A group meets only itself at first, then its neighbours, then all that are not isolated.
struct TierRules {
  struct Tier {
    std::string name;
    uint32_t group = 0;           // index into groups; never falls from tier to tier
    MilliPoints from = kNoValue;  // the tier of players who name none begins at this rating; kNoValue: by name only
  };
  struct Group {
    std::string name;
    bool isolated = false;  // meets only itself, for ever
  };
  std::vector<Tier> tiers;  // weakest first; empty: tiers do not matter
  std::vector<Group> groups;
  Micros neighbours_after = 10 * kSecond;
  Micros all_after = 30 * kSecond;

  bool on() const { return !tiers.empty(); }
};

// What a queue orders its tickets by. A ticket's strength is computed once, when it comes.
struct StrengthRules {
  enum class Source : uint8_t { kRating, kTier, kGamesPlayed, kAttribute };
  struct Part {
    Source source = Source::kRating;
    std::string attribute;  // kAttribute: a number of the player, else of the ticket
    // In thousandths (kRating: milli-points; kTier: of the tier's index): counts 0 at low and below, 1 at high and
    // above. A missing value counts 0.
    int64_t low = 0, high = 0;
    std::vector<int32_t> weights;  // by tier group of the player; a single one is for all
  };
  // A player's value is lowest + (highest - lowest) * the weighted mean of the parts; without parts the rating.
  std::vector<Part> parts;
  MilliPoints lowest = 0;
  MilliPoints highest = 3000 * kPoint;

  // The value of a party, from those of its players.
  enum class Party : uint8_t { kMean, kMaximum, kPowerMean };
  Party party = Party::kMean;
  int32_t power = 2;                       // of kPowerMean, 1..16
  std::vector<MilliPoints> premade_bonus;  // added by party size, [0] for one player; the last for larger ones too

  bool plain() const { return parts.empty() && party == Party::kMean && premade_bonus.empty(); }
};

// Parties of a queue of teams.
struct PartyRules {
  struct MirrorStep {
    Micros after = 0;        // wait of the largest party of a match, for it alone has nobody to face
    int32_t difference = 0;  // by how many players the largest parties of two teams of a match may differ
  };
  int32_t min_size = 1;
  int32_t max_size = 64;           // never above the size of a team
  std::vector<MirrorStep> mirror;  // empty: any
};

// A smaller match, allowed once its oldest ticket has waited so long.
struct FewerPlayers {
  Micros after = 0;
  int32_t team_count = 2;
  int32_t team_size = 1;
};

// Who does what in a team.
struct RoleRules {
  struct Role {
    std::string name;
    int32_t count = 1;  // seats in every team
  };
  std::vector<Role> roles;     // their counts add up to the size of a team; empty: no roles
  Micros fill_after = kNever;  // from this wait on a player also takes a role that he did not ask for

  bool on() const { return !roles.empty(); }
};

// Where a match can be played. A party's latency to a region is that of its worst player.
struct RegionRules {
  static constexpr int32_t kAnyLatency = std::numeric_limits<int32_t>::max();
  struct Step {
    Micros after = 0;
    int32_t delta_ms = kAnyLatency;  // above the ticket's own best region, at most
    int32_t limit_ms = kAnyLatency;  // at most, in all
  };
  std::vector<std::string> regions;          // 1..64 when on; latencies to others are ignored
  std::vector<Step> steps;                   // empty: latency does not matter
  Missing missing = Missing::kMeetsAnybody;  // of a ticket that brings no latency to any of the regions
                                             // (kMeetsMissing is not used)
  bool on() const { return !steps.empty(); }
};

// An attribute that must agree, or better does.
struct AttributeRule {
  enum class Compare : uint8_t { kEqual, kDistance, kOverlap };  // texts or numbers; numbers; lists of texts
  std::string name;
  Compare compare = Compare::kEqual;
  int64_t distance = 0;  // kDistance: thousandths, at most
  Missing missing = Missing::kMeetsMissing;
  bool required = true;          // else it only costs quality: QualityTerm::kAttributes
  Micros required_for = kNever;  // required up to this wait, preferred from then on
};

// Beginners among themselves: no relaxed matches, and for a while only other beginners.
struct ShelterRules {
  int32_t games_below = 0;              // a ticket is sheltered when a player of it has played fewer games,
  MilliPoints rating_below = kNoValue;  // or is rated below
  Micros own_pool_for = 20 * kSecond;   // meets only its kind up to this wait
  MilliPoints widest = 100 * kPoint;    // its window never exceeds this

  bool on() const { return games_below > 0 || rating_below != kNoValue; }
};

// Easier games after a run of losses: the ticket counts as weaker for those below it, for their windows and its own.
struct StreakRules {
  int32_t losses = 0;               // in a row, of any player of the ticket; 0: off
  MilliPoints ease = 200 * kPoint;  // how much further down its window reaches
  Micros after = 60 * kSecond;      // from this wait on
  bool on() const { return losses > 0; }
};

// Which of two tickets goes first, where not both can: the higher wait * wait_weight + scarcity * scarcity_weight.
struct PriorityRules {
  int32_t wait_weight = 1;      // points a second
  int32_t scarcity_weight = 0;  // points for a ticket that is alone in its widest window, falling as 1 / players there

  bool plain() const { return wait_weight == 1 && scarcity_weight == 0; }
};

// Chance among choices that are nearly as good, so that the same people do not meet again and again.
struct VarietyRules {
  Quality within = 0;  // choices that differ by no more count as equal; 0: off
  uint64_t seed = 1;
};

// What a match of the queue costs in quality; see QualityTerm. A term costs
// kBestQuality * weight / 1000 * measure / scale, rounded down.
struct QualityRules {
  struct Weight {
    int32_t weight = 0;  // thousandths; 0: does not count
    int64_t scale = 1;   // in the unit of the measure; of kDistance 0 means the stricter window
  };
  std::array<Weight, kQualityTerms> terms{};
  Micros relations_fade = 60 * kSecond;  // recent opponents and avoided players cost nothing from this wait on

  bool given() const;  // whether any term has a weight; else the defaults of the kind of queue hold

  Weight& operator[](QualityTerm term) { return terms[static_cast<size_t>(term)]; }
  const Weight& operator[](QualityTerm term) const { return terms[static_cast<size_t>(term)]; }

  static QualityRules Duel();   // distance against the stricter window, all of it
  static QualityRules Teams();  // half of that, and half for evenness
};

// What happens to a ticket that could not play whatever the wait.
enum class NeverPolicy : uint8_t { kWarn, kRefuse };

struct QueueRules {
  std::string name;
  uint32_t group = 0;               // index of its PoolGroupRules in the Catalog
  int32_t team_count = 2;           // 2..64
  int32_t team_size = 1;            // 1..64 players; of the largest team when `sides` is given
  std::vector<int32_t> sides;       // sizes of teams that are not all alike, team_count of them; else empty
  std::vector<FewerPlayers> fewer;  // in order of time, each with fewer players than the one before
  WindowRules window;
  WaitBasis wait_basis = WaitBasis::kStrictest;   // of every rule between tickets except `fewer`
  MilliPoints max_difference = kUnlimitedWindow;  // of two values in a match, for ever
  // Tickets meet only when these attributes of theirs are equal; a missing one equals only a missing one.
  std::vector<std::string> required_attributes;
  TierRules tiers;
  StrengthRules strength;
  PartyRules party;
  RoleRules roles;
  RegionRules regions;
  std::vector<AttributeRule> attributes;
  ShelterRules shelter;
  StreakRules streak;
  bool blocks = true;    // nobody is in a match with whom he blocks, not as a mate either; off: ignored
  QualityRules quality;  // not given: QualityRules::Duel() or Teams()
  PriorityRules priority;
  VarietyRules variety;
  // Hold out for better games as long as 95 % of the waits stay below; 0: do not hold out. Windows still bound who may
  // meet, so they should be wide, and need not grow.
  Micros target_wait_p95 = 0;
  NeverPolicy never = NeverPolicy::kWarn;
  MilliPoints start_value = 1500 * kPoint;  // of a player who brings no rating
  Micros tick = 100 * kMillisecond;
  size_t max_waiting = 1'000'000;         // tickets; more are refused with RESOURCE_EXHAUSTED
  Micros default_timeout = 90 * kSecond;  // of a ticket that names none (the shortest of its queues counts)
  Micros hold_timeout = 120 * kSecond;    // players of a formed match are held so long, or until EndMatch

  bool duel() const { return team_count == 2 && team_size == 1; }
  int32_t size_of_team(int32_t team) const { return sides.empty() ? team_size : sides[static_cast<size_t>(team)]; }
  int32_t players_per_match() const;
  // Whether teams of these sizes are a match of this queue once its oldest ticket has waited so long.
  bool Allows(std::span<const int32_t> sizes, Micros oldest_wait) const;
};

struct PoolGroupRules {
  std::string name;
  std::vector<uint32_t> queues;  // indexes into Catalog::queues
};

struct Catalog {
  std::vector<QueueRules> queues;
  std::vector<PoolGroupRules> groups;
  Micros presence_grace = 10 * kSecond;  // a ticket with presence STREAM outlives its watchers by this

  // The index of a queue or group by name, -1 when there is none.
  int FindQueue(std::string_view name) const;
  int FindGroup(std::string_view name) const;
};

}  // namespace evenmatch
