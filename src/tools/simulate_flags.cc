#include "tools/simulate_flags.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "base/strings.h"
#include "base/text.h"
#include "evenmatch/config/v1/queue.pb.h"
#include "sim/attribute_text.h"
#include "tools/flag_values.h"

namespace evenmatch {
namespace {

constexpr uint64_t kDefaultTickets = 100'000;
constexpr double kMostTickets = 1e9;

constexpr std::pair<std::string_view, Variation::Field> kFields[] = {
    {"base", Variation::Field::kBase},
    {"growth", Variation::Field::kGrowth},
    {"max", Variation::Field::kMax},
    {"deviation_factor", Variation::Field::kDeviationFactor},
    {"target_wait_p95", Variation::Field::kTargetWait},
    {"tick", Variation::Field::kTick},
};

bool IsSpan(Variation::Field field) {
  return field == Variation::Field::kTargetWait || field == Variation::Field::kTick;
}

absl::StatusOr<Micros> ParseSpan(std::string_view text) {
  absl::Duration duration;
  if (!absl::ParseDuration(ToAbsl(text), &duration) || duration < absl::ZeroDuration() ||
      duration > absl::Hours(8760)) {
    return absl::InvalidArgumentError(absl::StrCat(Quote(text), " is no duration like \"500ms\", \"90s\" or \"1h\""));
  }
  return absl::ToInt64Microseconds(duration);
}

absl::StatusOr<ArrivalRules::Burst> ParseBurst(std::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(ToAbsl(text), ':');
  ArrivalRules::Burst burst;
  if (parts.size() != 3 || !absl::SimpleAtod(parts[2], &burst.factor) || !(burst.factor >= 0) ||
      !(burst.factor <= 1'000)) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quote(text), ": write FROM:SPAN:FACTOR, like 5m:30s:10, with a factor of 0 to 1000"));
  }
  const absl::StatusOr<Micros> from = ParseSpan(parts[0]), span = ParseSpan(parts[1]);
  if (!from.ok()) return from.status();
  if (!span.ok()) return span.status();
  burst.from = *from;
  burst.span = *span;
  return burst;
}

absl::StatusOr<std::vector<std::pair<std::string, MilliPoints>>> ParseTiers(std::string_view text) {
  std::vector<std::pair<std::string, MilliPoints>> tiers;
  const std::vector<std::string> parts = absl::StrSplit(ToAbsl(text), ',');
  for (const std::string& part : parts) {
    const std::vector<std::string> pair = absl::StrSplit(part, ':');
    double from = 0;
    if (pair.size() != 2 || pair[0].empty() || FindTextFault(pair[0]) != TextFault::kNone ||
        !absl::SimpleAtod(pair[1], &from) || !(from >= -100'000 && from <= 100'000)) {
      return absl::InvalidArgumentError(absl::StrCat(Quote(part), ": write NAME:LOWEST_RATING"));
    }
    const auto rating = static_cast<MilliPoints>(from * kPoint);
    if (!tiers.empty() && rating <= tiers.back().second) {
      return absl::InvalidArgumentError(absl::StrCat(Quote(part), " does not begin above the tier before"));
    }
    tiers.emplace_back(pair[0], rating);
  }
  return tiers;
}

absl::StatusOr<std::pair<std::string, AttributeDistribution>> ParseAttribute(std::string_view text) {
  const size_t sign = std::min(text.find('='), text.size());
  if (sign == 0 || sign == text.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        Quote(text), ": write NAME=VALUE:WEIGHT,VALUE:WEIGHT,..., NAME=normal:MEAN:SD or NAME=uniform:LOW:HIGH"));
  }
  absl::StatusOr<AttributeDistribution> values = AttributeDistribution::Parse(text.substr(sign + 1));
  if (!values.ok()) return values.status();
  return std::pair(std::string(text.substr(0, sign)), *std::move(values));
}

// A flag whose text goes through a function that may refuse it.
template <typename Value>
CLI::Option* AddParsed(CLI::App* app, const char* flag, Value* value, absl::StatusOr<Value> (*parse)(std::string_view),
                       const char* help) {
  return app->add_option_function<std::string>(
      flag,
      [value, parse](const std::string& text) {
        absl::StatusOr<Value> parsed = parse(text);
        if (!parsed.ok()) throw CLI::ValidationError(std::string(ToStd(parsed.status().message())));
        *value = *std::move(parsed);
      },
      help);
}

// The same for one that may be repeated.
template <typename Value>
CLI::Option* AddEach(CLI::App* app, const char* flag, std::vector<Value>* values,
                     absl::StatusOr<Value> (*parse)(std::string_view), const std::string& help) {
  return app
      ->add_option_function<std::vector<std::string>>(
          flag,
          [values, parse](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              absl::StatusOr<Value> parsed = parse(text);
              if (!parsed.ok()) throw CLI::ValidationError(std::string(ToStd(parsed.status().message())));
              values->push_back(*std::move(parsed));
            }
          },
          help)
      ->take_all();
}

