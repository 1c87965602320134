#include "config/config.h"

#include <string>
#include <vector>

#include "evenmatch/config/v1/config.pb.h"
#include "gtest/gtest.h"

namespace evenmatch {
namespace {

std::vector<std::string> Errors(std::string_view yaml) {
  std::vector<std::string> texts;
  for (const ConfigError& error : ReadConfig(yaml).errors) texts.push_back(error.Text("f.yaml"));
  return texts;
}

// One error, and the beginning of it.
void ExpectError(std::string_view yaml, const std::string& start) {
  SCOPED_TRACE(std::string(yaml.substr(0, 200)));
  const std::vector<std::string> errors = Errors(yaml);
  ASSERT_EQ(errors.size(), 1u) << (errors.empty() ? "" : errors[0] + "\n" + errors.back());
  EXPECT_EQ(errors[0].substr(0, start.size()), start);
}

// A valid queue with more lines, of which the first is line 3.
std::string Queue(const std::string& lines) { return "queues:\n  - {name: q, team_size: 1,\n" + lines + "}\n"; }
std::string Config(const std::string& lines) { return "queues: [{name: q, team_size: 1}]\n" + lines; }

TEST(Config, SmallestFileIsANameAndATeamSize) {
  const ConfigResult result = ReadConfig("queues:\n- name: q\n  team_size: 3\n");
  ASSERT_TRUE(result.errors.empty());
  ASSERT_EQ(result.settings.catalog.queues.size(), 1u);
  const QueueRules& queue = result.settings.catalog.queues[0];
  EXPECT_EQ(queue.name, "q");
  EXPECT_EQ(queue.team_size, 3);
  EXPECT_EQ(queue.team_count, 2);
  EXPECT_EQ(queue.tick, 100 * kMillisecond);
  EXPECT_EQ(queue.window.base, 100 * kPoint);
  ASSERT_EQ(result.settings.catalog.groups.size(), 1u);
  EXPECT_EQ(result.settings.catalog.groups[0].name, "default");
  EXPECT_EQ(result.settings.server.grpc_address.Text(), "127.0.0.1:9050");
  EXPECT_EQ(result.settings.server.http_address.Text(), "127.0.0.1:9080");
}

TEST(Config, DefaultServesDuelAndSquad) {
  const ConfigResult result = ReadConfig(DefaultConfig());
  ASSERT_TRUE(result.errors.empty());
  const Catalog& catalog = result.settings.catalog;
  ASSERT_GE(catalog.FindQueue("duel"), 0);
  ASSERT_GE(catalog.FindQueue("squad"), 0);
  EXPECT_TRUE(catalog.queues[catalog.FindQueue("duel")].duel());
  EXPECT_EQ(catalog.queues[catalog.FindQueue("squad")].team_size, 5);
}

TEST(Config, EveryFieldReachesItsSetting) {
  const ConfigResult result = ReadConfig(R"(
queues:
  - name: ranked
    pool_group: eu
    team_count: 3
    team_size: 4
    window:
      steps:
        - {after: 0s, width: 50.5}
        - {after: 1m30s, width: 100}
        - {after: 1h}
    required_attributes: [map, version]
    start_rating: -12.345
    tick: 250ms
    max_waiting: 77
    default_timeout: 45s
    hold_timeout: 0s
  - name: casual
    pool_group: eu
    team_size: 1
    window: {linear: {base: 1, growth_per_second: 2.5, max: 3}}
  - name: other
    team_size: 1
server:
  grpc_address: 0.0.0.0:0
  http_address: "[::1]:80"
  tls: {certificate_file: c.pem, key_file: k.pem, client_ca_file: ca.pem}
  reflection: false
  shards: 4
  drain_grace: 3s
  presence_grace: 1500ms
limits:
  message_bytes: 2048
  tickets_per_group: 10
  waiting_per_peer: 11
  retained_matches_per_group: 12
  commands_in_flight_per_peer: 13
  inbox_commands: 64
  ticket_timeout: 1h
log: {format: json, level: warn}
)");
  ASSERT_TRUE(result.errors.empty()) << result.errors[0].Text("f");
  const Settings& settings = result.settings;
  const QueueRules& ranked = settings.catalog.queues[0];
  EXPECT_EQ(ranked.team_count, 3);
  ASSERT_EQ(ranked.window.steps.size(), 3u);
  EXPECT_EQ(ranked.window.steps[0].width, 50'500);
  EXPECT_EQ(ranked.window.steps[1].after, 90 * kSecond);
  EXPECT_EQ(ranked.window.steps[2].after, kHour);
  EXPECT_EQ(ranked.window.steps[2].width, kUnlimitedWindow);
  EXPECT_EQ(ranked.required_attributes, (std::vector<std::string>{"map", "version"}));
  EXPECT_EQ(ranked.start_value, -12'345);
  EXPECT_EQ(ranked.tick, 250 * kMillisecond);
  EXPECT_EQ(ranked.max_waiting, 77u);
  EXPECT_EQ(ranked.default_timeout, 45 * kSecond);
  EXPECT_EQ(ranked.hold_timeout, 0);
  EXPECT_EQ(settings.catalog.queues[1].window.growth_per_second, 2'500);
  ASSERT_EQ(settings.catalog.groups.size(), 2u);
  EXPECT_EQ(settings.catalog.groups[0].name, "eu");
  EXPECT_EQ(settings.catalog.groups[0].queues, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(settings.catalog.queues[2].group, 1u);
  EXPECT_EQ(settings.catalog.presence_grace, 1500 * kMillisecond);
  EXPECT_EQ(settings.server.grpc_address.Text(), "0.0.0.0:0");
  EXPECT_EQ(settings.server.http_address.host, "::1");
  EXPECT_EQ(settings.server.http_address.Text(), "[::1]:80");
  ASSERT_TRUE(settings.server.tls.has_value());
  EXPECT_EQ(settings.server.tls->client_ca, "ca.pem");
  EXPECT_FALSE(settings.server.reflection);
  EXPECT_EQ(settings.server.shards, 4);
  EXPECT_EQ(settings.server.drain_grace, 3 * kSecond);
  EXPECT_EQ(settings.limits.message_bytes, 2048u);
  EXPECT_EQ(settings.limits.tickets_per_group, 10u);
  EXPECT_EQ(settings.limits.waiting_per_peer, 11u);
  EXPECT_EQ(settings.limits.retained_matches_per_group, 12u);
  EXPECT_EQ(settings.limits.commands_in_flight_per_peer, 13u);
  EXPECT_EQ(settings.limits.inbox_commands, 64u);
  EXPECT_EQ(settings.limits.ticket_timeout, kHour);
  EXPECT_EQ(settings.log.format, "json");
  EXPECT_EQ(settings.log.level, "warn");
}

TEST(Config, DefaultsOfTheFileAreTheDefaultsOfTheCode) {
  const Settings settings = ReadConfig("queues: [{name: q, team_size: 1}]").settings;
  EXPECT_EQ(settings.catalog.queues[0].default_timeout, kDefaultTicketTimeout);
  EXPECT_EQ(settings.limits.inbox_commands, Limits().inbox_commands);
  EXPECT_EQ(settings.limits.ticket_timeout, Limits().ticket_timeout);
  EXPECT_EQ(settings.catalog.presence_grace, Catalog().presence_grace);
}

TEST(Config, AllErrorsAreToldInOrderOfLines) {
  EXPECT_EQ(
      Errors("queues:\n"
             "  - name: q\n"
             "    team_size: 0\n"
             "    tick: fast\n"
             "  - name: q\n"
             "    teamsize: 1\n"
             "serve:\n"
             "  shards: 2\n"
             "log:\n"
             "  level: loud\n"),
      (std::vector<std::string>{
          "f.yaml:3: queues[0].team_size: must be 1 to 64, not 0",
          "f.yaml:4: queues[0].tick: must be a duration with its unit, like \"100ms\", \"90s\" or \"1h\", not \"fast\"",
          "f.yaml:5: queues[1].name: \"q\" is the name of queues[0] already",
          "f.yaml:6: queues[1].teamsize: unknown field; did you mean \"team_size\"?",
          "f.yaml:7: serve: unknown field; did you mean \"server\"?",
          "f.yaml:10: log.level: must be one of trace, debug, info, warn, error",
      }));
}

TEST(Config, MissingFieldHasTheLineOfWhatItBelongsTo) {
  ExpectError("queues:\n  - name: q\n", "f.yaml:2: queues[0].team_size: is required");
  ExpectError("queues:\n\n  - team_size: 1\n", "f.yaml:3: queues[0].name: is required");
  ExpectError("log: {}\n", "f.yaml: queues: at least one queue is needed");
  ExpectError("queues: []\n", "f.yaml:1: queues: at least one queue is needed");
}

TEST(Config, UnknownFieldWithoutNearNameListsTheFields) {
  ExpectError(Config("log: {colour: red}\n"), "f.yaml:2: log.colour: unknown field; there are format, level");
  ExpectError(Config("<<: 5\n"), "f.yaml:2: <<: unknown field");
}

TEST(Config, DuplicateKeyIsRefused) {
  ExpectError("queues: [{name: q, team_size: 1}]\nlog: {}\nlog: {}\n",
              "f.yaml:3: log: is given twice; first on line 2");
}

TEST(Config, WrongTypesAreRefused) {
  ExpectError("queues: 5\n", "f.yaml:1: queues: must be a list");
  ExpectError("queues: [5]\n", "f.yaml:1: queues[0]: must be a mapping of fields");
  ExpectError("- a\n", "f.yaml:1: must be a mapping of fields");
  ExpectError("queues: [{name: [a], team_size: 1}]\n", "f.yaml:1: queues[0].name: must be a text, not a list");
  ExpectError("queues: [{name: q, team_size: \"1\"}]\n", "f.yaml:1: queues[0].team_size: must not be in quotes");
  ExpectError("queues: [{name: q, team_size: one}]\n", "f.yaml:1: queues[0].team_size: must be a whole number");
  ExpectError("queues: [{name: q, team_size: 1.5}]\n", "f.yaml:1: queues[0].team_size: must be a whole number");
  ExpectError("queues: [{name: q, team_size: 99999999999}]\n", "f.yaml:1: queues[0].team_size: is out of range");
  ExpectError("queues: [{name: q, team_size: }]\n", "f.yaml:1: queues[0].team_size: has no value");
  ExpectError(Queue("start_rating: .nan"), "f.yaml:3: queues[0].start_rating: must be a number");
  ExpectError(Queue("start_rating: nan"), "f.yaml:3: queues[0].start_rating: must be a number");
  ExpectError(Queue("start_rating: 1e999"), "f.yaml:3: queues[0].start_rating: must be a number");
  ExpectError(Queue("max_waiting: -1"), "f.yaml:3: queues[0].max_waiting: is out of range");
  ExpectError(Queue("window: {linear: [1]}"), "f.yaml:3: queues[0].window.linear: must be a mapping");
  ExpectError(Queue("name: !!str x"), "f.yaml:3: queues[0].name: is given twice");
  ExpectError(Config("log: {level: !!str info}\n"), "f.yaml:2: log.level: has the tag");
  ExpectError(Config("server: {reflection: yes}\n"), "f.yaml:2: server.reflection: must be true or false");
  ExpectError(Config("? [a]\n: b\n"), "f.yaml:2: the name of a field must be a plain text");
}

TEST(Config, BadDurationsAreRefused) {
  for (const char* text : {"5", "5 parsecs", "inf", "", "s", "1e400h"}) {
    ExpectError(Queue(std::string("tick: \"") + text + "\""), "f.yaml:3: queues[0].tick: ");
  }
  ExpectError(Queue("tick: 99999999999999h"), "f.yaml:3: queues[0].tick: is out of range");
  ExpectError(Queue("tick: 1500ns"), "f.yaml:3: queues[0].tick: must be a whole number of microseconds");
  ExpectError(Queue("tick: [1s]"), "f.yaml:3: queues[0].tick: must be a duration");
  ExpectError(Queue("tick: -1s"), "f.yaml:3: queues[0].tick: must be 1ms to 1m, not -1s");
}

TEST(Config, ValuesOutOfRangeAreRefused) {
  ExpectError("queues: [{name: q, team_size: 65}]\n", "f.yaml:1: queues[0].team_size: must be 1 to 64, not 65");
  ExpectError(Queue("team_count: 1"), "f.yaml:3: queues[0].team_count: must be 2 to 64, not 1");
  ExpectError(Queue("start_rating: 100001"), "f.yaml:3: queues[0].start_rating: must be -100000 to 100000");
  ExpectError(Queue("tick: 500us"), "f.yaml:3: queues[0].tick: ");
  ExpectError(Queue("tick: 61s"), "f.yaml:3: queues[0].tick: ");
  ExpectError(Queue("max_waiting: 0"), "f.yaml:3: queues[0].max_waiting: ");
  ExpectError(Queue("default_timeout: 0s"), "f.yaml:3: queues[0].default_timeout: ");
  ExpectError(Queue("default_timeout: 25h"), "f.yaml:3: queues[0].default_timeout: ");
  ExpectError(Queue("hold_timeout: 25h"), "f.yaml:3: queues[0].hold_timeout: ");
  ExpectError(Queue("required_attributes: [a, a]"),
              "f.yaml:3: queues[0].required_attributes[1]: is in the list already");
  ExpectError(Queue("required_attributes: [\"\"]"), "f.yaml:3: queues[0].required_attributes[0]: is required");
  ExpectError(Config("server: {shards: 0}\n"), "f.yaml:2: server.shards: must be 1 to 64, not 0");
  ExpectError(Config("server: {drain_grace: 2h}\n"), "f.yaml:2: server.drain_grace: ");
  ExpectError(Config("server: {presence_grace: -1s}\n"), "f.yaml:2: server.presence_grace: ");
  ExpectError(Config("limits: {message_bytes: 1048577}\n"), "f.yaml:2: limits.message_bytes: ");
  ExpectError(Config("limits: {inbox_commands: 1}\n"), "f.yaml:2: limits.inbox_commands: ");
  ExpectError(Config("limits: {ticket_timeout: 25h}\n"), "f.yaml:2: limits.ticket_timeout: ");
  ExpectError(Config("log: {format: xml}\n"), "f.yaml:2: log.format: must be one of text, json");
}

TEST(Config, DefaultTimeoutFollowsALowerCeiling) {
  const ConfigResult result = ReadConfig(Config("limits: {ticket_timeout: 30s}\n"));
  ASSERT_TRUE(result.errors.empty());
  EXPECT_EQ(result.settings.catalog.queues[0].default_timeout, 30 * kSecond);
}

TEST(Config, WindowsNeverNarrow) {
  ExpectError(Queue("window: {linear: {base: 200, max: 100}}"),
              "f.yaml:3: queues[0].window.linear.max: max 100 must not be below base 200");
  ExpectError(Queue("window: {linear: {base: 900}}"),
              "f.yaml:3: queues[0].window.linear.base: max 800 (its default) must not be below base 900");
  ExpectError(Queue("window: {linear: {}, steps: [{after: 0s}]}"),
              "f.yaml:3: queues[0].window: has more than one of preset, linear and steps");
  ExpectError(Queue("window: {steps: []}"), "f.yaml:3: queues[0].window.steps: is empty");
  ExpectError(Queue("window: {steps: [{after: 1s}]}"), "f.yaml:3: queues[0].window.steps[0].after: must be 0s");
  ExpectError(Queue("window: {steps: [{width: 1}]}"), "f.yaml:3: queues[0].window.steps[0].after: is required");
  ExpectError(Queue("window: {steps: [{after: 0s, width: 10},\n {after: 5s, width: 20},\n {after: 5s, width: 30}]}"),
              "f.yaml:5: queues[0].window.steps[2].after: must be later than the step before, at 5s");
  ExpectError(Queue("window: {steps: [{after: 0s, width: 10}, {after: 5s, width: 9}]}"),
              "f.yaml:3: queues[0].window.steps[1].width: must not be narrower than the step before, 10");
  ExpectError(Queue("window: {steps: [{after: 0s}, {after: 5s, width: 9}]}"),
              "f.yaml:3: queues[0].window.steps[1].width: must not be narrower");
  ExpectError(Queue("window: {linear: {growth_per_second: -1}}"),
              "f.yaml:3: queues[0].window.linear.growth_per_second: ");
}

TEST(Config, NamesMustBeCleanText) {
  ExpectError("queues: [{name: \"a\\u0007\", team_size: 1}]", "f.yaml:1: queues[0].name: must be valid UTF-8");
  ExpectError("queues: [{name: \"a\\x85\", team_size: 1}]", "f.yaml:1: queues[0].name: must be valid UTF-8");
  ExpectError("queues: [{name: \"" + std::string(129, 'a') + "\", team_size: 1}]",
              "f.yaml:1: queues[0].name: has 129 bytes");
  EXPECT_TRUE(Errors("queues: [{name: \"дуэль 決闘 🎲\", team_size: 1}]").empty());
}

TEST(Config, HalfOfTlsIsRefused) {
  ExpectError(Config("server:\n  tls:\n    key_file: k\n"),
              "f.yaml:4: server.tls.key_file: needs its certificate_file");
  ExpectError(Config("server:\n  tls:\n    certificate_file: c\n"),
              "f.yaml:4: server.tls.certificate_file: needs its key_file");
  ExpectError(Config("server:\n  tls: {client_ca_file: ca}\n"),
              "f.yaml:3: server.tls: needs certificate_file and key_file");
  ExpectError(Config("server:\n  tls: {}\n"), "f.yaml:3: server.tls: needs certificate_file and key_file");
}

TEST(Config, AddressesAreHostAndPort) {
  for (const char* text :
       {"9050", "host", ":9050", "host:", "host:65536", "host:-1", "::1:80", "a b:80", "[]:80", "h:8x"}) {
    EXPECT_FALSE(ParseHostPort(text).has_value()) << text;
  }
  EXPECT_EQ(ParseHostPort("localhost:0")->port, 0);
  EXPECT_EQ(ParseHostPort("[fe80::1]:9050")->host, "fe80::1");
  ExpectError(Config("server: {grpc_address: nowhere}\n"), "f.yaml:2: server.grpc_address: must be HOST:PORT");
  ExpectError(Config("server: {grpc_address: 127.0.0.1:9080}\n"), "f.yaml:2: server.grpc_address: gRPC and HTTP need");
  EXPECT_TRUE(Errors(Config("server: {grpc_address: h:0, http_address: h:0}\n")).empty());
}

TEST(Config, AnchorsAndAliasesWork) {
  const ConfigResult result = ReadConfig(R"(
queues:
  - {name: a, team_size: 1, window: &wide {linear: {base: 7}}}
  - {name: b, team_size: 1, window: *wide}
)");
  ASSERT_TRUE(result.errors.empty()) << result.errors[0].Text("f");
  EXPECT_EQ(result.settings.catalog.queues[1].window.base, 7 * kPoint);
}

TEST(Config, AliasesCannotMultiplyWithoutBound) {
  std::string yaml = "queues:\n- &a {name: q, team_size: 1, required_attributes: [a, b, c, d, e, f, g, h]}\n";
  for (int i = 0; i < 40'000; ++i) yaml += "- *a\n";
  const std::vector<std::string> errors = Errors(yaml);
  ASSERT_FALSE(errors.empty());
  bool bounded = false;
  for (const std::string& error : errors) bounded |= error.find("has more than 200000 values") != std::string::npos;
  EXPECT_TRUE(bounded);
}

TEST(Config, QueuesAreBounded) {
  std::string yaml = "queues:\n";
  for (int i = 0; i < 1001; ++i) yaml += "- {name: q" + std::to_string(i) + ", team_size: 1}\n";
  ExpectError(yaml, "f.yaml:1: queues: has 1001 entries; at most 1000 are allowed");
}

TEST(Config, CyclesEnd) {
  EXPECT_FALSE(Errors("queues: &q [*q]\n").empty());
  EXPECT_FALSE(Errors("&r\nqueues: [*r]\n").empty());
  EXPECT_FALSE(Errors("queues: [&q {window: *q}]\n").empty());
}

TEST(Config, BrokenTextsAreErrorsWithALine) {
  ExpectError("queues: [\n", "f.yaml:2: is not valid YAML: ");
  ExpectError("a: b\n c: d\n", "f.yaml:2: is not valid YAML: ");
  ExpectError("queues: [*nobody]\n", "f.yaml:1: is not valid YAML: ");
  ExpectError("", "f.yaml: is empty");
  ExpectError("# nothing\n", "f.yaml: is empty");
  ExpectError(Config("---\nqueues: []\n"), "f.yaml:2: a second document begins");
  ExpectError(std::string(kMaxYamlBytes + 1, ' '), "f.yaml: has 1048577 bytes; at most 1048576 are read");
  ExpectError(std::string(100'000, '['), "f.yaml:1: is not valid YAML: ");
  EXPECT_FALSE(Errors(std::string("a\0b: c", 6)).empty());
}

// A field type that the reader does not know would end the process when somebody uses it.
TEST(Config, ReaderKnowsEveryTypeOfTheSchema) {
  std::vector<const google::protobuf::Descriptor*> types{config::v1::Config::descriptor()};
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i]->full_name() == "google.protobuf.Duration") continue;
    for (int k = 0; k < types[i]->field_count(); ++k) {
      using google::protobuf::FieldDescriptor;
      const FieldDescriptor& field = *types[i]->field(k);
      const FieldDescriptor::CppType type = field.cpp_type();
      if (type == FieldDescriptor::CPPTYPE_MESSAGE) {
        EXPECT_FALSE(field.is_map()) << field.full_name();
        types.push_back(field.message_type());
        continue;
      }
      if (type == FieldDescriptor::CPPTYPE_ENUM) {
        EXPECT_TRUE(field.enum_type()->value(0)->name().ends_with("_UNSPECIFIED")) << field.full_name();
      }
      const bool in_lists = type == FieldDescriptor::CPPTYPE_STRING || type == FieldDescriptor::CPPTYPE_INT32 ||
                            type == FieldDescriptor::CPPTYPE_DOUBLE;
      const bool alone = type == FieldDescriptor::CPPTYPE_BOOL || type == FieldDescriptor::CPPTYPE_UINT64 ||
                         type == FieldDescriptor::CPPTYPE_ENUM;
      EXPECT_TRUE(in_lists || (alone && !field.is_repeated())) << field.full_name();
    }
  }
  EXPECT_GT(types.size(), 8u);
}

}  // namespace
}  // namespace evenmatch
