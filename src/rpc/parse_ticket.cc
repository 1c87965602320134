#include "rpc/parse_ticket.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/text.h"

namespace evenmatch {
namespace {

constexpr int32_t kMaxPreference = 1000;
constexpr size_t kMaxRoles = 64;
const Path kTicket{nullptr, "ticket"};

// The entries of a map by key, so that of several faults always the same one is told.
template <typename Map>
std::vector<const typename Map::value_type*> Sorted(const Map& map) {
  std::vector<const typename Map::value_type*> entries;
  entries.reserve(map.size());
  for (const auto& entry : map) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  return entries;
}

class TicketParser {
 public:
  TicketParser(const Catalog& catalog, const Names& names, Fields* fields, Ticket* ticket)
      : catalog_(catalog), names_(names), limits_(fields->limits()), fields_(*fields), ticket_(*ticket) {}

  bool Parse(const v1::Ticket& in) {
    if (!fields_.Label(in.ticket_id(), {&kTicket, "ticket_id"}) || !ParsePlayers(in) || !ParseQueues(in) ||
        !ParseTimeout(in) || !ParsePresence(in)) {
      return false;
    }
    if (!in.party_id().empty() || !in.attributes().empty()) {
      auto details = std::make_unique<TicketDetails>();
      if (!fields_.Label(in.party_id(), {&kTicket, "party_id"})) return false;
      details->party_id = in.party_id();
      if (!ParseAttributes(in.attributes(), kTicket, &details->attributes)) return false;
      ticket_.details = std::move(details);
    }
    ticket_.ticket_id = in.ticket_id();
    ticket_.accepts_bots = in.accepts_bots();
    return true;
  }

 private:
  bool ParsePlayers(const v1::Ticket& in) {
    if (in.players_size() == 0) return fields_.Fail({&kTicket, "players"}, "must not be empty");
    if (static_cast<size_t>(in.players_size()) > limits_.players_per_ticket) {
      return fields_.FailLimit({&kTicket, "players"}, "players", limits_.players_per_ticket);
    }
    for (int i = 0; i < in.players_size(); ++i) {
      if (!ParsePlayer(in.players(i), {&kTicket, "players", i})) return false;
    }
    return true;
  }

  bool ParsePlayer(const v1::Player& in, const Path& path) {
    if (!fields_.Id(in.player_id(), {&path, "player_id"})) return false;
    for (const Player& other : ticket_.players) {
      if (other.player_id == in.player_id()) {
        return fields_.Fail({&path, "player_id"}, absl::StrCat("twice in the party: ", Quote(in.player_id())));
      }
    }
    Player& player = ticket_.players.emplace_back();
    player.player_id = in.player_id();
    if (in.has_rating() && !fields_.Rating(in.rating(), {&path, "rating"}, &player.value)) return false;
    if (in.has_rating_deviation() &&
        !fields_.Deviation(in.rating_deviation(), {&path, "rating_deviation"}, &player.deviation)) {
      return false;
    }
    if (HasDetails(in)) {
      auto details = std::make_unique<PlayerDetails>();
      if (!ParseDetails(in, path, details.get())) return false;
      player.details = std::move(details);
    }
    return true;
  }

  static bool HasDetails(const v1::Player& in) {
    return !in.tier().empty() || in.games_played() != 0 || in.loss_streak() != 0 || !in.latency_ms().empty() ||
           !in.roles().empty() || !in.attributes().empty() || !in.recent_opponents().empty() || !in.avoid().empty() ||
           !in.block().empty();
  }

  bool ParseDetails(const v1::Player& in, const Path& path, PlayerDetails* details) {
    if (!fields_.Label(in.tier(), {&path, "tier"})) return false;
    details->tier = in.tier();
    if (in.games_played() < 0) return fields_.Fail({&path, "games_played"}, "must not be negative");
    details->games_played = in.games_played();
    if (in.loss_streak() < 0) return fields_.Fail({&path, "loss_streak"}, "must not be negative");
    details->loss_streak = in.loss_streak();
    return ParseLatencies(in, path, &details->latency_ms) && ParseRoles(in, path, &details->roles) &&
           ParseAttributes(in.attributes(), path, &details->attributes) &&
           ParseIds(in.recent_opponents(), path, "recent_opponents", limits_.relations, &details->recent_opponents) &&
           ParseIds(in.avoid(), path, "avoid", limits_.relations, &details->avoid) &&
           ParseIds(in.block(), path, "block", limits_.relations, &details->block);
  }

