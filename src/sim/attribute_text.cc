#include "sim/attribute_text.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/strings.h"
#include "base/text.h"

namespace evenmatch {
namespace {

bool IsWithin(std::string_view text, char first, char last) {
  return text.size() >= 2 && text.front() == first && text.back() == last;
}

}  // namespace

absl::StatusOr<AttributeValue> ParseAttributeValue(std::string_view text) {
  if (FindTextFault(text) != TextFault::kNone) {
    return absl::InvalidArgumentError(absl::StrCat(Quote(text), " is no text"));
  }
  if (IsWithin(text, '"', '"')) return AttributeValue(std::string(text.substr(1, text.size() - 2)));
  if (IsWithin(text, '[', ']')) {
    const std::string_view inside = text.substr(1, text.size() - 2);
    std::vector<std::string> texts;
    if (!inside.empty()) texts = absl::StrSplit(ToAbsl(inside), '+');
    for (const std::string& each : texts) {
      if (each.empty()) return absl::InvalidArgumentError(absl::StrCat(Quote(text), ": write [TEXT+TEXT+...]"));
    }
    return AttributeValue(std::move(texts));
  }
  double number = 0;
  // The library would pass over spaces around the number.
  const bool tight = !text.empty() && !absl::ascii_isspace(text.front()) && !absl::ascii_isspace(text.back());
  if (tight && absl::SimpleAtod(ToAbsl(text), &number) && std::isfinite(number)) return AttributeValue(number);
  return AttributeValue(std::string(text));
}

}  // namespace evenmatch
