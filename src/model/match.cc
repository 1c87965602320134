#include "model/match.h"

#include <charconv>

#include "absl/strings/str_cat.h"
#include "base/strings.h"

namespace evenmatch {

std::string FormatMatchId(const MatchId& id, std::string_view group_name) {
  return absl::StrCat(id.fence, "-", id.sequence, "-", ToAbsl(group_name));
}

bool ParseMatchId(std::string_view text, uint64_t* fence, uint64_t* sequence, std::string_view* group_name) {
  for (uint64_t* number : {fence, sequence}) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
    if (error != std::errc() || end == text.data() + text.size() || *end != '-') return false;
    text.remove_prefix(static_cast<size_t>(end - text.data()) + 1);
  }
  *group_name = text;
  return !text.empty();
}

bool MayFollow(MatchState from, MatchState to) {
  switch (from) {
    case MatchState::kProposed:
      return to == MatchState::kFormed || to == MatchState::kDissolved;
    case MatchState::kFormed:
      return to == MatchState::kPlaced || to == MatchState::kEnded || to == MatchState::kDissolved;
    case MatchState::kPlaced:
      return to == MatchState::kEnded || to == MatchState::kDissolved;
    case MatchState::kEnded:
    case MatchState::kDissolved:
      return false;
  }
  return false;
}

}  // namespace evenmatch
