// Checks: how values of the configuration are checked where they are taken: in range, named, in order.
//
// Shape:   every check hands back a value that is within its bounds, so that whoever reads on need not care.
// Errors:  go to the Diagnosis, at most one a field.
// Threads: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "config/yaml_reader.h"
#include "google/protobuf/duration.pb.h"
#include "model/units.h"

namespace evenmatch {

// 90 s and not 90000000: the way people write it.
std::string DurationText(Micros micros);
// 12.5 and not 12500.
std::string PointsText(MilliPoints points);

class Checks {
 public:
  static constexpr Micros kLongestWait = 24 * kHour;
  static constexpr size_t kMostSteps = 64;

  explicit Checks(Diagnosis* diagnosis) : diagnosis_(*diagnosis) {}

  void Wrong(std::string field, std::string what) { diagnosis_.AddUnlessKnown(std::move(field), std::move(what)); }
  // The same about how the parts of a field go together; says nothing while one of them is wrong by itself.
  void WrongTogether(std::string field, std::string what) {
    if (!diagnosis_.IsWrongInside(field)) Wrong(std::move(field), std::move(what));
  }
  bool IsGiven(std::string_view field) const { return diagnosis_.IsGiven(field); }

  template <typename Number>
  Number InRange(const std::string& field, Number value, Number low, Number high) {
    if (value >= low && value <= high) return value;
    Wrong(field, absl::StrCat("must be ", low, " to ", high, ", not ", value));
    return low;
  }

  // A number of points, or anything else in thousandths.
  MilliPoints Points(const std::string& field, double value, double low, double high);
  Micros Duration(const std::string& field, const google::protobuf::Duration& value, Micros low, Micros high);
  void Name(const std::string& field, const std::string& name, size_t max_bytes);

  // A list must not stand there empty, nor have more than `most` entries.
  void Count(const std::string& field, int count, size_t most);

  // The wait of a step of relaxation: required, later than that of the step before.
  template <typename Step>
  Micros After(const std::string& step_field, const Step& step, std::optional<Micros> before) {
    const std::string field = step_field + ".after";
    if (!step.has_after()) Wrong(field, "is required");
    const Micros after = Duration(field, step.after(), 0, kLongestWait);
    if (before.has_value() && after <= *before) {
      Wrong(field, absl::StrCat("must be later than the step before, at ", DurationText(*before)));
    }
    return after;
  }
  // The same of a list whose first step is at 0.
  template <typename Step>
  Micros AfterFromZero(const std::string& step_field, const Step& step, std::optional<Micros> before) {
    const Micros after = After(step_field, step, before);
    if (!before.has_value() && after != 0) Wrong(step_field + ".after", "must be 0s in the first step");
    return after;
  }

 private:
  Diagnosis& diagnosis_;
};

// Names of one list or kind: each only once.
class UniqueNames {
 public:
  explicit UniqueNames(Checks* checks) : checks_(*checks) {}
  // `field` has the name `name`; `owner` is what errors of later ones call it by.
  void Add(const std::string& field, const std::string& name, const std::string& owner);

 private:
  Checks& checks_;
  std::map<std::string, std::string> owners_;
};

}  // namespace evenmatch
