// The commands that play whole populations.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/games.h"
#include "tools/commands.h"
#include "tools/failure.h"
#include "tools/load.h"

namespace evenmatch {
namespace {

constexpr int kBroken = 3;

int Fail(const Arguments& arguments, const absl::Status& status) { return Fail(arguments.json, FailureOf(status)); }

int Show(const Arguments& arguments, const Report& report) {
  const std::string text = arguments.json ? report.Json() : report.Text();
  std::fwrite(text.data(), 1, text.size(), stdout);
  return report.sound() ? 0 : kBroken;
}

Histogram GapsOf(const std::vector<Game>& games) {
  Histogram gaps;
  for (const Game& game : games) gaps.Add(static_cast<uint64_t>(std::abs(game.ratings[0] - game.ratings[1])));
  return gaps;
}

// "#12 (1534) vs #87 (1510)   53 % to 47 %   waited 0.4 s"; players who are not of this run have their ids.
void ShowMatch(const v1::Match& match, const RunIds& ids) {
  std::string text;
  for (int team = 0; team < match.teams_size(); ++team) {
    if (team > 0) text += " vs ";
    bool first = true;
    for (const v1::Seat& seat : match.teams(team).seats()) {
      const auto player = ids.ParsePlayer(seat.player_id());
      const std::string name = player.has_value() ? absl::StrCat("#", player->first + 1) : seat.player_id();
      absl::StrAppendFormat(&text, "%s%-4s(%4.0f)", first ? "" : " ", name, seat.rating());
      first = false;
    }
  }
  text += "   ";
  for (int team = 0; team < match.quality().win_probability_size(); ++team) {
    absl::StrAppendFormat(&text, "%s%2.0f %%", team > 0 ? " to " : "", match.quality().win_probability(team) * 100);
  }
  const auto& wait = match.quality().longest_wait();
  std::printf("%s   waited %.1f s\n", text.c_str(), static_cast<double>(wait.seconds()) + wait.nanos() / 1e9);
  std::fflush(stdout);
}

}  // namespace

int RunLoad(const Arguments& arguments, const LoadArguments& command) {
  const LoadOptions& options = command.options;
  const auto queue = FindQueue(options.connect, options.queue);
  if (!queue.ok()) return Fail(arguments, queue.status());
  if (command.parties.largest() > queue->team_size()) {
    return Fail(arguments, absl::InvalidArgumentError(absl::StrCat("parties of ", command.parties.largest(),
                                                                   " do not fit into teams of ", queue->team_size(),
                                                                   " in queue \"", options.queue, "\"")));
  }
  const auto tickets = static_cast<size_t>(std::ceil(options.rate * static_cast<double>(options.duration) / 1e6));
  const Population population = Population::Draw(tickets, command.ratings, command.parties, command.seed);
  const auto report = PlayLoad(options, *queue, population);
  return report.ok() ? Show(arguments, *report) : Fail(arguments, report.status());
}

int RunReplay(const Arguments& arguments, const ReplayArguments& command) {
  std::ifstream file(command.file, std::ios::binary);
  if (!file) return Fail(arguments, absl::NotFoundError(absl::StrCat("cannot read ", command.file)));
  const std::string csv{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto games = ReadGames(csv);
  if (!games.ok())
    return Fail(arguments, absl::InvalidArgumentError(absl::StrCat(command.file, ": ", games.status().message())));
  const auto queue = FindQueue(arguments.connect, command.options.queue);
  if (!queue.ok()) return Fail(arguments, queue.status());
  auto report = PlayLoad(command.options, *queue, Population::OfGames(*games));
  if (!report.ok()) return Fail(arguments, report.status());
  report->file_gap = GapsOf(*games);
  return Show(arguments, *report);
}

int RunDemo(const Arguments& arguments, const DemoArguments& command) {
  LoadOptions options;
  options.connect = arguments.connect;
  options.queue = command.queue;
  options.rate = command.rate;
  options.duration = kNever;
  options.end_matches = true;
  const auto queue = FindQueue(options.connect, options.queue);
  if (!queue.ok()) return Fail(arguments, queue.status());
  const Population population =
      Population::Draw(static_cast<size_t>(command.players), RatingDistribution{}, PartyDistribution{}, command.seed);
  MatchObserver observer;
  if (!arguments.json) observer = ShowMatch;
  const auto report = PlayLoad(options, *queue, population, observer);
  if (!report.ok()) return Fail(arguments, report.status());
  if (!arguments.json) std::printf("\n");
  return Show(arguments, *report);
}

}  // namespace evenmatch
