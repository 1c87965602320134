#include "rating/true_skill.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "base/status_macros.h"
#include "rating/bounds.h"
#include "rating/normal.h"
#include "rating/team_chain.h"

namespace evenmatch {
namespace {

// What the game says of one team's performance T with prior N(mean, variance), relative to that prior: the mean of T
// moves by variance * pull, its variance by -variance^2 * gain.
void Apply(const RatedTeam& team, double tau, const TeamBelief& belief, Rating* after) {
  for (const auto& [before, weight] : team.players) {
    const double variance = before.deviation * before.deviation + tau * tau;
    after->mean += weight * variance * belief.pull;
    const double left = variance - weight * weight * variance * variance * belief.gain;
    // Rounding alone could take the last digit of a variance that is known almost only from this game.
    after->deviation = std::sqrt(std::max(left, variance * 1e-15));
    ++after;
  }
}

struct Performance {
  double mean = 0;
  double variance = 0;
  double noise = 0;  // the part of the variance that is not uncertainty
  size_t heads = 0;
};

Performance PerformanceOf(const RatedTeam& team, double beta, double tau) {
  Performance sum{.heads = team.players.size()};
  for (const auto& [rating, weight] : team.players) {
    sum.mean += weight * rating.mean;
    sum.variance += weight * weight * (rating.deviation * rating.deviation + tau * tau + beta * beta);
    sum.noise += weight * weight * beta * beta;
  }
  return sum;
}

using Performances = absl::InlinedVector<Performance, 8>;

Performances PerformancesOf(std::span<const RatedTeam> teams, double beta, double tau) {
  Performances all;
  for (const RatedTeam& team : teams) all.push_back(PerformanceOf(team, beta, tau));
  return all;
}

// Three teams and more, in the order of their ranks; of one rank as `ties` says.
template <typename MarginOf>
void RateField(std::span<const RatedTeam> teams, const Performances& all, TieRule ties, MarginOf margin_of,
               std::span<TeamBelief> beliefs) {
  const size_t n = teams.size();
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), size_t{0});
  const auto pass = [&](std::span<TeamBelief> heard) {
    std::vector<ChainTeam> chain;
    std::vector<ChainLink> links;
    for (size_t k = 0; k < n; ++k) {
      const Performance& team = all[order[k]];
      chain.push_back({team.mean, team.variance});
      if (k + 1 == n) break;
      links.push_back({.draw = teams[order[k]].rank == teams[order[k + 1]].rank,
                       .margin = margin_of(team.heads + all[order[k + 1]].heads)});
    }
    PassMessages(chain, links, TrueSkill::kMostSweeps, heard);
  };
  const auto by_rank = [&](size_t a, size_t b) { return teams[a].rank < teams[b].rank; };
  std::vector<TeamBelief> heard(n);
  if (ties == TieRule::kAsGiven) {
    std::stable_sort(order.begin(), order.end(), by_rank);
    pass(heard);
    for (size_t k = 0; k < n; ++k) beliefs[order[k]] = heard[k];
    return;
  }
  const auto key = [&](size_t i) { return std::tuple(teams[i].rank, all[i].mean, all[i].variance, all[i].heads); };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  const bool tied =
      std::adjacent_find(order.begin(), order.end(), [&](size_t a, size_t b) { return !by_rank(a, b); }) != order.end();
  pass(heard);
  for (size_t k = 0; k < n; ++k) beliefs[order[k]] = heard[k];
  if (!tied) return;
  const auto sorted = order;
  // Each rank the other way round.
  for (size_t begin = 0; begin < n;) {
    size_t end = begin + 1;
    while (end < n && !by_rank(order[begin], order[end])) ++end;
    std::reverse(order.begin() + static_cast<ptrdiff_t>(begin), order.begin() + static_cast<ptrdiff_t>(end));
    begin = end;
  }
  pass(heard);
  for (size_t k = 0; k < n; ++k) {
    TeamBelief& belief = beliefs[order[k]];
    belief = {(belief.pull + heard[k].pull) / 2, (belief.gain + heard[k].gain) / 2};
  }
  // Teams that cannot be told apart.
  for (size_t begin = 0; begin < n;) {
    size_t end = begin;
    TeamBelief sum;
    for (; end < n && key(sorted[end]) == key(sorted[begin]); ++end) {
      sum.pull += beliefs[sorted[end]].pull;
      sum.gain += beliefs[sorted[end]].gain;
    }
    const double count = static_cast<double>(end - begin);
    for (size_t k = begin; k < end; ++k) beliefs[sorted[k]] = {sum.pull / count, sum.gain / count};
    begin = end;
  }
}

// The integral of team i's density times the chance that all others are below: the trapezoidal rule, which for
// Gaussians is exact to 1e-15 once the step is a third of the narrowest deviation.
double ChanceToBeBest(const Performances& all, size_t i) {
  constexpr double kReach = 9;
  constexpr double kMostPoints = 8192;
  double narrowest = all[0].variance;
  for (const Performance& other : all) narrowest = std::min(narrowest, other.variance);
  const double deviation = std::sqrt(all[i].variance);
  const int points = static_cast<int>(std::min(kMostPoints, 2 * kReach * deviation / std::sqrt(narrowest) * 3 + 2));
  const double step = 2 * kReach / points;
  double sum = 0;
  for (int k = 0; k <= points; ++k) {
    const double z = -kReach + k * step;
    double product = NormalDensity(z);
    for (size_t j = 0; j < all.size() && product > 0; ++j) {
      if (j == i) continue;
      product *= NormalBelow((all[i].mean - all[j].mean + z * deviation) / std::sqrt(all[j].variance));
    }
    sum += product;
  }
  return sum * step;
}

}  // namespace

