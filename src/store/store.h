// Store: events made durable, and back. The one seam between the service and whatever keeps its state.
//
// A group has one owner at a time: Claim shuts out the former one and returns a fence, a number that every later Commit
// carries. Safety comes from the fence being compared inside every write, never from time.
//
// Outcomes: a Commit is kApplied, kFenced (another owner claimed the group: drop it, now), or kUnknown (no answer; send
//           the same batch id again until there is one). There is no outcome called failed: a batch whose outcome is
//           unknown may have been applied, and treating it as failed is how a player is matched twice.
// Order:    batches of a group have ids 1, 2, 3, ... under one fence; one is in flight at a time. Committing an id that
//           was applied already is kApplied and changes nothing.
// Threads:  any thread may call; `done` is called exactly once, on any thread, perhaps before Commit returns.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/event.h"

namespace evenmatch {

enum class CommitOutcome { kApplied, kFenced, kUnknown };

class Store {
 public:
  virtual ~Store() = default;

  // Becomes the owner of a group. Fences rise.
  virtual absl::StatusOr<uint64_t> Claim(std::string_view group) = 0;

  // Tells the group's state as of the fence as events to fold, in order.
  virtual absl::Status Load(std::string_view group, uint64_t fence, const std::function<void(const Event&)>& fold) = 0;

  // Keeps what the stored ones among `events` leave (IsStored), all or nothing. Never blocks. `events` stay valid and
  // unchanged until `done` was called.
  virtual void Commit(std::string_view group, uint64_t fence, uint64_t batch_id, std::span<const Event> events,
                      std::function<void(CommitOutcome)> done) = 0;
};

}  // namespace evenmatch
