#include "shard/pool_group.h"

#include <algorithm>
#include <utility>

#include "matching/matcher.h"
#include "shard/decide.h"
#include "shard/explain.h"
#include "shard/invariants.h"
#include "shard/state.h"
#include "shard/view.h"

namespace evenmatch {

// The state, and the turns of deciding and folding.
class PoolGroup::State {
 public:
  State(const Catalog& catalog, uint32_t group, uint64_t fence, const Limits& limits)
      : state_(catalog, group, fence, limits) {
    for (const auto& queue : state_.queues) matchers_.emplace_back(queue->book);
  }

  Reply Apply(const Command& command, Micros now, std::vector<Event>* events) {
    Advance(now, events);
    return std::visit([&](const auto& asked) { return Apply(asked, now, events); }, command);
  }

  TickStats Tick(uint32_t index, Micros now, std::vector<Event>* events) {
    Advance(now, events);
    TickStats stats;
    QueueState& queue = state_.QueueAt(index);
    if (queue.paused) return stats;
    proposals_.clear();
    matchers_[PositionOf(queue)].Tick(queue.pool, queue.traits, now, &proposals_, &stats.due);
    for (const Proposal& proposal : proposals_) {
      const size_t first = events->size();
      DecideMatch(state_, queue, proposal, now, events);
      FoldFrom(first, events);
      ForgetMatchOverflow(now, events);
    }
    stats.matches = proposals_.size();
    return stats;
  }

  void Advance(Micros now, std::vector<Event>* events) {
    CHECK_GE(now, now_);
    now_ = now;
    if (!state_.serving) state_.BeginServing(now);
    if (now < state_.soonest) return;
    for (size_t first = events->size();; first = events->size()) {
      DecideDue(state_, now, events);
      if (events->size() == first) break;
      FoldFrom(first, events);
      ForgetMatchOverflow(now, events);
    }
    state_.soonest = state_.NextDeadline();
  }

  GroupState& state() { return state_; }

 private:
  void FoldFrom(size_t first, std::vector<Event>* events) {
    for (size_t i = first; i < events->size(); ++i) state_.Fold((*events)[i]);
  }

  void ForgetMatchOverflow(Micros now, std::vector<Event>* events) {
    for (size_t first = events->size();; first = events->size()) {
      DecideMatchOverflow(state_, now, events);
      if (events->size() == first) return;
      FoldFrom(first, events);
    }
  }

  size_t PositionOf(const QueueState& queue) const {
    size_t position = 0;
    while (state_.queues[position].get() != &queue) ++position;
    return position;
  }

  Reply Apply(const EnqueueCommand& command, Micros now, std::vector<Event>* events) {
    Reply reply;
    const size_t first = events->size();
    DecideEnqueue(state_, command, now, events, &reply);
    if (events->size() == first) return reply;
    FoldFrom(first, events);
    const Event& last = events->back();
    const uint32_t slot = SlotOf(last.handle);
    reply.value = EnqueueReply{last.kind == EventKind::kMoved, ViewTicket(state_, slot, now), WarningsOf(state_, slot)};
    return reply;
  }

  Reply Apply(const CancelCommand& command, Micros now, std::vector<Event>* events) {
    Reply reply;
    const size_t first = events->size();
    DecideCancel(state_, command, now, events, &reply);
    if (events->size() == first) return reply;
    FoldFrom(first, events);
    reply.value = CancelReply{CancelOutcome::kCancelled, ViewTicket(state_, SlotOf(events->back().handle), now)};
    return reply;
  }

  Reply Apply(const GetTicketCommand& command, Micros now, std::vector<Event>*) {
    Reply reply;
    const uint32_t slot = FindTicket(state_, command.name);
    if (RefuseUnknownTicket(slot, command.name, &reply)) return reply;
    reply.value = ViewTicket(state_, slot, now);
    return reply;
  }

