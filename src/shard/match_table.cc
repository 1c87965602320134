#include "shard/match_table.h"

#include <utility>

namespace evenmatch {
namespace {

Hashed<MatchId> HashedId(const MatchId& id) { return {id, static_cast<uint32_t>(HashMix(id.fence, id.sequence))}; }

}  // namespace

uint32_t MatchTable::Find(const MatchId& id) const { return ids_.Find(HashedId(id)); }

uint32_t MatchTable::Add(std::shared_ptr<const Match> match) {
  const Hashed<MatchId> id = HashedId(match->id);
  const uint32_t slot = SlotOf(records_.Add(MatchRecord{.match = std::move(match)}));
  ids_.Insert(slot, id);
  return slot;
}

void MatchTable::Forget(uint32_t slot) {
  MatchRecord& record = records_[slot];
  ids_.Erase(slot, HashedId(record.match->id));
  record.known = false;
  if (record.tickets == 0) records_.Remove(slot);
}

void MatchTable::Prefetch(uint32_t slot) const {
  if (slot == kNoSlot) return;
  const MatchRecord& record = records_[slot];
  const char* match = reinterpret_cast<const char*>(record.match.get());
  for (int line = -1; line < 3; ++line) __builtin_prefetch(match + line * 64 + 48);
  if (record.links.next != kNoSlot) records_.Prefetch(record.links.next);
}

void MatchTable::RemoveTicket(uint32_t slot) {
  MatchRecord& record = records_[slot];
  CHECK_GT(record.tickets, 0u);
  if (--record.tickets == 0 && !record.known) records_.Remove(slot);
}

}  // namespace evenmatch
