#include "config/config.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/strings.h"
#include "base/text.h"
#include "evenmatch/config/v1/config.pb.h"

namespace evenmatch {
namespace {

namespace proto = evenmatch::config::v1;

constexpr double kMaxDistancePoints = 200'000;
constexpr size_t kMaxWindowSteps = 64;
constexpr int kMaxShards = 64;
constexpr int kMaxQueues = 1000;

MilliPoints ToMilliPoints(double points) { return static_cast<MilliPoints>(std::llround(points * kPoint)); }

// 90 s and not 90000000: the way people write it.
std::string DurationText(Micros micros) { return absl::FormatDuration(absl::Microseconds(micros)); }

// From the message to the settings; each value is checked where it is taken.
class Checker {
 public:
  Checker(const proto::Config& config, Diagnosis* diagnosis) : config_(config), diagnosis_(*diagnosis) {}

  Settings Check() {
    CheckLimits();
    CheckQueues();
    CheckServer();
    CheckLog();
    return std::move(settings_);
  }

 private:
  void Wrong(std::string field, std::string what) { diagnosis_.AddUnlessKnown(std::move(field), std::move(what)); }

  template <typename Number>
  Number InRange(const std::string& field, Number value, Number low, Number high) {
    if (value >= low && value <= high) return value;
    Wrong(field, absl::StrCat("must be ", low, " to ", high, ", not ", value));
    return low;
  }

  Micros DurationInRange(const std::string& field, const google::protobuf::Duration& value, Micros low, Micros high) {
    const Micros micros = value.seconds() * kSecond + value.nanos() / 1000;
    if (micros >= low && micros <= high) return micros;
    Wrong(field,
          absl::StrCat("must be ", DurationText(low), " to ", DurationText(high), ", not ", DurationText(micros)));
    return low;
  }

  void CheckName(const std::string& field, const std::string& name, size_t max_bytes) {
    if (name.empty()) {
      Wrong(field, "is required and must not be empty");
    } else if (name.size() > max_bytes) {
      Wrong(field, absl::StrCat("has ", name.size(), " bytes; at most ", max_bytes, " are allowed"));
    } else if (FindTextFault(name) != TextFault::kNone) {
      Wrong(field, "must be valid UTF-8 without control characters");
    }
  }

  void CheckQueues() {
    if (config_.queues().empty()) Wrong("queues", "at least one queue is needed");
    if (config_.queues_size() > kMaxQueues) {
      return Wrong("queues",
                   absl::StrCat("has ", config_.queues_size(), " entries; at most ", kMaxQueues, " are allowed"));
    }
    std::map<std::string, std::string> fields_by_name;
    for (int i = 0; i < config_.queues_size(); ++i) {
      const std::string field = absl::StrCat("queues[", i, "]");
      QueueRules rules = CheckQueue(field, config_.queues(i));
      const auto [first, is_new] = fields_by_name.try_emplace(rules.name, field);
      if (!is_new && !rules.name.empty()) {
        Wrong(field + ".name", absl::StrCat("\"", rules.name, "\" is the name of ", first->second, " already"));
      }
      settings_.catalog.queues.push_back(std::move(rules));
    }
  }

  QueueRules CheckQueue(const std::string& field, const proto::Queue& queue) {
    QueueRules rules;
    rules.name = queue.name();
    CheckName(field + ".name", rules.name, settings_.limits.id_bytes);
    rules.group = CheckGroup(field, queue);
    if (queue.has_team_count()) rules.team_count = InRange(field + ".team_count", queue.team_count(), 2, 64);
    if (!queue.has_team_size()) Wrong(field + ".team_size", "is required");
    if (queue.has_team_size()) rules.team_size = InRange(field + ".team_size", queue.team_size(), 1, 64);
    if (queue.has_window()) rules.window = CheckWindow(field + ".window", queue.window());
    rules.required_attributes = CheckAttributes(field + ".required_attributes", queue);
    if (queue.has_start_rating()) {
      const double limit = settings_.limits.rating / kPoint;
      rules.start_value = ToMilliPoints(InRange(field + ".start_rating", queue.start_rating(), -limit, limit));
    }
    if (queue.has_tick()) {
      rules.tick = DurationInRange(field + ".tick", queue.tick(), kMillisecond, 60 * kSecond);
    }
    if (queue.has_max_waiting()) {
      rules.max_waiting = InRange<uint64_t>(field + ".max_waiting", queue.max_waiting(), 1, 10'000'000);
    }
    const Micros longest = settings_.limits.ticket_timeout;
    rules.default_timeout = std::min(rules.default_timeout, longest);
    if (queue.has_default_timeout()) {
      rules.default_timeout =
          DurationInRange(field + ".default_timeout", queue.default_timeout(), kMillisecond, longest);
    }
    if (queue.has_hold_timeout()) {
      rules.hold_timeout = DurationInRange(field + ".hold_timeout", queue.hold_timeout(), 0, 24 * kHour);
    }
    return rules;
  }

