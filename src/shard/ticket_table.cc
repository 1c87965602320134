#include "shard/ticket_table.h"

#include <utility>

namespace evenmatch {

EventKind TicketRecord::present_kind() const {
  switch (state) {
    case TicketState::kMatched:
      return EventKind::kMatched;
    case TicketState::kCancelled:
      return EventKind::kCancelled;
    case TicketState::kExpired:
      return EventKind::kExpired;
    case TicketState::kWaiting:
    case TicketState::kProposed:
      break;
  }
  return EventKind::kQueued;
}

uint64_t TicketTable::Add(TicketRecord record) {
  const HashedText id(record.ticket->ticket_id);
  const uint64_t handle = records_.Add(std::move(record));
  ids_.Insert(SlotOf(handle), id);
  return handle;
}

void TicketTable::Prefetch(uint32_t slot) const {
  if (slot == kNoSlot) return;
  const TicketRecord& record = records_[slot];
  const char* ticket = reinterpret_cast<const char*>(record.ticket.get());
  for (int line = -1; line < 2; ++line) __builtin_prefetch(ticket + line * 64 + 48);
  const uint32_t next = record.ended.retained.next;
  if (next != kNoSlot) records_.Prefetch(next);
}

void TicketTable::Remove(uint32_t slot) {
  ids_.Erase(slot, HashedText(KeyOf(slot)));
  records_.Remove(slot);
}

}  // namespace evenmatch
