#include "config/config.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/strings.h"
#include "config/checks.h"
#include "config/queue_rules.h"
#include "evenmatch/config/v1/config.pb.h"

namespace evenmatch {
namespace {

namespace proto = evenmatch::config::v1;

constexpr int kMaxShards = 64;
constexpr int kMaxQueues = 1000;

// From the message to the settings; each value is checked where it is taken.
class Checker {
 public:
  Checker(const proto::Config& config, Diagnosis* diagnosis) : config_(config), checks_(diagnosis) {}

  Settings Check() {
    CheckLimits();
    CheckQueues();
    CheckServer();
    CheckLog();
    return std::move(settings_);
  }

 private:
  void CheckQueues() {
    if (config_.queues().empty()) checks_.Wrong("queues", "at least one queue is needed");
    if (config_.queues_size() > kMaxQueues) {
      return checks_.Wrong(
          "queues", absl::StrCat("has ", config_.queues_size(), " entries; at most ", kMaxQueues, " are allowed"));
    }
    UniqueNames names(&checks_);
    for (int i = 0; i < config_.queues_size(); ++i) {
      const std::string field = absl::StrCat("queues[", i, "]");
      QueueRules rules = CheckQueueRules(field, config_.queues(i), settings_.limits, &checks_);
      rules.group = CheckGroup(field, config_.queues(i));
      names.Add(field + ".name", rules.name, field);
      settings_.catalog.queues.push_back(std::move(rules));
    }
  }

  uint32_t CheckGroup(const std::string& field, const proto::Queue& queue) {
    const std::string name = queue.pool_group().empty() ? "default" : queue.pool_group();
    checks_.Name(field + ".pool_group", name, settings_.limits.id_bytes);
    std::vector<PoolGroupRules>& groups = settings_.catalog.groups;
    int index = settings_.catalog.FindGroup(name);
    if (index < 0) {
      index = static_cast<int>(groups.size());
      groups.push_back({.name = name, .queues = {}});
    }
    groups[index].queues.push_back(static_cast<uint32_t>(settings_.catalog.queues.size()));
    return static_cast<uint32_t>(index);
  }

  void CheckServer() {
    const proto::Server& server = config_.server();
    ServerSettings& settings = settings_.server;
    CheckAddress("server.grpc_address", server.grpc_address(), &settings.grpc_address);
    CheckAddress("server.http_address", server.http_address(), &settings.http_address);
    if (settings.grpc_address.port != 0 && settings.grpc_address.Text() == settings.http_address.Text()) {
      checks_.Wrong(server.http_address().empty() ? "server.grpc_address" : "server.http_address",
                    "gRPC and HTTP need addresses of their own");
    }
    if (server.has_tls()) CheckTls(server.tls());
    if (server.has_reflection()) settings.reflection = server.reflection();
    if (server.has_shards()) settings.shards = checks_.InRange("server.shards", server.shards(), 1, kMaxShards);
    if (server.has_drain_grace()) {
      settings.drain_grace = checks_.Duration("server.drain_grace", server.drain_grace(), 0, kHour);
    }
    if (server.has_presence_grace()) {
      settings_.catalog.presence_grace = checks_.Duration("server.presence_grace", server.presence_grace(), 0, kHour);
    }
  }

  void CheckAddress(const std::string& field, const std::string& text, HostPort* address) {
    if (text.empty()) return;
    if (std::optional<HostPort> parsed = ParseHostPort(text)) {
      *address = *std::move(parsed);
    } else {
      checks_.Wrong(field, "must be HOST:PORT, like 127.0.0.1:9050");
    }
  }

  // Who writes `tls:` wants TLS; half of it must not silently become none.
  void CheckTls(const proto::Tls& tls) {
    const bool certificate = !tls.certificate_file().empty(), key = !tls.key_file().empty();
    if (certificate && !key) checks_.Wrong("server.tls.certificate_file", "needs its key_file beside it");
    if (key && !certificate) checks_.Wrong("server.tls.key_file", "needs its certificate_file beside it");
    if (!certificate && !key) checks_.Wrong("server.tls", "needs certificate_file and key_file");
    settings_.server.tls = TlsSettings{tls.certificate_file(), tls.key_file(), tls.client_ca_file()};
  }

