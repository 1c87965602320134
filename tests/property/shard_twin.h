// ShardTwin: what a pool group must answer and do, kept in plain maps and walked through as a whole each time.
//
// It predicts every reply, hears every event and checks that each was due or allowed. Who is matched with whom it
// cannot know; it checks that they were free.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/command.h"
#include "model/event.h"
#include "model/limits.h"
#include "model/queue_rules.h"

namespace evenmatch {

class ShardTwin {
 public:
  struct TwinTicket {
    std::shared_ptr<const Ticket> ticket;
    TicketState state = TicketState::kWaiting;
    uint32_t sequence = 1;
    Micros queued_at = 0, ended_at = 0, released_at = kNever;
    uint64_t handle = 0;
    int streams = 0;
    Micros absent_since = kNever;
    uint64_t came = 0;  // to its session; higher is later
    std::set<std::string> acks;
    std::shared_ptr<const Match> match;

    bool acknowledged() const { return acks.size() == ticket->players.size(); }
  };

  ShardTwin(const Catalog& catalog, const Limits& limits) : catalog_(catalog), limits_(limits) {}

  // The code that an Enqueue must answer with.
  absl::StatusCode Enqueue(const Ticket& ticket, Micros now) const {
    if (const auto known = tickets.find(ticket.ticket_id); known != tickets.end()) {
      return SameContent(*known->second.ticket, ticket) ? absl::StatusCode::kOk : absl::StatusCode::kInvalidArgument;
    }
    for (const Player& player : ticket.players) {
      if (const TwinTicket* holder = HolderOf(player.player_id); holder != nullptr) {
        return holder->state == TicketState::kWaiting ? absl::StatusCode::kAlreadyExists
                                                      : absl::StatusCode::kFailedPrecondition;
      }
    }
    for (const QueueChoice& choice : ticket.queues) {
      if (paused.contains(choice.queue)) return absl::StatusCode::kUnavailable;
      if (WaitingIn(choice.queue) >= catalog_.queues[choice.queue].max_waiting) {
        return absl::StatusCode::kResourceExhausted;
      }
    }
    size_t of_peer = 0;
    bool evictable = false;
    for (const auto& [id, one] : tickets) {
      of_peer += one.state == TicketState::kWaiting && one.ticket->peer == ticket.peer;
      evictable |= MayBeEvicted(one, now);
    }
    const bool full = (limits_.waiting_per_peer > 0 && of_peer >= limits_.waiting_per_peer) ||
                      (tickets.size() >= limits_.tickets_per_group && !evictable);
    return full ? absl::StatusCode::kResourceExhausted : absl::StatusCode::kOk;
  }

  static std::string SessionOf(const TwinTicket& ticket) {
    return ticket.ticket->session == nullptr ? "" : *ticket.ticket->session;
  }

  // Whether an Enqueue moves a known ticket to the session it comes through.
  bool Moves(const Ticket& ticket, Micros now) const {
    const auto known = tickets.find(ticket.ticket_id);
    if (known == tickets.end() || ticket.session == nullptr || !SameContent(*known->second.ticket, ticket))
      return false;
    return SessionOf(known->second) != *ticket.session && IsToldOf(known->second, now);
  }

  // Whether a session hears of the ticket when it attaches.
  static bool IsToldOf(const TwinTicket& ticket, Micros now) {
    return ticket.state == TicketState::kWaiting ||
           (!ticket.acknowledged() && now - ticket.ended_at < kDeliveryRetention);
  }

  const TwinTicket* Find(const TicketName& name) const {
    if (name.ticket_id.empty()) return HolderOf(name.player_id);
    const auto found = tickets.find(name.ticket_id);
    return found == tickets.end() ? nullptr : &found->second;
  }

  const TwinTicket* HolderOf(const std::string& player) const {
    for (const auto& [id, ticket] : tickets) {
      if (ticket.released_at != kNever) continue;
      for (const Player& member : ticket.ticket->players) {
        if (member.player_id == player) return &ticket;
      }
    }
    return nullptr;
  }

  size_t WaitingIn(uint32_t queue) const {
    size_t waiting = 0;
    for (const auto& [id, ticket] : tickets) {
      if (ticket.state != TicketState::kWaiting) continue;
      for (const QueueChoice& choice : ticket.ticket->queues) waiting += choice.queue == queue;
    }
    return waiting;
  }