template <typename Value>
CLI::Option* AddOptional(CLI::App* app, const char* flag, std::optional<Value>* value, const char* help) {
  return app->add_option_function<std::string>(
      flag,
      [value](const std::string& text) {
        Value parsed;
        Into (&parsed)(text);
        *value = std::move(parsed);
      },
      help);
}

void AddCrowd(CLI::App* app, SimulateArguments* arguments) {
  CrowdRules& crowd = arguments->scenario.crowd;
  app->add_option_function<std::string>("--ratings", Into(&crowd.ratings),
                                        "normal:MEAN:SD or uniform:LOW:HIGH, in points")
      ->default_str("normal:1500:300");
  app->add_option("--games", arguments->games, "CSV of real games: ratings are drawn from its players");
  app->add_flag("--trace", arguments->trace, "The players of --games in its order and at its times");
  app->add_option("--speed", arguments->speed, "How much faster than that")
      ->capture_default_str()
      ->check(Within(0.001, 1e6));
  app->add_option_function<std::string>("--parties", Into(&crowd.parties),
                                        "Sizes of parties and how often: SIZE:WEIGHT,...")
      ->default_str("1:1");
  app->add_option("--party-spread", crowd.party_spread,
                  "Members are rated around the first with this deviation, in points; else each on his own")
      ->check(Within(0, 100e3));
  AddOptional(app, "--deviations", &crowd.deviations, "Deviations of the ratings, drawn like --ratings");
  app->add_option_function<std::string>("--regions", Into(&crowd.regions),
                                        "Where players live: NAME:WEIGHT,... on a ring");
  app->add_option_function<std::string>("--roles", Into(&crowd.roles), "Roles wanted: NAME:WEIGHT,...");
  app->add_option("--roles-each", crowd.roles_each, "How many different roles a player names")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  AddParsed(app, "--tiers", &crowd.tiers, ParseTiers, "Tiers by rating: NAME:LOWEST,... weakest first");
  AddEach(app, "--attribute", &crowd.attributes, ParseAttribute,
          absl::StrCat("NAME=VALUE:WEIGHT,... of the tickets; may be repeated. ", kAttributeTextHelp,
                       "; or numbers drawn at random: NAME=normal:MEAN:SD or NAME=uniform:LOW:HIGH"));
  AddOptional(app, "--games-played", &crowd.games_played, "LOW:HIGH games played; most players have few");
  app->add_flag("--losing-streaks", crowd.losing_streaks, "Players lost some games in a row, each with chance 1/2");
  app->add_option_function<std::string>("--leave-after", IntoDuration(&crowd.leave_after, 1),
                                        "Players lose patience after so long, on average");
}

void AddArrivals(CLI::App* app, Scenario* scenario) {
  ArrivalRules& arrivals = scenario->arrivals;
  app->add_option("--tickets", scenario->tickets, "How many come; 100000 when neither this nor --duration is given")
      ->check(CLI::Range(uint64_t{1}, static_cast<uint64_t>(kMostTickets)));
  app->add_option_function<std::string>("--duration", IntoDuration(&scenario->duration, kMillisecond),
                                        "How long they come");
  app->add_option("--rate", arrivals.rate, "Tickets a second, at random (Poisson)")
      ->capture_default_str()
      ->check(Within(1e-6, 10e6));
  app->add_option("--peak", arrivals.peak, "The rate swings between --rate and this")->check(Within(1e-6, 10e6));
  app->add_option_function<std::string>("--period", IntoDuration(&arrivals.period, kMillisecond),
                                        "How long one swing takes")
      ->default_str("24h");
  AddEach(app, "--burst", &arrivals.bursts, ParseBurst, "FROM:SPAN:FACTOR of the rate; may be repeated");
  app->add_option_function<std::string>("--timeout", IntoDuration(&scenario->timeout, 1, kLongestTimeout),
                                        "Timeout of the tickets")
      ->default_str("the queue's");
  app->add_option_function<std::string>("--warm-up", IntoDuration(&scenario->warm_up, 0),
                                        "Who comes before is not measured")
      ->default_str("0");
  app->add_option_function<std::string>("--settle", IntoDuration(&scenario->settle, 0),
                                        "How long it goes on after the last arrival")
      ->default_str("0");
  app->add_option_function<std::string>("--seed", IntoSeed(&scenario->seed), "The same seed gives the same world")
      ->default_str("1")
      ->type_name("UINT");
}

