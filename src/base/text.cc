#include "base/text.h"

#include <cstdint>
#include <cstdlib>
#include <limits>

#include "absl/strings/str_format.h"

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
  std::string text = "\"";
  for (const char byte : bytes.substr(0, kShown)) {
    if (byte == '"' || byte == '\\') {
      text += {'\\', byte};
    } else if (byte == '\n') {
      text += "\\n";
    } else if (byte == '\r') {
      text += "\\r";
    } else if (byte == '\t') {
      text += "\\t";
    } else if (byte < 0x20 || byte > 0x7e) {  // bytes from 0x80 too, whether or not char has a sign
      absl::StrAppendFormat(&text, "\\x%02x", static_cast<uint8_t>(byte));
    } else {
      text += byte;
    }
  }
  return text + (bytes.size() > kShown ? "\"..." : "\"");
}

std::string ShowNumber(double number) {
  constexpr int kFewest = 6, kMost = std::numeric_limits<double>::max_digits10;
  std::string text;
  for (int digits = kFewest; digits <= kMost; ++digits) {
    text = absl::StrFormat("%.*g", digits, number);
    if (std::strtod(text.c_str(), nullptr) == number) break;  // never for NaN
  }
  return text;
}

std::string Grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ' ');
  return text;
}

}  // namespace evenmatch
