#include "app/listener_check.h"

#include <fcntl.h>
#include <netdb.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"

namespace evenmatch {
namespace {

using Clock = std::chrono::steady_clock;

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

// Whether the socket is ready before the deadline.
bool WaitFor(int fd, short events, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left < 0) return false;
    pollfd polled{.fd = fd, .events = events, .revents = 0};
    const int ready = poll(&polled, 1, static_cast<int>(left));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

// The first bytes of a TLS client.
std::string ClientHello() {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (context == nullptr) return "";
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context.get()), SSL_free);
  if (ssl == nullptr) return "";
  BIO* in = BIO_new(BIO_s_mem());
  BIO* out = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl.get(), in, out);  // takes both
  SSL_set_connect_state(ssl.get());
  constexpr unsigned char kProtocols[] = {2, 'h', '2'};
  SSL_set_alpn_protos(ssl.get(), kProtocols, sizeof(kProtocols));
  SSL_do_handshake(ssl.get());  // stops where it wants the server's answer
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out, &bytes);
  return size > 0 ? std::string(bytes, static_cast<size_t>(size)) : "";
}

// The preface of an HTTP/2 client and an empty SETTINGS frame.
std::string Preface() { return std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") + std::string("\0\0\0\4\0\0\0\0\0", 9); }

std::string ErrorText(const char* what) { return absl::StrCat(what, ": ", std::strerror(errno)); }

}  // namespace

std::string ListenerCheck::Fault() {
  const std::lock_guard lock(mutex_);
  if (checked_at_.has_value() && Clock::now() - *checked_at_ < kFresh) return fault_;
  fault_ = Try();
  checked_at_ = Clock::now();
  return fault_;
}

std::string ListenerCheck::Try() const {
  const auto deadline = Clock::now() + patience_;
  std::string host = host_;
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::" || host == "[::]") host = "::1";
  const addrinfo hints{.ai_flags = AI_NUMERICSERV, .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), absl::StrCat(port_).c_str(), &hints, &found); error != 0) {
    return absl::StrCat("cannot resolve ", host, ": ", gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> address(found, freeaddrinfo);

  const Socket socket(::socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.fd() < 0) return ErrorText("no socket for a new connection");
  if (connect(socket.fd(), address->ai_addr, address->ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return ErrorText("no new connection");
    if (!WaitFor(socket.fd(), POLLOUT, deadline)) return "a new connection is not completed";
    socklen_t size = sizeof(errno);
    getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &errno, &size);
    if (errno != 0) return ErrorText("no new connection");
  }
  const std::string greeting = tls_ ? ClientHello() : Preface();
  if (send(socket.fd(), greeting.data(), greeting.size(), MSG_NOSIGNAL) < 0) return ErrorText("no new connection");
  // Whatever comes, somebody has accepted.
  if (!WaitFor(socket.fd(), POLLIN, deadline)) return "a new connection is not accepted";
  return "";
}

}  // namespace evenmatch
