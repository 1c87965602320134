#include "sim/crowd.h"

#include <cmath>
#include <set>

#include "gtest/gtest.h"

namespace evenmatch {
namespace {

TEST(Crowd, SameSeedGivesTheSameTickets) {
  CrowdRules rules;
  rules.parties = *PartyDistribution::Parse("1:1,3:1");
  rules.regions = *NameDistribution::Parse("eu:1,us:2,asia:1");
  rules.roles = *NameDistribution::Parse("tank:1,healer:1,damage:3");
  rules.roles_each = 2;
  rules.games_played = CountDistribution{0, 100};
  rules.losing_streaks = true;
  rules.leave_after = kMinute;
  Crowd a(rules, 5), b(rules, 5), c(rules, 6);
  bool differs = false;
  for (int i = 0; i < 500; ++i) {
    const Crowd::Comer x = a.Next(), y = b.Next(), z = c.Next();
    EXPECT_TRUE(SameContent(*x.ticket, *y.ticket));
    EXPECT_EQ(x.leaves_after, y.leaves_after);
    EXPECT_EQ(x.chance, y.chance);
    EXPECT_EQ(x.ticket->ticket_id, Crowd::IdOf(x.number));
    differs |= !SameContent(*x.ticket, *z.ticket);
  }
  EXPECT_TRUE(differs);
}

TEST(Crowd, BareTicketsCarryNoDetails) {
  const CrowdRules rules;
  Crowd crowd(rules, 1);
  const Crowd::Comer comer = crowd.Next();
  ASSERT_EQ(comer.ticket->players.size(), 1u);
  EXPECT_EQ(comer.ticket->players[0].details, nullptr);
  EXPECT_EQ(comer.ticket->players[0].deviation, 0);
  EXPECT_EQ(comer.leaves_after, kNever);
}

TEST(Crowd, EverybodyComesOnce) {
  CrowdRules rules;
  rules.parties = *PartyDistribution::Parse("1:1,2:1,5:1");
  Crowd crowd(rules, 1);
  std::set<std::string> tickets, players;
  size_t heads = 0;
  for (int i = 0; i < 1'000; ++i) {
    const Crowd::Comer comer = crowd.Next();
    tickets.insert(comer.ticket->ticket_id);
    heads += comer.ticket->players.size();
    for (const Player& player : comer.ticket->players) players.insert(player.player_id);
  }
  EXPECT_EQ(tickets.size(), 1'000u);
  EXPECT_EQ(players.size(), heads);
}

TEST(Crowd, PartiesLiveTogetherAndPlayAlike) {
  CrowdRules rules;
  rules.parties = *PartyDistribution::Parse("5:1");
  rules.party_spread = 50;
  rules.regions = *NameDistribution::Parse("a:1,b:1,c:1,d:1");
  Crowd crowd(rules, 1);
  for (int i = 0; i < 200; ++i) {
    const Ticket ticket = std::move(*crowd.Next().ticket);
    std::set<std::string> homes;
    for (const Player& player : ticket.players) {
      EXPECT_LE(std::abs(player.value - ticket.players[0].value), 300 * kPoint);
      std::string home;
      for (const auto& [region, latency] : player.details->latency_ms) {
        EXPECT_GE(latency, 15);
        EXPECT_LE(latency, 45 + 2 * 90);  // on a ring of four nothing is further than two away
        if (latency <= 45) home = region;
      }
      homes.insert(home);
    }
    EXPECT_EQ(homes.size(), 1u);
    EXPECT_NE(*homes.begin(), "");
  }
}

TEST(Crowd, PlayersNameDifferentRolesAndTheTierOfTheirRating) {
  CrowdRules rules;
  rules.ratings = *RatingDistribution::Parse("uniform:0:3000");
  rules.roles = *NameDistribution::Parse("tank:1,healer:1,damage:100");
  rules.roles_each = 2;
  rules.tiers = {{"bronze", 1'000 * kPoint}, {"silver", 1'500 * kPoint}, {"gold", 2'000 * kPoint}};
  Crowd crowd(rules, 1);
  int damage_first = 0;
  for (int i = 0; i < 1'000; ++i) {
    const Crowd::Comer comer = crowd.Next();
    const Player& player = comer.ticket->players[0];
    ASSERT_EQ(player.details->roles.size(), 2u);
    EXPECT_NE(player.details->roles[0], player.details->roles[1]);
    damage_first += player.details->roles[0] == "damage";
    EXPECT_EQ(player.details->tier, player.value < 1'500 * kPoint   ? "bronze"
                                    : player.value < 2'000 * kPoint ? "silver"
                                                                    : "gold");
  }
  EXPECT_GT(damage_first, 950);
}

TEST(Crowd, TicketsCarryAttributes) {
  CrowdRules rules;
  rules.attributes = {{"mode", *AttributeDistribution::Parse("ranked:3,casual:1")},
                      {"version", *AttributeDistribution::Parse("2.5:1")},
                      {"languages", *AttributeDistribution::Parse("[en+de]:1")},
                      {"win_rate", *AttributeDistribution::Parse("uniform:0.3:0.7")}};
  Crowd crowd(rules, 1);
  int casual = 0;
  std::set<double> win_rates;
  for (int i = 0; i < 4'000; ++i) {
    const Crowd::Comer comer = crowd.Next();
    casual += std::get<std::string>(comer.ticket->details->attributes.at("mode")) == "casual";
    EXPECT_EQ(std::get<double>(comer.ticket->details->attributes.at("version")), 2.5);
    EXPECT_EQ(std::get<std::vector<std::string>>(comer.ticket->details->attributes.at("languages")),
              (std::vector<std::string>{"en", "de"}));
    const double win_rate = std::get<double>(comer.ticket->details->attributes.at("win_rate"));
    EXPECT_TRUE(win_rate >= 0.3 && win_rate <= 0.7) << win_rate;
    win_rates.insert(win_rate);
  }
  EXPECT_GT(win_rates.size(), 300u);
  EXPECT_NEAR(casual, 1'000, 100);
}

TEST(Crowd, AListComesInItsOrderAndAgain) {
  CrowdRules rules;
  rules.ratings = {.kind = RatingDistribution::Kind::kList,
                   .list = std::make_shared<std::vector<MilliPoints>>(std::vector<MilliPoints>{7, 8, 9})};
  rules.in_order = true;
  Crowd crowd(rules, 1);
  for (const MilliPoints rating : {7, 8, 9, 7, 8}) EXPECT_EQ(crowd.Next().ticket->players[0].value, rating);
}

TEST(Crowd, HalfTheLosersLostBeforeToo) {
  CrowdRules rules;
  rules.losing_streaks = true;
  Crowd crowd(rules, 1);
  int one = 0, three = 0;
  for (int i = 0; i < 8'000; ++i) {
    const Crowd::Comer comer = crowd.Next();
    const PlayerDetails* details = comer.ticket->players[0].details.get();
    const int streak = details == nullptr ? 0 : details->loss_streak;
    one += streak >= 1;
    three += streak >= 3;
  }
  EXPECT_NEAR(one, 4'000, 200);
  EXPECT_NEAR(three, 1'000, 120);
}

}  // namespace
}  // namespace evenmatch