  void AttachSession(const std::string& id) {
    ++sessions[id];
    for (auto& [ticket_id, ticket] : tickets) {
      if (SessionOf(ticket) == id) ticket.absent_since = kNever;
    }
  }
  void DetachSession(const std::string& id, Micros now) {
    if (sessions[id] == 0 || --sessions[id] > 0) return;
    for (auto& [ticket_id, ticket] : tickets) {
      if (SessionOf(ticket) == id && ticket.streams == 0) ticket.absent_since = now;
    }
  }

  void Hear(const Event& event) {
    switch (event.kind) {
      case EventKind::kQueued:
        return HearQueued(event);
      case EventKind::kMatched:
        return HearMatched(event);
      case EventKind::kCancelled:
      case EventKind::kExpired:
        return HearEnded(event);
      case EventKind::kWidened: {
        TwinTicket& ticket = Known(event);
        EXPECT_EQ(ticket.state, TicketState::kWaiting);
        EXPECT_GT(ticket.streams, 0) << "only who is watched is told";
        EXPECT_EQ(event.sequence, ticket.sequence);
        EXPECT_GT(event.window, event.window_from) << "a window never narrows";
        return;
      }
      case EventKind::kAcknowledged: {
        TwinTicket& ticket = Known(event);
        EXPECT_TRUE(IsFinal(ticket.state));
        const size_t before = ticket.acks.size();
        for (size_t i = 0; i < ticket.ticket->players.size(); ++i) {
          if (event.player < 0 || static_cast<size_t>(event.player) == i) {
            ticket.acks.insert(ticket.ticket->players[i].player_id);
          }
        }
        EXPECT_GT(ticket.acks.size(), before) << "nothing is acknowledged twice";
        return;
      }
      case EventKind::kMoved: {
        TwinTicket& ticket = Known(event);
        EXPECT_TRUE(Moves(*event.ticket, event.at));
        EXPECT_EQ(event.sequence, ticket.sequence) << "not numbered";
        EXPECT_EQ(event.ticket->peer, ticket.ticket->peer);
        ticket.ticket = event.ticket;
        ticket.came = ++arrivals_;
        if (sessions[SessionOf(ticket)] > 0) {
          ticket.absent_since = kNever;
        } else if (ticket.streams == 0 && ticket.absent_since == kNever) {
          ticket.absent_since = event.at;
        }
        return;
      }
      case EventKind::kAttached: {
        TwinTicket& ticket = Known(event);
        EXPECT_EQ(ticket.state, TicketState::kWaiting);
        ++ticket.streams;
        ticket.absent_since = kNever;
        return;
      }
      case EventKind::kDetached: {
        TwinTicket& ticket = Known(event);
        EXPECT_GT(ticket.streams, 0);
        if (--ticket.streams == 0 && sessions[SessionOf(ticket)] == 0) ticket.absent_since = event.at;
        return;
      }
      case EventKind::kForgotten: {
        const TwinTicket& ticket = Known(event);
        EXPECT_TRUE(event.at >= ticket.released_at + kEndedTicketRetention ||
                    (tickets.size() >= limits_.tickets_per_group && MayBeEvicted(ticket, event.at)));
        tickets.erase(event.ticket->ticket_id);
        return;
      }
      case EventKind::kMatchFormed:
        EXPECT_TRUE(matches.emplace(event.match->id.sequence, event.match).second) << "ids are new";
        return;
      case EventKind::kMatchEnded: {
        EXPECT_EQ(matches.erase(event.match->id.sequence), 1u) << "a match ends once";
        const Micros hold = catalog_.queues[event.match->queue].hold_timeout;
        EXPECT_EQ(event.match_end == MatchEnd::kHoldTimeout, event.at >= event.match->formed_at + hold);
        for (const Match::Side& side : event.match->sides) {
          TwinTicket& ticket = tickets.at(side.ticket->ticket_id);
          EXPECT_EQ(ticket.match->id, event.match->id);
          ticket.released_at = event.at;
        }
        return;
      }
      case EventKind::kMatchForgotten:
        EXPECT_FALSE(matches.contains(event.match->id.sequence));
        return;
    }
  }

