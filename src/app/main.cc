// evenmatchd: the matchmaking server; see flags.h for its command line and service.h for its life.
#include <cstdio>
#include <variant>

#include "absl/synchronization/mutex.h"
#include "app/flags.h"
#include "app/log.h"
#include "app/service.h"
#include "app/signals.h"

int main(int argc, char** argv) {
  using namespace evenmatch;
  BlockSignals();
  // The packaged gRPC is built with its lock checks on; they cost a tenth of its speed.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  const auto flags = ReadFlags(argc, argv);
  if (const auto* exit = std::get_if<Exit>(&flags)) {
    std::fputs(exit->text.c_str(), exit->code == 0 ? stdout : stderr);
    return exit->code;
  }
  const Settings& settings = std::get<Settings>(flags);
  StartLog(settings.log);
  return Serve(settings);
}
