#include "config/checks.h"

#include <cmath>

#include "absl/time/time.h"
#include "base/text.h"

namespace evenmatch {

std::string DurationText(Micros micros) { return absl::FormatDuration(absl::Microseconds(micros)); }

std::string PointsText(MilliPoints points) { return absl::StrCat(static_cast<double>(points) / kPoint); }

MilliPoints Checks::Points(const std::string& field, double value, double low, double high) {
  return static_cast<MilliPoints>(std::llround(InRange(field, value, low, high) * kPoint));
}

Micros Checks::Duration(const std::string& field, const google::protobuf::Duration& value, Micros low, Micros high) {
  const Micros micros = value.seconds() * kSecond + value.nanos() / 1000;
  if (micros >= low && micros <= high) return micros;
  Wrong(field, absl::StrCat("must be ", DurationText(low), " to ", DurationText(high), ", not ", DurationText(micros)));
  return low;
}

void Checks::Name(const std::string& field, const std::string& name, size_t max_bytes) {
  if (name.empty()) {
    Wrong(field, "is required and must not be empty");
  } else if (name.size() > max_bytes) {
    Wrong(field, absl::StrCat("has ", name.size(), " bytes; at most ", max_bytes, " are allowed"));
  } else if (FindTextFault(name) != TextFault::kNone) {
    Wrong(field, "must be valid UTF-8 without control characters");
  }
}

void Checks::Count(const std::string& field, int count, size_t most) {
  if (count == 0 && IsGiven(field)) Wrong(field, "is empty; leave it out instead");
  if (static_cast<size_t>(count) > most) {
    Wrong(field, absl::StrCat("has ", count, " entries; at most ", most, " are allowed"));
  }
}

void UniqueNames::Add(const std::string& field, const std::string& name, const std::string& owner) {
  const auto [first, is_new] = owners_.try_emplace(name, owner);
  if (!is_new && !name.empty()) {
    checks_.Wrong(field, absl::StrCat("\"", name, "\" is the name of ", first->second, " already"));
  }
}

}  // namespace evenmatch
