// ClaimTable: which ticket holds a player. A player has a claim while a ticket of theirs waits or its match lives, and
// never two: that is the promise that nobody is in two matches.
//
// Shape:   an index of player ids; a claim is (slot of the ticket, place in its party) in 32 bits.
// Cost:    O(1), 9 bytes a player at most half of which may be empty.
// Errors:  claiming a player who is held, or releasing one who is not, is a bug of the caller (CHECK).
// Threads: none.
#pragma once

#include <cstdint>
#include <string_view>

#include "shard/ticket_table.h"

namespace evenmatch {

class ClaimTable {
 public:
  // The slots of `tickets` stay below it.
  static constexpr uint32_t kMaxTickets = (1 << 26) - 1;
  static constexpr size_t kMaxPlayers = 1 << 6;  // in a ticket

  explicit ClaimTable(const TicketTable* tickets) : tickets_(*tickets), index_(this) {}
  ClaimTable(const ClaimTable&) = delete;
  ClaimTable& operator=(const ClaimTable&) = delete;

  // The slot of the ticket that holds the player; kNoSlot when free.
  uint32_t Find(const HashedText& player_id) const {
    const uint32_t claim = index_.Find(player_id);
    return claim == kNoSlot ? kNoSlot : claim / kMaxPlayers;
  }
  // Claims and releases all players of a ticket.
  void Claim(uint32_t ticket);
  void Release(uint32_t ticket);

  size_t size() const { return index_.size(); }

  std::string_view KeyOf(uint32_t claim) const {
    return tickets_[claim / kMaxPlayers].ticket->players[claim % kMaxPlayers].player_id;
  }

 private:
  const TicketTable& tickets_;
  TextIndex<ClaimTable> index_;
};

}  // namespace evenmatch
