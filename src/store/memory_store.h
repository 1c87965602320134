// MemoryStore: keeps a group for the life of the process, which the group's own tables do already; what is left to it
// is the protocol: fences and batch ids.
//
// Shape:   a fence and the id of the last batch per group; no rows, so Load tells nothing. The first fence of a group
//          is given from outside and must be above every earlier process's (seconds since the epoch will do), so that
//          ids minted from fences never repeat over a restart.
// Cost:    Commit O(1) and inline: `done` is called before it returns.
// Threads: any.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "store/store.h"

namespace evenmatch {

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(uint64_t first_fence);

  absl::StatusOr<uint64_t> Claim(std::string_view group) override;
  absl::Status Load(std::string_view group, uint64_t fence, const std::function<void(const Event&)>& fold) override;
  void Commit(std::string_view group, uint64_t fence, uint64_t batch_id, std::span<const Event> events,
              std::function<void(CommitOutcome)> done) override;

 private:
  struct Group {
    uint64_t fence = 0;
    uint64_t last_batch = 0;
  };

  const uint64_t first_fence_;
  std::mutex mutex_;
  std::map<std::string, Group, std::less<>> groups_;
};

}  // namespace evenmatch
