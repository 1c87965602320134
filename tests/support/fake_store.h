// FakeStore: a store whose outcomes are scripted, with a record of what it keeps.
//
// Shape:   each Commit takes the next Act of the script (kApply when it is empty). A held commit is finished by
//          FinishHeld. What was applied is applied once: a batch id that comes again is kApplied and recorded no more.
// Threads: any.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "store/store.h"

namespace evenmatch {

class FakeStore final : public Store {
 public:
  enum class Act {
    kApply,
    kApplySayUnknown,  // the answer is lost
    kSayUnknown,       // the request is lost
    kFence,            // another owner claimed the group
    kHold,             // answers only when told to, by FinishHeld
  };

  struct Attempt {
    std::string group;
    uint64_t fence = 0;
    uint64_t batch_id = 0;
    size_t events = 0;
  };

  void Script(std::vector<Act> acts) {
    std::lock_guard lock(mutex_);
    script_.insert(script_.end(), acts.begin(), acts.end());
  }
  // What Commit does when the script is empty.
  void SetDefault(Act act) {
    std::lock_guard lock(mutex_);
    default_ = act;
  }
  // Told by the next Load.
  void SetRows(std::vector<Event> rows) {
    std::lock_guard lock(mutex_);
    rows_ = std::move(rows);
  }

  absl::StatusOr<uint64_t> Claim(std::string_view group) override {
    std::lock_guard lock(mutex_);
    Group& state = groups_[std::string(group)];
    state.last_batch = 0;
    return ++state.fence;
  }

  absl::Status Load(std::string_view, uint64_t, const std::function<void(const Event&)>& fold) override {
    for (const Event& event : rows_) fold(event);
    return absl::OkStatus();
  }

  void Commit(std::string_view group, uint64_t fence, uint64_t batch_id, std::span<const Event> events,
              std::function<void(CommitOutcome)> done) override {
    CommitOutcome outcome;
    {
      std::lock_guard lock(mutex_);
      attempts_.push_back({std::string(group), fence, batch_id, events.size()});
      Act act = default_;
      if (!script_.empty()) {
        act = script_.front();
        script_.pop_front();
      }
      if (act == Act::kHold) {
        held_.push_back([this, group = std::string(group), fence, batch_id, events, done = std::move(done)](Act act) {
          CommitOutcome outcome;
          {
            std::lock_guard lock(mutex_);
            outcome = Perform(act, group, fence, batch_id, events);
          }
          done(outcome);
        });
        return;
      }
      outcome = Perform(act, std::string(group), fence, batch_id, events);
    }
    done(outcome);
  }

  // Finishes the oldest held commit on the calling thread.
  void FinishHeld(Act act = Act::kApply) {
    std::function<void(Act)> finish;
    {
      std::lock_guard lock(mutex_);
      CHECK(!held_.empty());
      finish = std::move(held_.front());
      held_.pop_front();
    }
    finish(act);
  }
  size_t held() const {
    std::lock_guard lock(mutex_);
    return held_.size();
  }

  std::vector<Attempt> attempts() const {
    std::lock_guard lock(mutex_);
    return attempts_;
  }
  // The stored events of every applied batch, in order.
  std::vector<Event> stored() const {
    std::lock_guard lock(mutex_);
    return stored_;
  }

 private:
  struct Group {
    uint64_t fence = 0;
    uint64_t last_batch = 0;
  };

  CommitOutcome Perform(Act act, const std::string& name, uint64_t fence, uint64_t batch_id,
                        std::span<const Event> events) {
    Group& group = groups_[name];
    if (act == Act::kFence) ++group.fence;
    if (act == Act::kSayUnknown) return CommitOutcome::kUnknown;
    if (group.fence != fence) return CommitOutcome::kFenced;
    CHECK_LE(batch_id, group.last_batch + 1);
    if (batch_id == group.last_batch + 1) {
      group.last_batch = batch_id;
      for (const Event& event : events) {
        if (IsStored(event.kind)) stored_.push_back(event);
      }
    }
    return act == Act::kApplySayUnknown ? CommitOutcome::kUnknown : CommitOutcome::kApplied;
  }

  mutable std::mutex mutex_;
  std::deque<Act> script_;
  Act default_ = Act::kApply;
  std::deque<std::function<void(Act)>> held_;
  std::map<std::string, Group> groups_;
  std::vector<Attempt> attempts_;
  std::vector<Event> stored_;
  std::vector<Event> rows_;
};

}  // namespace evenmatch
