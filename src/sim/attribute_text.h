// How the value of an attribute is written on a command line.
//
// Shape:   what is a finite number as a whole is a number; [en+de] is a list of texts, [] an empty one; all else is a
//          text. Quotes around it make a text of anything: "5".
// Errors:  INVALID_ARGUMENT, saying what should be written.
// Threads: pure function.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "model/ticket.h"

namespace evenmatch {

// The same for people, to stand in a help text.
inline constexpr char kAttributeTextHelp[] = "5 is a number, [en+de] a list of texts, \"5\" and all else a text";

absl::StatusOr<AttributeValue> ParseAttributeValue(std::string_view text);

}  // namespace evenmatch
