#include "rating/weng_lin.h"

#include <algorithm>
#include <cmath>

#include "absl/container/inlined_vector.h"
#include "base/status_macros.h"
#include "rating/bounds.h"
#include "rating/logistic.h"

namespace evenmatch {
namespace {

struct Sum {
  double mean = 0;
  double variance = 0;
  int32_t rank = 0;
  double omega = 0;  // over the variance
  double delta = 0;  // likewise
};

using Sums = absl::InlinedVector<Sum, 8>;

Sums SumsOf(std::span<const RatedTeam> teams, double tau) {
  Sums sums;
  for (const RatedTeam& team : teams) {
    Sum& sum = sums.emplace_back(Sum{.rank = team.rank});
    for (const auto& [rating, weight] : team.players) {
      sum.mean += weight * rating.mean;
      sum.variance += weight * weight * (rating.deviation * rating.deviation + tau * tau);
    }
  }
  return sums;
}

// Algorithm 1, steps 2 and 3 for every pair.
void BradleyTerry(double beta, Sums* sums) {
  for (size_t i = 0; i < sums->size(); ++i) {
    for (size_t q = i + 1; q < sums->size(); ++q) {
      Sum& one = (*sums)[i];
      Sum& other = (*sums)[q];
      const double c = std::sqrt(one.variance + other.variance + 2 * beta * beta);
      const PairScore expected = Logistic((one.mean - other.mean) / c);
      const double score = RankScore(one.rank, other.rank);
      const double beyond = score == 1   ? expected.other
                            : score == 0 ? -expected.own
                                         : (expected.other - expected.own) / 2;
      one.omega += beyond / c;
      other.omega -= beyond / c;
      const double information = expected.own * expected.other / (c * c * c);
      one.delta += std::sqrt(one.variance) * information;
      other.delta += std::sqrt(other.variance) * information;
    }
  }
}

// Algorithm 4.
void PlackettLuce(double beta, Sums* sums) {
  double c2 = 0;
  for (const Sum& sum : *sums) {
    c2 += sum.variance + beta * beta;
  }
  const double c = std::sqrt(c2);
  for (const Sum& stage : *sums) {
    // Everybody ranked equal or worse is chosen from. The largest strength among them is taken out of the exponents.
    double largest = stage.mean;
    double tied = 0;
    for (const Sum& sum : *sums) {
      if (sum.rank >= stage.rank) largest = std::max(largest, sum.mean);
      if (sum.rank == stage.rank) ++tied;
    }
    double total = 0;
    for (const Sum& sum : *sums) {
      if (sum.rank >= stage.rank) total += std::exp((sum.mean - largest) / c);
    }
    for (Sum& sum : *sums) {
      if (sum.rank < stage.rank) continue;
      const double own = std::exp((sum.mean - largest) / c) / total;
      sum.omega += ((&sum == &stage ? 1 : 0) - own) / (tied * c);
      sum.delta += std::sqrt(sum.variance) * own * (1 - own) / (tied * c * c * c);
    }
  }
}

}  // namespace

absl::Status WengLinParameters::Check() const {
  RETURN_IF_ERROR(MustBeNumber(start, "start"));
  RETURN_IF_ERROR(MustBePositive(start_deviation, "start_deviation"));
  RETURN_IF_ERROR(MustBePositive(beta, "beta"));
  RETURN_IF_ERROR(MustNotBeNegative(tau, "tau"));
  RETURN_IF_ERROR(MustBe(kappa > 0 && kappa <= 1, "kappa", "above 0 and at most 1", kappa));
  RETURN_IF_ERROR(MustBePositive(points, "points"));
  return absl::OkStatus();
}

void WengLin::Rate(std::span<const RatedTeam> teams, Micros ended_at, RatingUpdate* update) const {
  Sums sums = SumsOf(teams, p_.tau);
  if (p_.model == WengLinModel::kBradleyTerry) {
    BradleyTerry(p_.beta, &sums);
  } else {
    PlackettLuce(p_.beta, &sums);
  }
  Rating* after = update->ratings.data();
  for (size_t i = 0; i < teams.size(); ++i) {
    for (const auto& [before, weight] : teams[i].players) {
      const double variance = before.deviation * before.deviation + p_.tau * p_.tau;
      after->mean += weight * variance * sums[i].omega;
      const double left = std::max(1 - weight * weight * variance * sums[i].delta, p_.kappa);
      after->deviation = std::sqrt(variance * left);
      if (p_.limit_deviation) after->deviation = std::min(after->deviation, before.deviation);
      ++after;
    }
  }
}

WinChances WengLin::Predict(std::span<const RatedTeam> teams) const {
  const Sums sums = SumsOf(teams, 0);
  double c2 = 0;
  for (const Sum& sum : sums) c2 += sum.variance + p_.beta * p_.beta;
  const double c = std::sqrt(c2 * 2 / static_cast<double>(teams.size()));
  if (teams.size() == 2) {
    const PairScore pair = Logistic((sums[0].mean - sums[1].mean) / c);
    return {.first = {pair.own, pair.other}};
  }
  std::vector<double> strengths;
  for (const Sum& sum : sums) strengths.push_back(sum.mean / c);
  return {.first = LuceChoice(std::move(strengths))};
}

}  // namespace evenmatch
