// RunIds: ids of the tickets and players of one run. They hold the index, so that no answer needs a look-up in a map,
// and the run's mark, so that no run meets the players of another that are still held.
//
//   ticket 255 of run "k3f9a2": "tk3f9a2ff", its players: "pk3f9a2ff", "pk3f9a2ff.1", ...
//
// Cost:    a few nanoseconds; fits into a std::string without the heap up to 2^32 tickets.
// Threads: constant once made.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace evenmatch {

class RunIds {
 public:
  static constexpr size_t kMarkBytes = 6;

  // `mark`: kMarkBytes letters or digits.
  explicit RunIds(std::string_view mark) : mark_(mark) { CHECK_EQ(mark.size(), kMarkBytes); }

  // A mark that no other run is likely to have.
  static std::string MarkOf(uint64_t chance) {
    std::string mark;
    for (size_t i = 0; i < kMarkBytes; ++i) {
      mark.push_back("0123456789abcdefghijklmnopqrstuvwxyz"[chance % 36]);
      chance /= 36;
    }
    return mark;
  }

  const std::string& mark() const { return mark_; }

  void Ticket(uint32_t ticket, std::string* id) const { Write('t', ticket, id); }
  void Player(uint32_t ticket, uint32_t member, std::string* id) const {
    Write('p', ticket, id);
    if (member == 0) return;
    char digits[8];
    char* end = std::to_chars(digits, digits + sizeof(digits), member, 16).ptr;
    id->push_back('.');
    id->append(digits, static_cast<size_t>(end - digits));
  }

  std::optional<uint32_t> ParseTicket(std::string_view id) const {
    if (!Strip('t', &id)) return std::nullopt;
    return ParseHex(id);
  }
  // The ticket and the member of it.
  std::optional<std::pair<uint32_t, uint32_t>> ParsePlayer(std::string_view id) const {
    if (!Strip('p', &id)) return std::nullopt;
    const size_t dot = id.find('.');
    const std::optional<uint32_t> ticket = ParseHex(id.substr(0, dot));
    const std::optional<uint32_t> member = dot == std::string_view::npos ? 0 : ParseHex(id.substr(dot + 1));
    if (!ticket.has_value() || !member.has_value()) return std::nullopt;
    return std::pair(*ticket, *member);
  }

 private:
  void Write(char kind, uint32_t index, std::string* id) const {
    char text[1 + kMarkBytes + 8];
    text[0] = kind;
    mark_.copy(text + 1, kMarkBytes);
    char* end = std::to_chars(text + 1 + kMarkBytes, text + sizeof(text), index, 16).ptr;
    id->assign(text, static_cast<size_t>(end - text));
  }
  bool Strip(char kind, std::string_view* id) const {
    if (id->size() <= 1 + kMarkBytes || id->front() != kind || id->substr(1, kMarkBytes) != mark_) return false;
    id->remove_prefix(1 + kMarkBytes);
    return true;
  }
  static std::optional<uint32_t> ParseHex(std::string_view text) {
    uint32_t index;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index, 16);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return index;
  }

  std::string mark_;
};

}  // namespace evenmatch