  uint32_t CheckGroup(const std::string& field, const proto::Queue& queue) {
    const std::string name = queue.pool_group().empty() ? "default" : queue.pool_group();
    CheckName(field + ".pool_group", name, settings_.limits.id_bytes);
    std::vector<PoolGroupRules>& groups = settings_.catalog.groups;
    int index = settings_.catalog.FindGroup(name);
    if (index < 0) {
      index = static_cast<int>(groups.size());
      groups.push_back({.name = name, .queues = {}});
    }
    groups[index].queues.push_back(static_cast<uint32_t>(settings_.catalog.queues.size()));
    return static_cast<uint32_t>(index);
  }

  std::vector<std::string> CheckAttributes(const std::string& field, const proto::Queue& queue) {
    std::vector<std::string> attributes;
    if (static_cast<size_t>(queue.required_attributes_size()) > settings_.limits.attributes) {
      Wrong(field, absl::StrCat("has ", queue.required_attributes_size(), " entries; at most ",
                                settings_.limits.attributes, " are allowed"));
    }
    for (int i = 0; i < queue.required_attributes_size(); ++i) {
      const std::string& attribute = queue.required_attributes(i);
      const std::string element = absl::StrCat(field, "[", i, "]");
      CheckName(element, attribute, settings_.limits.attribute_key_bytes);
      if (std::find(attributes.begin(), attributes.end(), attribute) != attributes.end()) {
        Wrong(element, "is in the list already");
      }
      attributes.push_back(attribute);
    }
    return attributes;
  }

  WindowRules CheckWindow(const std::string& field, const proto::Window& window) {
    WindowRules rules;
    if (window.has_linear()) CheckLinear(field + ".linear", window.linear(), &rules);
    if (window.steps_size() == 0 && diagnosis_.IsGiven(field + ".steps")) {
      Wrong(field + ".steps", "has no steps; leave it out to get the default window");
    }
    if (window.steps_size() > 0) CheckSteps(field + ".steps", window, &rules);
    if (window.has_linear() && window.steps_size() > 0) Wrong(field, "has linear and steps; only one may be given");
    return rules;
  }

  void CheckLinear(const std::string& field, const proto::LinearWindow& linear, WindowRules* rules) {
    double base = rules->base / kPoint, growth = rules->growth_per_second / kPoint, max = rules->max / kPoint;
    if (linear.has_base()) base = InRange(field + ".base", linear.base(), 0.0, kMaxDistancePoints);
    if (linear.has_growth_per_second()) {
      growth = InRange(field + ".growth_per_second", linear.growth_per_second(), 0.0, kMaxDistancePoints);
    }
    if (linear.has_max()) max = InRange(field + ".max", linear.max(), 0.0, kMaxDistancePoints);
    if (max < base) {
      Wrong(linear.has_max() ? field + ".max" : field + ".base",
            absl::StrCat("max ", max, linear.has_max() ? "" : " (its default)", " must not be below base ", base));
    }
    rules->base = ToMilliPoints(base);
    rules->growth_per_second = ToMilliPoints(growth);
    rules->max = ToMilliPoints(max);
  }

