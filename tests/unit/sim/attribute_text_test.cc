#include "sim/attribute_text.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace evenmatch {
namespace {

TEST(AttributeText, WholeFiniteNumbersAreNumbersAndAllElseIsText) {
  const auto number = [](const char* text) { return std::get<double>(*ParseAttributeValue(text)); };
  EXPECT_EQ(number("5"), 5);
  EXPECT_EQ(number("-0.25"), -0.25);
  EXPECT_EQ(number("1e3"), 1000);
  for (const char* text : {"", "gold", "5x", " 5", "5 ", "nan", "inf", "1e999", "v=w", "[en", "en]", "\"", "en+de"}) {
    EXPECT_EQ(std::get<std::string>(*ParseAttributeValue(text)), text);
  }
}

TEST(AttributeText, BracketsMakeAList) {
  const auto list = [](const char* text) { return std::get<std::vector<std::string>>(*ParseAttributeValue(text)); };
  EXPECT_EQ(list("[en+de]"), (std::vector<std::string>{"en", "de"}));
  EXPECT_EQ(list("[5]"), (std::vector<std::string>{"5"}));
  EXPECT_TRUE(list("[]").empty());
  for (const char* text : {"[+]", "[en+]", "[en++de]", "\x80"}) EXPECT_FALSE(ParseAttributeValue(text).ok()) << text;
}

TEST(AttributeText, QuotesMakeATextOfAnything) {
  const auto text = [](const char* written) { return std::get<std::string>(*ParseAttributeValue(written)); };
  EXPECT_EQ(text("\"5\""), "5");
  EXPECT_EQ(text("\"[en+de]\""), "[en+de]");
  EXPECT_EQ(text("\"\""), "");
}

}  // namespace
}  // namespace evenmatch
