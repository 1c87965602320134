#include "app/signals.h"

#include <signal.h>
#include <unistd.h>

#include <future>
#include <memory>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "spdlog/sinks/ostream_sink.h"
#include "spdlog/spdlog.h"

namespace evenmatch {
namespace {

TEST(Signals, HangupIsOnlyLoggedAndTermIsACall) {
  BlockSignals();
  std::ostringstream log;
  const auto before = spdlog::default_logger();
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log)));
  std::promise<std::string> first;
  {
    const SignalThread signals([&first](const char* name) { first.set_value(name); });
    kill(getpid(), SIGHUP);  // of two that are pending the lower number is taken first
    kill(getpid(), SIGTERM);
    EXPECT_EQ(first.get_future().get(), "SIGTERM");
  }
  spdlog::set_default_logger(before);
  EXPECT_NE(log.str().find("SIGHUP does nothing"), std::string::npos) << log.str();
}

}  // namespace
}  // namespace evenmatch
