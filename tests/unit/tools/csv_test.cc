#include "tools/csv.h"

#include <string>

#include "base/strings.h"
#include "gtest/gtest.h"

namespace evenmatch {
namespace {

using Games = std::vector<std::pair<MilliPoints, MilliPoints>>;

std::string ErrorOf(std::string_view csv) {
  const auto games = ReadGames(csv);
  return games.ok() ? "" : std::string(ToStd(games.status().message()));
}

TEST(Csv, FindsRatingsByTheNamesOfTheirColumns) {
  EXPECT_EQ(*ReadGames("game,white_rating,black_rating,result\n1,1657,1610,B\n2,971,1093.5,W\n"),
            (Games{{1'657'000, 1'610'000}, {971'000, 1'093'500}}));
  EXPECT_EQ(*ReadGames("rating_b,rating_a\n1,2\n"), (Games{{2'000, 1'000}}));
  EXPECT_EQ(*ReadGames("player_a_rating,x,player_b_rating\n-1,,2"), (Games{{-1'000, 2'000}}));
}

TEST(Csv, ReadsQuotesLineEndsAndByteOrderMark) {
  EXPECT_EQ(*ReadGames("\xef\xbb\xbf\"name\",rating_a,rating_b\r\n\"Doe, \"\"J\"\"\nX\",\"1\",2\r\n\r\nx,3,4\r\n"),
            (Games{{1'000, 2'000}, {3'000, 4'000}}));
}

TEST(Csv, ErrorsNameTheLine) {
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

}  // namespace
}  // namespace evenmatch
