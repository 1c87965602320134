#include "tools/arguments.h"

#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "CLI/CLI.hpp"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/strings.h"
#include "base/text.h"
#include "sim/attribute_text.h"
#include "tools/failure.h"
#include "tools/flag_values.h"
#include "tools/simulate_flags.h"

namespace evenmatch {
namespace {

constexpr int kUsage = 2;
constexpr Micros kShortestInterval = 100 * kMillisecond;  // the server's own, for WatchQueueStats

void AddTicket(CLI::App* app, TicketArguments* ticket) {
  app->add_option("--pool-group", ticket->pool_group, "Pool group of the ticket")->default_str("default");
  CLI::Option_group* which = app->add_option_group("which", "Which ticket");
  which->add_option("--ticket-id,--ticket", ticket->ticket_id, "The ticket");
  which->add_option("--player", ticket->player_id, "Any of its players");
  which->require_option(1);
}

// What the words of a report mean.
constexpr char kReportWords[] =
    "The report:\n"
    "  gap         between the means of the strongest and the weakest team of a match\n"
    "  spread      between the highest and the lowest ticket of a match\n"
    "  favourite   the predicted chance of the likeliest winner\n"
    "  with others matches with tickets that are not of this run; without their ratings (mode unary) these are left\n"
    "              out of gap and spread\n"
    "Promises that the server must keep; a broken one is exit code 3:\n"
    "  lost        accepted, but neither ended nor waiting at the end\n"
    "  doubled     in two matches\n"
    "  two ends    told of two different ends\n"
    "  malformed   a team of the wrong size, a player twice, a party torn, or a ticket missing from its own match";

void AddLoad(CLI::App* app, LoadOptions* options, bool* quiet) {
  app->footer(kReportWords);
  app->add_option("--queue", options->queue, "Queue to play in; teams as the server says")->capture_default_str();
  app->add_option("--rate", options->rate, "Tickets a second")->capture_default_str()->check(Within(0.01, 10e6));
  app->add_option("--connections", options->connections, "Connections, each with a session of its own")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  app->add_option("--outstanding", options->outstanding, "Commands without an answer, at most")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000'000));
  app->add_option("--mode", options->mode, "session: batches on a stream; unary: a call a ticket")
      ->transform(CLI::CheckedTransformer(std::vector<std::pair<std::string, LoadOptions::Mode>>{
          {"session", LoadOptions::Mode::kSession}, {"unary", LoadOptions::Mode::kUnary}}))
      ->default_str("session");
  app->add_option_function<std::string>("--settle", IntoDuration(&options->settle, 0),
                                        "How long to wait for matches after the last ticket")
      ->default_str("5s");
  app->add_option_function<std::string>("--timeout", IntoDuration(&options->ticket_timeout, 1, kLongestTimeout),
                                        "Timeout of the tickets")
      ->default_str("the queue's");
  app->add_flag("!--no-acknowledge", options->acknowledge, "Do not acknowledge what was received");
  app->add_flag("!--no-watch", options->watch, "Unary: learn of matches only at the end");
  app->add_flag("--end-matches", options->end_matches, "End each match at once, so that its players are free");
  app->add_flag("--quiet", *quiet, "No progress bar");
}

// The variants of Arguments::command while all of them may still be meant.
struct Commands {
  EnqueueArguments enqueue;
  CancelArguments cancel;
  GetArguments get;
  ExplainArguments explain;
  EndArguments end;
  WatchArguments watch;
  StatsArguments stats;
  LoadArguments load;
  ReplayArguments replay;
  DemoArguments demo;
  SimulateArguments simulate;
};

CLI::ValidationError NoPair(const std::string& text, const char* flag, const char* form) {
  return CLI::ValidationError(absl::StrCat(flag, ": \"", text, "\" is not ", form));
}

std::pair<std::string, std::string> SplitPair(const std::string& text, const char* flag, const char* form) {
  const size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0) throw NoPair(text, flag, form);
  return {text.substr(0, sign), text.substr(sign + 1)};
}

void AddEnqueue(CLI::App* app, EnqueueArguments* enqueue) {
  app->add_option("--queue", enqueue->queues, "Queue to wait in; may be repeated")->required()->take_all();
  app->add_option("--player", enqueue->players, "A player; repeat it for a party")->required()->take_all();
  app->add_option("--rating", enqueue->ratings, "The player's rating in points, in the order of the players")
      ->take_all();
  app->add_option("--deviation", enqueue->deviations, "How unsure it is, in points, in the order of the players")
      ->take_all();
  app->add_option("--preference", enqueue->preferences, "How much the queue is liked, in the order of the queues")
      ->take_all();
  app->add_option("--ticket-id,--ticket", enqueue->ticket_id, "Id of the ticket; repeating a call with it is safe");
  app->add_option("--pool-group", enqueue->pool_group, "Pool group of the queues");
  app->add_option_function<std::string>("--timeout", IntoDuration(&enqueue->timeout, 1, kLongestTimeout),
                                        "How long to wait at most");
  app->add_option_function<std::vector<std::string>>(
         "--attribute",
         [enqueue](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             const auto [key, written] = SplitPair(text, "--attribute", "KEY=VALUE");
             absl::StatusOr<AttributeValue> value = ParseAttributeValue(written);
             if (!value.ok()) throw CLI::ValidationError(std::string(ToStd(value.status().message())));
             for (const auto& [other, unused] : enqueue->attributes) {
               if (other == key) throw CLI::ValidationError(absl::StrCat("--attribute ", key, " is given twice"));
             }
             enqueue->attributes.emplace_back(key, *std::move(value));
           }
         },
         absl::StrCat("KEY=VALUE of the ticket; may be repeated. ", kAttributeTextHelp))
      ->take_all();
  app->add_option("--tier", enqueue->tier, "Tier of the players");
  app->add_option("--role", enqueue->roles, "A role that the players want; may be repeated, most wanted first")
      ->take_all();
  app->add_option_function<std::vector<std::string>>(
         "--latency",
         [enqueue](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             const auto [region, latency] = SplitPair(text, "--latency", "REGION=MS");
             int32_t ms = 0;
             if (!absl::SimpleAtoi(latency, &ms)) throw NoPair(text, "--latency", "REGION=MS");
             enqueue->latencies.emplace_back(region, ms);
           }
         },
         "REGION=MS of the players; may be repeated")
      ->take_all();
  app->add_option("--games-played", enqueue->games_played, "Games that each of the players has played");
  app->add_option("--loss-streak", enqueue->loss_streak, "Games that each of them has lost in a row");
  app->add_option("--block", enqueue->block, "A player never to be met; may be repeated")->take_all();
  app->add_option("--avoid", enqueue->avoid, "A player rather not met; may be repeated")->take_all();
  app->add_option("--recent", enqueue->recent, "A player met lately; may be repeated")->take_all();
  app->add_flag("--watch", enqueue->watch, "Stay and tell what becomes of it");
}

}  // namespace