  bool ParseLatencies(const v1::Player& in, const Path& path, std::map<std::string, int32_t>* latencies) {
    if (in.latency_ms().size() > limits_.regions) {
      return fields_.FailLimit({&path, "latency_ms"}, "regions", limits_.regions);
    }
    for (const auto* entry : Sorted(in.latency_ms())) {
      const Path region{&path, "latency_ms", -1, &entry->first};
      if (!fields_.Id(entry->first, region)) return false;
      if (entry->second < 0 || entry->second > limits_.latency_ms) {
        return fields_.Fail(region, absl::StrCat(entry->second, " is not from 0 to ", limits_.latency_ms));
      }
      latencies->emplace_hint(latencies->end(), entry->first, entry->second);
    }
    return true;
  }

  bool ParseRoles(const v1::Player& in, const Path& path, std::vector<std::string>* roles) {
    if (!ParseIds(in.roles(), path, "roles", kMaxRoles, roles)) return false;
    for (auto role = roles->begin(); role != roles->end(); ++role) {
      if (std::find(roles->begin(), role, *role) != role) {
        return fields_.Fail({&path, "roles", static_cast<int>(role - roles->begin())},
                            absl::StrCat("named twice: ", Quote(*role)));
      }
    }
    return true;
  }

  bool ParseIds(const google::protobuf::RepeatedPtrField<std::string>& in, const Path& owner, const char* name,
                size_t limit, std::vector<std::string>* ids) {
    if (static_cast<size_t>(in.size()) > limit) return fields_.FailLimit({&owner, name}, "entries", limit);
    for (int i = 0; i < in.size(); ++i) {
      if (!fields_.Id(in[i], {&owner, name, i})) return false;
      ids->push_back(in[i]);
    }
    return true;
  }

  template <typename Map>
  bool ParseAttributes(const Map& in, const Path& owner, Attributes* attributes) {
    if (in.size() > limits_.attributes) {
      return fields_.FailLimit({&owner, "attributes"}, "attributes", limits_.attributes);
    }
    for (const auto* entry : Sorted(in)) {
      const Path path{&owner, "attributes", -1, &entry->first};
      if (!fields_.Id(entry->first, path, limits_.attribute_key_bytes)) return false;
      if (!ParseValue(entry->second, path, &(*attributes)[entry->first])) return false;
    }
    return true;
  }

  bool ParseValue(const v1::AttributeValue& in, const Path& path, AttributeValue* value) {
    switch (in.kind_case()) {
      case v1::AttributeValue::kText:
        if (!fields_.Text(in.text(), {&path, "text"}, limits_.attribute_value_bytes)) return false;
        *value = in.text();
        return true;
      case v1::AttributeValue::kNumber:
        if (!std::isfinite(in.number())) return fields_.Fail({&path, "number"}, "must be finite");
        *value = in.number();
        return true;
      case v1::AttributeValue::kTexts:
        return ParseTexts(in.texts(), {&path, "texts"}, &value->emplace<std::vector<std::string>>());
      case v1::AttributeValue::KIND_NOT_SET:
        break;
    }
    return fields_.Fail(path, "has no value");
  }

  bool ParseTexts(const v1::TextList& in, const Path& path, std::vector<std::string>* texts) {
    const size_t limit = limits_.attribute_value_bytes;
    // Empty texts have no bytes to count.
    if (static_cast<size_t>(in.values_size()) > limit) return fields_.FailLimit({&path, "values"}, "texts", limit);
    size_t bytes = 0;
    for (int i = 0; i < in.values_size(); ++i) {
      if (!fields_.Text(in.values(i), {&path, "values", i}, limit)) return false;
      bytes += in.values(i).size();
      texts->push_back(in.values(i));
    }
    return bytes <= limit || fields_.FailLimit({&path, "values"}, "bytes together", limit);
  }

  bool ParseQueues(const v1::Ticket& in) {
    if (in.queues_size() == 0) return fields_.Fail({&kTicket, "queues"}, "must not be empty");
    if (static_cast<size_t>(in.queues_size()) > limits_.queues_per_ticket) {
      return fields_.FailLimit({&kTicket, "queues"}, "queues", limits_.queues_per_ticket);
    }
    for (int i = 0; i < in.queues_size(); ++i) {
      if (!ParseQueue(in.queues(i), {&kTicket, "queues", i})) return false;
    }
    ticket_.group = catalog_.queues[ticket_.queues[0].queue].group;
    const std::string& group = catalog_.groups[ticket_.group].name;
    return in.pool_group().empty() || in.pool_group() == group ||
           fields_.Fail({&kTicket, "pool_group"}, absl::StrCat("the queues are of pool group ", Quote(group)));
  }

