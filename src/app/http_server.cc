#include "app/http_server.h"

#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "app/http_stream.h"

namespace evenmatch {
namespace {

constexpr char kText[] = "text/plain; charset=utf-8";
constexpr char kPrometheus[] = "text/plain; version=0.0.4; charset=utf-8";
constexpr auto kToRead = std::chrono::seconds(2);
constexpr auto kToWrite = std::chrono::seconds(5);
constexpr size_t kLargestBody = 64 << 10;
constexpr int kBacklog = 512;  // the library's own is 5, and a burst of connections would wait for its repeats of SYN

// A connection that a thread has begun.
struct Connection {
  int socket;
  bool silent = true;    // its request has not come yet
  bool evicted = false;  // ends at once to make room
};

// Set around the library's calls, which tell only the socket, or nothing.
thread_local Connection* current = nullptr;
thread_local bool refused = false;

// Shares the threads among connections. One that says nothing costs a thread only until somebody else needs it: then
// the silent one that is oldest has to go.
class Connections {
 public:
  // Accepted. False: too many wait already.
  bool Admit() {
    const std::lock_guard lock(mutex_);
    if (waiting_ >= HttpServer::kWaiting) return false;
    ++waiting_;
    MakeRoom();
    return true;
  }
  void Begin(Connection* connection) {
    const std::lock_guard lock(mutex_);
    --waiting_;
    ++begun_;
    silent_.push_back(connection);
    MakeRoom();
  }
  // The request has come.
  void Speak(Connection* connection) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(connection->silent, false)) silent_.remove(connection);
  }
  // Before its socket is closed.
  void End(Connection* connection) {
    const std::lock_guard lock(mutex_);
    if (connection->silent) silent_.remove(connection);
    if (connection->evicted) --evicted_;
    --begun_;
  }
  // From now on only those are served whose requests have come.
  void Close() {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    MakeRoom();
  }

 private:
  void MakeRoom() {
    while ((closing_ || waiting_ > HttpServer::kThreads - begun_ + evicted_) && !silent_.empty()) {
      Connection* oldest = silent_.front();
      silent_.pop_front();
      oldest->silent = false;
      oldest->evicted = true;
      ++evicted_;
      shutdown(oldest->socket, SHUT_RD);  // what has come is still read; its thread wakes up
    }
  }

  std::mutex mutex_;
  int waiting_ = 0, begun_ = 0, evicted_ = 0;
  bool closing_ = false;
  std::list<Connection*> silent_;  // oldest first
};

class Queue final : public httplib::TaskQueue {
 public:
  explicit Queue(Connections* connections) : connections_(*connections), threads_(HttpServer::kThreads) {}

  void enqueue(std::function<void()> serve) override {
    if (connections_.Admit()) return threads_.enqueue(std::move(serve));
    refused = true;
    serve();
    refused = false;
  }
  void shutdown() override { threads_.shutdown(); }

 private:
  Connections& connections_;
  httplib::ThreadPool threads_;
};

class Server final : public httplib::Server {
 public:
  Server() {
    new_task_queue = [this] { return new Queue(&connections_); };
    set_pre_routing_handler([this](const httplib::Request&, httplib::Response&) {
      connections_.Speak(current);
      return HandlerResponse::Unhandled;
    });
  }
  void CloseSilent() { connections_.Close(); }
  void RaiseBacklog() { ::listen(svr_sock_, kBacklog); }

 private:
  // One request a connection.
  bool process_and_close_socket(socket_t socket) override {
    if (!refused) {
      Connection connection{socket};
      current = &connection;
      connections_.Begin(&connection);
      HttpStream stream(socket, kToRead, kToWrite);
      bool closed = false;
      process_request(stream, true, closed, nullptr);
      connections_.End(&connection);
      current = nullptr;
    }
    ::shutdown(socket, SHUT_RDWR);
    close(socket);
    return true;
  }

  Connections connections_;
};

}  // namespace

class HttpServer::Impl {
 public:
  explicit Impl(Pages pages) : pages_(std::move(pages)) {
    // The library would set SO_REUSEPORT, and two servers would share a port without a word.
    server_.set_socket_options([](socket_t socket) {
      const int on = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    });
    server_.set_payload_max_length(kLargestBody);

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
    server_.CloseSilent();
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
    server_.RaiseBacklog();
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
  Server server_;
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
