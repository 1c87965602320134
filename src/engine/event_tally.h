// EventTally: counts a run of events by itself and adds the sums to Metrics once, so that an event costs additions and
// no lock.
//
// Threads: none; owned by one egress thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/metrics.h"
#include "model/event.h"

namespace prometheus {
class Histogram;
}

namespace evenmatch {

class EventTally {
 public:
  explicit EventTally(Metrics* metrics);

  void Count(const Event& event);
  void CountRefusal(Refusal reason) { ++refusals_[static_cast<size_t>(reason)]; }
  // Adds what was counted since the last time.
  void Publish();

 private:
  class Histogram {
   public:
    Histogram(prometheus::Histogram* target, const std::vector<double>& bounds);
    void Observe(double value);
    void Publish();

   private:
    prometheus::Histogram* target_;
    const std::vector<double>* bounds_;
    std::vector<double> counts_;
    double sum_ = 0;
    bool any_ = false;
  };

  struct Queue {
    int64_t enqueues = 0, fills = 0, ended_by_client = 0, ended_by_timeout = 0;
    std::vector<int64_t> matches, expiries;  // by stage
    std::vector<Histogram> wait;             // by WaitOutcome
    Histogram spread, win_probability, quality;
    bool any = false;
  };

  void CountMatch(Queue& queue, const Match& match);
  void CountWait(WaitOutcome outcome, uint32_t queue, const Event& event);

  Metrics* const metrics_;
  std::vector<Queue> queues_;
  std::array<int64_t, kRefusals> refusals_{};
};

}  // namespace evenmatch
