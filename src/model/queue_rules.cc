#include "model/queue_rules.h"

#include <algorithm>
#include <numeric>

namespace evenmatch {

bool QualityRules::given() const {
  return std::any_of(terms.begin(), terms.end(), [](const Weight& term) { return term.weight != 0; });
}

QualityRules QualityRules::Duel() {
  QualityRules rules;
  rules[QualityTerm::kDistance] = {.weight = 1000, .scale = 0};
  return rules;
}

QualityRules QualityRules::Teams() {
  QualityRules rules;
  rules[QualityTerm::kDistance] = {.weight = 500, .scale = 0};
  rules[QualityTerm::kEvenness] = {.weight = 500, .scale = kCertain};
  return rules;
}

int32_t QueueRules::players_per_match() const {
  return sides.empty() ? team_count * team_size : std::accumulate(sides.begin(), sides.end(), 0);
}

bool QueueRules::Allows(std::span<const int32_t> sizes, Micros oldest_wait) const {
  if (sizes.size() == static_cast<size_t>(team_count)) {
    bool full = true;
    for (int32_t team = 0; team < team_count; ++team) full &= sizes[static_cast<size_t>(team)] == size_of_team(team);
    if (full) return true;
  }
  return std::any_of(fewer.begin(), fewer.end(), [&](const FewerPlayers& step) {
    return step.after <= oldest_wait && sizes.size() == static_cast<size_t>(step.team_count) &&
           std::all_of(sizes.begin(), sizes.end(), [&](int32_t size) { return size == step.team_size; });
  });
}

int Catalog::FindQueue(std::string_view name) const {
  for (size_t i = 0; i < queues.size(); ++i) {
    if (queues[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

int Catalog::FindGroup(std::string_view name) const {
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace evenmatch
