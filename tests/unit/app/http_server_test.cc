#include "app/http_server.h"

#include <arpa/inet.h>
#include <httplib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace evenmatch {
namespace {

constexpr std::chrono::seconds kDeadline(3);

// A client that says this much and no more.
class Socket {
 public:
  Socket(const HostPort& address, const std::string& text) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval deadline{kDeadline.count(), 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof(deadline));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(address.port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
    if (!text.empty()) send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
  }
  Socket(Socket&& from) noexcept : socket_(std::exchange(from.socket_, -1)) {}
  ~Socket() {
    if (socket_ >= 0) close(socket_);
  }
  // What comes next; empty: the end.
  std::string Read() {
    char text[256];
    const ssize_t count = recv(socket_, text, sizeof(text), 0);
    return count >= 0 ? std::string(text, static_cast<size_t>(count)) : "nothing within the deadline";
  }

 private:
  int socket_;
};

class HttpServerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server = HttpServer::Start({"127.0.0.1", 0}, {.fault = [this] { return fault_; },
                                                       .ready = [this] { return ready_.load(); },
                                                       .metrics = [] { return std::string("evenmatch_x 1\n"); }});
    ASSERT_TRUE(server.ok());
    server_ = *std::move(server);
    ASSERT_NE(server_->address().port, 0);
  }
  httplib::Result Get(const char* path) {
    return httplib::Client(server_->address().host, server_->address().port).Get(path);
  }

  std::string fault_;
  std::atomic<bool> ready_{true};
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, TellsHealthReadinessAndMetrics) {
  EXPECT_EQ(Get("/healthz")->status, 200);
  EXPECT_EQ(Get("/readyz")->status, 200);
  const auto metrics = Get("/metrics");
  EXPECT_EQ(metrics->status, 200);
  EXPECT_EQ(metrics->body, "evenmatch_x 1\n");
  EXPECT_EQ(metrics->get_header_value("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(Get("/nothing")->status, 404);
}

TEST_F(HttpServerTest, SaysWhatIsWrong) {
  fault_ = "a new connection is not accepted";
  ready_ = false;
  EXPECT_EQ(Get("/healthz")->status, 503);
  EXPECT_EQ(Get("/healthz")->body, fault_ + "\n");
  EXPECT_EQ(Get("/readyz")->status, 503);
}

TEST_F(HttpServerTest, ATakenAddressIsAnError) {
  const auto second = HttpServer::Start(server_->address(), {});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(second.status().message().find(server_->address().Text()), absl::string_view::npos);
  EXPECT_FALSE(HttpServer::Start({"no.such.host.invalid", 0}, {}).ok());
}

TEST_F(HttpServerTest, SilentConnectionsKeepNobodyWaiting) {
  std::vector<Socket> silent;
  for (int i = 0; i < 300; ++i) silent.emplace_back(server_->address(), i % 2 == 0 ? "" : "GET /healthz HT");
  for (const char* path : {"/healthz", "/readyz", "/metrics"}) {
    httplib::Client client(server_->address().host, server_->address().port);
    client.set_connection_timeout(kDeadline);
    client.set_read_timeout(kDeadline);
    const auto answer = client.Get(path);
    ASSERT_TRUE(answer) << path << ": " << httplib::to_string(answer.error());
    EXPECT_EQ(answer->status, 200);
  }
}

TEST_F(HttpServerTest, AnEndWaitsForNoSilentConnection) {
  std::vector<Socket> silent;
  for (int i = 0; i < 10 * HttpServer::kThreads; ++i) silent.emplace_back(server_->address(), "");
  const auto began = std::chrono::steady_clock::now();
  server_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, kDeadline);
}

TEST_F(HttpServerTest, WhoComesWhileTooManyWaitIsClosedAtOnce) {
  rlimit descriptors;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &descriptors), 0);
  descriptors.rlim_cur = descriptors.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &descriptors), 0);
  std::latch asked(HttpServer::kThreads), go(1);
  const auto server = HttpServer::Start({"127.0.0.1", 0}, {.fault =
                                                               [&] {
                                                                 asked.count_down();
                                                                 go.wait();
                                                                 return std::string();
                                                               },
                                                           .ready = nullptr,
                                                           .metrics = nullptr});
  ASSERT_TRUE(server.ok());
  std::vector<Socket> busy, waiting;
  for (int i = 0; i < HttpServer::kThreads; ++i) {
    busy.emplace_back((*server)->address(), "GET /healthz HTTP/1.1\r\n\r\n");
  }
  asked.wait();
  for (int i = 0; i < HttpServer::kWaiting; ++i) waiting.emplace_back((*server)->address(), "");
  EXPECT_EQ(Socket((*server)->address(), "").Read(), "");
  go.count_down();
  EXPECT_EQ(busy[0].Read().substr(0, 12), "HTTP/1.1 200");
}

TEST_F(HttpServerTest, LargeBodiesAreRefused) {
  httplib::Client client(server_->address().host, server_->address().port);
  const auto answer = client.Post("/healthz", std::string(1 << 20, 'x'), "text/plain");
  EXPECT_TRUE(!answer || answer->status >= 400);
  EXPECT_EQ(Get("/healthz")->status, 200);
}

}  // namespace
}  // namespace evenmatch