absl::Status TrueSkillParameters::Check() const {
  RETURN_IF_ERROR(MustBeNumber(start, "start"));
  RETURN_IF_ERROR(MustBePositive(start_deviation, "start_deviation"));
  RETURN_IF_ERROR(MustBePositive(beta, "beta"));
  RETURN_IF_ERROR(MustNotBeNegative(tau, "tau"));
  RETURN_IF_ERROR(MustBe(draw_probability >= 0 && draw_probability < 1, "draw_probability", "0 or more and below 1",
                         draw_probability));
  RETURN_IF_ERROR(MustBePositive(points, "points"));
  return absl::OkStatus();
}

TrueSkill::TrueSkill(const TrueSkillParameters& parameters)
    : p_(parameters),
      // From the upper tail, where a probability close to 1 keeps its digits.
      margin_(NormalQuantileOfUpperTail((1 - p_.draw_probability) / 2) * p_.beta) {}

double TrueSkill::Margin(size_t heads) const { return margin_ * std::sqrt(static_cast<double>(heads)); }

absl::Status TrueSkill::CheckRanks(std::span<const RatedTeam> teams) const {
  if (margin_ > 0) return absl::OkStatus();
  absl::InlinedVector<int32_t, 8> ranks;
  for (const RatedTeam& team : teams) ranks.push_back(team.rank);
  std::sort(ranks.begin(), ranks.end());
  if (std::adjacent_find(ranks.begin(), ranks.end()) == ranks.end()) return absl::OkStatus();
  return absl::InvalidArgumentError("teams: a draw, where draw_probability is 0");
}

void TrueSkill::Rate(std::span<const RatedTeam> teams, Micros ended_at, RatingUpdate* update) const {
  const Performances all = PerformancesOf(teams, p_.beta, p_.tau);
  absl::InlinedVector<TeamBelief, 8> beliefs(teams.size());
  if (teams.size() == 2) {
    const double c = std::sqrt(all[0].variance + all[1].variance);
    const double margin = Margin(all[0].heads + all[1].heads) / c;
    const double t = (all[0].mean - all[1].mean) / c;
    Truncation cut;
    if (teams[0].rank == teams[1].rank) {
      cut = TruncateDraw(t, margin);
    } else if (teams[0].rank < teams[1].rank) {
      cut = TruncateWin(t - margin);
    } else {
      cut = TruncateWin(-t - margin);
      cut.v = -cut.v;
    }
    beliefs[0] = {.pull = cut.v / c, .gain = cut.w / (c * c)};
    beliefs[1] = {.pull = -cut.v / c, .gain = cut.w / (c * c)};
  } else {
    RateField(
        teams, all, p_.ties, [&](size_t heads) { return Margin(heads); }, beliefs);
  }
  Rating* after = update->ratings.data();
  for (size_t i = 0; i < teams.size(); ++i) {
    Apply(teams[i], p_.tau, beliefs[i], after);
    after += teams[i].players.size();
  }
}

WinChances TrueSkill::Predict(std::span<const RatedTeam> teams) const {
  const Performances all = PerformancesOf(teams, p_.beta, 0);
  if (teams.size() == 2) {
    const double c = std::sqrt(all[0].variance + all[1].variance);
    const double t = (all[0].mean - all[1].mean) / c;
    const double margin = Margin(all[0].heads + all[1].heads) / c;
    const double first = NormalBelow(t - margin);
    const double second = NormalBelow(-t - margin);
    return {.first = {first, second}, .draw = std::max(0.0, 1 - first - second)};
  }
  WinChances chances;
  double sum = 0;
  for (size_t i = 0; i < all.size(); ++i) sum += chances.first.emplace_back(ChanceToBeBest(all, i));
  for (double& chance : chances.first) chance /= sum;
  return chances;
}

// ln q = 1/2 [sum ln(b / v) + ln((sum 1 / b) / P) - sum (M - m)^2 / v], v variance without tau, b its noise, M mean of
// each team, P = sum 1 / v, m = (sum M / v) / P: equal to eq. (7), without matrices and without overflow.
double TrueSkill::Evenness(std::span<const RatedTeam> teams) const {
  const Performances all = PerformancesOf(teams, p_.beta, 0);
  double logarithms = 0, noise_precision = 0, precision = 0, weighted = 0;
  for (const Performance& team : all) {
    logarithms += std::log(team.noise / team.variance);
    noise_precision += 1 / team.noise;
    precision += 1 / team.variance;
    weighted += team.mean / team.variance;
  }
  const double mean = weighted / precision;
  double spread = 0;
  for (const Performance& team : all) spread += (team.mean - mean) * (team.mean - mean) / team.variance;
  return std::min(1.0, std::exp((logarithms + std::log(noise_precision / precision) - spread) / 2));
}

}  // namespace evenmatch