  // After an Advance to `now` nothing is left that has run out.
  void CheckNothingOverdue(Micros now) const {
    for (const auto& [id, ticket] : tickets) {
      SCOPED_TRACE(id);
      EXPECT_TRUE(ticket.released_at == kNever || ticket.released_at + kEndedTicketRetention > now);
      if (ticket.state != TicketState::kWaiting) continue;
      EXPECT_GT(ticket.queued_at + ticket.ticket->timeout, now);
      EXPECT_GT(AbsentUntil(ticket), now);
    }
    std::set<std::string> playing;
    for (const auto& [sequence, match] : matches) {
      EXPECT_GT(match->formed_at + catalog_.queues[match->queue].hold_timeout, now);
      for (const Match::Side& side : match->sides) {
        for (const Player& player : side.ticket->players) {
          EXPECT_TRUE(playing.insert(player.player_id).second) << player.player_id << " is in two live matches";
        }
      }
    }
  }

  std::map<std::string, TwinTicket> tickets;
  std::map<uint64_t, std::shared_ptr<const Match>> matches;  // live, by sequence
  std::map<std::string, int> sessions;                       // attached streams
  std::set<uint32_t> paused;

 private:
  Micros AbsentUntil(const TwinTicket& ticket) const {
    if (ticket.ticket->presence == Presence::kNone || ticket.absent_since == kNever) return kNever;
    return ticket.absent_since + catalog_.presence_grace;
  }

  static bool MayBeEvicted(const TwinTicket& ticket, Micros now) {
    return ticket.released_at != kNever && (ticket.acknowledged() || now - ticket.released_at >= kDeliveryRetention);
  }

  TwinTicket& Known(const Event& event) {
    TwinTicket& ticket = tickets.at(event.ticket->ticket_id);
    EXPECT_EQ(ticket.handle, event.handle);
    return ticket;
  }

  void HearQueued(const Event& event) {
    EXPECT_EQ(event.sequence, 1u);
    for (const Player& player : event.ticket->players) EXPECT_EQ(HolderOf(player.player_id), nullptr);
    TwinTicket ticket{.ticket = event.ticket, .queued_at = event.at, .handle = event.handle, .came = ++arrivals_};
    if (sessions[SessionOf(ticket)] == 0) ticket.absent_since = event.at;
    EXPECT_TRUE(tickets.emplace(event.ticket->ticket_id, std::move(ticket)).second);
  }

  TwinTicket& HearFinal(const Event& event, TicketState state) {
    TwinTicket& ticket = Known(event);
    EXPECT_EQ(ticket.state, TicketState::kWaiting) << "an ended ticket stays as it is";
    EXPECT_EQ(event.sequence, ticket.sequence + 1) << "numbers have no gap";
    ticket.sequence = event.sequence;
    ticket.state = state;
    ticket.ended_at = event.at;
    return ticket;
  }

  void HearMatched(const Event& event) {
    TwinTicket& ticket = HearFinal(event, TicketState::kMatched);
    ticket.match = event.match;
    EXPECT_LT(event.at, ticket.queued_at + ticket.ticket->timeout) << "matched after its timeout";
    EXPECT_TRUE(matches.contains(event.match->id.sequence)) << "the match is told first";
    EXPECT_FALSE(paused.contains(event.match->queue));
    const auto side = std::find_if(event.match->sides.begin(), event.match->sides.end(),
                                   [&](const Match::Side& side) { return side.handle == event.handle; });
    ASSERT_NE(side, event.match->sides.end());
    EXPECT_EQ(side->ticket->queues[side->choice].queue, event.match->queue);
  }

  void HearEnded(const Event& event) {
    TwinTicket& ticket =
        HearFinal(event, event.kind == EventKind::kExpired ? TicketState::kExpired : TicketState::kCancelled);
    ticket.released_at = event.at;
    const Micros timeout_at = ticket.queued_at + ticket.ticket->timeout;
    switch (event.reason) {
      case Reason::kTimeout:
        EXPECT_GE(event.at, timeout_at);
        EXPECT_LE(timeout_at, AbsentUntil(ticket));
        break;
      case Reason::kPresenceLost:
        EXPECT_EQ(ticket.streams, 0);
        EXPECT_GE(event.at, AbsentUntil(ticket));
        EXPECT_LT(AbsentUntil(ticket), timeout_at);
        break;
      case Reason::kClient:
        EXPECT_LT(event.at, timeout_at);
        break;
      case Reason::kNone:
        ADD_FAILURE() << "a ticket ends for a reason";
    }
  }

  const Catalog& catalog_;
  const Limits& limits_;
  uint64_t arrivals_ = 0;
};

}  // namespace evenmatch
