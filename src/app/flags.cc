#include "app/flags.h"

#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "rpc/credentials.h"

namespace evenmatch {
namespace {

constexpr int kWrong = 2;

auto IntoAddress(std::optional<HostPort>* address) {
  return [address](const std::string& text) {
    *address = ParseHostPort(text);
    if (!address->has_value()) {
      throw CLI::ValidationError(absl::StrCat("\"", text, "\" is not HOST:PORT, like 127.0.0.1:9050"));
    }
  };
}

// One byte more than is allowed tells ReadConfig that it is too much, without reading all of /dev/zero.
std::optional<std::string> ReadStart(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(kMaxYamlBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (file.fail() && !file.eof())) return std::nullopt;
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

}  // namespace

std::variant<Settings, Exit> ReadFlags(int argc, const char* const* argv) {
  std::string file;
  bool check = false;
  std::optional<HostPort> grpc_address, http_address;
  std::optional<std::string> log_format;
  CLI::App app("The matchmaking server. Without a file it serves the queues duel (1v1) and squad (5v5).", "evenmatchd");
  app.set_version_flag("--version", std::string("evenmatchd ") + EVENMATCH_VERSION);
  // A flag given twice counts as it was given last, so that scripts can add to what they were given.
  app.add_option("--config", file, "Configuration file (YAML)")->take_last();
  app.add_flag("--check-config", check, "Tell what is wrong with the configuration, by line and field, and end");
  app.add_option_function<std::string>("--grpc-address", IntoAddress(&grpc_address),
                                       "HOST:PORT of gRPC, in place of the file's; port 0 takes a free one")
      ->take_last();
  app.add_option_function<std::string>("--http-address", IntoAddress(&http_address),
                                       "HOST:PORT of health and metrics, in place of the file's")
      ->take_last();
  app.add_option("--log-format", log_format, "text or json, in place of the file's")
      ->take_last()
      ->check(CLI::IsMember({"text", "json"}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    const int code = app.exit(error, out, err);
    return code == 0 ? Exit{0, out.str()} : Exit{kWrong, err.str()};
  }

  std::string yaml(DefaultConfig());
  if (!file.empty()) {
    std::optional<std::string> text = ReadStart(file);
    if (!text.has_value()) return Exit{kWrong, absl::StrCat(file, ": cannot be read\n")};
    yaml = *std::move(text);
  }
  ConfigResult result = ReadConfig(yaml);
  if (!result.errors.empty()) {
    std::string text;
    for (const ConfigError& error : result.errors) absl::StrAppend(&text, error.Text(file), "\n");
    return Exit{kWrong, text};
  }
  if (check) {
    if (const auto& tls = result.settings.server.tls; tls.has_value()) {
      const absl::Status status = Credentials::Open({tls->certificate, tls->key, tls->client_ca}).status();
      if (!status.ok()) return Exit{kWrong, absl::StrCat(file, ": server.tls: ", status.message(), "\n")};
    }
    return Exit{0, "ok\n"};
  }
  if (grpc_address.has_value()) result.settings.server.grpc_address = *grpc_address;
  if (http_address.has_value()) result.settings.server.http_address = *http_address;
  if (log_format.has_value()) result.settings.log.format = *log_format;
  return std::move(result.settings);
}

}  // namespace evenmatch
