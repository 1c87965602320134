// What the process says on stderr: one line an event, as text or as JSON.
//
//   2026-11-30T15:16:09.123Z warning "..." becomes JSON with the members time, level and message
//
// Shape:   whatever bytes a message has, it stays one line (and in JSON one valid object): control characters are
//          escaped.
// Threads: StartLog once, before other threads; spdlog from any.
#pragma once

#include <memory>

#include "config/config.h"
#include "spdlog/formatter.h"

namespace evenmatch {

std::unique_ptr<spdlog::formatter> MakeLogFormatter(bool json);

// Makes it the log of the process.
void StartLog(const LogSettings& settings);

}  // namespace evenmatch
