// Batch: what a group decided between two commits, on its way from the shard's thread over the store to egress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "model/command.h"
#include "model/event.h"

namespace evenmatch {

// What egress must know of the command behind a reply.
enum class ReplyKind : uint8_t { kOther, kEnqueue, kAttach, kResume, kDetach, kAttachSession, kDetachSession };

struct PendingReply {
  size_t events_before = 0;  // the reply's place: after so many of the batch's events
  ReplyKind kind = ReplyKind::kOther;
  uint64_t handle = 0;     // kDetach
  std::string session_id;  // kAttachSession, kDetachSession
  uint64_t tag = 0;
  ReplySink* sink = nullptr;
  std::shared_ptr<Stream> stream;
  Reply reply;
};

struct Batch {
  uint64_t id = 0;
  std::vector<Event> events;
  std::vector<PendingReply> replies;
  // Not applied: tell no events, and give every reply this status instead.
  absl::Status refused;
  // Nothing follows: end the group's streams, with `refused` or, when it is OK, once they are told everything.
  bool last = false;

  size_t size() const { return events.size() + replies.size(); }
  void Clear() {
    events.clear();
    replies.clear();
    refused = absl::OkStatus();
    last = false;
  }
};

// Empty batches go back to the shard with their buffers, so that a steady flow allocates nothing.
class BatchPool {
 public:
  std::unique_ptr<Batch> Get() {
    std::lock_guard lock(mutex_);
    if (spare_.empty()) return std::make_unique<Batch>();
    std::unique_ptr<Batch> batch = std::move(spare_.back());
    spare_.pop_back();
    return batch;
  }

  void Put(std::unique_ptr<Batch> batch) {
    batch->Clear();
    if (batch->events.capacity() + batch->replies.capacity() > kLargestKept) return;
    std::lock_guard lock(mutex_);
    if (spare_.size() < kKept) spare_.push_back(std::move(batch));
  }

 private:
  static constexpr size_t kKept = 4;
  static constexpr size_t kLargestKept = 1 << 15;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Batch>> spare_;
};

}  // namespace evenmatch
