#include "app/http_server.h"

#include <httplib.h>

#include <atomic>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace evenmatch {
namespace {

constexpr char kText[] = "text/plain; charset=utf-8";
constexpr char kPrometheus[] = "text/plain; version=0.0.4; charset=utf-8";
constexpr int kSeconds = 5;
constexpr size_t kLargestBody = 64 << 10;

}  // namespace

class HttpServer::Impl {
 public:
  explicit Impl(Pages pages) : pages_(std::move(pages)) {
    // The library would set SO_REUSEPORT, and two servers would share a port without a word.
    server_.set_socket_options([](socket_t socket) {
      const int on = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    });
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    server_.set_payload_max_length(kLargestBody);
    server_.set_read_timeout(kSeconds);
    server_.set_write_timeout(kSeconds);
    // An idle connection keeps a thread; probes and scrapers do not need it for long.
    server_.set_keep_alive_timeout(1);

    server_.Get("/healthz", [this](const httplib::Request&, httplib::Response& response) {
      const std::string fault = pages_.fault();
      response.status = fault.empty() ? 200 : 503;
      response.set_content(fault.empty() ? "ok\n" : fault + "\n", kText);
    });
    server_.Get("/readyz", [this](const httplib::Request&, httplib::Response& response) {
      const bool ready = pages_.ready();
      response.status = ready ? 200 : 503;
      response.set_content(ready ? "ready\n" : "not ready\n", kText);
    });
    server_.Get("/metrics", [this](const httplib::Request&, httplib::Response& response) {
      response.set_content(pages_.metrics(), kPrometheus);
    });
  }

  ~Impl() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  absl::Status Start(const HostPort& address) {
    address_ = address;
    if (address.port == 0) {
      const int port = server_.bind_to_any_port(address.host.c_str());
      if (port > 0) address_.port = static_cast<uint16_t>(port);
    }
    if (address_.port == 0 || (address.port != 0 && !server_.bind_to_port(address.host.c_str(), address.port))) {
      return absl::UnavailableError(absl::StrCat("cannot listen for HTTP on ", address.Text()));
    }
    thread_ = std::thread([this] {
      server_.listen_after_bind();
      ended_ = true;
    });
    // stop() does nothing to a server that does not run yet.
    while (!server_.is_running() && !ended_) std::this_thread::yield();
    return absl::OkStatus();
  }

  const HostPort& address() const { return address_; }

 private:
  const Pages pages_;
  httplib::Server server_;
  HostPort address_;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const HostPort& address, Pages pages) {
  auto impl = std::make_unique<Impl>(std::move(pages));
  if (absl::Status status = impl->Start(address); !status.ok()) return status;
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

const HostPort& HttpServer::address() const { return impl_->address(); }

}  // namespace evenmatch
