#include "shard/match_table.h"

namespace evenmatch {

uint32_t MatchTable::Find(const MatchId& id) const {
  const auto found = ids_.find(Key(id));
  return found == ids_.end() ? kNoSlot : found->second;
}

uint32_t MatchTable::Add(std::shared_ptr<const Match> match) {
  const auto key = Key(match->id);
  const uint32_t slot = SlotOf(records_.Add(MatchRecord{.match = std::move(match)}));
  CHECK(ids_.emplace(key, slot).second);
  return slot;
}

void MatchTable::Forget(uint32_t slot) {
  MatchRecord& record = records_[slot];
  CHECK_EQ(ids_.erase(Key(record.match->id)), 1u);
  record.known = false;
  if (record.tickets == 0) records_.Remove(slot);
}

void MatchTable::RemoveTicket(uint32_t slot) {
  MatchRecord& record = records_[slot];
  CHECK_GT(record.tickets, 0u);
  if (--record.tickets == 0 && !record.known) records_.Remove(slot);
}

}  // namespace evenmatch
