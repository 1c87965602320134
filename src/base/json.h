// JSON texts: any bytes become a valid JSON string, in quotes.
//
// Errors:  none; bytes that are not UTF-8 become U+FFFD.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace evenmatch {

inline void AppendJsonQuoted(std::string_view text, std::string* json) {
  constexpr char kHex[] = "0123456789abcdef";
  json->push_back('"');
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      ++i;
      switch (lead) {
        case '"':
          *json += "\\\"";
          break;
        case '\\':
          *json += "\\\\";
          break;
        case '\n':
          *json += "\\n";
          break;
        default:
          if (lead < 0x20 || lead == 0x7f) {
            *json += "\\u00";
            json->push_back(kHex[lead >> 4]);
            json->push_back(kHex[lead & 15]);
          } else {
            json->push_back(static_cast<char>(lead));
          }
      }
      continue;
    }
    const size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                          : lead >= 0xe0 && lead < 0xf0 ? 3
                          : lead >= 0xf0 && lead < 0xf5 ? 4
                                                        : 0;
    bool valid = length != 0 && i + length <= text.size();
    for (size_t k = 1; valid && k < length; ++k) valid = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
    if (valid && length > 2) {
      // Overlong forms, surrogates and what lies above U+10FFFF show in the second byte.
      const auto second = static_cast<unsigned char>(text[i + 1]);
      valid = !(lead == 0xe0 && second < 0xa0) && !(lead == 0xed && second > 0x9f) &&
              !(lead == 0xf0 && second < 0x90) && !(lead == 0xf4 && second > 0x8f);
    }
    if (valid) {
      json->append(text.substr(i, length));
      i += length;
    } else {
      *json += "\\ufffd";
      ++i;
    }
  }
  json->push_back('"');
}

inline std::string JsonQuoted(std::string_view text) {
  std::string json;
  AppendJsonQuoted(text, &json);
  return json;
}

}  // namespace evenmatch
