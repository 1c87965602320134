#include "model/ticket.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>

#include "base/hash.h"

namespace evenmatch {
namespace {

// Feeds the parts of a ticket into one digest; every list says its length, so that no two tickets run into one another.
class Digester {
 public:
  void Add(uint64_t word) { hash_ = HashMix(hash_, word); }
  void Add(std::string_view text) { hash_ = Hash64(text, hash_); }
  void Add(const std::vector<std::string>& texts) {
    Add(texts.size());
    for (const std::string& text : texts) Add(std::string_view(text));
  }
  void Add(const Attributes& attributes) {
    Add(attributes.size());
    for (const auto& [key, value] : attributes) {
      Add(std::string_view(key));
      Add(value.index());
      if (const auto* text = std::get_if<std::string>(&value)) Add(std::string_view(*text));
      if (const auto* number = std::get_if<double>(&value)) Add(std::bit_cast<uint64_t>(*number));
      if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) Add(*texts);
    }
  }
  void Add(const PlayerDetails& details) {
    Add(std::string_view(details.tier));
    Add(static_cast<uint64_t>(details.games_played));
    Add(static_cast<uint64_t>(details.loss_streak));
    Add(details.latency_ms.size());
    for (const auto& [region, latency_ms] : details.latency_ms) {
      Add(std::string_view(region));
      Add(static_cast<uint64_t>(latency_ms));
    }
    Add(details.roles);
    Add(details.attributes);
    Add(details.recent_opponents);
    Add(details.avoid);
    Add(details.block);
  }
  uint64_t hash() const { return hash_; }

 private:
  uint64_t hash_ = 0;
};

std::span<const QueueChoice::Rating> RatingsOf(const QueueChoice& choice) {
  if (choice.ratings == nullptr) return {};
  return *choice.ratings;
}

// Equal, where null equals only null.
template <typename T>
bool Same(const std::unique_ptr<const T>& a, const std::unique_ptr<const T>& b) {
  return a == nullptr || b == nullptr ? a == b : *a == *b;
}
bool Same(const QueueChoice& a, const QueueChoice& b) {
  return a.queue == b.queue && a.preference == b.preference && Same(a.ratings, b.ratings);
}
bool Same(const Player& a, const Player& b) {
  return a.player_id == b.player_id && a.value == b.value && a.deviation == b.deviation && Same(a.details, b.details);
}
template <typename List>
bool SameLists(const List& a, const List& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& one, const auto& other) { return Same(one, other); });
}

template <typename T>
std::unique_ptr<const T> Copy(const std::unique_ptr<const T>& original) {
  return original == nullptr ? nullptr : std::make_unique<const T>(*original);
}

std::shared_ptr<Ticket> Copy(const Ticket& ticket) {
  auto copy = std::make_shared<Ticket>();
  copy->ticket_id = ticket.ticket_id;
  for (const QueueChoice& choice : ticket.queues) {
    copy->queues.push_back({choice.queue, choice.preference, Copy(choice.ratings)});
  }
  for (const Player& player : ticket.players) {
    copy->players.push_back({player.player_id, player.value, player.deviation, Copy(player.details)});
  }
  copy->session = ticket.session;
  copy->details = Copy(ticket.details);
  copy->group = ticket.group;
  copy->presence = ticket.presence;
  copy->accepts_bots = ticket.accepts_bots;
  copy->timeout = ticket.timeout;
  copy->peer = ticket.peer;
  return copy;
}

}  // namespace

