#include "tools/arguments.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace evenmatch {
namespace {

std::variant<Arguments, Exit> Parse(std::vector<const char*> words) {
  words.insert(words.begin(), "evenmatch");
  return ParseArguments(static_cast<int>(words.size()), words.data());
}

template <typename Command>
Command Get(std::vector<const char*> words) {
  const auto parsed = Parse(std::move(words));
  if (const auto* exit = std::get_if<Exit>(&parsed)) {
    ADD_FAILURE() << exit->text;
    return {};
  }
  return std::get<Command>(std::get<Arguments>(parsed).command);
}

TEST(Arguments, LoadHasDefaults) {
  const auto load = Get<LoadArguments>({"load"});
  EXPECT_EQ(load.options.connect.address, "127.0.0.1:9050");
  EXPECT_EQ(load.options.mode, LoadOptions::Mode::kSession);
  EXPECT_EQ(load.options.queue, "duel");
  EXPECT_EQ(load.options.duration, 10 * kSecond);
  EXPECT_TRUE(load.options.acknowledge);
  EXPECT_EQ(load.ratings.kind, RatingDistribution::Kind::kNormal);
}

TEST(Arguments, LoadTakesEverything) {
  const auto load = Get<LoadArguments>({"load",
                                        "--address",
                                        "[::1]:1",
                                        "--rate",
                                        "2.5",
                                        "--duration",
                                        "1m",
                                        "--mode",
                                        "unary",
                                        "--queue",
                                        "squad",
                                        "--ratings",
                                        "uniform:1000:2000",
                                        "--parties",
                                        "1:3,5:1",
                                        "--seed",
                                        "9",
                                        "--connections",
                                        "4",
                                        "--outstanding",
                                        "256",
                                        "--settle",
                                        "0s",
                                        "--timeout",
                                        "30s",
                                        "--no-acknowledge",
                                        "--no-watch",
                                        "--end-matches",
                                        "--quiet",
                                        "--json"});
  EXPECT_EQ(load.options.connect.address, "[::1]:1");
  EXPECT_EQ(load.options.rate, 2.5);
  EXPECT_EQ(load.options.duration, kMinute);
  EXPECT_EQ(load.options.mode, LoadOptions::Mode::kUnary);
  EXPECT_EQ(load.options.queue, "squad");
  EXPECT_EQ(load.ratings.b, 2000);
  EXPECT_EQ(load.parties.largest(), 5);
  EXPECT_EQ(load.seed, 9u);
  EXPECT_EQ(load.options.connections, 4);
  EXPECT_EQ(load.options.outstanding, 256);
  EXPECT_EQ(load.options.settle, 0);
  EXPECT_EQ(load.options.ticket_timeout, 30 * kSecond);
  EXPECT_FALSE(load.options.acknowledge);
  EXPECT_FALSE(load.options.watch);
  EXPECT_TRUE(load.options.end_matches);
}

TEST(Arguments, GlobalFlagsMayStandOnEitherSide) {
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"--json", "--address", "h:1", "stats"}, {"stats", "--json", "--server", "h:1"}}) {
    const auto parsed = Parse(words);
    ASSERT_TRUE(std::holds_alternative<Arguments>(parsed));
    EXPECT_TRUE(std::get<Arguments>(parsed).json);
    EXPECT_EQ(std::get<Arguments>(parsed).connect.address, "h:1");
  }
}

