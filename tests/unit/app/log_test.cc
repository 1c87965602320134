#include "app/log.h"

#include <string>

#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "spdlog/details/log_msg.h"

namespace evenmatch {
namespace {

std::string Format(bool json, std::string_view text) {
  const spdlog::details::log_msg message("", spdlog::level::warn, spdlog::string_view_t(text.data(), text.size()));
  spdlog::memory_buf_t out;
  MakeLogFormatter(json)->format(message, out);
  return std::string(out.data(), out.size());
}

TEST(Log, JsonStaysOneValidObject) {
  const std::string text = "line\nbreak \"quoted\" \\ \x01 \xe2\x80\xa8 дуэль";
  const std::string line = Format(true, text);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  google::protobuf::Struct object;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(line, &object).ok()) << line;
  EXPECT_EQ(object.fields().at("message").string_value(), text);
  EXPECT_EQ(object.fields().at("level").string_value(), "warning");
  EXPECT_EQ(object.fields().at("time").string_value().size(), 24u);
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(Format(true, "\xff\xfe"), &object).ok());
}

TEST(Log, TextStaysOneLine) {
  const std::string line = Format(false, "a\nb\x1b[31m");
  EXPECT_EQ(line.substr(24), " warning a\\x0ab\\x1b[31m\n");
}

}  // namespace
}  // namespace evenmatch
