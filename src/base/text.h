// What bytes from outside may be a text or an id, and how to show them to people.
//
// Cost:    one pass; plain ASCII takes the short way.
// Threads: pure functions.
// Source:  The Unicode Standard 15, table 3-7 (well-formed UTF-8 byte sequences).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace evenmatch {

enum class TextFault { kNone, kMalformed, kControl };

// kMalformed when `bytes` is not UTF-8 (overlong forms, surrogates and values above U+10FFFF are not), else kControl
// when it holds a control character (C0, DEL, C1), else kNone.
TextFault FindTextFault(std::string_view bytes);

inline bool IsUtf8(std::string_view bytes) { return FindTextFault(bytes) != TextFault::kMalformed; }

// For messages and logs: in quotes, anything unusual escaped, long texts cut.
std::string Quote(std::string_view bytes);

// For messages: with as many digits as tell it from every other number, at least as %g shows it.
std::string ShowNumber(double number);

// For people: 1234567 is "1 234 567".
std::string Grouped(uint64_t number);

}  // namespace evenmatch
