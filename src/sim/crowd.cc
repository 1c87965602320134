#include "sim/crowd.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/str_cat.h"

namespace evenmatch {
namespace {

std::string NumberedId(char kind, uint64_t number) {
  char text[1 + 16];
  text[0] = kind;
  char* end = std::to_chars(text + 1, text + sizeof(text), number, 16).ptr;
  return std::string(text, end);
}

MilliPoints Around(MilliPoints rating, double spread, Random& random) {
  const RatingDistribution around{RatingDistribution::Kind::kNormal, static_cast<double>(rating) / kPoint, spread, {}};
  return around.Draw(random);
}

}  // namespace

Crowd::Crowd(const CrowdRules& rules, uint64_t seed)
    : rules_(rules),
      bare_(rules.regions.weights.empty() && rules.roles.weights.empty() && rules.tiers.empty() &&
            !rules.games_played.has_value() && !rules.losing_streaks),
      random_(seed) {}

std::string Crowd::IdOf(uint64_t number) { return NumberedId('t', number); }

MilliPoints Crowd::NextRating() {
  if (!rules_.in_order) return rules_.ratings.Draw(random_);
  const std::vector<MilliPoints>& list = *rules_.ratings.list;
  return list[listed_++ % list.size()];
}

std::unique_ptr<const PlayerDetails> Crowd::DrawDetails(MilliPoints rating, size_t home) {
  if (bare_) return nullptr;
  PlayerDetails details;
  const auto& regions = rules_.regions.weights;
  for (size_t i = 0; i < regions.size(); ++i) {
    const size_t apart = i > home ? i - home : home - i;
    const auto steps = static_cast<int64_t>(std::min(apart, regions.size() - apart));
    details.latency_ms[regions[i].first] =
        static_cast<int32_t>(random_.Between(15, 45) + steps * random_.Between(60, 90));
  }
  const auto& roles = rules_.roles.weights;
  const size_t wanted = std::min(roles.size(), static_cast<size_t>(rules_.roles_each));
  while (details.roles.size() < wanted) {
    const std::string& role = roles[rules_.roles.Draw(random_)].first;
    if (std::find(details.roles.begin(), details.roles.end(), role) == details.roles.end()) {
      details.roles.push_back(role);
    }
  }
  for (const auto& [name, from] : rules_.tiers) {
    if (rating >= from || details.tier.empty()) details.tier = name;
  }
  if (rules_.games_played.has_value()) details.games_played = rules_.games_played->Draw(random_);
  if (rules_.losing_streaks) {
    while (random_.Percent(50) && details.loss_streak < 20) ++details.loss_streak;
  }
  if (details == PlayerDetails()) return nullptr;
  return std::make_unique<const PlayerDetails>(std::move(details));
}

Crowd::Comer Crowd::Next() {
  Comer comer;
  comer.number = tickets_++;
  comer.ticket = std::make_shared<Ticket>();
  Ticket& ticket = *comer.ticket;
  ticket.ticket_id = IdOf(comer.number);
  const int size = rules_.parties.Draw(random_);
  const size_t home = rules_.regions.weights.empty() ? 0 : rules_.regions.Draw(random_);
  for (int i = 0; i < size; ++i) {
    Player& player = ticket.players.emplace_back();
    player.player_id = NumberedId('p', comer.number);
    if (i > 0) absl::StrAppend(&player.player_id, ".", i);
    player.value = i > 0 && rules_.party_spread >= 0 ? Around(ticket.players[0].value, rules_.party_spread, random_)
                                                     : NextRating();
    if (rules_.deviations.has_value()) player.deviation = std::max(0, rules_.deviations->Draw(random_));
    player.details = DrawDetails(player.value, home);
  }
  if (!rules_.attributes.empty()) {
    TicketDetails details;
    for (const auto& [name, values] : rules_.attributes) details.attributes[name] = values.Draw(random_);
    ticket.details = std::make_unique<const TicketDetails>(std::move(details));
  }
  comer.chance = random_.Unit();
  if (rules_.leave_after > 0) {
    comer.leaves_after = static_cast<Micros>(DrawExponential(static_cast<double>(rules_.leave_after), random_));
  }
  return comer;
}

}  // namespace evenmatch
