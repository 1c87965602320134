#include "tools/ledger.h"

#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace evenmatch {
namespace {

using Fate = Ledger::Fate;

class LedgerTest : public testing::Test {
 protected:
  // Eight single players rated 1000, 1010, ..., in a duel.
  LedgerTest() {
    std::vector<Game> games;
    for (int i = 0; i < 4; ++i) games.push_back({.ratings = {(1000 + 20 * i) * kPoint, (1010 + 20 * i) * kPoint}});
    population_ = Population::OfGames(games);
  }

  v1::Match Duel(const std::string& id, uint32_t a, uint32_t b) {
    v1::Match match;
    match.set_match_id(id);
    for (const uint32_t ticket : {a, b}) {
      v1::Seat* seat = match.add_teams()->add_seats();
      ids_.Ticket(ticket, seat->mutable_ticket_id());
      ids_.Player(ticket, 0, seat->mutable_player_id());
    }
    match.mutable_quality()->add_win_probability(0.4);
    match.mutable_quality()->add_win_probability(0.6);
    return match;
  }

  // One of ours against somebody else.
  v1::Match WithOther(const std::string& id, uint32_t ticket, std::optional<double> rating) {
    v1::Match match = Duel(id, ticket, ticket);
    v1::Seat* seat = match.mutable_teams(1)->mutable_seats(0);
    seat->set_ticket_id("theirs");
    seat->set_player_id("s");
    if (rating.has_value()) seat->set_rating(*rating);
    return match;
  }

