// FakeWriter: a connection that remembers what was written and completes a write when the test says so.
#pragma once

#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "streams/stream.h"

namespace evenmatch {

class FakeWriter final : public Stream::Writer {
 public:
  void StartWrite(std::span<const Outgoing> items) override {
    EXPECT_FALSE(pending);
    EXPECT_FALSE(status.has_value());
    EXPECT_FALSE(items.empty());
    pending = true;
    ++writes;
    written.insert(written.end(), items.begin(), items.end());
  }
  void StartFinish(const absl::Status& end) override {
    EXPECT_FALSE(pending);
    EXPECT_FALSE(status.has_value());
    EXPECT_FALSE(broken);
    status = end;
  }
  void Break() override {
    EXPECT_TRUE(pending);
    EXPECT_FALSE(status.has_value());
    broken = true;
  }

  // The client has taken what was written.
  void Complete(Stream& stream, Micros now = 0) {
    ASSERT_TRUE(pending);
    pending = false;
    stream.Written(true, now);
  }
  void CompleteAll(Stream& stream) {
    while (pending) Complete(stream);
  }

  std::vector<Event> events() const {
    std::vector<Event> events;
    for (const Outgoing& item : written) {
      if (const Event* event = std::get_if<Event>(&item)) events.push_back(*event);
    }
    return events;
  }
  std::vector<uint32_t> sequences() const {
    std::vector<uint32_t> sequences;
    for (const Event& event : events()) sequences.push_back(event.sequence);
    return sequences;
  }

  std::vector<Outgoing> written;
  int writes = 0;
  bool pending = false;
  bool broken = false;
  std::optional<absl::Status> status;
};

inline std::shared_ptr<const Ticket> TicketOfSession(const char* session = nullptr) {
  auto ticket = std::make_shared<Ticket>();
  if (session != nullptr) ticket->session = std::make_shared<const std::string>(session);
  return ticket;
}

inline Event EventOf(const std::shared_ptr<const Ticket>& ticket, uint64_t handle, EventKind kind, uint32_t sequence) {
  Event event;
  event.kind = kind;
  event.sequence = sequence;
  event.handle = handle;
  event.ticket = ticket;
  return event;
}

}  // namespace evenmatch
