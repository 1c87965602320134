#include "tools/population.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/strings.h"

namespace evenmatch {

absl::StatusOr<RatingDistribution> RatingDistribution::Parse(std::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(ToAbsl(text), ':');
  RatingDistribution result;
  const bool numbers =
      parts.size() == 3 && absl::SimpleAtod(parts[1], &result.a) && absl::SimpleAtod(parts[2], &result.b);
  constexpr double kLimit = kMaxValue / kPoint;
  if (!numbers || !(std::abs(result.a) <= kLimit) || !(std::abs(result.b) <= kLimit)) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", ToAbsl(text), "\": write normal:MEAN:SD or uniform:LOW:HIGH, in points"));
  }
  if (parts[0] == "normal") {
    if (result.b < 0) return absl::InvalidArgumentError("the standard deviation must not be negative");
  } else if (parts[0] == "uniform") {
    result.kind = Kind::kUniform;
    if (result.b < result.a) return absl::InvalidArgumentError("the highest rating must not be below the lowest");
  } else {
    return absl::InvalidArgumentError(absl::StrCat("\"", parts[0], "\": there are normal and uniform"));
  }
  return result;
}

MilliPoints RatingDistribution::Draw(Random& random) const {
  double points;
  if (kind == Kind::kUniform) {
    points = a + (b - a) * random.Unit();
  } else {
    // Box and Muller, 1958; 1 - Unit() is never 0.
    points = a + b * std::sqrt(-2 * std::log(1 - random.Unit())) * std::cos(2 * std::numbers::pi * random.Unit());
  }
  constexpr double kLimit = kMaxValue / kPoint;
  return static_cast<MilliPoints>(std::llround(std::clamp(points, -kLimit, kLimit) * kPoint));
}

absl::StatusOr<PartyDistribution> PartyDistribution::Parse(std::string_view text) {
  PartyDistribution result;
  result.weights.clear();
  const std::vector<std::string> parts = absl::StrSplit(ToAbsl(text), ',');
  for (const std::string& part : parts) {
    const std::vector<std::string> pair = absl::StrSplit(part, ':');
    int size = 0;
    uint32_t weight = 0;
    if (pair.size() != 2 || !absl::SimpleAtoi(pair[0], &size) || !absl::SimpleAtoi(pair[1], &weight) || size < 1 ||
        size > 64 || weight < 1 || weight > 1'000'000) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", part, "\": write SIZE:WEIGHT, with a size of 1 to 64 and a weight of 1 to 1000000"));
    }
    result.weights.emplace_back(size, weight);
  }
  return result;
}

int PartyDistribution::largest() const {
  int largest = 0;
  for (const auto& [size, weight] : weights) largest = std::max(largest, size);
  return largest;
}

int PartyDistribution::Draw(Random& random) const {
  if (weights.size() == 1) return weights[0].first;
  uint64_t sum = 0;
  for (const auto& [size, weight] : weights) sum += weight;
  uint64_t at = random.Below(sum);
  for (const auto& [size, weight] : weights) {
    if (at < weight) return size;
    at -= weight;
  }
  return weights.back().first;
}

Population Population::Draw(size_t tickets, const RatingDistribution& ratings, const PartyDistribution& parties,
                            uint64_t seed) {
  Random random(seed);
  Population population;
  population.first_.reserve(tickets + 1);
  population.ratings_.reserve(tickets);
  for (size_t i = 0; i < tickets; ++i) {
    const int size = parties.Draw(random);
    for (int k = 0; k < size; ++k) population.ratings_.push_back(ratings.Draw(random));
    population.first_.push_back(static_cast<uint32_t>(population.ratings_.size()));
  }
  return population;
}

Population Population::OfGames(std::span<const std::pair<MilliPoints, MilliPoints>> games) {
  Population population;
  for (const auto& [a, b] : games) {
    for (const MilliPoints rating : {a, b}) {
      population.ratings_.push_back(rating);
      population.first_.push_back(static_cast<uint32_t>(population.ratings_.size()));
    }
  }
  return population;
}

MilliPoints Population::Value(size_t ticket) const {
  int64_t sum = 0;
  const std::span<const MilliPoints> members = Members(ticket);
  for (const MilliPoints rating : members) sum += rating;
  return static_cast<MilliPoints>(sum / static_cast<int64_t>(members.size()));
}

}  // namespace evenmatch
