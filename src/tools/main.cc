// evenmatch: the command line client; see arguments.h for what it takes and commands.h for what it does.
#include <cstdio>
#include <variant>

#include "absl/synchronization/mutex.h"
#include "tools/commands.h"

namespace {

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace

int main(int argc, char** argv) {
  using namespace evenmatch;
  // The packaged gRPC is built with its lock checks on; they cost a tenth of its speed.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  const auto parsed = ParseArguments(argc, argv);
  if (const auto* exit = std::get_if<Exit>(&parsed)) {
    std::fputs(exit->text.c_str(), exit->code == 0 ? stdout : stderr);
    return exit->code;
  }
  const Arguments& arguments = std::get<Arguments>(parsed);
  return std::visit(Overloaded{
                        [&](const EnqueueArguments& command) { return RunEnqueue(arguments, command); },
                        [&](const CancelArguments& command) { return RunCancel(arguments, command); },
                        [&](const GetArguments& command) { return RunGet(arguments, command); },
                        [&](const ExplainArguments& command) { return RunExplain(arguments, command); },
                        [&](const EndArguments& command) { return RunEnd(arguments, command); },
                        [&](const WatchArguments& command) { return RunWatch(arguments, command); },
                        [&](const StatsArguments& command) { return RunStats(arguments, command); },
                        [&](const LoadArguments& command) { return RunLoad(arguments, command); },
                        [&](const ReplayArguments& command) { return RunReplay(arguments, command); },
                        [&](const DemoArguments& command) { return RunDemo(arguments, command); },
                        [&](const SimulateArguments& command) { return RunSimulate(arguments, command); },
                    },
                    arguments.command);
}
