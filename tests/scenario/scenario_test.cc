#include "tests/scenario/scenario.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace evenmatch {
namespace {

std::vector<std::string> ScenarioNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(EVENMATCH_SCENARIOS)) {
    const bool scenario = entry.path().extension() == ".txt" && entry.path().stem() != "CMakeLists";
    if (scenario) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The first difference with some lines around it.
std::string FirstDifference(const std::string& expected, const std::string& actual) {
  const auto want = Lines(expected), got = Lines(actual);
  size_t same = 0;
  while (same < want.size() && same < got.size() && want[same] == got[same]) ++same;
  std::ostringstream out;
  for (size_t i = same < 5 ? 0 : same - 5; i < same; ++i) out << "   " << want[i] << '\n';
  for (size_t i = same; i < std::min(same + 4, want.size()); ++i) out << " - " << want[i] << '\n';
  for (size_t i = same; i < std::min(same + 4, got.size()); ++i) out << " + " << got[i] << '\n';
  return out.str();
}

class ScenarioTest : public testing::TestWithParam<std::string> {};

TEST_P(ScenarioTest, HappensAsWritten) {
  const std::string path = std::string(EVENMATCH_SCENARIOS).append("/").append(GetParam()).append(".txt");
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string actual = Play(text.str());
  if (std::getenv("EVENMATCH_REWRITE") != nullptr) {
    std::ofstream(path) << actual;
  }
  EXPECT_TRUE(text.str() == actual) << path << " (- written, + happened)\n" << FirstDifference(text.str(), actual);
}

INSTANTIATE_TEST_SUITE_P(All, ScenarioTest, testing::ValuesIn(ScenarioNames()),
                         [](const auto& info) { return info.param; });

TEST(ScenarioRunnerTest, SaysSoWhenALineIsNotUnderstood) {
  EXPECT_EQ(Play("queue duel\ndance t1\ntick duel\n"), "queue duel\ndance t1\n  ?\n");
}

TEST(ScenarioRunnerTest, WhatWasWrittenBelowACommandDoesNotMatter) {
  const std::string script = "queue duel\nenqueue t1 p1=1500\n";
  const std::string told = Play(script);
  EXPECT_EQ(told, "queue duel\nenqueue t1 p1=1500\n  -> new t1 #1 waiting, duel 1500 +-100\n  t1 #1 queued\n");
  EXPECT_EQ(Play(told), told);
  EXPECT_EQ(Play(std::string(told).append("  t1 #2 matched M1\n")), told);
}

}  // namespace
}  // namespace evenmatch
