#include "rating/systems.h"

#include "base/status_macros.h"

namespace evenmatch {
namespace {

template <typename System, typename Parameters>
absl::StatusOr<std::unique_ptr<const RatingSystem>> Make(const Parameters& parameters) {
  RETURN_IF_ERROR(parameters.Check());
  return std::make_unique<const System>(parameters);
}

struct Maker {
  auto operator()(const NoRatingParameters& p) const { return Make<NoRating>(p); }
  auto operator()(const EloParameters& p) const { return Make<Elo>(p); }
  auto operator()(const GlickoParameters& p) const { return Make<Glicko>(p); }
  auto operator()(const Glicko2Parameters& p) const { return Make<Glicko2>(p); }
  auto operator()(const TrueSkillParameters& p) const { return Make<TrueSkill>(p); }
  auto operator()(const WengLinParameters& p) const { return Make<WengLin>(p); }
};

}  // namespace

absl::StatusOr<std::unique_ptr<const RatingSystem>> MakeRatingSystem(const RatingParameters& parameters) {
  return std::visit(Maker(), parameters);
}

}  // namespace evenmatch
