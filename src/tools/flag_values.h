// What flags are parsed into, beyond what the library knows.
//
// Errors:  CLI::ValidationError, which ParseArguments turns into exit code 2.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/strings.h"
#include "model/units.h"

namespace evenmatch {

// Something that a flag is parsed into by its own Parse function.
template <typename Value>
auto Into(Value* value) {
  return [value](const std::string& text) {
    absl::StatusOr<Value> parsed = Value::Parse(text);
    if (!parsed.ok()) throw CLI::ValidationError(std::string(ToStd(parsed.status().message())));
    *value = *std::move(parsed);
  };
}

// CLI::Range for numbers that are not whole: that one lets NaN pass.
inline CLI::Validator Within(double low, double high) {
  const std::string range = absl::StrCat("[", low, " - ", high, "]");
  return CLI::Validator(
      [low, high, range](const std::string& text) {
        double number = 0;
        if (absl::SimpleAtod(text, &number) && number >= low && number <= high) return std::string();
        return absl::StrCat("Value ", text, " not in range ", range);
      },
      absl::StrCat("FLOAT in ", range));
}

// The library would take a seed that is too large for the largest.
inline auto IntoSeed(uint64_t* seed) {
  return [seed](const std::string& text) {
    if (!absl::SimpleAtoi(text, seed)) {
      throw CLI::ValidationError(absl::StrCat("--seed: \"", text, "\" is no whole number of 0 to ", UINT64_MAX));
    }
  };
}

inline constexpr Micros kLongestTimeout = 24 * kHour;  // of a ticket, whatever a server's own limit is

inline auto IntoDuration(Micros* value, Micros low, Micros high = 365 * 24 * kHour) {
  return [value, low, high](const std::string& text) {
    absl::Duration duration;
    if (!absl::ParseDuration(text, &duration) || duration > absl::Microseconds(high) ||
        duration < absl::Microseconds(low)) {
      throw CLI::ValidationError(absl::StrCat(
          "\"", text, "\" is no duration like \"500ms\", \"90s\" or \"1h\"",
          low >= kMillisecond ? absl::StrCat(" of at least ", absl::FormatDuration(absl::Microseconds(low)))
                              : std::string(low > 0 ? " above zero" : ""),
          high <= kLongestTimeout ? absl::StrCat(low > 0 ? " and" : " of", " at most ", high / kHour, "h") : ""));
    }
    *value = absl::ToInt64Microseconds(duration);
  };
}

}  // namespace evenmatch
