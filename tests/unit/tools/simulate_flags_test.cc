#include "tools/simulate_flags.h"

#include <string>
#include <vector>

#include "base/strings.h"
#include "evenmatch/config/v1/queue.pb.h"
#include "gtest/gtest.h"
#include "tools/arguments.h"

namespace evenmatch {
namespace {

std::variant<Arguments, Exit> Parse(std::vector<const char*> words) {
  words.insert(words.begin(), {"evenmatch", "simulate"});
  return ParseArguments(static_cast<int>(words.size()), words.data());
}

SimulateArguments Get(std::vector<const char*> words) {
  const auto parsed = Parse(std::move(words));
  if (const auto* exit = std::get_if<Exit>(&parsed)) {
    ADD_FAILURE() << exit->text;
    return {};
  }
  return std::get<SimulateArguments>(std::get<Arguments>(parsed).command);
}

std::string ErrorOf(std::vector<const char*> words) {
  const auto parsed = Parse(std::move(words));
  const auto* exit = std::get_if<Exit>(&parsed);
  EXPECT_TRUE(exit != nullptr && exit->code == 2);
  return exit == nullptr ? "" : exit->text;
}

TEST(SimulateFlags, HaveDefaults) {
  const SimulateArguments simulate = Get({});
  EXPECT_EQ(simulate.scenario.tickets, 100'000u);
  EXPECT_EQ(simulate.scenario.duration, kNever);
  EXPECT_EQ(simulate.scenario.arrivals.rate, 100);
  EXPECT_TRUE(simulate.scenario.shares.empty());
  EXPECT_FALSE(simulate.json.has_value());
  const std::vector<std::pair<std::string, std::string>> facts{
      {"tickets", "100 000"}, {"rate", "100/s"}, {"seed", "1"}};
  EXPECT_EQ(simulate.facts, facts);
}

TEST(SimulateFlags, TakeEverything) {
  const SimulateArguments simulate = Get({"--config",
                                          "a.yaml",
                                          "--config",
                                          "b.yaml",
                                          "--vary",
                                          "base=50,100",
                                          "--vary",
                                          "tick=100ms",
                                          "--queue",
                                          "duel:3",
                                          "--queue",
                                          "duel+squad",
                                          "--duration",
                                          "1h",
                                          "--rate",
                                          "20",
                                          "--peak",
                                          "200",
                                          "--period",
                                          "30m",
                                          "--burst",
                                          "5m:30s:10",
                                          "--timeout",
                                          "1m",
                                          "--warm-up",
                                          "2m",
                                          "--settle",
                                          "10s",
                                          "--seed",
                                          "7",
                                          "--ratings",
                                          "uniform:0:10",
                                          "--parties",
                                          "1:3,2:1",
                                          "--party-spread",
                                          "80",
                                          "--deviations",
                                          "normal:90:20",
                                          "--regions",
                                          "eu:2,us:1",
                                          "--roles",
                                          "tank:1,healer:1",
                                          "--roles-each",
                                          "2",
                                          "--tiers",
                                          "a:0,b:1500",
                                          "--games-played",
                                          "0:100",
                                          "--losing-streaks",
                                          "--leave-after",
                                          "30s",
                                          "--json",
                                          "o.json",
                                          "--html",
                                          "o.html",
                                          "--jobs",
                                          "3",
                                          "--quiet",
                                          "--attribute",
                                          "mode=ranked:3,casual:1"});
  const Scenario& scenario = simulate.scenario;
  EXPECT_EQ(simulate.configs, (std::vector<std::string>{"a.yaml", "b.yaml"}));
  ASSERT_EQ(simulate.variations.size(), 2u);
  EXPECT_EQ(simulate.variations[0].field, Variation::Field::kBase);
  EXPECT_EQ(simulate.variations[0].values[1].number, 100);
  EXPECT_EQ(simulate.variations[1].values[0].span, 100 * kMillisecond);
  ASSERT_EQ(scenario.crowd.attributes.size(), 1u);
  EXPECT_EQ(scenario.crowd.attributes[0].first, "mode");
  EXPECT_EQ(scenario.crowd.attributes[0].second.weights.size(), 2u);
  ASSERT_EQ(scenario.shares.size(), 2u);
  EXPECT_EQ(scenario.shares[0].weight, 3u);
  EXPECT_EQ(scenario.shares[1].queues, (std::vector<std::string>{"duel", "squad"}));
  EXPECT_EQ(scenario.tickets, 0u);
  EXPECT_EQ(scenario.duration, kHour);
  EXPECT_EQ(scenario.arrivals.peak, 200);
  EXPECT_EQ(scenario.arrivals.period, 30 * kMinute);
  ASSERT_EQ(scenario.arrivals.bursts.size(), 1u);
  EXPECT_EQ(scenario.arrivals.bursts[0].from, 5 * kMinute);
  EXPECT_EQ(scenario.arrivals.bursts[0].span, 30 * kSecond);
  EXPECT_EQ(scenario.arrivals.bursts[0].factor, 10);
  EXPECT_EQ(scenario.timeout, kMinute);
  EXPECT_EQ(scenario.warm_up, 2 * kMinute);
  EXPECT_EQ(scenario.settle, 10 * kSecond);
  EXPECT_EQ(scenario.seed, 7u);
  EXPECT_EQ(scenario.crowd.party_spread, 80);
  ASSERT_TRUE(scenario.crowd.deviations.has_value());
  EXPECT_EQ(scenario.crowd.deviations->a, 90);
  EXPECT_EQ(scenario.crowd.regions.weights.size(), 2u);
  EXPECT_EQ(scenario.crowd.roles_each, 2);
  EXPECT_EQ(scenario.crowd.tiers[1].second, 1'500 * kPoint);
  EXPECT_EQ(scenario.crowd.games_played->high, 100);
  EXPECT_TRUE(scenario.crowd.losing_streaks);
  EXPECT_EQ(scenario.crowd.leave_after, 30 * kSecond);
  EXPECT_EQ(simulate.json, "o.json");
  EXPECT_EQ(simulate.html, "o.html");
  EXPECT_EQ(simulate.jobs, 3);
  EXPECT_TRUE(simulate.quiet);
}

TEST(SimulateFlags, JsonNeedsNoFile) {
  EXPECT_EQ(Get({"--json"}).json, "");
  EXPECT_EQ(Get({"--json", "--html", "o.html"}).json, "");
  EXPECT_EQ(Get({"--json=o.json"}).json, "o.json");
}

TEST(SimulateFlags, WhatWasAskedForIsAFact) {
  const SimulateArguments simulate = Get(
      {"--tickets", "1000", "--games", "some/where/games.csv", "--parties", "1:3,2:1", "--losing-streaks", "--json"});
  const std::vector<std::pair<std::string, std::string>> facts{{"tickets", "1 000"},      {"rate", "100/s"},
                                                               {"games", "games.csv"},    {"parties", "1:3,2:1"},
                                                               {"losing-streaks", "yes"}, {"seed", "1"}};
  EXPECT_EQ(simulate.facts, facts);
}

TEST(SimulateFlags, WhatMakesNoSenseIsRefused) {
  EXPECT_NE(ErrorOf({"--trace"}).find("--games"), std::string::npos);
  EXPECT_NE(ErrorOf({"--trace", "--games", "x", "--rate", "5"}).find("--rate"), std::string::npos);
  EXPECT_NE(ErrorOf({"--games", "x", "--ratings", "normal:1:1"}).find("--ratings"), std::string::npos);
  EXPECT_NE(ErrorOf({"--rate", "50", "--peak", "20"}).find("--peak"), std::string::npos);
  EXPECT_NE(ErrorOf({"--rate", "1e6", "--duration", "24h"}).find("--duration"), std::string::npos);
  EXPECT_NE(ErrorOf({"--tickets", "0"}).find("--tickets"), std::string::npos);
  for (const char* text : {"", "duel:0", "duel:x", "+duel", "duel+", ":1", "a:1:1"}) {
    EXPECT_FALSE(ParseQueueShare(text).ok()) << text;
    ErrorOf({"--queue", text});
  }
  for (const char* text : {"", "base", "base=", "base=x", "base=-1", "tick=5", "color=1", "base=1,,2", "base=nan",
                           "base=inf", "tick=-1s"}) {
    EXPECT_FALSE(Variation::Parse(text).ok()) << text;
  }
  for (const char* text : {"", "5m:30s", "5m:30s:x", "5m:30s:-1", "a:30s:2", "5m:b:2", "5m:30s:1001"}) {
    ErrorOf({"--burst", text});
  }
  for (const char* text : {"", "mode", "mode=", "=a:1", "mode=a", "mode=a:0", "mode=uniform:2:1"})
    ErrorOf({"--attribute", text});
  for (const char* text : {"", "a", "a:x", "a:2,b:1", ":1", "a:1e9"}) ErrorOf({"--tiers", text});
  std::string values = "1";
  for (int i = 2; i < 42; ++i) values.append(",").append(std::to_string(i));
  const std::string base = "base=" + values, max = "max=" + values;
  EXPECT_NE(ErrorOf({"--vary", base.c_str(), "--vary", max.c_str()}).find("1000"), std::string::npos);
}

TEST(SimulateFlags, NothingIsTriedTwice) {
  for (const char* text : {"base=1,2,1", "base=1,1.0", "target_wait_p95=1s,1000ms"}) {
    EXPECT_NE(ErrorOf({"--vary", text}).find("twice"), std::string::npos) << text;
  }
  EXPECT_NE(ErrorOf({"--vary", "base=1", "--vary", "base=2"}).find("twice"), std::string::npos);
}

TEST(SimulateFlags, AVariationSetsItsRule) {
  config::v1::Queue queue;
  queue.mutable_window()->set_preset(config::v1::Window::PRESET_LINEAR);
  for (const char* text :
       {"base=50", "growth=12.5", "max=400", "deviation_factor=1.5", "target_wait_p95=2500ms", "tick=1s"}) {
    const Variation variation = *Variation::Parse(text);
    Vary(variation, variation.values[0], &queue);
  }
  EXPECT_EQ(queue.window().preset(), config::v1::Window::PRESET_UNSPECIFIED);
  EXPECT_EQ(queue.window().linear().base(), 50);
  EXPECT_EQ(queue.window().linear().growth_per_second(), 12.5);
  EXPECT_EQ(queue.window().linear().max(), 400);
  EXPECT_EQ(queue.window().deviation_factor(), 1.5);
  EXPECT_EQ(queue.target_wait_p95().seconds(), 2);
  EXPECT_EQ(queue.target_wait_p95().nanos(), 500'000'000);
  EXPECT_EQ(queue.tick().seconds(), 1);
}

}  // namespace
}  // namespace evenmatch
