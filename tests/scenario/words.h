// The words of a scenario that describe queues and players; README.md has their grammar. For the runner.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/queue_rules.h"
#include "model/ticket.h"
#include "model/units.h"

namespace evenmatch {

using Words = std::vector<std::string>;

Words Split(const std::string& text, char separator);

// "90s", "100ms", "10m", "2h"; a bare number is seconds.
Micros ParseTime(const std::string& text);
MilliPoints ParsePoints(const std::string& text);

// The value of KEY=VALUE among the words.
std::optional<std::string> Option(const Words& words, std::string_view key);

// A line "queue NAME ...".
QueueRules ParseQueue(const Words& words);

// A word "ID[=RATING][;KEY=VALUE]...".
Player ParsePlayer(const std::string& word);

}  // namespace evenmatch