  Population population_;
  const RunIds ids_{"abcdef"};
  Tally tally_;
};

TEST_F(LedgerTest, FollowsATicketToItsEnd) {
  Ledger ledger(population_, ids_, 2, 1);
  ledger.Sent(0);
  EXPECT_EQ(ledger.sent(), 1u);
  EXPECT_TRUE(ledger.Answered(0, true));
  EXPECT_EQ(ledger.accepted(), 1u);
  EXPECT_TRUE(ledger.Ended(0, Fate::kExpired, {}, &tally_));
  EXPECT_EQ(ledger.ended(), 1u);
  EXPECT_EQ(ledger.fate(0), Fate::kExpired);
  ledger.Sent(1);
  EXPECT_TRUE(ledger.Answered(1, false));
  EXPECT_EQ(ledger.answered(), 2u);
  EXPECT_EQ(ledger.accepted(), 1u);
}

TEST_F(LedgerTest, RepeatedNewsIsNoNews) {
  Ledger ledger(population_, ids_, 2, 1);
  ledger.Sent(0);
  ledger.Sent(0);
  EXPECT_EQ(ledger.sent(), 1u);
  EXPECT_TRUE(ledger.Answered(0, true));
  EXPECT_FALSE(ledger.Answered(0, true));
  EXPECT_TRUE(ledger.Ended(0, Fate::kMatched, "m", &tally_));
  EXPECT_FALSE(ledger.Ended(0, Fate::kMatched, "m", &tally_));
  EXPECT_EQ(ledger.matched(), 1u);
  EXPECT_EQ(tally_.doubled + tally_.contradicted, 0u);
}

TEST_F(LedgerTest, AnEndBeforeTheAnswerMeansAccepted) {
  Ledger ledger(population_, ids_, 2, 1);
  ledger.Sent(0);
  EXPECT_TRUE(ledger.Ended(0, Fate::kMatched, "m", &tally_));
  EXPECT_FALSE(ledger.Answered(0, true));
  EXPECT_EQ(ledger.answered(), 1u);
  EXPECT_EQ(ledger.accepted(), 1u);
}

TEST_F(LedgerTest, MeasuresAMatchOnce) {
  Ledger ledger(population_, ids_, 2, 1);
  EXPECT_TRUE(ledger.Met(Duel("m", 3, 0), &tally_));
  EXPECT_FALSE(ledger.Met(Duel("m", 3, 0), &tally_));
  EXPECT_EQ(tally_.matches, 1u);
  EXPECT_EQ(tally_.gap.max(), 30'000u);
  EXPECT_EQ(tally_.spread.max(), 30'000u);
  EXPECT_EQ(tally_.favourite.max(), 6'000u);
  EXPECT_EQ(tally_.doubled + tally_.malformed, 0u);
}

TEST_F(LedgerTest, CatchesATicketInTwoMatches) {
  Ledger ledger(population_, ids_, 2, 1);
  ledger.Met(Duel("m", 0, 1), &tally_);
  ledger.Met(Duel("n", 1, 2), &tally_);
  EXPECT_EQ(tally_.doubled, 1u);
  ledger.Sent(3);
  EXPECT_TRUE(ledger.Ended(3, Fate::kMatched, "m", &tally_));
  EXPECT_FALSE(ledger.Ended(3, Fate::kMatched, "n", &tally_));
  EXPECT_EQ(tally_.doubled, 2u);
}

TEST_F(LedgerTest, CatchesTwoEnds) {
  Ledger ledger(population_, ids_, 2, 1);
  ledger.Sent(0);
  ledger.Answered(0, true);
  ledger.Ended(0, Fate::kCancelled, {}, &tally_);
  EXPECT_FALSE(ledger.Ended(0, Fate::kMatched, "m", &tally_));
  EXPECT_EQ(tally_.contradicted, 1u);
  EXPECT_EQ(ledger.fate(0), Fate::kCancelled);
}

TEST_F(LedgerTest, CatchesMatchesOfTheWrongShape) {
  Ledger ledger(population_, ids_, 2, 1);
  v1::Match lonely = Duel("a", 0, 1);
  lonely.mutable_teams()->RemoveLast();
  ledger.Met(lonely, &tally_);
  EXPECT_EQ(tally_.malformed, 1u);
  v1::Match stranger = Duel("b", 2, 3);
  stranger.mutable_teams(0)->mutable_seats(0)->set_player_id("nobody");
  ledger.Met(stranger, &tally_);
  EXPECT_EQ(tally_.malformed, 2u);
  v1::Match beyond = Duel("c", 4, 1000);
  ledger.Met(beyond, &tally_);
  EXPECT_EQ(tally_.malformed, 3u);
  ledger.Met(Duel("d", 5, 5), &tally_);  // against oneself
  EXPECT_EQ(tally_.malformed, 4u);
  v1::Match empty;
  EXPECT_FALSE(ledger.Met(empty, &tally_));
  EXPECT_EQ(tally_.malformed, 5u);
}

TEST_F(LedgerTest, MatchesWithOthersAreNoBrokenPromise) {
  Ledger ledger(population_, ids_, 2, 1);
  ledger.Sent(0);
  EXPECT_TRUE(ledger.Met(WithOther("m", 0, std::nullopt), &tally_));
  EXPECT_TRUE(ledger.Ended(0, Fate::kMatched, "m", &tally_));
  EXPECT_EQ(ledger.matched(), 1u);
  EXPECT_EQ(tally_.malformed + tally_.doubled + tally_.contradicted, 0u);
  EXPECT_EQ(tally_.matches, 1u);
  EXPECT_EQ(tally_.with_others, 1u);
  EXPECT_EQ(tally_.gap.count() + tally_.spread.count(), 0u);  // nobody knows the other's rating
  EXPECT_EQ(tally_.favourite.count(), 1u);
  Tally sum;
  sum.Merge(tally_);
  EXPECT_EQ(sum.with_others, 1u);
}

TEST_F(LedgerTest, RatingsThatTheServerTellsOfOthersCount) {
  Ledger ledger(population_, ids_, 2, 1);
  EXPECT_TRUE(ledger.Met(WithOther("m", 1, 1503.5), &tally_));
  EXPECT_EQ(tally_.gap.max(), 493'500u);
  EXPECT_EQ(tally_.spread.max(), 493'500u);
  EXPECT_EQ(tally_.malformed, 0u);
}

TEST_F(LedgerTest, CatchesOthersWhoSitTwice) {
  Ledger ledger(population_, ids_, 2, 2);
  v1::Match match = Duel("m", 0, 1);
  for (v1::Team& team : *match.mutable_teams()) {
    v1::Seat* seat = team.add_seats();
    seat->set_ticket_id("theirs");
    seat->set_player_id("s");
  }
  ledger.Met(match, &tally_);
  EXPECT_EQ(tally_.malformed, 1u);
  match.set_match_id("n");
  match.mutable_teams(0)->mutable_seats(1)->set_player_id("r");  // no longer twice, but the party is torn
  ledger.Met(match, &tally_);
  EXPECT_EQ(tally_.malformed, 2u);
}

TEST_F(LedgerTest, CatchesATicketThatIsMissingFromItsOwnMatch) {
  Ledger ledger(population_, ids_, 2, 1);
  ledger.Sent(2);
  ledger.Met(Duel("m", 0, 1), &tally_);
  EXPECT_EQ(tally_.malformed, 0u);
  ledger.Ended(2, Fate::kMatched, "m", &tally_);
  EXPECT_EQ(tally_.malformed, 1u);
}

TEST_F(LedgerTest, PartiesStayWholeAndOnOneTeam) {
  const Population pairs =
      Population::Draw(4, *RatingDistribution::Parse("uniform:1500:1500"), *PartyDistribution::Parse("2:1"), 1);
  Ledger ledger(pairs, ids_, 2, 2);
  const auto seats = [&](const std::string& id, std::vector<std::vector<std::pair<uint32_t, uint32_t>>> teams) {
    v1::Match match;
    match.set_match_id(id);
    for (const auto& team : teams) {
      v1::Team* message = match.add_teams();
      for (const auto& [ticket, member] : team) {
        v1::Seat* seat = message->add_seats();
        ids_.Ticket(ticket, seat->mutable_ticket_id());
        ids_.Player(ticket, member, seat->mutable_player_id());
      }
    }
    return match;
  };
  EXPECT_TRUE(ledger.Met(seats("good", {{{0, 1}, {0, 0}}, {{1, 0}, {1, 1}}}), &tally_));
  EXPECT_EQ(tally_.malformed, 0u);
  ledger.Met(seats("torn", {{{2, 0}, {3, 0}}, {{2, 1}, {3, 1}}}), &tally_);
  EXPECT_EQ(tally_.malformed, 1u);
  ledger.Met(seats("half", {{{2, 0}, {2, 0}}, {{3, 0}, {3, 1}}}), &tally_);
  EXPECT_EQ(tally_.malformed, 2u);
}

TEST_F(LedgerTest, GapIsBetweenTheMeansOfTeams) {
  Ledger ledger(population_, ids_, 2, 2);
  v1::Match match;
  match.set_match_id("m");
  for (const std::vector<uint32_t>& team : {std::vector<uint32_t>{0, 7}, {1, 2}}) {
    v1::Team* message = match.add_teams();
    for (const uint32_t ticket : team) {
      v1::Seat* seat = message->add_seats();
      ids_.Ticket(ticket, seat->mutable_ticket_id());
      ids_.Player(ticket, 0, seat->mutable_player_id());
    }
  }
  EXPECT_TRUE(ledger.Met(match, &tally_));
  EXPECT_EQ(tally_.malformed, 0u);
  EXPECT_EQ(tally_.gap.max(), 20'000u);     // (1000 + 1070) / 2 against (1010 + 1020) / 2
  EXPECT_EQ(tally_.spread.max(), 70'000u);  // 1070 - 1000
}

}  // namespace
}  // namespace evenmatch
