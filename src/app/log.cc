#include "app/log.h"

#include <chrono>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "base/json.h"
#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

namespace evenmatch {
namespace {

// For people: only what could break the line or the terminal is escaped.
void AppendOneLine(std::string_view text, std::string* line) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      *line += absl::StrFormat("\\x%02x", byte);
    } else {
      line->push_back(c);
    }
  }
}

class LineFormatter final : public spdlog::formatter {
 public:
  explicit LineFormatter(bool json) : json_(json) {}

  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    const std::string time =
        absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromChrono(message.time), absl::UTCTimeZone());
    const auto level = spdlog::level::to_string_view(message.level);
    const std::string_view level_name(level.data(), level.size());
    const std::string_view text(message.payload.data(), message.payload.size());
    std::string line;
    if (json_) {
      line += "{\"time\":\"" + time + "\",\"level\":";
      AppendJsonQuoted(level_name, &line);
      line += ",\"message\":";
      AppendJsonQuoted(text, &line);
      line += "}";
    } else {
      line += time + " ";
      line += level_name;
      line += " ";
      AppendOneLine(text, &line);
    }
    line += "\n";
    out.append(line.data(), line.data() + line.size());
  }

  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<LineFormatter>(json_); }

 private:
  const bool json_;
};

}  // namespace

std::unique_ptr<spdlog::formatter> MakeLogFormatter(bool json) { return std::make_unique<LineFormatter>(json); }

void StartLog(const LogSettings& settings) {
  auto logger = std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_formatter(MakeLogFormatter(settings.format == "json"));
  logger->set_level(spdlog::level::from_str(settings.level));
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace evenmatch