std::string FactOf(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "yes";
  std::vector<std::string> texts = option.results();
  // Where a file lies is another matter on every machine.
  if (option.get_single_name() == "games") texts = {std::filesystem::path(texts.back()).filename().string()};
  return absl::StrJoin(texts, " ");
}

}  // namespace

absl::StatusOr<QueueShare> ParseQueueShare(std::string_view text) {
  QueueShare share;
  const std::vector<std::string> parts = absl::StrSplit(ToAbsl(text), ':');
  const bool weighted = parts.size() == 2 && absl::SimpleAtoi(parts[1], &share.weight) && share.weight > 0;
  share.queues = absl::StrSplit(parts[0], '+');
  const bool named =
      std::none_of(share.queues.begin(), share.queues.end(), [](const std::string& name) { return name.empty(); });
  if (!named || (parts.size() != 1 && !weighted)) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quote(text), ": write NAME, NAME:WEIGHT or, to wait in several at once, NAME+NAME:WEIGHT"));
  }
  return share;
}

absl::StatusOr<Variation> Variation::Parse(std::string_view text) {
  Variation result;
  const size_t sign = std::min(text.find('='), text.size());
  result.name = std::string(text.substr(0, sign));
  const auto* field = std::find_if(std::begin(kFields), std::end(kFields),
                                   [&](const auto& known) { return known.first == result.name; });
  if (sign == text.size() || field == std::end(kFields)) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quote(text), ": write FIELD=VALUE,VALUE,... with a field of ",
                     absl::StrJoin(kFields, ", ", [](std::string* out, const auto& known) { *out += known.first; })));
  }
  result.field = field->second;
  const std::vector<std::string> values = absl::StrSplit(ToAbsl(text.substr(sign + 1)), ',');
  for (const std::string& part : values) {
    Value& value = result.values.emplace_back();
    value.text = part;
    if (IsSpan(result.field)) {
      const absl::StatusOr<Micros> span = ParseSpan(part);
      if (!span.ok()) return span.status();
      value.span = *span;
    } else if (!absl::SimpleAtod(part, &value.number) || !std::isfinite(value.number) || value.number < 0) {
      return absl::InvalidArgumentError(absl::StrCat(Quote(part), " is no number of at least 0"));
    }
    for (size_t i = 0; i + 1 < result.values.size(); ++i) {
      const Value& other = result.values[i];
      if (other.number != value.number || other.span != value.span) continue;
      return absl::InvalidArgumentError(absl::StrCat(Quote(part), " stands twice in --vary ", result.name));
    }
  }
  return result;
}

void Vary(const Variation& variation, const Variation::Value& value, config::v1::Queue* queue) {
  const auto linear = [queue] {
    config::v1::Window* window = queue->mutable_window();
    // The preset of that name is the line that is there without it.
    if (window->preset() == config::v1::Window::PRESET_LINEAR) window->clear_preset();
    return window->mutable_linear();
  };
  const auto set_span = [&value](google::protobuf::Duration* duration) {
    duration->set_seconds(value.span / kSecond);
    duration->set_nanos(static_cast<int32_t>(value.span % kSecond * 1000));
  };
  switch (variation.field) {
    case Variation::Field::kBase:
      return linear()->set_base(value.number);
    case Variation::Field::kGrowth:
      return linear()->set_growth_per_second(value.number);
    case Variation::Field::kMax:
      return linear()->set_max(value.number);
    case Variation::Field::kDeviationFactor:
      return queue->mutable_window()->set_deviation_factor(value.number);
    case Variation::Field::kTargetWait:
      return set_span(queue->mutable_target_wait_p95());
    case Variation::Field::kTick:
      return set_span(queue->mutable_tick());
  }
}

