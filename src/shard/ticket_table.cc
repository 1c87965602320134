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

void TicketTable::Remove(uint32_t slot) {
  ids_.Erase(slot, HashedText(TextOf(slot)));
  records_.Remove(slot);
}

}  // namespace evenmatch
