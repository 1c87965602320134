#include "base/json.h"

#include <string>

#include "gtest/gtest.h"

namespace evenmatch {
namespace {

TEST(Json, QuotesWhatIsSpecial) {
  EXPECT_EQ(JsonQuoted(""), "\"\"");
  EXPECT_EQ(JsonQuoted("a\"b\\c\nd\te\x7f"), "\"a\\\"b\\\\c\\nd\\u0009e\\u007f\"");
  EXPECT_EQ(JsonQuoted(std::string_view("\0\x1f", 2)), "\"\\u0000\\u001f\"");
}

TEST(Json, LeavesValidUtf8Alone) {
  const std::string text = "дуэль 決闘 🎲 \xf4\x8f\xbf\xbf";
  EXPECT_EQ(JsonQuoted(text), "\"" + text + "\"");
}

TEST(Json, ReplacesBytesThatAreNoUtf8) {
  EXPECT_EQ(JsonQuoted("a\x80z"), "\"a\\ufffdz\"");
  EXPECT_EQ(JsonQuoted("\xc3"), "\"\\ufffd\"");                         // cut off
  EXPECT_EQ(JsonQuoted("\xc0\xaf"), "\"\\ufffd\\ufffd\"");              // overlong
  EXPECT_EQ(JsonQuoted("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");   // surrogate
  EXPECT_EQ(JsonQuoted("\xf4\x90\x80\x80").substr(0, 7), "\"\\ufffd");  // above U+10FFFF
}

}  // namespace
}  // namespace evenmatch
