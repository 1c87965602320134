// `evenmatch simulate`: the same players under several configurations.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/histogram.h"
#include "config/config.h"
#include "evenmatch/config/v1/config.pb.h"
#include "sim/comparison.h"
#include "sim/games.h"
#include "tools/bell.h"
#include "tools/commands.h"
#include "tools/failure.h"
#include "tools/progress_bar.h"

namespace evenmatch {
namespace {

// One configuration to play by.
struct Candidate {
  std::string name;
  Catalog catalog;
  Limits limits;
};

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return absl::NotFoundError(absl::StrCat(path, " is a directory"));
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  return std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

absl::Status WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return absl::PermissionDeniedError(absl::StrCat("cannot write ", path));
  return absl::OkStatus();
}

struct ConfigFile {
  std::string name, path, yaml;
};

// Which values are tried together.
using Setting = std::vector<std::pair<const Variation*, const Variation::Value*>>;

std::string NameOf(const Setting& setting) {
  return absl::StrJoin(setting, " ", [](std::string* out, const auto& part) {
    absl::StrAppend(out, part.first->name, "=", part.second->text);
  });
}

bool IsPlayed(const std::vector<QueueShare>& shares, const std::string& queue) {
  return std::any_of(shares.begin(), shares.end(), [&](const QueueShare& share) {
    return std::find(share.queues.begin(), share.queues.end(), queue) != share.queues.end();
  });
}

// The file with these values in its queues that are played. All errors in one status, a line each.
absl::StatusOr<Candidate> ReadCandidate(const ConfigFile& file, const Setting& setting,
                                        const std::vector<QueueShare>& shares) {
  ConfigResult result = ReadConfig(file.yaml, [&](config::v1::Config* config) {
    for (config::v1::Queue& queue : *config->mutable_queues()) {
      if (!IsPlayed(shares, queue.name())) continue;
      for (const auto& [variation, value] : setting) Vary(*variation, *value, &queue);
    }
  });
  const std::string name = NameOf(setting);
  if (!result.errors.empty()) {
    std::string text;
    for (const ConfigError& error : result.errors) {
      absl::StrAppend(&text, text.empty() ? "" : "\n", error.Text(file.path));
      if (!setting.empty()) absl::StrAppend(&text, " (with ", name, ")");
    }
    return absl::InvalidArgumentError(text);
  }
  return Candidate{absl::StrCat(file.name, file.name.empty() || name.empty() ? "" : " ", name),
                   std::move(result.settings.catalog), result.settings.limits};
}

// "tuned" for conf/tuned.yaml, unless another file has the same name.
std::vector<std::string> NamesOf(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(std::filesystem::path(path).stem().string());
  for (size_t i = 0; i < names.size(); ++i) {
    if (std::count(names.begin(), names.end(), names[i]) > 1) return paths;
  }
  return names;
}

// Every combination of the varied values; a single one of none when nothing is varied.
std::vector<Setting> SettingsOf(const std::vector<Variation>& variations) {
  std::vector<Setting> settings(1);
  for (const Variation& variation : variations) {
    std::vector<Setting> longer;
    for (const Setting& setting : settings) {
      for (const Variation::Value& value : variation.values) {
        longer.push_back(setting);
        longer.back().emplace_back(&variation, &value);
      }
    }
    settings = std::move(longer);
  }
  return settings;
}

absl::StatusOr<std::vector<Candidate>> ReadCandidates(const SimulateArguments& command, Scenario* scenario) {
  std::vector<ConfigFile> files;
  if (command.configs.empty()) files.push_back({"default", "default", std::string(DefaultConfig())});
  const std::vector<std::string> names = NamesOf(command.configs);
  for (size_t i = 0; i < names.size(); ++i) {
    absl::StatusOr<std::string> yaml = ReadFile(command.configs[i]);
    if (!yaml.ok()) return yaml.status();
    files.push_back({names[i], command.configs[i], *std::move(yaml)});
  }
  if (files.size() == 1 && !command.variations.empty()) files[0].name.clear();
  std::vector<Candidate> candidates;
  for (const ConfigFile& file : files) {
    // By itself first: what is wrong in the file is not to be blamed on what is varied.
    const absl::StatusOr<Candidate> plain = ReadCandidate(file, {}, {});
    if (!plain.ok()) return plain.status();
    if (scenario->shares.empty()) scenario->shares = {{{plain->catalog.queues[0].name}, 1}};
    for (const Setting& setting : SettingsOf(command.variations)) {
      absl::StatusOr<Candidate> candidate = ReadCandidate(file, setting, scenario->shares);
      if (!candidate.ok()) return candidate.status();
      candidates.push_back(*std::move(candidate));
    }
  }
  return candidates;
}

// Takes ratings and times from the file, and tells how far apart its own opponents were.
absl::Status TakeGames(const SimulateArguments& command, Scenario* scenario,
                       std::vector<std::pair<std::string, std::string>>* facts) {
  if (command.games.empty()) return absl::OkStatus();
  const absl::StatusOr<std::string> csv = ReadFile(command.games);
  if (!csv.ok()) return csv.status();
  const absl::StatusOr<std::vector<Game>> games = ReadGames(*csv);
  if (!games.ok()) return absl::InvalidArgumentError(absl::StrCat(command.games, ": ", games.status().message()));
  auto ratings = std::make_shared<std::vector<MilliPoints>>();
  Histogram gaps;
  for (const Game& game : *games) {
    ratings->insert(ratings->end(), game.ratings.begin(), game.ratings.end());
    gaps.Add(static_cast<uint64_t>(std::abs(game.ratings[0] - game.ratings[1])));
  }
  facts->emplace_back("gap in the file", absl::StrFormat("mean %.1f, p95 %.1f points", gaps.mean() / kPoint,
                                                         static_cast<double>(gaps.Percentile(95)) / kPoint));
  scenario->crowd.ratings = {.kind = RatingDistribution::Kind::kList, .list = ratings};
  if (!command.trace) return absl::OkStatus();
  if (games->front().at == kNever) {
    return absl::InvalidArgumentError(absl::StrCat(command.games, " has no column ended_at or played_at to --trace"));
  }
  scenario->crowd.in_order = true;
  for (const Game& game : *games) {
    const auto at = static_cast<Micros>(static_cast<double>(game.at - games->front().at) / command.speed);
    scenario->arrivals.trace.insert(scenario->arrivals.trace.end(), 2, at);
  }
  return absl::OkStatus();
}

// Plays all candidates, several at a time, and shows how far they are.
std::vector<absl::StatusOr<Chronicle>> PlayAll(const std::vector<Candidate>& candidates, const Scenario& scenario,
                                               int jobs, bool progress) {
  const RatingBands bands = BandsOf(scenario);
  std::vector<absl::StatusOr<Chronicle>> chronicles(candidates.size(), absl::UnknownError("not played"));
  std::vector<std::atomic<double>> done(candidates.size());
  std::atomic<size_t> next{0};
  std::atomic<size_t> over{0};
  Bell all_over;
  const auto work = [&] {
    for (size_t i = next++; i < candidates.size(); i = next++) {
      WorldWatch watch;
      watch.progress = [&, i](double share) { done[i].store(share, std::memory_order_relaxed); };
      chronicles[i] = Simulate(candidates[i].catalog, candidates[i].limits, scenario, bands, watch);
      done[i] = 1;
      if (++over == candidates.size()) all_over.Ring();
    }
  };
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < std::min(jobs > 0 ? static_cast<size_t>(jobs) : cores, candidates.size()); ++i) {
    threads.emplace_back(work);
  }
  ProgressBar bar(progress);
  while (!all_over.WaitFor(ProgressBar::kEvery)) {
    double sum = 0;
    for (const std::atomic<double>& share : done) sum += share.load(std::memory_order_relaxed);
    bar.Show(sum / static_cast<double>(candidates.size()),
             absl::StrCat(over.load(), " of ", candidates.size(), " configurations"));
  }
  for (std::thread& thread : threads) thread.join();
  return chronicles;
}

}  // namespace

