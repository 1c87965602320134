// Names: which queue or pool group a text means. Built once from the Catalog.
//
// Cost:    one hash look-up.
// Threads: any; never changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "base/strings.h"
#include "model/queue_rules.h"

namespace evenmatch {

class Names {
 public:
  explicit Names(const Catalog& catalog) {
    for (uint32_t i = 0; i < catalog.queues.size(); ++i) queues_.emplace(catalog.queues[i].name, i);
    for (uint32_t i = 0; i < catalog.groups.size(); ++i) groups_.emplace(catalog.groups[i].name, i);
  }

  std::optional<uint32_t> Queue(std::string_view name) const { return Find(queues_, name); }
  std::optional<uint32_t> Group(std::string_view name) const { return Find(groups_, name); }

 private:
  using Map = absl::flat_hash_map<std::string, uint32_t>;
  static std::optional<uint32_t> Find(const Map& map, std::string_view name) {
    const auto found = map.find(ToAbsl(name));
    if (found == map.end()) return std::nullopt;
    return found->second;
  }

  Map queues_;
  Map groups_;
};

}  // namespace evenmatch
