// Arguments: the command line of `evenmatch`, parsed and checked.
//
// Errors:  a text for stderr and exit code 2; --help and --version are a text for stdout and exit code 0.
// Threads: pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/ticket.h"
#include "model/units.h"
#include "tools/client.h"
#include "tools/load.h"
#include "tools/population.h"
#include "tools/simulate_flags.h"

namespace evenmatch {

// One ticket or any of its players.
struct TicketArguments {
  std::string pool_group, ticket_id, player_id;
};

struct EnqueueArguments {
  std::string ticket_id, pool_group;
  std::vector<std::string> queues, players;
  std::vector<double> ratings;       // none, or one a player
  std::vector<double> deviations;    // of them, likewise
  std::vector<int32_t> preferences;  // none, or one a queue
  std::vector<std::pair<std::string, AttributeValue>> attributes;
  // Of every player.
  std::string tier;
  std::vector<std::string> roles;  // most wanted first
  std::vector<std::pair<std::string, int32_t>> latencies;
  int32_t games_played = 0, loss_streak = 0;
  std::vector<std::string> block, avoid, recent;  // players
  Micros timeout = 0;
  bool watch = false;
};

struct CancelArguments {
  TicketArguments ticket;
};

struct GetArguments {
  TicketArguments ticket;
};

struct ExplainArguments {
  TicketArguments ticket;
};

struct EndArguments {
  std::string match_id;
};

struct WatchArguments {
  TicketArguments ticket;
  std::optional<uint32_t> cursor;
};

struct StatsArguments {
  std::string queue;  // empty: all
  bool follow = false;
  Micros interval = kSecond;
};

struct LoadArguments {
  LoadOptions options;  // `connect` as in Arguments
  RatingDistribution ratings;
  PartyDistribution parties;
  uint64_t seed = 1;
};

struct ReplayArguments {
  LoadOptions options;
  std::string file;
};

struct DemoArguments {
  std::string queue = "duel";
  int players = 100;
  double rate = 25;  // a second
  uint64_t seed = 1;
};

struct Arguments {
  ConnectOptions connect;
  bool json = false;
  std::variant<EnqueueArguments, CancelArguments, GetArguments, ExplainArguments, EndArguments, WatchArguments,
               StatsArguments, LoadArguments, ReplayArguments, DemoArguments, SimulateArguments>
      command;
};

// Why there is nothing to do.
struct Exit {
  int code = 0;
  std::string text;  // for stdout with code 0, else for stderr
};

std::variant<Arguments, Exit> ParseArguments(int argc, const char* const* argv);

}  // namespace evenmatch
