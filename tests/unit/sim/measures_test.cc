#include "sim/measures.h"

#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/tickets.h"

namespace evenmatch {
namespace {

constexpr Micros kStart = kHour;

// A queue of two teams of two with roles and regions, and a judge of it.
class JudgeTest : public testing::Test {
 protected:
  JudgeTest() {
    QueueRules rules;
    rules.name = "squad";
    rules.team_size = 2;
    rules.regions.regions = {"eu", "us"};
    catalog_ = MakeCatalog({rules});
    bands_ = RatingBands({1000 * kPoint, 2000 * kPoint});
    judge_ = std::make_unique<Judge>(catalog_, std::vector<uint32_t>{0}, bands_, kStart, kStart, kMinute);
  }

  // Queues and matches four players with these ratings: the first two against the others.
  std::shared_ptr<Match> MatchOf(const std::vector<int>& ratings) {
    auto match = std::make_shared<Match>();
    match->win_chance = {6'000, 4'000};
    match->quality = 7'000;
    match->spread = 123;
    match->stage = 1;
    match->formed_at = kStart + 10 * kSecond;
    match->longest_wait = 9 * kSecond;
    for (size_t i = 0; i < ratings.size(); ++i) {
      auto ticket = MakeTicket({.id = Name("t", i), .players = {{Name("p", i), ratings[i]}}});
      PlayerDetails details;
      details.latency_ms = {{"eu", 20}, {"us", static_cast<int32_t>(100 + i)}};
      ticket->players[0].details = std::make_unique<const PlayerDetails>(details);
      match->sides.push_back({ticket, i + 1, i < 2 ? 0 : 1, 0});
    }
    return match;
  }

  void Play(const std::shared_ptr<Match>& match) {
    for (const Match::Side& side : match->sides) {
      judge_->Observe({.kind = EventKind::kQueued, .at = kStart + kSecond, .ticket = side.ticket});
    }
    judge_->Observe({.kind = EventKind::kMatchFormed, .at = match->formed_at, .match = match});
    for (const Match::Side& side : match->sides) {
      judge_->Observe({.kind = EventKind::kMatched,
                       .at = match->formed_at,
                       .queued_at = kStart + kSecond,
                       .ticket = side.ticket,
                       .match = match});
    }
  }

  const QueueMeasures& measures() const { return judge_->queues()[0]; }

  Catalog catalog_;
  RatingBands bands_;
  std::unique_ptr<Judge> judge_;
};

TEST_F(JudgeTest, AGameIsToldByItsTeams) {
  Play(MatchOf({1500, 1700, 1400, 1500}));
  const MatchMeasures& matches = measures().matches;
  EXPECT_EQ(matches.matches, 1u);
  EXPECT_EQ(matches.gap.max(), 150'000u);
  EXPECT_EQ(matches.favourite.max(), 6'000u);
  EXPECT_EQ(matches.quality.max(), 7'000u);
  EXPECT_EQ(matches.spread.max(), 123u);
  EXPECT_EQ(matches.longest_wait.max(), static_cast<uint64_t>(9 * kSecond));
  ASSERT_EQ(matches.stages.size(), 2u);
  EXPECT_EQ(matches.stages[0].matches, 0u);
  EXPECT_EQ(matches.stages[1].matches, 1u);
  EXPECT_EQ(measures().all.matched, 4u);
  EXPECT_EQ(measures().all.wait.max(), static_cast<uint64_t>(9 * kSecond));
  EXPECT_EQ(measures().all.gap.max(), 150'000u);
  EXPECT_EQ(measures().slices.at(0).matches, 1u);
}

TEST_F(JudgeTest, AGameIsEvenUpToFiftyFivePercent) {
  const auto match = MatchOf({1500, 1500, 1500, 1500});
  match->win_chance = {5'500, 4'500};
  Play(match);
  match->win_chance = {4'499, 5'501};
  Play(match);
  EXPECT_EQ(measures().matches.matches, 2u);
  EXPECT_EQ(measures().matches.even, 1u);
}

TEST_F(JudgeTest, FilledSeatsAreCountedByTeam) {
  const auto match = MatchOf({1500, 1500, 1500, 1500});
  match->roles = {{0, true}, {1, true}, {0, false}, {1, false}};
  Play(match);
  EXPECT_EQ(measures().matches.seats_with_role, 4u);
  EXPECT_EQ(measures().matches.fills, 2u);
  EXPECT_EQ(measures().matches.fill_difference.max(), 2u);
}

TEST_F(JudgeTest, LatencyIsThatToTheRegionOfTheMatch) {
  const auto match = MatchOf({1500, 1500, 1500, 1500});
  match->region = 1;
  Play(match);
  const MatchMeasures& matches = measures().matches;
  EXPECT_EQ(matches.regions, (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(matches.latency.count(), 4u);
  EXPECT_EQ(matches.latency.max(), 103u);
  EXPECT_EQ(matches.detour.max(), 83u);
}

TEST_F(JudgeTest, CostsAreSummedByTerm) {
  const auto match = MatchOf({1500, 1500, 1500, 1500});
  match->costs = {{QualityTerm::kDistance, 50, 100}, {QualityTerm::kParty, 0, 0}};
  Play(match);
  Play(match);
  const TermMeasures& distance = measures().matches.terms[static_cast<size_t>(QualityTerm::kDistance)];
  EXPECT_EQ(distance.matches, 2u);
  EXPECT_EQ(distance.paid, 2u);
  EXPECT_EQ(distance.measure, 100);
  EXPECT_EQ(distance.cost, 200);
  const TermMeasures& party = measures().matches.terms[static_cast<size_t>(QualityTerm::kParty)];
  EXPECT_EQ(party.matches, 2u);
  EXPECT_EQ(party.paid, 0u);
  EXPECT_EQ(measures().matches.terms[static_cast<size_t>(QualityTerm::kFill)].matches, 0u);
}

TEST_F(JudgeTest, PlayersWithoutRatingCountAtTheStartValue) {
  const auto match = MatchOf({1500, 1500, 1500, 1500});
  auto unrated = MakeTicket({.id = "u", .players = {{"u", 0}}});
  unrated->players[0].value = kNoValue;
  EXPECT_EQ(RatingOf(*unrated, 1500 * kPoint), 1500 * kPoint);
  match->sides[3].ticket = unrated;
  Play(match);
  EXPECT_EQ(measures().matches.gap.max(), 0u);
}

TEST(RatingBands, ARatingOnTheBorderBelongsAbove) {
  std::vector<MilliPoints> sample;
  for (int i = 0; i <= 100; ++i) sample.push_back(i);
  const RatingBands bands(sample);
  EXPECT_EQ(bands.BandOf(-5), 0u);
  EXPECT_EQ(bands.BandOf(0), 0u);
  EXPECT_EQ(bands.BandOf(1), 1u);
  EXPECT_EQ(bands.BandOf(49), 3u);
  EXPECT_EQ(bands.BandOf(50), 4u);
  EXPECT_EQ(bands.BandOf(98), 6u);
  EXPECT_EQ(bands.BandOf(99), 7u);
}

}  // namespace
}  // namespace evenmatch
