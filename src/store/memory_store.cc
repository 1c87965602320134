#include "store/memory_store.h"

#include <utility>

#include "base/check.h"

namespace evenmatch {

MemoryStore::MemoryStore(uint64_t first_fence) : first_fence_(first_fence) {}

absl::StatusOr<uint64_t> MemoryStore::Claim(std::string_view group) {
  std::lock_guard lock(mutex_);
  const auto [it, fresh] = groups_.try_emplace(std::string(group));
  const uint64_t fence = fresh ? first_fence_ : it->second.fence + 1;
  it->second = Group{fence, 0};
  return fence;
}

absl::Status MemoryStore::Load(std::string_view, uint64_t, const std::function<void(const Event&)>&) {
  return absl::OkStatus();
}

void MemoryStore::Commit(std::string_view group, uint64_t fence, uint64_t batch_id, std::span<const Event>,
                         std::function<void(CommitOutcome)> done) {
  CommitOutcome outcome = CommitOutcome::kFenced;
  {
    std::lock_guard lock(mutex_);
    const auto it = groups_.find(group);
    CHECK(it != groups_.end());  // nobody commits to a group that was never claimed
    if (it->second.fence == fence) {
      CHECK_LE(batch_id, it->second.last_batch + 1);  // in order, one in flight
      if (batch_id > it->second.last_batch) it->second.last_batch = batch_id;
      outcome = CommitOutcome::kApplied;
    }
  }
  done(outcome);
}

}  // namespace evenmatch