uint64_t Digest(const Ticket& ticket) {
  Digester digester;
  digester.Add(std::string_view(ticket.ticket_id));
  digester.Add(ticket.queues.size());
  for (const QueueChoice& choice : ticket.queues) {
    digester.Add(choice.queue);
    digester.Add(static_cast<uint64_t>(choice.preference));
    digester.Add(choice.ratings == nullptr ? 0 : choice.ratings->size());
    for (const QueueChoice::Rating& rating : RatingsOf(choice)) {
      digester.Add(rating.player);
      digester.Add(static_cast<uint64_t>(rating.value));
      digester.Add(static_cast<uint64_t>(rating.deviation));
    }
  }
  digester.Add(ticket.players.size());
  for (const Player& player : ticket.players) {
    digester.Add(std::string_view(player.player_id));
    digester.Add(static_cast<uint64_t>(player.value));
    digester.Add(static_cast<uint64_t>(player.deviation));
    digester.Add(player.details != nullptr);
    if (player.details != nullptr) digester.Add(*player.details);
  }
  digester.Add(ticket.details != nullptr);
  if (ticket.details != nullptr) {
    digester.Add(std::string_view(ticket.details->party_id));
    digester.Add(ticket.details->attributes);
  }
  digester.Add(static_cast<uint64_t>(ticket.presence));
  digester.Add(ticket.accepts_bots);
  digester.Add(static_cast<uint64_t>(ticket.timeout));
  return digester.hash();
}

bool SameContent(const Ticket& a, const Ticket& b) {
  return a.ticket_id == b.ticket_id && SameLists(a.queues, b.queues) && SameLists(a.players, b.players) &&
         Same(a.details, b.details) && a.group == b.group && a.presence == b.presence &&
         a.accepts_bots == b.accepts_bots && a.timeout == b.timeout;
}

std::shared_ptr<const Ticket> WithId(const Ticket& ticket, std::string ticket_id) {
  std::shared_ptr<Ticket> copy = Copy(ticket);
  copy->ticket_id = std::move(ticket_id);
  return copy;
}

std::shared_ptr<const Ticket> WithSession(const Ticket& ticket, std::shared_ptr<const std::string> session) {
  std::shared_ptr<Ticket> copy = Copy(ticket);
  copy->session = std::move(session);
  return copy;
}

uint16_t ChoiceOf(const Ticket& ticket, uint32_t queue) {
  uint16_t choice = 0;
  while (ticket.queues[choice].queue != queue) ++choice;
  return choice;
}

MilliPoints PlayerValueIn(const Ticket& ticket, const QueueChoice& choice, size_t player, MilliPoints start_value) {
  for (const QueueChoice::Rating& rating : RatingsOf(choice)) {
    if (rating.player == player) return rating.value;
  }
  const MilliPoints value = ticket.players[player].value;
  return value == kNoValue ? start_value : value;
}

MilliPoints ValueIn(const Ticket& ticket, const QueueChoice& choice, MilliPoints start_value) {
  int64_t sum = 0;
  for (size_t i = 0; i < ticket.players.size(); ++i) sum += PlayerValueIn(ticket, choice, i, start_value);
  return static_cast<MilliPoints>(sum / static_cast<int64_t>(ticket.players.size()));
}

MilliPoints PlayerDeviationIn(const Ticket& ticket, const QueueChoice& choice, size_t player) {
  for (const QueueChoice::Rating& rating : RatingsOf(choice)) {
    if (rating.player == player) return rating.deviation;
  }
  return ticket.players[player].deviation;
}

std::optional<int64_t> ThousandthsOf(const AttributeValue& value) {
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || std::isnan(*number)) return std::nullopt;
  constexpr double kMost = 9'007'199'254'740'992;  // whole numbers are exact up to here
  return std::llround(std::clamp(*number * 1000, -kMost, kMost));
}

uint64_t DigestOf(const AttributeValue& value) {
  uint64_t hash = HashMix(0, value.index());
  if (const auto* text = std::get_if<std::string>(&value)) return Hash64(*text, hash);
  if (const auto* number = std::get_if<double>(&value)) {
    return HashMix(hash, std::bit_cast<uint64_t>(*number == 0 ? 0.0 : *number));  // -0.0 equals 0.0
  }
  const auto& texts = std::get<std::vector<std::string>>(value);
  hash = HashMix(hash, texts.size());
  for (const std::string& text : texts) hash = Hash64(text, hash);
  return hash;
}

bool MayFollow(TicketState from, TicketState to) {
  switch (from) {
    case TicketState::kWaiting:
      return to != TicketState::kWaiting;
    case TicketState::kProposed:
      return to != TicketState::kProposed;
    case TicketState::kMatched:
    case TicketState::kCancelled:
    case TicketState::kExpired:
      return false;
  }
  return false;
}

}  // namespace evenmatch
