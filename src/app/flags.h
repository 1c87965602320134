// Flags: the command line of evenmatchd and the configuration file it names, read and checked.
//
// Errors:  a text for stderr with everything that is wrong, and exit code 2. --help, --version and a --check-config
//          that finds nothing are a text for stdout and exit code 0. --check-config reads the files of TLS too, as a
//          start would.
// Threads: one caller.
#pragma once

#include <string>
#include <variant>

#include "config/config.h"

namespace evenmatch {

// Why there is nothing to start.
struct Exit {
  int code = 0;
  std::string text;  // for stdout with code 0, else for stderr
};

std::variant<Settings, Exit> ReadFlags(int argc, const char* const* argv);

}  // namespace evenmatch
