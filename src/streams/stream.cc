#include "streams/stream.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace evenmatch {
namespace {

// A stream with room for many events is a busy one: an empty buffer of this size stays with it.
constexpr size_t kWide = 1024;
constexpr size_t kKeptByWide = 512;

}  // namespace

Stream::Stream(Writer* writer, size_t capacity, size_t items_per_write)
    : writer_(writer), capacity_(capacity), items_per_write_(items_per_write) {
  CHECK_GT(items_per_write, 0u);
}

void Stream::Offer(const Event& event) {
  std::lock_guard lock(mutex_);
  if (state_ != State::kOpen) return;
  const bool status = event.kind == EventKind::kWidened;
  if (status || !status_.empty()) {
    const auto it = status_.find(event.ticket.get());
    if (it != status_.end()) {
      if (status) {
        buffer_[head_ + (it->second - written_)] = event;
        return;
      }
      // What follows this event must not be told before it.
      status_.erase(it);
    }
  }
  if (events_ >= capacity_ + backlog_room_) {
    EndLocked(absl::ResourceExhaustedError("events come faster than they are read; resume from your cursor"),
              StreamEnd::kOverflow);
    return;
  }
  Append(event);
  ++events_;
  if (status) status_.emplace(event.ticket.get(), written_ + (buffer_.size() - 1 - head_));
}

void Stream::AddAnswer(Answer answer) {
  std::lock_guard lock(mutex_);
  if (state_ != State::kOpen) return;
  Append(std::move(answer));
}

void Stream::AddBacklog(std::vector<Event> events) {
  std::lock_guard lock(mutex_);
  if (state_ != State::kOpen) return;
  for (Event& event : events) Append(std::move(event));
  // It is counted like offered events, so that both leave by one count, and makes room for itself.
  events_ += events.size();
  backlog_room_ += events.size();
}

void Stream::Flush(Micros now) {
  std::lock_guard lock(mutex_);
  if (state_ == State::kEnded || write_pending_ || head_ == buffer_.size()) return;
  WriteOrFinish(now);
}

void Stream::FinishWhenWritten(const absl::Status& status, StreamEnd reason) {
  std::lock_guard lock(mutex_);
  if (state_ == State::kOpen) BeginFinish(status, reason);
}

void Stream::FinishAfterWrite(const absl::Status& status, StreamEnd reason) {
  std::lock_guard lock(mutex_);
  if (state_ != State::kOpen) return;
  Empty(/*keep_buffers=*/false);
  BeginFinish(status, reason);
}

void Stream::Written(bool ok, Micros now) {
  std::lock_guard lock(mutex_);
  CHECK(write_pending_);
  write_pending_ = false;
  if (state_ == State::kEnded) return;
  if (!ok) {
    CloseLocked(StreamEnd::kClient);
    return;
  }
  WriteOrFinish(now);
}

void Stream::ClientGone() {
  std::lock_guard lock(mutex_);
  if (state_ == State::kEnded) return;
  // A call whose last write carries its status ends with that write, and the news of the two come in any order.
  const bool all_written = state_ == State::kFinishing && head_ == buffer_.size();
  CloseLocked(all_written ? reason_ : StreamEnd::kClient);
}

void Stream::End(const absl::Status& status, StreamEnd reason) {
  std::lock_guard lock(mutex_);
  if (state_ != State::kEnded) EndLocked(status, reason);
}

void Stream::EndIfStalled(Micros now, Micros limit) {
  std::lock_guard lock(mutex_);
  if (state_ == State::kEnded || !write_pending_ || now - write_started_ <= limit) return;
  EndLocked(absl::ResourceExhaustedError("a write was pending too long"), StreamEnd::kStalled);
}

bool Stream::ended() const {
  std::lock_guard lock(mutex_);
  return state_ == State::kEnded;
}

StreamEnd Stream::end_reason() const {
  std::lock_guard lock(mutex_);
  CHECK(state_ == State::kEnded);
  return reason_;
}

size_t Stream::buffered() const {
  std::lock_guard lock(mutex_);
  return buffer_.size() - head_;
}

void Stream::Append(Outgoing item) {
  // At least half of the buffer is free at its front, so moving the rest costs no more than what was written.
  if (buffer_.size() == buffer_.capacity() && head_ > buffer_.size() / 2) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<ptrdiff_t>(head_));
    head_ = 0;
  }
  buffer_.push_back(std::move(item));
}

void Stream::BeginFinish(const absl::Status& status, StreamEnd reason) {
  state_ = State::kFinishing;
  reason_ = reason;
  // A copy of its own: the status may be told to many streams, each on the thread of its connection, and the reference
  // count they would share is touched inside a library that ThreadSanitizer cannot see into.
  finish_status_ = absl::Status(status.code(), status.message());
  // Where something waits, the next Flush or Written goes on.
  if (!write_pending_ && head_ == buffer_.size()) WriteOrFinish(0);
}

void Stream::WriteOrFinish(Micros now) {
  const size_t count = std::min(buffer_.size() - head_, items_per_write_);
  if (count == 0) {
    if (state_ != State::kFinishing) return;
    const absl::Status status = std::move(finish_status_);
    CloseLocked(reason_);
    writer_->StartFinish(status);
    return;
  }
  const std::span<Outgoing> items(buffer_.data() + head_, count);
  write_pending_ = true;
  write_started_ = now;
  writer_->StartWrite(items);
  for (const Outgoing& item : items) {
    const Event* event = std::get_if<Event>(&item);
    if (event == nullptr) continue;
    --events_;
    if (status_.empty() || event->kind != EventKind::kWidened) continue;
    const auto it = status_.find(event->ticket.get());
    if (it != status_.end() && it->second < written_ + count) status_.erase(it);
  }
  written_ += count;
  head_ += count;
  if (head_ < buffer_.size()) {
    for (Outgoing& item : items) item = Event();  // gives back what they held
    return;
  }
  const bool keep = capacity_ >= kWide && buffer_.capacity() <= kKeptByWide;
  Empty(keep);
}

void Stream::EndLocked(const absl::Status& status, StreamEnd reason) {
  const bool pending = write_pending_;
  CloseLocked(reason);
  if (pending) {
    writer_->Break();
  } else {
    writer_->StartFinish(status);
  }
}

void Stream::CloseLocked(StreamEnd reason) {
  state_ = State::kEnded;
  reason_ = reason;
  finish_status_ = absl::OkStatus();
  Empty(/*keep_buffers=*/false);
}

void Stream::Empty(bool keep_buffers) {
  head_ = 0;
  events_ = 0;
  backlog_room_ = 0;
  if (keep_buffers) {
    buffer_.clear();
    status_.clear();
  } else {
    std::vector<Outgoing>().swap(buffer_);
    absl::flat_hash_map<const Ticket*, uint64_t>().swap(status_);
  }
}

}  // namespace evenmatch