  void CheckSteps(const std::string& field, const proto::Window& window, WindowRules* rules) {
    if (static_cast<size_t>(window.steps_size()) > kMaxWindowSteps) {
      Wrong(field, absl::StrCat("has ", window.steps_size(), " steps; at most ", kMaxWindowSteps, " are allowed"));
    }
    for (int i = 0; i < window.steps_size(); ++i) {
      const proto::WindowStep& step = window.steps(i);
      const std::string element = absl::StrCat(field, "[", i, "]");
      WindowRules::Step rule{.after = 0, .width = kUnlimitedWindow};
      if (!step.has_after()) Wrong(element + ".after", "is required");
      rule.after = DurationInRange(element + ".after", step.after(), 0, 24 * kHour);
      if (step.has_width()) {
        rule.width = ToMilliPoints(InRange(element + ".width", step.width(), 0.0, kMaxDistancePoints));
      }
      if (i == 0 && rule.after != 0) Wrong(element + ".after", "must be 0s in the first step");
      if (i > 0) {
        const WindowRules::Step& before = rules->steps.back();
        if (rule.after <= before.after) {
          Wrong(element + ".after",
                absl::StrCat("must be later than the step before, at ", DurationText(before.after)));
        }
        if (rule.width < before.width) {
          Wrong(element + ".width",
                before.width == kUnlimitedWindow
                    ? std::string("must not be narrower than the step before, which takes any distance")
                    : absl::StrCat("must not be narrower than the step before, ",
                                   static_cast<double>(before.width) / kPoint));
        }
      }
      rules->steps.push_back(rule);
    }
  }

  void CheckServer() {
    const proto::Server& server = config_.server();
    ServerSettings& settings = settings_.server;
    CheckAddress("server.grpc_address", server.grpc_address(), &settings.grpc_address);
    CheckAddress("server.http_address", server.http_address(), &settings.http_address);
    if (settings.grpc_address.port != 0 && settings.grpc_address.Text() == settings.http_address.Text()) {
      Wrong(server.http_address().empty() ? "server.grpc_address" : "server.http_address",
            "gRPC and HTTP need addresses of their own");
    }
    if (server.has_tls()) CheckTls(server.tls());
    if (server.has_reflection()) settings.reflection = server.reflection();
    if (server.has_shards()) settings.shards = InRange("server.shards", server.shards(), 1, kMaxShards);
    if (server.has_drain_grace()) {
      settings.drain_grace = DurationInRange("server.drain_grace", server.drain_grace(), 0, kHour);
    }
    if (server.has_presence_grace()) {
      settings_.catalog.presence_grace = DurationInRange("server.presence_grace", server.presence_grace(), 0, kHour);
    }
  }

  void CheckAddress(const std::string& field, const std::string& text, HostPort* address) {
    if (text.empty()) return;
    if (std::optional<HostPort> parsed = ParseHostPort(text)) {
      *address = *std::move(parsed);
    } else {
      Wrong(field, "must be HOST:PORT, like 127.0.0.1:9050");
    }
  }

  // Who writes `tls:` wants TLS; half of it must not silently become none.
  void CheckTls(const proto::Tls& tls) {
    const bool certificate = !tls.certificate_file().empty(), key = !tls.key_file().empty();
    if (certificate && !key) Wrong("server.tls.certificate_file", "needs its key_file beside it");
    if (key && !certificate) Wrong("server.tls.key_file", "needs its certificate_file beside it");
    if (!certificate && !key) Wrong("server.tls", "needs certificate_file and key_file");
    settings_.server.tls = TlsSettings{tls.certificate_file(), tls.key_file(), tls.client_ca_file()};
  }

  void CheckLimits() {
    const proto::Limits& limits = config_.limits();
    Limits& out = settings_.limits;
    const auto take = [this](const char* name, uint64_t value, uint64_t low, uint64_t high) -> size_t {
      return InRange<uint64_t>(absl::StrCat("limits.", name), value, low, high);
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
      out.ticket_timeout = DurationInRange("limits.ticket_timeout", limits.ticket_timeout(), kMillisecond, 24 * kHour);
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
    Wrong(field, absl::StrCat("must be one of ", names));
  }

  const proto::Config& config_;
  Diagnosis& diagnosis_;
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

ConfigResult ReadConfig(std::string_view yaml) {
  proto::Config config;
  Diagnosis diagnosis;
  ReadYaml(yaml, &config, &diagnosis);
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