  void CheckLimits() {
    const proto::Limits& limits = config_.limits();
    Limits& out = settings_.limits;
    const auto take = [this](const char* name, uint64_t value, uint64_t low, uint64_t high) -> size_t {
      return checks_.InRange<uint64_t>(absl::StrCat("limits.", name), value, low, high);
    };
    if (limits.has_message_bytes()) out.message_bytes = take("message_bytes", limits.message_bytes(), 1024, 1 << 20);
    if (limits.has_tickets_per_group()) {
      out.tickets_per_group = take("tickets_per_group", limits.tickets_per_group(), 1, 60'000'000);
    }
    if (limits.has_waiting_per_peer()) {
      out.waiting_per_peer = take("waiting_per_peer", limits.waiting_per_peer(), 0, 100'000'000);
    }
    if (limits.has_retained_matches_per_group()) {
      out.retained_matches_per_group =
          take("retained_matches_per_group", limits.retained_matches_per_group(), 0, 100'000'000);
    }
    if (limits.has_commands_in_flight_per_peer()) {
      out.commands_in_flight_per_peer =
          take("commands_in_flight_per_peer", limits.commands_in_flight_per_peer(), 1, 100'000'000);
    }
    if (limits.has_inbox_commands()) {
      out.inbox_commands = take("inbox_commands", limits.inbox_commands(), 16, 1 << 24);
    }
    if (limits.has_ticket_timeout()) {
      out.ticket_timeout = checks_.Duration("limits.ticket_timeout", limits.ticket_timeout(), kMillisecond, 24 * kHour);
    }
  }

  void CheckLog() {
    const proto::Log& log = config_.log();
    OneOf("log.format", log.format(), {"text", "json"}, &settings_.log.format);
    OneOf("log.level", log.level(), {"trace", "debug", "info", "warn", "error"}, &settings_.log.level);
  }

  void OneOf(const std::string& field, const std::string& text, std::initializer_list<std::string_view> choices,
             std::string* out) {
    if (text.empty()) return;
    *out = text;
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) return;
    std::string names;
    for (const std::string_view choice : choices) absl::StrAppend(&names, names.empty() ? "" : ", ", ToAbsl(choice));
    checks_.Wrong(field, absl::StrCat("must be one of ", names));
  }

  const proto::Config& config_;
  Checks checks_;
  Settings settings_;
};

}  // namespace

std::string HostPort::Text() const {
  return host.find(':') == std::string::npos ? absl::StrCat(host, ":", port) : absl::StrCat("[", host, "]:", port);
}

std::optional<HostPort> ParseHostPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view port_text = text.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;  // an IPv6 address needs its brackets: where it ends would be a guess
  }
  HostPort address{.host = std::string(host)};
  const auto [end, error] = std::from_chars(port_text.data(), port_text.data() + port_text.size(), address.port);
  if (host.empty() || host.find_first_of(" \t\r\n[]/") != std::string_view::npos || error != std::errc() ||
      end != port_text.data() + port_text.size()) {
    return std::nullopt;
  }
  return address;
}

ConfigResult ReadConfig(std::string_view yaml, const ConfigEdit& edit) {
  proto::Config config;
  Diagnosis diagnosis;
  ReadYaml(yaml, &config, &diagnosis);
  if (edit) edit(&config);
  ConfigResult result;
  result.settings = Checker(config, &diagnosis).Check();
  result.errors = diagnosis.Take();
  return result;
}

std::string_view DefaultConfig() {
  return R"(queues:
  - name: duel
    team_size: 1
  - name: squad
    team_size: 5
)";
}

}  // namespace evenmatch
