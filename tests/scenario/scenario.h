// Scenario: plays a text of commands against one pool group and tells what happened, as text. See README.md.
#pragma once

#include <string>
#include <string_view>

namespace evenmatch {

// The lines of `script` that are commands or comments, each command followed by what came of it. A line that is not
// understood is answered with "  ?" and ends the play.
std::string Play(std::string_view script);

}  // namespace evenmatch