TEST(Arguments, EnqueueTakesAParty) {
  const auto enqueue =
      Get<EnqueueArguments>({"enqueue",  "--queue", "a",         "--queue",   "b",        "--player",  "ada",
                             "--rating", "1500.5",  "--player",  "bob",       "--rating", "-3",        "--attribute",
                             "k=v=w",    "--watch", "--timeout", "1500ms",    "--tier",   "gold",      "--role",
                             "tank",     "--role",  "healer",    "--latency", "eu=30",    "--latency", "us=90"});
  EXPECT_EQ(enqueue.queues, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(enqueue.players, (std::vector<std::string>{"ada", "bob"}));
  EXPECT_EQ(enqueue.ratings, (std::vector<double>{1500.5, -3}));
  ASSERT_EQ(enqueue.attributes.size(), 1u);
  EXPECT_EQ(enqueue.attributes[0].second, AttributeValue("v=w"));
  EXPECT_EQ(enqueue.timeout, 1500 * kMillisecond);
  EXPECT_TRUE(enqueue.watch);
  EXPECT_EQ(enqueue.tier, "gold");
  EXPECT_EQ(enqueue.roles, (std::vector<std::string>{"tank", "healer"}));
  EXPECT_EQ(enqueue.latencies, (std::vector<std::pair<std::string, int32_t>>{{"eu", 30}, {"us", 90}}));
}

TEST(Arguments, AttributesHaveTheTypeTheyAreWrittenIn) {
  const auto enqueue = Get<EnqueueArguments>({"enqueue", "--queue", "q", "--player", "p", "--attribute", "rules=7.5",
                                              "--attribute", "languages=[en+de]", "--attribute", "build=\"5\""});
  const std::vector<std::pair<std::string, AttributeValue>> attributes{
      {"rules", 7.5}, {"languages", std::vector<std::string>{"en", "de"}}, {"build", std::string("5")}};
  EXPECT_EQ(enqueue.attributes, attributes);
}

TEST(Arguments, EnqueueSaysWhatIsKnownOfThePlayers) {
  const auto enqueue = Get<EnqueueArguments>(
      {"enqueue", "--queue",        "a",   "--queue",       "b",   "--preference", "2",    "--preference",
       "-1",      "--player",       "ada", "--player",      "bob", "--deviation",  "80.5", "--deviation",
       "90",      "--games-played", "12",  "--loss-streak", "3",   "--block",      "eve",  "--block",
       "mallory", "--avoid",        "cy",  "--recent",      "dan"});
  EXPECT_EQ(enqueue.preferences, (std::vector<int32_t>{2, -1}));
  EXPECT_EQ(enqueue.deviations, (std::vector<double>{80.5, 90}));
  EXPECT_EQ(enqueue.games_played, 12);
  EXPECT_EQ(enqueue.loss_streak, 3);
  EXPECT_EQ(enqueue.block, (std::vector<std::string>{"eve", "mallory"}));
  EXPECT_EQ(enqueue.avoid, (std::vector<std::string>{"cy"}));
  EXPECT_EQ(enqueue.recent, (std::vector<std::string>{"dan"}));
}

TEST(Arguments, TheLargestSeedIsTakenAndNoLargerOne) {
  EXPECT_EQ(Get<LoadArguments>({"load", "--seed", "18446744073709551615"}).seed, UINT64_MAX);
  for (const char* command : {"load", "demo", "simulate"}) {
    for (const char* seed : {"18446744073709551616", "-1", "1.5", ""}) {
      EXPECT_TRUE(std::holds_alternative<Exit>(Parse({command, "--seed", seed}))) << command << " " << seed;
    }
  }
}

TEST(Arguments, TimeoutsReachADayAndNoFurther) {
  EXPECT_EQ(Get<LoadArguments>({"load", "--timeout", "24h"}).options.ticket_timeout, 24 * kHour);
  EXPECT_EQ(Get<SimulateArguments>({"simulate", "--timeout", "24h"}).scenario.timeout, 24 * kHour);
  for (const std::vector<const char*>& words : {std::vector<const char*>{"load", "--timeout", "24h1ms"},
                                                {"simulate", "--timeout", "24h1ms"},
                                                {"enqueue", "--queue", "q", "--player", "p", "--timeout", "24h1ms"}}) {
    const auto parsed = Parse(words);
    const auto* exit = std::get_if<Exit>(&parsed);
    ASSERT_NE(exit, nullptr) << words[0];
    EXPECT_NE(exit->text.find("at most 24h"), std::string::npos) << exit->text;
  }
}

TEST(Arguments, WatchTakesACursor) {
  EXPECT_EQ(Get<WatchArguments>({"watch", "--ticket-id", "t", "--cursor", "3"}).cursor, 3u);
  EXPECT_FALSE(Get<WatchArguments>({"watch", "--player", "p"}).cursor.has_value());
  EXPECT_EQ(Get<CancelArguments>({"cancel", "--player", "p", "--pool-group", "g"}).ticket.pool_group, "g");
  EXPECT_EQ(Get<ReplayArguments>({"replay", "games.csv", "--rate", "50"}).file, "games.csv");
  EXPECT_EQ(Get<DemoArguments>({"demo"}).players, 100);
}

TEST(Arguments, GetAndEndNameWhatTheyMean) {
  EXPECT_EQ(Get<GetArguments>({"get", "--ticket-id", "t"}).ticket.ticket_id, "t");
  EXPECT_EQ(Get<GetArguments>({"get", "--player", "p", "--pool-group", "g"}).ticket.player_id, "p");
  EXPECT_EQ(Get<ExplainArguments>({"explain", "--player", "p", "--pool-group", "g"}).ticket.pool_group, "g");
  EXPECT_EQ(Get<EndArguments>({"end", "7-1-0"}).match_id, "7-1-0");
}

TEST(Arguments, NonsenseIsRefusedWithTwo) {
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{},
        {"dance"},
        {"load", "--rate", "0"},
        {"load", "--rate", "fast"},
        {"load", "--rate", "nan"},
        {"replay", "games.csv", "--rate", "nan"},
        {"demo", "--rate", "nan"},
        {"simulate", "--rate", "nan"},
        {"simulate", "--rate", "inf"},
        {"simulate", "--peak", "nan"},
        {"simulate", "--party-spread", "nan"},
        {"simulate", "--speed", "nan"},
        {"load", "--duration", "5"},
        {"load", "--duration", "0s"},
        {"load", "--mode", "magic"},
        {"load", "--ratings", "zipf:1:2"},
        {"load", "--parties", "0:1"},
        {"load", "--connections", "0"},
        {"load", "--rate", "10000000", "--duration", "100s"},
        {"load", "--colour", "red"},
        {"replay"},
        {"cancel"},
        {"cancel", "--ticket-id", "a", "--player", "b"},
        {"watch"},
        {"get"},
        {"get", "--ticket-id", "a", "--player", "b"},
        {"explain"},
        {"explain", "--ticket-id", "a", "--player", "b"},
        {"end"},
        {"end", "m", "n"},
        {"enqueue", "--queue", "q"},
        {"enqueue", "--player", "p"},
        {"enqueue", "--queue", "q", "--player", "p", "--attribute", "x"},
        {"enqueue", "--queue", "q", "--player", "p", "--attribute", "x=[a++b]"},
        {"enqueue", "--queue", "q", "--player", "p", "--attribute", "x=1", "--attribute", "x=2"},
        {"enqueue", "--queue", "q", "--player", "p", "--preference", "1", "--preference", "2"},
        {"enqueue", "--queue", "q", "--player", "a", "--player", "b", "--deviation", "1"},
        {"enqueue", "--queue", "q", "--player", "p", "--latency", "eu"},
        {"enqueue", "--queue", "q", "--player", "p", "--latency", "eu=fast"},
        {"enqueue", "--queue", "q", "--player", "a", "--player", "b", "--rating", "1"},
        {"stats", "extra"}}) {
    const auto parsed = Parse(words);
    const auto* exit = std::get_if<Exit>(&parsed);
    ASSERT_NE(exit, nullptr) << (words.empty() ? "" : words.back());
    EXPECT_EQ(exit->code, 2);
    EXPECT_FALSE(exit->text.empty());
  }
}

