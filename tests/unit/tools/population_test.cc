#include "tools/population.h"

#include <cmath>
#include <string>

#include "gtest/gtest.h"
#include "tools/run_ids.h"

namespace evenmatch {
namespace {

TEST(Population, SameSeedGivesTheSamePlayers) {
  const RatingDistribution ratings = *RatingDistribution::Parse("normal:1500:300");
  const PartyDistribution parties = *PartyDistribution::Parse("1:2,3:1");
  const Population a = Population::Draw(1000, ratings, parties, 7), b = Population::Draw(1000, ratings, parties, 7),
                   c = Population::Draw(1000, ratings, parties, 8);
  ASSERT_EQ(a.players(), b.players());
  bool differs = false;
  for (size_t i = 0; i < a.tickets(); ++i) {
    EXPECT_EQ(a.Value(i), b.Value(i));
    differs |= a.Value(i) != c.Value(i);
  }
  EXPECT_TRUE(differs);
}

TEST(Population, DrawsWhatWasAskedFor) {
  const Population normal = Population::Draw(100'000, *RatingDistribution::Parse("normal:1500:300"), {}, 1);
  double sum = 0, squares = 0;
  for (size_t i = 0; i < normal.tickets(); ++i) {
    const double points = normal.Value(i) / 1000.0;
    sum += points;
    squares += points * points;
  }
  const double mean = sum / 100'000;
  EXPECT_NEAR(mean, 1500, 5);
  EXPECT_NEAR(std::sqrt(squares / 100'000 - mean * mean), 300, 5);

  const Population uniform = Population::Draw(10'000, *RatingDistribution::Parse("uniform:1000:2000"),
                                              *PartyDistribution::Parse("1:3,2:1"), 1);
  size_t pairs = 0;
  for (size_t i = 0; i < uniform.tickets(); ++i) {
    pairs += uniform.Members(i).size() == 2;
    for (const MilliPoints rating : uniform.Members(i)) {
      EXPECT_GE(rating, 1'000'000);
      EXPECT_LE(rating, 2'000'000);
    }
  }
  EXPECT_NEAR(static_cast<double>(pairs), 2500, 200);
  EXPECT_EQ(uniform.players(), 10'000 + pairs);
}

TEST(Population, GamesBecomeTwoSinglePlayersEach) {
  const std::vector<Game> games{{.ratings = {1, 2}}, {.ratings = {3, 4}}};
  const Population population = Population::OfGames(games);
  ASSERT_EQ(population.tickets(), 4u);
  EXPECT_EQ(population.Value(0), 1);
  EXPECT_EQ(population.Value(3), 4);
}

TEST(RunIds, CarryTheirIndex) {
  const RunIds ids("k3f9a2");
  std::string id;
  for (const uint32_t ticket : {0u, 1u, 255u, 4'000'000'000u}) {
    ids.Ticket(ticket, &id);
    EXPECT_EQ(ids.ParseTicket(id), ticket);
    for (const uint32_t member : {0u, 1u, 63u}) {
      ids.Player(ticket, member, &id);
      EXPECT_EQ(ids.ParsePlayer(id), std::pair(ticket, member));
    }
  }
  ids.Player(255, 16, &id);
  EXPECT_EQ(id, "pk3f9a2ff.10");
}

TEST(RunIds, StrangersAreNotTakenForOwn) {
  const RunIds ids("k3f9a2");
  for (const char* id :
       {"", "t", "tk3f9a2", "tk3f9a3ff", "pk3f9a2ff", "tk3f9a2xyz", "tk3f9a2ff.1", "tk3f9a2fffffffff"}) {
    EXPECT_FALSE(ids.ParseTicket(id).has_value()) << id;
  }
  EXPECT_FALSE(ids.ParsePlayer("pk3f9a2ff.").has_value());
  EXPECT_EQ(RunIds::MarkOf(0).size(), RunIds::kMarkBytes);
  EXPECT_NE(RunIds::MarkOf(1), RunIds::MarkOf(2));
}

}  // namespace
}  // namespace evenmatch
