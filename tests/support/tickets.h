// Tickets and catalogs for tests, written short.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/queue_rules.h"
#include "model/ticket.h"
#include "model/units.h"

namespace evenmatch {

inline std::string Name(std::string prefix, uint64_t number) { return prefix.append(std::to_string(number)); }

struct TicketSpec {
  std::string id;
  std::vector<std::pair<std::string, int>> players;  // id and rating in whole points
  std::vector<uint32_t> queues = {0};
  Micros timeout = 90 * kSecond;
  Presence presence = Presence::kNone;
  std::string session;
  Attributes attributes;
  uint32_t peer = 0;
};

inline std::shared_ptr<Ticket> MakeTicket(const TicketSpec& spec) {
  auto ticket = std::make_shared<Ticket>();
  ticket->ticket_id = spec.id;
  for (uint32_t queue : spec.queues) ticket->queues.push_back({.queue = queue});
  for (const auto& [id, rating] : spec.players) {
    ticket->players.push_back({.player_id = id, .value = rating * kPoint});
  }
  if (!spec.session.empty()) ticket->session = std::make_shared<const std::string>(spec.session);
  if (!spec.attributes.empty()) {
    ticket->details = std::make_unique<const TicketDetails>(TicketDetails{.attributes = spec.attributes});
  }
  ticket->presence = spec.presence;
  ticket->timeout = spec.timeout;
  ticket->peer = spec.peer;
  return ticket;
}

// A 1v1 queue with a fixed window.
inline QueueRules DuelRules(std::string name, MilliPoints window = 100 * kPoint) {
  QueueRules rules;
  rules.name = std::move(name);
  rules.window = {.base = window, .growth_per_second = 0, .max = window};
  return rules;
}

// All queues in one group named "default".
inline Catalog MakeCatalog(std::vector<QueueRules> queues) {
  Catalog catalog;
  catalog.queues = std::move(queues);
  catalog.groups.push_back({.name = "default"});
  for (uint32_t i = 0; i < catalog.queues.size(); ++i) {
    catalog.queues[i].group = 0;
    catalog.groups[0].queues.push_back(i);
  }
  return catalog;
}

}  // namespace evenmatch
