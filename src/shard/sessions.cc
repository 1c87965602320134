#include "shard/sessions.h"

namespace evenmatch {

uint32_t Sessions::FindOrAdd(const std::shared_ptr<const std::string>& id) {
  const HashedText text(*id);
  uint32_t session = index_.Find(text);
  if (session == kNoSlot) {
    session = SlotOf(records_.Add(SessionRecord{.id = id}));
    index_.Insert(session, text);
  }
  return session;
}

void Sessions::RemoveIfEmpty(uint32_t session) {
  const SessionRecord& record = records_[session];
  if (record.streams > 0 || !record.tickets.empty()) return;
  index_.Erase(session, HashedText(*record.id));
  records_.Remove(session);
}

}  // namespace evenmatch