void AddSimulate(CLI::App* app, SimulateArguments* arguments) {
  app->footer(
      "The report:\n"
      "  gap        between the mean ratings of the strongest and the weakest team of a match\n"
      "  spread     between its highest and its lowest ticket, in what the queue orders by\n"
      "  favourite  the predicted chance of the likeliest winner; even: nobody's is above 55 %\n"
      "  elsewhere  tickets of several queues that were matched in another\n"
      "  signature  of all events: equal for equal behaviour, whatever the machine");
  app->add_option("--config", arguments->configs, "A configuration file of evenmatchd; repeat it to compare")
      ->take_all();
  AddEach(app, "--vary", &arguments->variations, Variation::Parse,
          "FIELD=VALUE,...: try each value, of base, growth, max, deviation_factor, target_wait_p95 or tick; repeat it "
          "for a grid");
  AddEach(app, "--queue", &arguments->scenario.shares, ParseQueueShare,
          "NAME, or NAME+NAME to wait in several at once, each with :WEIGHT; may be repeated; default: the first");
  AddArrivals(app, &arguments->scenario);
  AddCrowd(app, arguments);
  app->add_option_function<std::vector<std::string>>(
         "--json",
         [arguments](const std::vector<std::string>& files) { arguments->json = files.empty() ? "" : files.back(); },
         "Write JSON to this file, or instead of the text when none is named")
      ->expected(0, 1)
      ->type_name("FILE");
  app->add_option("--html", arguments->html, "Write a page with plots to this file")->type_name("FILE");
  app->add_option("--jobs", arguments->jobs, "Configurations at a time; as many as there are cores when left out")
      ->check(CLI::Range(1, 256));
  app->add_flag("--quiet", arguments->quiet, "No progress bar");
}

void FinishSimulate(const CLI::App& app, SimulateArguments* arguments) {
  Scenario& scenario = arguments->scenario;
  if (arguments->trace && arguments->games.empty()) throw CLI::ValidationError("--trace needs --games");
  if (arguments->trace && app.count("--rate") + app.count("--peak") + app.count("--burst") > 0) {
    throw CLI::ValidationError("--trace has times of its own: --rate, --peak and --burst mean nothing with it");
  }
  if (!arguments->games.empty() && app.count("--ratings") > 0) {
    throw CLI::ValidationError("--games brings ratings: --ratings means nothing with it");
  }
  if (app.count("--peak") > 0 && scenario.arrivals.peak < scenario.arrivals.rate) {
    throw CLI::ValidationError("--peak must not be below --rate");
  }
  if (scenario.duration < kNever) {
    const double rate = std::max(scenario.arrivals.rate, scenario.arrivals.peak);
    if (scenario.tickets == 0 && rate * static_cast<double>(scenario.duration) / kSecond > kMostTickets) {
      throw CLI::ValidationError("--rate and --duration make more than 1000 million tickets");
    }
  } else if (scenario.tickets == 0 && !arguments->trace) {
    scenario.tickets = kDefaultTickets;
  }
  for (const Variation& variation : arguments->variations) {
    const auto same = [&](const Variation& other) { return other.field == variation.field; };
    if (std::count_if(arguments->variations.begin(), arguments->variations.end(), same) > 1) {
      throw CLI::ValidationError(absl::StrCat("--vary ", variation.name, " is given twice: write its values in one"));
    }
  }
  size_t count = std::max<size_t>(arguments->configs.size(), 1);
  for (const Variation& variation : arguments->variations) count *= variation.values.size();
  constexpr size_t kMost = 1'000;
  if (count > kMost) throw CLI::ValidationError(absl::StrCat("that is more than ", kMost, " configurations"));

  auto& facts = arguments->facts;
  if (scenario.tickets > 0) facts.emplace_back("tickets", Grouped(scenario.tickets));
  if (!arguments->trace) facts.emplace_back("rate", absl::StrCat(scenario.arrivals.rate, "/s"));
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_single_name();
    constexpr std::string_view kOwn[] = {"tickets", "rate", "seed", "config", "vary", "json", "html", "jobs", "quiet"};
    if (option->count() == 0 || std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn)) continue;
    facts.emplace_back(name, FactOf(*option));
  }
  facts.emplace_back("seed", absl::StrCat(scenario.seed));
}

}  // namespace evenmatch
