// QualityTerm: what counts for and against a match, each with a measure that is the same whichever way the teams are
// numbered.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/units.h"

namespace evenmatch {

enum class QualityTerm : uint8_t {
  kDistance,    // highest - lowest value among the tickets, in milli-points, with streaks counted
  kEvenness,    // highest - lowest win chance of a team, in BasisPoints
  kLatency,     // highest - lowest latency to the region among the tickets, in milliseconds
  kParty,       // between the teams: the difference of their largest parties, in players (of a duel: always 0)
  kFill,        // players who got a role that they did not ask for, as thousandths of all
  kPreference,  // by how much the tickets like another queue of theirs better, the mean over them
  kRecent,  // pairs that met lately, in thousandths of a pair, each falling to 0 as its longer wait reaches the fade
  kAvoid,   // pairs of whom one would rather not, likewise
  kAttributes,  // preferred attributes that do not agree, in thousandths of a rule and pair: the mean over the pairs
};
inline constexpr size_t kQualityTerms = 9;

// What one term took from the quality of a match.
struct TermCost {
  QualityTerm term = QualityTerm::kDistance;
  int64_t measure = 0;
  int64_t cost = 0;  // in points of quality; all together may exceed kBestQuality
};

}  // namespace evenmatch