std::variant<Arguments, Exit> ParseArguments(int argc, const char* const* argv) {
  Arguments arguments;
  Commands commands;
  bool quiet = false;
  CLI::App app("The client of evenmatchd: put players into queues, watch them, and measure a server.", "evenmatch");
  app.set_version_flag("--version", std::string("evenmatch ") + EVENMATCH_VERSION);
  app.require_subcommand(1);
  app.fallthrough();  // flags of all commands may stand behind the command too
  app.add_option("--address,--server", arguments.connect.address, "HOST:PORT of the server")->capture_default_str();
  app.add_option("--tls-ca", arguments.connect.tls_ca, "Authorities that the server's certificate may come from (PEM)");
  app.add_option("--tls-cert", arguments.connect.tls_cert, "Certificate to show to the server (PEM)");
  app.add_option("--tls-key", arguments.connect.tls_key, "Its private key (PEM)");
  app.add_flag("--json", arguments.json, "JSON instead of text");

  CLI::App* enqueue = app.add_subcommand("enqueue", "Put a ticket into its queues");
  AddEnqueue(enqueue, &commands.enqueue);
  CLI::App* cancel = app.add_subcommand("cancel", "Take a ticket back");
  AddTicket(cancel, &commands.cancel.ticket);
  CLI::App* get = app.add_subcommand("get", "Show a ticket as it is now");
  AddTicket(get, &commands.get.ticket);
  CLI::App* explain = app.add_subcommand("explain", "Show why a ticket is still unmatched");
  AddTicket(explain, &commands.explain.ticket);
  CLI::App* end = app.add_subcommand("end", "Say that a match is over, so that its players are free");
  end->add_option("match", commands.end.match_id, "Id of the match")->required();
  CLI::App* watch = app.add_subcommand("watch", "Tell what becomes of a ticket, until its end");
  AddTicket(watch, &commands.watch.ticket);
  watch->add_option("--cursor", commands.watch.cursor, "Number of the last event seen");
  CLI::App* stats = app.add_subcommand("stats", "How the queues are doing");
  stats->add_option("--queue", commands.stats.queue, "Only this one");
  stats->add_flag("--follow", commands.stats.follow, "Again and again");
  stats
      ->add_option_function<std::string>("--interval", IntoDuration(&commands.stats.interval, kShortestInterval),
                                         "How often, with --follow; at least 100ms")
      ->default_str("1s");

  CLI::App* load = app.add_subcommand("load", "Play simulated players at a fixed rate and report");
  AddLoad(load, &commands.load.options, &quiet);
  load->add_option_function<std::string>("--duration", IntoDuration(&commands.load.options.duration, kMillisecond),
                                         "How long to send")
      ->default_str("10s");
  load->add_option_function<std::string>("--ratings", Into(&commands.load.ratings),
                                         "normal:MEAN:SD or uniform:LOW:HIGH, in points")
      ->default_str("normal:1500:300");
  load->add_option_function<std::string>("--parties", Into(&commands.load.parties),
                                         "Sizes of parties and how often: SIZE:WEIGHT,...")
      ->default_str("1:1");
  load->add_option_function<std::string>("--seed", IntoSeed(&commands.load.seed),
                                         "The same seed gives the same players")
      ->default_str("1")
      ->type_name("UINT");

  CLI::App* replay = app.add_subcommand("replay", "Play the players of real games from a CSV file and compare");
  replay->add_option("file", commands.replay.file, "CSV with both ratings of each game")->required();
  AddLoad(replay, &commands.replay.options, &quiet);

  CLI::App* demo = app.add_subcommand("demo", "Play a hundred simulated players and show their matches");
  demo->footer(kReportWords);
  demo->add_option("--queue", commands.demo.queue, "Queue to play in")->capture_default_str();
  demo->add_option("--players", commands.demo.players, "How many")
      ->capture_default_str()
      ->check(CLI::Range(2, 100'000));
  demo->add_option("--rate", commands.demo.rate, "Players a second")->capture_default_str()->check(Within(0.1, 10e6));
  demo->add_option_function<std::string>("--seed", IntoSeed(&commands.demo.seed),
                                         "The same seed gives the same players")
      ->default_str("1")
      ->type_name("UINT");

  CLI::App* simulate =
      app.add_subcommand("simulate", "Play simulated players by configuration files, without a server");
  AddSimulate(simulate, &commands.simulate);

  try {
    app.parse(argc, argv);
    if (enqueue->parsed() && !commands.enqueue.ratings.empty() &&
        commands.enqueue.ratings.size() != commands.enqueue.players.size()) {
      throw CLI::ValidationError("--rating must be given for every player or for none");
    }
    if (enqueue->parsed() && !commands.enqueue.deviations.empty() &&
        commands.enqueue.deviations.size() != commands.enqueue.players.size()) {
      throw CLI::ValidationError("--deviation must be given for every player or for none");
    }
    if (enqueue->parsed() && !commands.enqueue.preferences.empty() &&
        commands.enqueue.preferences.size() != commands.enqueue.queues.size()) {
      throw CLI::ValidationError("--preference must be given for every queue or for none");
    }
    if (load->parsed() && commands.load.options.rate * commands.load.options.duration / 1e6 > 100e6) {
      throw CLI::ValidationError("--rate and --duration make more than 100 million tickets");
    }
    if (simulate->parsed()) FinishSimulate(*simulate, &commands.simulate);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    if (app.exit(error, out, err) == 0) return Exit{0, out.str()};
    std::string what = error.what();
    const std::vector<std::string> unknown = app.remaining();
    if (app.get_subcommands().empty() && !unknown.empty() && !unknown[0].starts_with('-')) {
      what = absl::StrCat("unknown command ", Quote(unknown[0]));
    }
    // Which flags were understood is not known now.
    const bool json = std::find(argv + 1, argv + argc, std::string_view("--json")) != argv + argc;
    if (json) return Exit{kUsage, FailureText(true, {"INVALID_ARGUMENT", what, ""})};
    return Exit{kUsage, absl::StrCat(FailureText(false, {"", what, ""}), "Run with --help for more information.\n")};
  }

  const auto finish = [&](LoadOptions* options) {
    options->connect = arguments.connect;
    options->progress = !quiet && isatty(STDERR_FILENO) != 0;
  };
  finish(&commands.load.options);
  finish(&commands.replay.options);
  commands.replay.options.duration = kNever;  // the file decides
  if (enqueue->parsed()) arguments.command = std::move(commands.enqueue);
  if (cancel->parsed()) arguments.command = std::move(commands.cancel);
  if (get->parsed()) arguments.command = std::move(commands.get);
  if (explain->parsed()) arguments.command = std::move(commands.explain);
  if (end->parsed()) arguments.command = std::move(commands.end);
  if (watch->parsed()) arguments.command = std::move(commands.watch);
  if (stats->parsed()) arguments.command = std::move(commands.stats);
  if (load->parsed()) arguments.command = std::move(commands.load);
  if (replay->parsed()) arguments.command = std::move(commands.replay);
  if (demo->parsed()) arguments.command = std::move(commands.demo);
  if (simulate->parsed()) arguments.command = std::move(commands.simulate);
  return arguments;
}

}  // namespace evenmatch
