#include "base/text.h"

#include <cstdint>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/strings.h"

namespace evenmatch {

TextFault FindTextFault(std::string_view bytes) {
  bool control = false;
  for (size_t i = 0; i < bytes.size();) {
    const auto lead = static_cast<uint8_t>(bytes[i]);
    if (lead < 0x80) {
      control |= lead < 0x20 || lead == 0x7f;
      ++i;
      continue;
    }
    // The second byte has a narrower range after some leads: that keeps out overlong forms (E0, F0), surrogates (ED)
    // and what lies above U+10FFFF (F4).
    size_t length;
    uint8_t low = 0x80, high = 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf) {
      length = 2;
    } else if (lead >= 0xe0 && lead <= 0xef) {
      length = 3;
      if (lead == 0xe0) low = 0xa0;
      if (lead == 0xed) high = 0x9f;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
      length = 4;
      if (lead == 0xf0) low = 0x90;
      if (lead == 0xf4) high = 0x8f;
    } else {
      return TextFault::kMalformed;
    }
    if (bytes.size() - i < length) return TextFault::kMalformed;
    const auto second = static_cast<uint8_t>(bytes[i + 1]);
    if (second < low || second > high) return TextFault::kMalformed;
    for (size_t k = 2; k < length; ++k) {
      if ((static_cast<uint8_t>(bytes[i + k]) & 0xc0) != 0x80) return TextFault::kMalformed;
    }
    control |= lead == 0xc2 && second < 0xa0;  // U+0080..U+009F
    i += length;
  }
  return control ? TextFault::kControl : TextFault::kNone;
}

std::string Quote(std::string_view bytes) {
  constexpr size_t kShown = 64;
  const std::string_view shown = bytes.substr(0, kShown);
  return absl::StrCat("\"", absl::CHexEscape(ToAbsl(shown)), bytes.size() > kShown ? "\"..." : "\"");
}

}  // namespace evenmatch
