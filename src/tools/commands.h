// The commands of `evenmatch`: each does one thing, prints what came of it, and returns the exit code: 0 fine, 1 the
// server or a file refused, 3 a promise of the server was found broken.
//
// Threads: one caller.
#pragma once

#include "tools/arguments.h"

namespace evenmatch {

int RunEnqueue(const Arguments& arguments, const EnqueueArguments& command);
int RunCancel(const Arguments& arguments, const CancelArguments& command);
int RunGet(const Arguments& arguments, const GetArguments& command);
int RunExplain(const Arguments& arguments, const ExplainArguments& command);
int RunEnd(const Arguments& arguments, const EndArguments& command);
int RunWatch(const Arguments& arguments, const WatchArguments& command);
int RunStats(const Arguments& arguments, const StatsArguments& command);
int RunLoad(const Arguments& arguments, const LoadArguments& command);
int RunReplay(const Arguments& arguments, const ReplayArguments& command);
int RunDemo(const Arguments& arguments, const DemoArguments& command);
int RunSimulate(const Arguments& arguments, const SimulateArguments& command);

}  // namespace evenmatch
