// What flags are parsed into, beyond what the library knows.
//
// Errors:  CLI::ValidationError, which ParseArguments turns into exit code 2.
// Threads: pure functions.
#pragma once

#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
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

inline auto IntoDuration(Micros* value, Micros low) {
  return [value, low](const std::string& text) {
    absl::Duration duration;
    if (!absl::ParseDuration(text, &duration) || duration > absl::Hours(24 * 365) ||
        duration < absl::Microseconds(low)) {
      throw CLI::ValidationError(absl::StrCat(
          "\"", text, "\" is no duration like \"500ms\", \"90s\" or \"1h\"",
          low >= kMillisecond ? absl::StrCat(" of at least ", absl::FormatDuration(absl::Microseconds(low)))
                              : std::string(low > 0 ? " above zero" : "")));
    }
    *value = absl::ToInt64Microseconds(duration);
  };
}

}  // namespace evenmatch
