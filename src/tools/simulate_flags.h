// What `evenmatch simulate` is told on the command line.
//
// Errors:  CLI::ParseError, which ParseArguments turns into a text and exit code 2.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "model/units.h"
#include "sim/world.h"

namespace CLI {
class App;
}  // namespace CLI

namespace evenmatch {

namespace config::v1 {
class Queue;
}  // namespace config::v1

// "FIELD=VALUE,VALUE,...": a rule of the played queues that is tried with each of these values, no value twice.
struct Variation {
  struct Value {
    std::string text;
    double number = 0;  // in points
    Micros span = 0;
  };
  enum class Field { kBase, kGrowth, kMax, kDeviationFactor, kTargetWait, kTick };
  Field field = Field::kBase;
  std::string name;
  std::vector<Value> values;

  static absl::StatusOr<Variation> Parse(std::string_view text);
};

// Sets the rule as a file would; whether the queue then makes sense is up to the checks of files.
void Vary(const Variation& variation, const Variation::Value& value, config::v1::Queue* queue);

// "NAME[+NAME...][:WEIGHT]".
absl::StatusOr<QueueShare> ParseQueueShare(std::string_view text);

struct SimulateArguments {
  std::vector<std::string> configs;  // files; none: what a server without a file does
  std::vector<Variation> variations;
  Scenario scenario;
  std::string games;  // file; empty: none
  bool trace = false;
  double speed = 1;                 // of the trace
  std::optional<std::string> json;  // file; empty: standard output
  std::string html;                 // file; empty: none
  int jobs = 0;                     // configurations at a time; 0: as many as there are cores
  bool quiet = false;
  std::vector<std::pair<std::string, std::string>> facts;  // what was asked for, for the reports
};

void AddSimulate(CLI::App* app, SimulateArguments* arguments);
// After parsing: defaults that depend on others, and checks.
void FinishSimulate(const CLI::App& app, SimulateArguments* arguments);

}  // namespace evenmatch