  Reply Apply(const ExplainTicketCommand& command, Micros now, std::vector<Event>*) {
    Reply reply;
    const uint32_t slot = FindTicket(state_, command.name);
    if (RefuseUnknownTicket(slot, command.name, &reply)) return reply;
    reply.value = ExplainReply{ViewTicket(state_, slot, now), ExplainTicket(state_, slot, now)};
    return reply;
  }

  Reply Apply(const AttachCommand& command, Micros now, std::vector<Event>* events) {
    Reply reply;
    const size_t first = events->size();
    DecideAttach(state_, command, now, events, &reply);
    FoldFrom(first, events);
    return reply;
  }

  Reply Apply(const DetachCommand& command, Micros now, std::vector<Event>* events) {
    const size_t first = events->size();
    DecideDetach(state_, command, now, events);
    FoldFrom(first, events);
    return Reply();
  }

  Reply Apply(const AttachSessionCommand& command, Micros now, std::vector<Event>*) {
    state_.AttachSession(command.session_id);
    Reply reply;
    reply.value = AttachSessionReply{SessionSnapshots(state_, command.session_id, now)};
    return reply;
  }

  Reply Apply(const DetachSessionCommand& command, Micros now, std::vector<Event>*) {
    state_.DetachSession(command.session_id, now);
    return Reply();
  }

  Reply Apply(const AcknowledgeCommand& command, Micros now, std::vector<Event>* events) {
    Reply reply;
    const size_t first = events->size();
    DecideAcknowledge(state_, command, now, events, &reply);
    FoldFrom(first, events);
    return reply;
  }

  Reply Apply(const GetMatchCommand& command, Micros, std::vector<Event>*) {
    Reply reply;
    const uint32_t slot = state_.matches.Find(command.id);
    if (RefuseUnknownMatch(slot, &reply)) return reply;
    reply.value = ViewMatch(state_, slot);
    return reply;
  }

  Reply Apply(const EndMatchCommand& command, Micros now, std::vector<Event>* events) {
    Reply reply;
    const uint32_t slot = state_.matches.Find(command.id);
    if (RefuseUnknownMatch(slot, &reply)) return reply;
    const size_t first = events->size();
    DecideEndMatch(state_, slot, now, events);
    FoldFrom(first, events);
    reply.value = ViewMatch(state_, slot);
    ForgetMatchOverflow(now, events);
    return reply;
  }

  Reply Apply(const PauseQueueCommand& command, Micros now, std::vector<Event>*) {
    state_.SetPaused(command.queue, command.paused);
    Reply reply;
    reply.value = ViewQueue(state_.QueueAt(command.queue), now);
    return reply;
  }

  Reply Apply(const GetQueueStatsCommand& command, Micros now, std::vector<Event>*) {
    Reply reply;
    reply.value = ViewQueue(state_.QueueAt(command.queue), now);
    return reply;
  }

  GroupState state_;
  std::vector<Matcher> matchers_;  // by position in state_.queues
  std::vector<Proposal> proposals_;
  Micros now_ = 0;
};

PoolGroup::PoolGroup(const Catalog& catalog, uint32_t group, uint64_t fence, const Limits& limits)
    : state_(std::make_unique<State>(catalog, group, fence, limits)) {}

PoolGroup::~PoolGroup() = default;

Reply PoolGroup::Apply(const Command& command, Micros now, std::vector<Event>* events) {
  return state_->Apply(command, now, events);
}

PoolGroup::TickStats PoolGroup::Tick(uint32_t queue, Micros now, std::vector<Event>* events) {
  return state_->Tick(queue, now, events);
}

void PoolGroup::Advance(Micros now, std::vector<Event>* events) { state_->Advance(now, events); }

Micros PoolGroup::NextDeadline() const { return state_->state().NextDeadline(); }

void PoolGroup::Restore(const Event& event) { state_->state().Restore(event); }

QueueStats PoolGroup::Stats(uint32_t queue, Micros now) const { return ViewQueue(state_->state().QueueAt(queue), now); }

uint64_t PoolGroup::Signature() const { return SignGroup(state_->state()); }

void PoolGroup::CheckInvariants() const { CheckGroup(state_->state()); }

}  // namespace evenmatch
