// Bounds of parameters: is a number where it must be, and if not, an INVALID_ARGUMENT that names the field.
//
// Errors:  INVALID_ARGUMENT "field: must be ..., is ...". Numbers are written with 17 digits, so that a case can be
//          made again.
// Threads: pure functions.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/str_format.h"

namespace evenmatch {

// False for what is not a number.
inline absl::Status MustBe(bool fact, const char* field, const char* what, double is) {
  if (fact) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("%s: must be %s, is %.17g", field, what, is));
}

// Beyond a million nothing means anything, and squares of squares must stay finite.
inline constexpr double kLargestParameter = 1e6;

inline absl::Status MustBePositive(double number, const char* field) {
  return MustBe(number > 0 && number <= kLargestParameter, field, "above 0 and at most a million", number);
}

inline absl::Status MustNotBeNegative(double number, const char* field) {
  return MustBe(number >= 0 && number <= kLargestParameter, field, "0 or more and at most a million", number);
}

inline absl::Status MustBeNumber(double number, const char* field) {
  return MustBe(number >= -kLargestParameter && number <= kLargestParameter, field, "a number within a million",
                number);
}

}  // namespace evenmatch
