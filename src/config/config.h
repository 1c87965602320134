// ReadConfig: the configuration file of evenmatchd becomes the rules, limits and options that the server runs by.
// What may stand in it, and every default, is said in proto/evenmatch/config/v1.
//
// Errors:  every one that the text has, each with its line and the path of its field; `settings` counts only when there
//          are none.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/yaml_reader.h"
#include "model/limits.h"
#include "model/queue_rules.h"
#include "model/units.h"

namespace evenmatch {

namespace config::v1 {
class Config;
}  // namespace config::v1

struct HostPort {
  std::string host;  // a name or an address; IPv6 without its brackets
  uint16_t port = 0;

  std::string Text() const;  // HOST:PORT, IPv6 in brackets
};

// Reads HOST:PORT or [IPV6]:PORT.
std::optional<HostPort> ParseHostPort(std::string_view text);

struct TlsSettings {
  std::string certificate;
  std::string key;
  std::string client_ca;  // empty: clients are not asked for a certificate
};

struct ServerSettings {
  HostPort grpc_address{"127.0.0.1", 9050};
  HostPort http_address{"127.0.0.1", 9080};
  std::optional<TlsSettings> tls;
  bool reflection = true;
  int shards = 1;
  Micros drain_grace = 10 * kSecond;
};

struct LogSettings {
  std::string format = "text";
  std::string level = "info";
};

struct Settings {
  Catalog catalog;
  Limits limits;
  ServerSettings server;
  LogSettings log;
};

struct ConfigResult {
  Settings settings;
  std::vector<ConfigError> errors;
};

// Changes what the text says; its values are checked as if they stood there, a field that does not at the line of what
// it belongs to.
using ConfigEdit = std::function<void(config::v1::Config*)>;

ConfigResult ReadConfig(std::string_view yaml, const ConfigEdit& edit = {});

// The configuration of a server that is given no file: queues `duel` (1v1) and `squad` (5v5).
std::string_view DefaultConfig();

}  // namespace evenmatch
