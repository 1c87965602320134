#include "app/signals.h"

#include <signal.h>
#include <unistd.h>

#include <utility>

#include "spdlog/spdlog.h"

namespace evenmatch {
namespace {

// Ends the thread; nobody else sends it on purpose, and it is only heeded from ourselves.
constexpr int kEnd = SIGUSR1;

sigset_t Awaited() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, kEnd}) sigaddset(&set, number);
  return set;
}

}  // namespace

void BlockSignals() {
  const sigset_t set = Awaited();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

SignalThread::SignalThread(std::function<void(const char*)> on_first)
    : on_first_(std::move(on_first)), thread_([this] { Run(); }) {}

SignalThread::~SignalThread() {
  pthread_kill(thread_.native_handle(), kEnd);
  thread_.join();
}

void SignalThread::Run() {
  const sigset_t set = Awaited();
  bool second = false;
  while (true) {
    siginfo_t info;
    const int number = sigwaitinfo(&set, &info);
    if (number == kEnd && info.si_pid == getpid()) return;
    if (number == SIGHUP) {
      spdlog::info(
          "SIGHUP does nothing: the configuration is read at the start only, and certificates are read again by "
          "themselves");
    }
    if (number != SIGTERM && number != SIGINT) continue;
    const char* name = number == SIGTERM ? "SIGTERM" : "SIGINT";
    if (std::exchange(second, true)) {
      spdlog::error("a second signal ({}): ending at once", name);
      _exit(1);
    }
    on_first_(name);
  }
}

}  // namespace evenmatch