int RunSimulate(const Arguments& arguments, const SimulateArguments& command) {
  const bool to_file = command.json.has_value() && !command.json->empty();
  const bool json = arguments.json || (command.json.has_value() && !to_file);
  const auto fail = [json](const absl::Status& status) { return Fail(json, FailureOf(status)); };
  Scenario scenario = command.scenario;
  const absl::StatusOr<std::vector<Candidate>> candidates = ReadCandidates(command, &scenario);
  if (!candidates.ok()) return fail(candidates.status());
  Comparison comparison{.scenario = command.facts, .seed = scenario.seed, .contenders = {}};
  if (const absl::Status status = TakeGames(command, &scenario, &comparison.scenario); !status.ok()) {
    return fail(status);
  }

  std::vector<absl::StatusOr<Chronicle>> chronicles =
      PlayAll(*candidates, scenario, command.jobs, !command.quiet && isatty(STDERR_FILENO) != 0);
  for (size_t i = 0; i < candidates->size(); ++i) {
    const std::string& name = (*candidates)[i].name;
    if (!chronicles[i].ok()) {
      const absl::Status& status = chronicles[i].status();
      return fail(absl::Status(status.code(), absl::StrCat(name, ": ", status.message())));
    }
    comparison.contenders.push_back({name, *std::move(chronicles[i])});
  }

  if (!command.html.empty()) {
    if (const absl::Status status = WriteFile(command.html, ComparisonPage(comparison)); !status.ok()) {
      return fail(status);
    }
  }
  if (to_file) {
    if (const absl::Status status = WriteFile(*command.json, ComparisonJson(comparison)); !status.ok()) {
      return fail(status);
    }
  }
  const std::string text = json ? ComparisonJson(comparison) : ComparisonText(comparison);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

}  // namespace evenmatch
