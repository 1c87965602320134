// What is wrong with bytes that protobuf refuses to read. It refuses a whole message for one text that is not UTF-8 and
// does not say which; clients are told the field, and the other commands of a session's message are not lost.
//
// Cost:    several passes with allocations; only for messages that were refused.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evenmatch/v1/matchmaking_service.pb.h"
#include "google/protobuf/descriptor.h"

namespace evenmatch {

// The path of the first text in a message of this type that is not UTF-8; none when the bytes are no message at all.
std::optional<std::string> FindBadText(std::string_view bytes, const google::protobuf::Descriptor& type);

struct BadCommand {
  uint64_t request = 0;
  std::string field;  // empty: the command is no message at all
};

// Reads the commands that can be read and tells the others. False when nothing can: no message at all, or a bad
// session_id.
bool SalvageSession(std::string_view bytes, v1::SessionRequest* request, std::vector<BadCommand>* bad);

}  // namespace evenmatch