TEST(Arguments, UnknownCommandsAreNamed) {
  for (const std::vector<const char*>& words : {std::vector<const char*>{"nope"}, {"nope", "--player", "p"}}) {
    const auto parsed = Parse(words);
    EXPECT_EQ(std::get<Exit>(parsed).text.find("evenmatch: unknown command \"nope\"\n"), 0u)
        << std::get<Exit>(parsed).text;
  }
  EXPECT_EQ(std::get<Exit>(Parse({})).text.find("unknown"), std::string::npos);
}

TEST(Arguments, WithJsonComplaintsAreJsonToo) {
  for (const std::vector<const char*>& words : {std::vector<const char*>{"--json", "nope"}, {"nope", "--json"}}) {
    EXPECT_EQ(std::get<Exit>(Parse(words)).text,
              R"({"code":"INVALID_ARGUMENT","message":"unknown command \"nope\"","field":""})"
              "\n");
  }
}

TEST(Arguments, StatsAreNotAskedForMoreOftenThanTheServerWouldTellThem) {
  EXPECT_EQ(Get<StatsArguments>({"stats", "--follow", "--interval", "100ms"}).interval, 100 * kMillisecond);
  const auto parsed = Parse({"stats", "--follow", "--interval", "99ms"});
  ASSERT_TRUE(std::holds_alternative<Exit>(parsed));
  EXPECT_NE(std::get<Exit>(parsed).text.find("at least 100ms"), std::string::npos) << std::get<Exit>(parsed).text;
}

TEST(Arguments, HelpAndVersionAreFine) {
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"--help"}, {"--version"}, {"load", "--help"}}) {
    const auto parsed = Parse(words);
    const auto* exit = std::get_if<Exit>(&parsed);
    ASSERT_NE(exit, nullptr);
    EXPECT_EQ(exit->code, 0);
    EXPECT_FALSE(exit->text.empty());
  }
}

}  // namespace
}  // namespace evenmatch
