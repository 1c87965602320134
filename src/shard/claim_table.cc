#include "shard/claim_table.h"

namespace evenmatch {

void ClaimTable::Claim(uint32_t ticket) {
  CHECK_LT(ticket, kMaxTickets);
  const auto& players = tickets_[ticket].ticket->players;
  CHECK_LE(players.size(), kMaxPlayers);
  for (uint32_t i = 0; i < players.size(); ++i) {
    index_.Insert(ticket * kMaxPlayers + i, HashedText(players[i].player_id));
  }
}

void ClaimTable::Release(uint32_t ticket) {
  const auto& players = tickets_[ticket].ticket->players;
  for (uint32_t i = 0; i < players.size(); ++i) {
    index_.Erase(ticket * kMaxPlayers + i, HashedText(players[i].player_id));
  }
}

}  // namespace evenmatch
