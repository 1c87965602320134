// HttpStream: a connection as the HTTP library reads and writes it, with an end: whatever a client sends and however
// slowly, its request and our answer each have a time by which they are over.
//
// Errors:  -1 when the time is over or the connection is.
// Threads: one.
#pragma once

#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>

namespace evenmatch {

class HttpStream final : public httplib::Stream {
 public:
  using Clock = std::chrono::steady_clock;

  HttpStream(int socket, Clock::duration to_read, Clock::duration to_write)
      : socket_(socket), read_until_(Clock::now() + to_read), to_write_(to_write) {}

  bool is_readable() const override { return begin_ < end_ || Wait(POLLIN, read_until_); }
  bool is_writable() const override { return Wait(POLLOUT, WriteUntil()); }

  ssize_t read(char* text, size_t size) override {
    if (begin_ == end_) {
      if (!Wait(POLLIN, read_until_)) return -1;
      const ssize_t count = recv(socket_, buffer_, sizeof(buffer_), MSG_DONTWAIT);
      if (count <= 0) return count;
      begin_ = 0;
      end_ = static_cast<size_t>(count);
    }
    const size_t taken = std::min(size, end_ - begin_);
    std::memcpy(text, buffer_ + begin_, taken);
    begin_ += taken;
    return static_cast<ssize_t>(taken);
  }

  ssize_t write(const char* text, size_t size) override {
    if (!Wait(POLLOUT, WriteUntil())) return -1;
    return send(socket_, text, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  // Counts from the first write: how long the answer took to make is not the client's fault.
  Clock::time_point WriteUntil() const {
    if (write_until_ == Clock::time_point()) write_until_ = Clock::now() + to_write_;
    return write_until_;
  }

  bool Wait(short events, Clock::time_point until) const {
    while (true) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
      pollfd entry{socket_, events, 0};
      const int ready = poll(&entry, 1, static_cast<int>(std::max<int64_t>(left, 0)));
      if (ready > 0) return true;
      if (ready == 0 || errno != EINTR) return false;
    }
  }

  const int socket_;
  const Clock::time_point read_until_;
  const Clock::duration to_write_;
  mutable Clock::time_point write_until_;
  char buffer_[4096];
  size_t begin_ = 0, end_ = 0;
};

}  // namespace evenmatch