  bool ParseQueue(const v1::QueueChoice& in, const Path& path) {
    if (!fields_.Id(in.queue(), {&path, "queue"})) return false;
    const std::optional<uint32_t> queue = names_.Queue(in.queue());
    if (!queue.has_value()) return fields_.Fail({&path, "queue"}, absl::StrCat("no such queue: ", Quote(in.queue())));
    const QueueRules& rules = catalog_.queues[*queue];
    for (const QueueChoice& other : ticket_.queues) {
      if (other.queue == *queue) {
        return fields_.Fail({&path, "queue"}, absl::StrCat("named twice: ", Quote(in.queue())));
      }
      if (catalog_.queues[other.queue].group != rules.group) {
        return fields_.Fail({&path, "queue"},
                            absl::StrCat("not of the pool group of the first queue: ", Quote(in.queue())));
      }
    }
    if (ticket_.players.size() > static_cast<size_t>(rules.team_size)) {
      return fields_.Fail({&kTicket, "players"},
                          absl::StrFormat("%d players do not fit a team of queue %s, which has %d",
                                          ticket_.players.size(), Quote(rules.name), rules.team_size));
    }
    QueueChoice& choice = ticket_.queues.emplace_back();
    choice.queue = *queue;
    if (in.preference() < -kMaxPreference || in.preference() > kMaxPreference) {
      return fields_.Fail({&path, "preference"},
                          absl::StrFormat("%d is not from %d to %d", in.preference(), -kMaxPreference, kMaxPreference));
    }
    choice.preference = in.preference();
    return ParseRatings(in, path, &choice);
  }

  bool ParseRatings(const v1::QueueChoice& in, const Path& path, QueueChoice* choice) {
    if (in.ratings().empty()) return true;
    auto ratings = std::make_unique<std::vector<QueueChoice::Rating>>();
    for (const auto* entry : Sorted(in.ratings())) {
      const Path rating_path{&path, "ratings", -1, &entry->first};
      const auto player = std::find_if(ticket_.players.begin(), ticket_.players.end(),
                                       [&](const Player& p) { return p.player_id == entry->first; });
      if (player == ticket_.players.end()) return fields_.Fail(rating_path, "no such player in the party");
      QueueChoice::Rating& rating = ratings->emplace_back();
      rating.player = static_cast<uint32_t>(player - ticket_.players.begin());
      if (!fields_.Rating(entry->second.value(), {&rating_path, "value"}, &rating.value) ||
          !fields_.Deviation(entry->second.deviation(), {&rating_path, "deviation"}, &rating.deviation)) {
        return false;
      }
    }
    std::sort(ratings->begin(), ratings->end(),
              [](const QueueChoice::Rating& a, const QueueChoice::Rating& b) { return a.player < b.player; });
    choice->ratings = std::move(ratings);
    return true;
  }

  bool ParseTimeout(const v1::Ticket& in) {
    if (in.has_timeout()) {
      return fields_.Span(in.timeout(), {&kTicket, "timeout"}, 1, limits_.ticket_timeout, &ticket_.timeout);
    }
    ticket_.timeout = limits_.ticket_timeout;
    for (const QueueChoice& choice : ticket_.queues) {
      ticket_.timeout = std::min(ticket_.timeout, catalog_.queues[choice.queue].default_timeout);
    }
    return true;
  }

  bool ParsePresence(const v1::Ticket& in) {
    switch (in.presence()) {
      case v1::PRESENCE_UNSPECIFIED:
      case v1::PRESENCE_NONE:
        ticket_.presence = Presence::kNone;
        return true;
      case v1::PRESENCE_STREAM:
        ticket_.presence = Presence::kStream;
        return true;
      default:
        return fields_.Fail({&kTicket, "presence"}, absl::StrCat("unknown value ", static_cast<int>(in.presence())));
    }
  }

  const Catalog& catalog_;
  const Names& names_;
  const Limits& limits_;
  Fields& fields_;
  Ticket& ticket_;
};

}  // namespace

bool ParseTicket(const v1::Ticket& in, const Catalog& catalog, const Names& names, Fields* fields, Ticket* ticket) {
  return TicketParser(catalog, names, fields, ticket).Parse(in);
}

}  // namespace evenmatch
