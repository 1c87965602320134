#include "base/json_object.h"

#include <limits>

#include "gtest/gtest.h"

namespace evenmatch {
namespace {

TEST(JsonObject, HasItsMembersInOrder) {
  JsonObject inner;
  inner.Add("a", -1);
  JsonObject object;
  EXPECT_EQ(object.Text(), "{}");
  object.Add("text", "say \"hi\"");
  object.Add("number", uint64_t{18'446'744'073'709'551'615u});
  object.Add("double", 0.5);
  object.Add("inner", inner);
  object.Add("list", std::vector<JsonObject>{inner, JsonObject()});
  EXPECT_EQ(
      object.Text(),
      R"({"text":"say \"hi\"","number":18446744073709551615,"double":0.5000,"inner":{"a":-1},"list":[{"a":-1},{}]})");
}

TEST(JsonObject, WhatIsNoNumberBecomesNull) {
  JsonObject object;
  object.Add("x", std::numeric_limits<double>::quiet_NaN());
  object.Add("y", std::numeric_limits<double>::infinity());
  EXPECT_EQ(object.Text(), R"({"x":null,"y":null})");
}

}  // namespace
}  // namespace evenmatch
