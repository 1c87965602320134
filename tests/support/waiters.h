// Waiting tickets for tests of the rules, without a pool: written as tickets, seen as the book sees them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "matching/rule_book.h"
#include "tests/support/tickets.h"

namespace evenmatch {

struct PlayerSpec {
  std::string id;
  int rating = 1500;  // whole points
  int deviation = 0;
  PlayerDetails details = {};
};

inline std::shared_ptr<Ticket> MakeParty(std::vector<PlayerSpec> players, Attributes attributes = {},
                                         int32_t preference = 0) {
  auto ticket = std::make_shared<Ticket>();
  ticket->queues.push_back({.queue = 0, .preference = preference});
  for (PlayerSpec& player : players) {
    ticket->players.push_back({.player_id = player.id,
                               .value = player.rating * kPoint,
                               .deviation = player.deviation * kPoint,
                               .details = std::make_unique<const PlayerDetails>(std::move(player.details))});
  }
  if (!attributes.empty()) {
    ticket->details = std::make_unique<const TicketDetails>(TicketDetails{.attributes = std::move(attributes)});
  }
  return ticket;
}

// Keeps what its waiters point to. Moves its book from plain to traits as the shard does.
class WaitingRoom {
 public:
  explicit WaitingRoom(const QueueRules& rules) : rules_(rules), book(rules_) {}

  Waiter AddTicket(const Ticket& ticket, Micros queued_at = 0, uint32_t affinity = 0) {
    if (book.plain() && book.NeedsTraits(ticket)) book.KeepTraits();
    const QueueChoice& choice = ticket.queues[0];
    PoolEntry& entry = entries_.emplace_back();
    entry.value = book.ValueOf(ticket, choice);
    entry.heads = static_cast<int32_t>(ticket.players.size());
    entry.affinity = affinity;
    entry.queued_at = queued_at;
    entry.arrival = entries_.size();
    Waiter waiter{&entry, nullptr};
    if (!book.plain()) waiter.traits = traits_.emplace_back(book.TraitsOf(ticket, choice)).get();
    return waiter;
  }
  Waiter Add(PlayerSpec player, Micros queued_at = 0) { return AddTicket(*MakeParty({std::move(player)}), queued_at); }

 private:
  const QueueRules rules_;
  std::deque<PoolEntry> entries_;
  std::deque<std::unique_ptr<const Traits>> traits_;

 public:
  RuleBook book;
};

}  // namespace evenmatch
