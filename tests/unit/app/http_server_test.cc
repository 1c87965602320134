#include "app/http_server.h"

#include <httplib.h>

#include <atomic>
#include <string>

#include "gtest/gtest.h"

namespace evenmatch {
namespace {

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

TEST_F(HttpServerTest, LargeBodiesAreRefused) {
  httplib::Client client(server_->address().host, server_->address().port);
  const auto answer = client.Post("/healthz", std::string(1 << 20, 'x'), "text/plain");
  EXPECT_TRUE(!answer || answer->status >= 400);
  EXPECT_EQ(Get("/healthz")->status, 200);
}

}  // namespace
}  // namespace evenmatch
