// Crossings between std::string_view and absl::string_view, which are different types in Debian's Abseil and the same
// type in newer ones; both compile.
#pragma once

#include <string_view>

#include "absl/strings/string_view.h"

namespace evenmatch {

inline absl::string_view ToAbsl(std::string_view text) { return absl::string_view(text.data(), text.size()); }
inline std::string_view ToStd(absl::string_view text) { return std::string_view(text.data(), text.size()); }

}  // namespace evenmatch
