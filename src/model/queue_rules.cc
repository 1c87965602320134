#include "model/queue_rules.h"

namespace evenmatch {

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
