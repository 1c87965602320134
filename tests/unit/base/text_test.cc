#include "base/text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace evenmatch {
namespace {

// The definition of UTF-8, written the other way round: decode by the lead's length, then ask whether the encoder would
// have written the same.
std::string Encode(uint32_t point) {
  std::string bytes;
  if (point < 0x80) {
    bytes = {static_cast<char>(point)};
  } else if (point < 0x800) {
    bytes = {static_cast<char>(0xc0 | point >> 6), static_cast<char>(0x80 | (point & 0x3f))};
  } else if (point < 0x10000) {
    bytes = {static_cast<char>(0xe0 | point >> 12), static_cast<char>(0x80 | (point >> 6 & 0x3f)),
             static_cast<char>(0x80 | (point & 0x3f))};
  } else {
    bytes = {static_cast<char>(0xf0 | point >> 18), static_cast<char>(0x80 | (point >> 12 & 0x3f)),
             static_cast<char>(0x80 | (point >> 6 & 0x3f)), static_cast<char>(0x80 | (point & 0x3f))};
  }
  return bytes;
}

TEST(Text, EveryCodePointIsTextExceptSurrogates) {
  for (uint32_t point = 0; point <= 0x10ffff; ++point) {
    const TextFault fault = FindTextFault(Encode(point));
    TextFault expected = TextFault::kNone;
    if (point >= 0xd800 && point <= 0xdfff) expected = TextFault::kMalformed;
    if (point < 0x20 || (point >= 0x7f && point < 0xa0)) expected = TextFault::kControl;
    ASSERT_EQ(fault, expected) << std::hex << point;
  }
}

TEST(Text, PointsAboveTheLastAreMalformed) {
  EXPECT_FALSE(IsUtf8(Encode(0x110000)));
  EXPECT_FALSE(IsUtf8("\xf5\x80\x80\x80"));
}

TEST(Text, OverlongFormsAreMalformed) {
  EXPECT_FALSE(IsUtf8("\xc0\x80"));
  EXPECT_FALSE(IsUtf8("\xc1\xbf"));
  EXPECT_FALSE(IsUtf8("\xe0\x9f\xbf"));
  EXPECT_FALSE(IsUtf8("\xf0\x8f\xbf\xbf"));
}

TEST(Text, TruncatedAndLooseBytesAreMalformed) {
  for (const char* bytes : {"\x80", "a\xbf", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xe2\x28\xa1", "\xff", "\xfe"}) {
    EXPECT_FALSE(IsUtf8(bytes)) << Quote(bytes);
  }
}

TEST(Text, MalformedGoesBeforeControl) { EXPECT_EQ(FindTextFault("\n\xff"), TextFault::kMalformed); }

TEST(Text, QuoteEscapesAndCuts) {
  EXPECT_EQ(Quote("a\nb"), "\"a\\nb\"");
  EXPECT_EQ(Quote(std::string_view("a\0b", 3)), R"("a\x00b")");
  EXPECT_EQ(Quote("it's \"\\\t\r\x7f\xff~ "), R"("it's \"\\\t\r\x7f\xff~ ")");
  EXPECT_LT(Quote(std::string(1000, 'x')).size(), 80u);
}

TEST(Text, NumbersAreShownWithTheDigitsThatMatter) {
  EXPECT_EQ(ShowNumber(100000), "100000");
  EXPECT_EQ(ShowNumber(-100000.0001), "-100000.0001");
  EXPECT_EQ(ShowNumber(0.1), "0.1");
  EXPECT_EQ(ShowNumber(1e9), "1e+09");
  EXPECT_EQ(ShowNumber(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(ShowNumber(std::numeric_limits<double>::quiet_NaN()), "nan");
}

}  // namespace
}  // namespace evenmatch
