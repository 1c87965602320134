#include "app/flags.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace evenmatch {
namespace {

std::variant<Settings, Exit> Read(std::vector<std::string> words) {
  std::vector<const char*> arguments{"evenmatchd"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  return ReadFlags(static_cast<int>(arguments.size()), arguments.data());
}

class FlagsTest : public testing::Test {
 protected:
  std::string Write(const std::string& text) {
    const std::string name = testing::TempDir() + "/evenmatch_flags_test.yaml";
    std::ofstream(name) << text;
    return name;
  }
};

TEST_F(FlagsTest, WithoutFileTheDefaultsHold) {
  const auto flags = Read({});
  ASSERT_TRUE(std::holds_alternative<Settings>(flags));
  EXPECT_EQ(std::get<Settings>(flags).catalog.queues.size(), 2u);
  EXPECT_EQ(std::get<Settings>(flags).server.grpc_address.Text(), "127.0.0.1:9050");
}

TEST_F(FlagsTest, FlagsOverruleTheFile) {
  const std::string file =
      Write("queues: [{name: q, team_size: 1}]\nserver: {grpc_address: h:1, http_address: h:2}\nlog: {format: text}\n");
  const auto flags =
      Read({"--config", file, "--grpc-address", "127.0.0.1:0", "--http-address", "[::1]:3", "--log-format", "json"});
  ASSERT_TRUE(std::holds_alternative<Settings>(flags));
  const Settings& settings = std::get<Settings>(flags);
  EXPECT_EQ(settings.catalog.queues[0].name, "q");
  EXPECT_EQ(settings.server.grpc_address.Text(), "127.0.0.1:0");
  EXPECT_EQ(settings.server.http_address.Text(), "[::1]:3");
  EXPECT_EQ(settings.log.format, "json");
}

TEST_F(FlagsTest, TheLastOfTwoCounts) {
  const auto flags = Read({"--grpc-address", "a:1", "--grpc-address", "b:2"});
  ASSERT_TRUE(std::holds_alternative<Settings>(flags));
  EXPECT_EQ(std::get<Settings>(flags).server.grpc_address.Text(), "b:2");
}

TEST_F(FlagsTest, CheckTellsAllErrorsWithFileAndLine) {
  const std::string file = Write("queues: [{name: q}]\nlog: {level: loud}\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--check-config", "--config", file}, {"--config", file}}) {
    const auto flags = Read(words);
    const auto* exit = std::get_if<Exit>(&flags);
    ASSERT_NE(exit, nullptr);
    EXPECT_EQ(exit->code, 2);
    EXPECT_NE(exit->text.find(file + ":1: queues[0].team_size: is required\n"), std::string::npos) << exit->text;
    EXPECT_NE(exit->text.find(file + ":2: log.level: "), std::string::npos) << exit->text;
  }
}

TEST_F(FlagsTest, CheckOfAGoodFileIsOk) {
  const auto flags = Read({"--check-config", "--config", Write("queues: [{name: q, team_size: 1}]")});
  const auto* exit = std::get_if<Exit>(&flags);
  ASSERT_NE(exit, nullptr);
  EXPECT_EQ(exit->code, 0);
  EXPECT_EQ(exit->text, "ok\n");
}

TEST_F(FlagsTest, CheckReadsTheFilesOfTls) {
  const std::string pem = testing::TempDir() + "/evenmatch_flags_test.pem";
  std::ofstream(pem) << "no certificate\n";
  for (const std::string& name : {std::string("/nowhere/at/all.pem"), pem}) {
    const std::string file = Write("queues: [{name: q, team_size: 1}]\nserver: {tls: {certificate_file: " + name +
                                   ", key_file: " + name + "}}\n");
    const auto flags = Read({"--check-config", "--config", file});
    const auto* exit = std::get_if<Exit>(&flags);
    ASSERT_NE(exit, nullptr);
    EXPECT_EQ(exit->code, 2);
    EXPECT_EQ(exit->text.find(file + ": server.tls: \"" + name + "\": "), 0u) << exit->text;
  }
}

TEST_F(FlagsTest, UnreadableAndEndlessFilesAreRefused) {
  for (const char* file : {"/nowhere/at/all.yaml", "/", "/dev/zero"}) {
    const auto flags = Read({"--config", file});
    const auto* exit = std::get_if<Exit>(&flags);
    ASSERT_NE(exit, nullptr) << file;
    EXPECT_EQ(exit->code, 2);
    EXPECT_EQ(exit->text.substr(0, std::string(file).size()), file);
  }
}

TEST_F(FlagsTest, NonsenseIsRefusedWithTwo) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--colour", "red"},
                                                {"--grpc-address", "nowhere"},
                                                {"--http-address", "h:99999"},
                                                {"--log-format", "verse"},
                                                {"serve"}}) {
    const auto flags = Read(words);
    const auto* exit = std::get_if<Exit>(&flags);
    ASSERT_NE(exit, nullptr) << words[0];
    EXPECT_EQ(exit->code, 2);
    EXPECT_FALSE(exit->text.empty());
  }
}

TEST_F(FlagsTest, HelpAndVersionAreFine) {
  for (const char* flag : {"--help", "--version"}) {
    const auto flags = Read({flag});
    const auto* exit = std::get_if<Exit>(&flags);
    ASSERT_NE(exit, nullptr);
    EXPECT_EQ(exit->code, 0);
    EXPECT_NE(exit->text.find("evenmatchd"), std::string::npos);
  }
}

}  // namespace
}  // namespace evenmatch
