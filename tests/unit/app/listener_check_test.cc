#include "app/listener_check.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>

#include "gtest/gtest.h"

namespace evenmatch {
namespace {

// A port of the loopback on which somebody listens; who accepts is the test's business.
class Listener {
 public:
  Listener() : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(fd_, 8), 0);
    socklen_t size = sizeof(address);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { Close(); }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  uint16_t port() const { return port_; }
  // Takes one client, reads its greeting, and answers with one byte.
  std::string Greet() {
    const int client = accept(fd_, nullptr, nullptr);
    char bytes[2048];
    const ssize_t size = recv(client, bytes, sizeof(bytes), 0);
    send(client, "x", 1, 0);
    close(client);
    return size > 0 ? std::string(bytes, static_cast<size_t>(size)) : "";
  }

 private:
  int fd_;
  uint16_t port_ = 0;
};

TEST(ListenerCheck, AnAnswerIsHealth) {
  for (const bool tls : {false, true}) {
    Listener listener;
    std::string greeting;
    std::thread server([&] { greeting = listener.Greet(); });
    ListenerCheck check("0.0.0.0", listener.port(), tls);
    EXPECT_EQ(check.Fault(), "");
    server.join();
    // A ClientHello is a handshake record (22) of TLS (3).
    EXPECT_EQ(greeting.substr(0, 2), tls ? "\x16\x03" : "PR");
  }
}

TEST(ListenerCheck, NobodyThereIsAFault) {
  Listener listener;
  const uint16_t port = listener.port();
  listener.Close();
  EXPECT_NE(ListenerCheck("127.0.0.1", port, false).Fault(), "");
  EXPECT_NE(ListenerCheck("no.such.host.invalid", port, false).Fault(), "");
}

// What is left of a listener that gave up: the kernel still completes connections.
TEST(ListenerCheck, AConnectionThatNobodyAcceptsIsAFault) {
  Listener listener;
  ListenerCheck check("127.0.0.1", listener.port(), false, std::chrono::milliseconds(10));
  EXPECT_EQ(check.Fault(), "a new connection is not accepted");
}

TEST(ListenerCheck, AnswersAreKeptForAMoment) {
  Listener listener;
  std::thread server([&] { listener.Greet(); });
  ListenerCheck check("127.0.0.1", listener.port(), false);
  EXPECT_EQ(check.Fault(), "");
  server.join();
  listener.Close();
  EXPECT_EQ(check.Fault(), "");
}

}  // namespace
}  // namespace evenmatch
