// Systems: a rating system from its parameters.
//
// Errors:  INVALID_ARGUMENT naming the field.
// Threads: pure.
#pragma once

#include <memory>
#include <variant>

#include "rating/elo.h"
#include "rating/glicko.h"
#include "rating/glicko2.h"
#include "rating/no_rating.h"
#include "rating/true_skill.h"
#include "rating/weng_lin.h"

namespace evenmatch {

using RatingParameters = std::variant<NoRatingParameters, EloParameters, GlickoParameters, Glicko2Parameters,
                                      TrueSkillParameters, WengLinParameters>;

absl::StatusOr<std::unique_ptr<const RatingSystem>> MakeRatingSystem(const RatingParameters& parameters);

}  // namespace evenmatch
