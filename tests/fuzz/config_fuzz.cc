// Any bytes as a configuration file: no crash, no exception, and what is taken without an error keeps the promises that
// the rest of the server builds on.
#include <string_view>

#include "base/check.h"
#include "config/config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace evenmatch;
  const ConfigResult result = ReadConfig(std::string_view(reinterpret_cast<const char*>(data), size));
  for (const ConfigError& error : result.errors) CHECK(!error.Text("file").empty());
  if (!result.errors.empty()) return 0;
  const Catalog& catalog = result.settings.catalog;
  CHECK(!catalog.queues.empty());
  for (size_t i = 0; i < catalog.queues.size(); ++i) {
    const QueueRules& queue = catalog.queues[i];
    CHECK_EQ(catalog.FindQueue(queue.name), static_cast<int>(i));
    CHECK(queue.team_count >= 2 && queue.team_count <= 64);
    CHECK(queue.team_size >= 1 && queue.team_size <= 64);
    CHECK_GE(queue.tick, kMillisecond);
    CHECK(queue.default_timeout > 0 && queue.default_timeout <= result.settings.limits.ticket_timeout);
    CHECK(queue.window.base >= 0 && queue.window.max >= queue.window.base);
    for (size_t k = 0; k < queue.window.steps.size(); ++k) {
      const WindowRules::Step& step = queue.window.steps[k];
      CHECK_GE(step.width, k == 0 ? 0 : queue.window.steps[k - 1].width);
      CHECK(k == 0 ? step.after == 0 : step.after > queue.window.steps[k - 1].after);
    }
  }
  return 0;
}
