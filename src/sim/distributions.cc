#include "sim/distributions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/strings.h"
#include "base/text.h"
#include "sim/attribute_text.h"

namespace evenmatch {
namespace {

constexpr uint32_t kMostWeight = 1'000'000;

// The index of one of these, each as likely as its weight says.
template <typename Name>
size_t DrawWeighted(const std::vector<std::pair<Name, uint32_t>>& weights, Random& random) {
  if (weights.size() == 1) return 0;
  uint64_t sum = 0;
  for (const auto& [name, weight] : weights) sum += weight;
  uint64_t at = random.Below(sum);
  for (size_t i = 0; i < weights.size(); ++i) {
    if (at < weights[i].second) return i;
    at -= weights[i].second;
  }
  return weights.size() - 1;
}

}  // namespace

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
  if (kind == Kind::kList) return (*list)[random.Below(list->size())];
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
        size > 64 || weight < 1 || weight > kMostWeight) {
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

int PartyDistribution::Draw(Random& random) const { return weights[DrawWeighted(weights, random)].first; }

absl::StatusOr<NameDistribution> NameDistribution::Parse(std::string_view text) {
  NameDistribution result;
  const std::vector<std::string> parts = absl::StrSplit(ToAbsl(text), ',');
  for (const std::string& part : parts) {
    const std::vector<std::string> pair = absl::StrSplit(part, ':');
    uint32_t weight = 0;
    if (pair.size() != 2 || pair[0].empty() || FindTextFault(pair[0]) != TextFault::kNone ||
        !absl::SimpleAtoi(pair[1], &weight) || weight < 1 || weight > kMostWeight) {
      return absl::InvalidArgumentError(
          absl::StrCat(Quote(part), ": write NAME:WEIGHT, with a weight of 1 to 1000000"));
    }
    for (const auto& [name, other] : result.weights) {
      if (name == pair[0]) return absl::InvalidArgumentError(absl::StrCat(Quote(name), " stands twice"));
    }
    result.weights.emplace_back(pair[0], weight);
  }
  return result;
}

size_t NameDistribution::Draw(Random& random) const { return DrawWeighted(weights, random); }

absl::StatusOr<AttributeDistribution> AttributeDistribution::Parse(std::string_view text) {
  AttributeDistribution result;
  if (std::count(text.begin(), text.end(), ':') == 2 && text.find(',') == std::string_view::npos) {
    absl::StatusOr<RatingDistribution> numbers = RatingDistribution::Parse(text);
    if (!numbers.ok()) return numbers.status();
    result.numbers = *std::move(numbers);
    return result;
  }
  const absl::StatusOr<NameDistribution> texts = NameDistribution::Parse(text);
  if (!texts.ok()) return texts.status();
  for (const auto& [name, weight] : texts->weights) {
    absl::StatusOr<AttributeValue> value = ParseAttributeValue(name);
    if (!value.ok()) return value.status();
    for (const auto& [other, unused] : result.weights) {
      if (other == *value) return absl::InvalidArgumentError(absl::StrCat(Quote(name), " stands twice"));
    }
    result.weights.emplace_back(*std::move(value), weight);
  }
  return result;
}

AttributeValue AttributeDistribution::Draw(Random& random) const {
  if (numbers.has_value()) return static_cast<double>(numbers->Draw(random)) / kPoint;
  return weights[DrawWeighted(weights, random)].first;
}

absl::StatusOr<CountDistribution> CountDistribution::Parse(std::string_view text) {
  CountDistribution result;
  const std::vector<std::string> parts = absl::StrSplit(ToAbsl(text), ':');
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &result.low) || !absl::SimpleAtoi(parts[1], &result.high) ||
      result.low < 0 || result.high > 1'000'000) {
    return absl::InvalidArgumentError(absl::StrCat(Quote(text), ": write LOW:HIGH, between 0 and 1000000"));
  }
  if (result.high < result.low) return absl::InvalidArgumentError("the highest count must not be below the lowest");
  return result;
}

int32_t CountDistribution::Draw(Random& random) const {
  const double from = std::log(1.0 + low), to = std::log(2.0 + high);
  return std::clamp(static_cast<int32_t>(std::exp(from + (to - from) * random.Unit())) - 1, low, high);
}

double DrawExponential(double mean, Random& random) { return -mean * std::log(1 - random.Unit()); }

}  // namespace evenmatch
