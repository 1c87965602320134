#include "sim/games.h"

#include <string>

#include "base/strings.h"
#include "gtest/gtest.h"

namespace evenmatch {
namespace {

using Ratings = std::vector<std::array<MilliPoints, 2>>;

Ratings RatingsOf(std::string_view csv) {
  Ratings ratings;
  const auto games = ReadGames(csv);
  EXPECT_TRUE(games.ok()) << games.status();
  if (games.ok()) {
    for (const Game& game : *games) ratings.push_back(game.ratings);
  }
  return ratings;
}

std::string ErrorOf(std::string_view csv) {
  const auto games = ReadGames(csv);
  return games.ok() ? "" : std::string(ToStd(games.status().message()));
}

TEST(Games, FindsRatingsByTheNamesOfTheirColumns) {
  EXPECT_EQ(RatingsOf("game,white_rating,black_rating,result\n1,1657,1610,B\n2,971,1093.5,W\n"),
            (Ratings{{1'657'000, 1'610'000}, {971'000, 1'093'500}}));
  EXPECT_EQ(RatingsOf("rating_b,rating_a\n1,2\n"), (Ratings{{2'000, 1'000}}));
  EXPECT_EQ(RatingsOf("player_a_rating,x,player_b_rating\n-1,,2"), (Ratings{{-1'000, 2'000}}));
}

TEST(Games, ReadsQuotesLineEndsAndByteOrderMark) {
  EXPECT_EQ(RatingsOf("\xef\xbb\xbf\"name\",rating_a,rating_b\r\n\"Doe, \"\"J\"\"\nX\",\"1\",2\r\n\r\nx,3,4\r\n"),
            (Ratings{{1'000, 2'000}, {3'000, 4'000}}));
}

TEST(Games, ErrorsNameTheLine) {
  EXPECT_EQ(ErrorOf(""), "the file has no header row");
  EXPECT_EQ(ErrorOf("white_rating,b\n1,2\n").substr(0, 7), "line 1:");
  EXPECT_EQ(ErrorOf("rating_a,rating_b\n"), "the file has no games");
  EXPECT_EQ(ErrorOf("rating_a,rating_b\n1,2\n3\n"), "line 3: 1 fields where the header has 2");
  EXPECT_EQ(ErrorOf("rating_a,rating_b\n1,2\n\"3\n\n\",4\n").substr(0, 7), "line 3:");
  EXPECT_EQ(ErrorOf("rating_a,rating_b\n\"1,2\n"), "line 2: a quote is never closed");
  for (const char* rating : {"", "x", "1x", "nan", "inf", "1e9", "100001", " 1"}) {
    EXPECT_EQ(ErrorOf(std::string("rating_a,rating_b\n1,") + rating + "\n").substr(0, 7), "line 2:") << rating;
  }
}

TEST(Games, RatingsAreComputedWhereThereAreNone) {
  const std::string_view csv = "player_a,player_b,result\nann,bob,A\nann,bob,D\ncid,ann,B\n";
  // An equal opponent: half of K. Then 516 against 484 points of expectation in 1000 at a gap of 32.
  const Ratings ratings = RatingsOf(csv);
  ASSERT_EQ(ratings.size(), 3u);
  EXPECT_EQ(ratings[0], (std::array<MilliPoints, 2>{1'500'000, 1'500'000}));
  EXPECT_EQ(ratings[1], (std::array<MilliPoints, 2>{1'516'000, 1'484'000}));
  EXPECT_EQ(ratings[2][0], 1'500'000);
  EXPECT_NEAR(ratings[2][1], 1'514'530, 20);
  EXPECT_EQ(ErrorOf("player_a,player_b,result\na,b,X\n"), "line 2: \"X\" is not a result: A, B or D");
  EXPECT_EQ(ErrorOf("player_a,player_b,result\na,a,A\n"), "line 2: \"a\" is not another player");
}

TEST(Games, TimesAreReadWhereTheyStand) {
  const auto games = ReadGames(
      "ended_at,rating_a,rating_b\n1970-01-01T00:00:01,1,2\n1970-01-01T00:00:01.5,1,2\n1970-01-02T00:00:00Z,1,2\n");
  ASSERT_TRUE(games.ok()) << games.status();
  EXPECT_EQ((*games)[0].at, kSecond);
  EXPECT_EQ((*games)[1].at, kSecond * 3 / 2);
  EXPECT_EQ((*games)[2].at, 24 * kHour);
  EXPECT_EQ((*ReadGames("rating_a,rating_b\n1,2\n"))[0].at, kNever);
  EXPECT_EQ(ErrorOf("ended_at,rating_a,rating_b\nyesterday,1,2\n").substr(0, 7), "line 2:");
  EXPECT_EQ(ErrorOf("ended_at,rating_a,rating_b\n2004-08-06T10:00:00,1,2\n2004-08-06T09:00:00,1,2\n"),
            "line 3: \"2004-08-06T09:00:00\" is not later than the row before");
}

}  // namespace
}  // namespace evenmatch
