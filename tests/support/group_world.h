// GroupWorld: one pool group and a clock that moves when told, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shard/pool_group.h"
#include "tests/support/tickets.h"

namespace evenmatch {

class GroupWorld {
 public:
  explicit GroupWorld(std::vector<QueueRules> queues, const Limits& limits = {})
      : catalog(MakeCatalog(std::move(queues))), limits(limits), group(catalog, 0, /*fence=*/7, this->limits) {}

  Reply Do(const Command& command) { return group.Apply(command, now, &events); }
  Reply Enqueue(const TicketSpec& spec) { return Do(EnqueueCommand{MakeTicket(spec)}); }
  Reply Cancel(const std::string& ticket_id) { return Do(CancelCommand{{.ticket_id = ticket_id}}); }
  Reply Acknowledge(const std::string& ticket_id, uint32_t sequence, const std::string& player = "") {
    return Do(AcknowledgeCommand{{.ticket_id = ticket_id}, player, sequence});
  }
  PoolGroup::TickStats Tick(uint32_t queue = 0) { return group.Tick(queue, now, &events); }
  // Lets time pass.
  void Pass(Micros span) {
    now += span;
    group.Advance(now, &events);
  }

  TicketView Ticket(const std::string& ticket_id) {
    const Reply reply = Do(GetTicketCommand{{.ticket_id = ticket_id}});
    EXPECT_TRUE(reply.status.ok()) << ticket_id << ": " << reply.status;
    return reply.status.ok() ? std::get<TicketView>(reply.value) : TicketView();
  }
  AttachReply Attach(const std::string& ticket_id) {
    return std::get<AttachReply>(Do(AttachCommand{{.ticket_id = ticket_id}}).value);
  }
  AttachReply AttachFrom(const std::string& ticket_id, uint32_t cursor) {
    return std::get<AttachReply>(Do(AttachCommand{{.ticket_id = ticket_id}, true, cursor}).value);
  }
  std::vector<Event> AttachSession(const std::string& session) {
    return std::get<AttachSessionReply>(Do(AttachSessionCommand{session}).value).snapshots;
  }

  // The events since the last call.
  std::vector<Event> TakeEvents() { return std::exchange(events, {}); }
  size_t CountOf(EventKind kind) const {
    size_t count = 0;
    for (const Event& event : events) count += event.kind == kind;
    return count;
  }

  Catalog catalog;
  Limits limits;
  Micros now = 1'000 * kSecond;
  std::vector<Event> events;
  PoolGroup group;
};

}  // namespace evenmatch
