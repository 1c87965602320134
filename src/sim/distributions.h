// Distributions: what simulated players are drawn from, each read from a short text.
//
// Units:   ratings in milli-points; in the texts points.
// Errors:  INVALID_ARGUMENT, saying what should be written.
// Threads: constant once made; a Random belongs to its caller.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/random.h"
#include "model/ticket.h"
#include "model/units.h"

namespace evenmatch {

// "normal:MEAN:SD" or "uniform:LOW:HIGH", in points; what falls outside +-100 000 is drawn to the border.
struct RatingDistribution {
  enum class Kind { kNormal, kUniform, kList };
  Kind kind = Kind::kNormal;
  double a = 1500, b = 300;                              // mean and standard deviation, or lowest and highest
  std::shared_ptr<const std::vector<MilliPoints>> list;  // kList: any of these, all alike; not empty

  static absl::StatusOr<RatingDistribution> Parse(std::string_view text);
  MilliPoints Draw(Random& random) const;
};

// "SIZE:WEIGHT,SIZE:WEIGHT,...": how often parties of which size come; "1:1" is nobody but singles.
struct PartyDistribution {
  std::vector<std::pair<int, uint32_t>> weights{{1, 1}};

  static absl::StatusOr<PartyDistribution> Parse(std::string_view text);
  int largest() const;
  int Draw(Random& random) const;
};

// "NAME:WEIGHT,NAME:WEIGHT,...": how often which name comes; no name twice.
struct NameDistribution {
  std::vector<std::pair<std::string, uint32_t>> weights;

  static absl::StatusOr<NameDistribution> Parse(std::string_view text);
  size_t Draw(Random& random) const;  // an index into weights
};

// "VALUE:WEIGHT,VALUE:WEIGHT,...": how often which value of an attribute comes, each written as attribute_text.h says;
// no value twice. Or numbers, "normal:MEAN:SD" or "uniform:LOW:HIGH", to the thousandth, as finely as they are
// compared.
struct AttributeDistribution {
  std::vector<std::pair<AttributeValue, uint32_t>> weights;
  std::optional<RatingDistribution> numbers;  // in place of these; points are units here

  static absl::StatusOr<AttributeDistribution> Parse(std::string_view text);
  AttributeValue Draw(Random& random) const;
};

// "LOW:HIGH": whole numbers, every doubling of 1 + number as likely as any other, so that small ones come most.
struct CountDistribution {
  int32_t low = 0, high = 0;

  static absl::StatusOr<CountDistribution> Parse(std::string_view text);
  int32_t Draw(Random& random) const;
};

// A number from the exponential distribution with this mean.
double DrawExponential(double mean, Random& random);

}  // namespace evenmatch
