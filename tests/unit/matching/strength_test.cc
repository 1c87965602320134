#include "matching/strength.h"

#include "tests/support/waiters.h"

namespace evenmatch {
namespace {

MilliPoints StrengthOf(const QueueRules& rules, const Ticket& ticket) {
  return TicketStrength(rules, ticket, ticket.queues[0]);
}

TierRules FourTiers() {
  TierRules tiers;
  tiers.tiers = {{"bronze", 0, 0}, {"gold", 0, 1200 * kPoint}, {"diamond", 1, 1800 * kPoint}, {"peak", 2, kNoValue}};
  tiers.groups = {{"low"}, {"high"}, {"peak", true}};
  return tiers;
}

TEST(StrengthTest, IsTheMeanRatingUnlessSaidOtherwise) {
  const QueueRules rules;
  EXPECT_EQ(StrengthOf(rules, *MakeParty({{"a", 1000}, {"b", 2000}, {"c", 1800}})), 1600 * kPoint);
}

TEST(StrengthTest, OfAPartyMayBeItsMaximumOrAPowerMean) {
  QueueRules rules;
  const auto party = MakeParty({{"a", 1000}, {"b", 2000}});
  rules.strength.party = StrengthRules::Party::kMaximum;
  EXPECT_EQ(StrengthOf(rules, *party), 2000 * kPoint);
  rules.strength.party = StrengthRules::Party::kPowerMean;
  rules.strength.power = 2;
  EXPECT_EQ(StrengthOf(rules, *party), 1'707'106);
}

TEST(StrengthTest, PremadesHaveABonusBySizeTheLastForLargerOnes) {
  QueueRules rules;
  rules.strength.premade_bonus = {0, 30 * kPoint, 50 * kPoint};
  EXPECT_EQ(StrengthOf(rules, *MakeParty({{"a"}})), 1500 * kPoint);
  EXPECT_EQ(StrengthOf(rules, *MakeParty({{"a"}, {"b"}})), 1530 * kPoint);
  EXPECT_EQ(StrengthOf(rules, *MakeParty({{"a"}, {"b"}, {"c"}, {"d"}})), 1550 * kPoint);
}

TEST(StrengthTest, APlayersTierIsTheNamedOneElseByHisRating) {
  const TierRules tiers = FourTiers();
  const auto tier_of = [&](PlayerSpec player) {
    const auto ticket = MakeParty({std::move(player)});
    return TierOf(tiers, *ticket, ticket->queues[0], 0, 1500 * kPoint);
  };
  EXPECT_EQ(tier_of({"a", 1100}), 0u);
  EXPECT_EQ(tier_of({"a", 1200}), 1u);
  EXPECT_EQ(tier_of({"a", 5000}), 2u);  // peak is by name only
  EXPECT_EQ(tier_of({"a", -10}), 0u);   // below all of them
  EXPECT_EQ(tier_of({"a", 1100, 0, {.tier = "peak"}}), 3u);
  EXPECT_EQ(tier_of({"a", 1900, 0, {.tier = "wood"}}), 2u);  // nobody knows it
}

TEST(StrengthTest, MixesPartsByTheWeightsOfTheTierGroup) {
  QueueRules rules;
  rules.tiers = FourTiers();
  StrengthRules::Part tier{.source = StrengthRules::Source::kTier, .low = 0, .high = 3'000, .weights = {400, 0, 0}};
  StrengthRules::Part wins{
      .source = StrengthRules::Source::kAttribute, .attribute = "win_rate", .low = 0, .high = 1'000};
  wins.weights = {600, 1000, 1000};
  rules.strength.parts = {tier, wins};
  rules.strength.lowest = 100 * kPoint;
  rules.strength.highest = 1100 * kPoint;
  // gold: 0.4 * 1/3 + 0.6 * 0.5 = 0.4333 of 1000, above 100
  EXPECT_EQ(StrengthOf(rules, *MakeParty({{"a", 1300, 0, {.attributes = {{"win_rate", 0.5}}}}})), 533'333);
  // diamond: win rate alone
  EXPECT_EQ(StrengthOf(rules, *MakeParty({{"a", 1900, 0, {.attributes = {{"win_rate", 0.5}}}}})), 600'000);
  // the ticket's stands in for the player's; a missing one counts 0, one beyond the end as the end
  EXPECT_EQ(StrengthOf(rules, *MakeParty({{"a", 1900}}, {{"win_rate", 0.25}})), 350'000);
  EXPECT_EQ(StrengthOf(rules, *MakeParty({{"a", 1900}})), 100'000);
  EXPECT_EQ(StrengthOf(rules, *MakeParty({{"a", 1900}}, {{"win_rate", 7.0}})), 1'100'000);
  EXPECT_EQ(StrengthOf(rules, *MakeParty({{"a", 1900}}, {{"win_rate", std::string("high")}})), 100'000);
}

TEST(StrengthTest, MixesRatingAndGamesPlayed) {
  QueueRules rules;
  rules.strength.parts = {
      {.source = StrengthRules::Source::kRating, .low = 1000 * kPoint, .high = 2000 * kPoint, .weights = {3}},
      {.source = StrengthRules::Source::kGamesPlayed, .low = 0, .high = 100'000, .weights = {1}}};
  rules.strength.lowest = 0;
  rules.strength.highest = 1000 * kPoint;
  EXPECT_EQ(StrengthOf(rules, *MakeParty({{"a", 1500, 0, {.games_played = 50}}})), 500'000);
  EXPECT_EQ(StrengthOf(rules, *MakeParty({{"a", 2000}})), 750'000);
}

}  // namespace
}  // namespace evenmatch
