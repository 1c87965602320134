#include "shard/explain.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace evenmatch {
namespace {

class Explainer {
 public:
  Explainer(const QueueState& queue, Pool::Slot slot, Micros now)
      : queue_(queue), self_(WaiterAt(queue.pool, queue.traits, slot)), now_(now) {
    out_.queue = queue.index;
    oldest_ = self_.entry->queued_at;
    Count(self_);
    --parties_[static_cast<size_t>(std::min(self_.entry->heads, kMostHeads))];  // those beside it
    LookAround(slot);
    LookAtStrangers();
    JudgeFitting();
    const Micros wait = std::max<Micros>(now - self_.entry->queued_at, 0);
    out_.stage = queue.book.StageAt(wait);
    const Micros next = queue.book.NextStageAfter(wait);
    if (next != kNever) out_.next_stage_in = next - wait;
  }

  Explanation Take() { return std::move(out_); }

 private:
  // Both ways along the rating order, the nearer ticket first.
  void LookAround(Pool::Slot slot) {
    Pool::Cursor up = queue_.pool.At(slot), down = up;
    up.Next();
    down.Prev();
    const auto gap_at = [this](const Pool::Cursor& at) -> int64_t {
      if (!at.valid() || at.affinity() != self_.entry->affinity) return -1;
      return std::abs(int64_t{at.value()} - self_.entry->value);
    };
    while (out_.seen < kMostExplained) {
      const int64_t above = gap_at(up), below = gap_at(down);
      if (above < 0 && below < 0) return;
      if (below < 0 || (above >= 0 && above <= below)) {
        Look(up.slot());
        up.Next();
      } else {
        Look(down.slot());
        down.Prev();
      }
    }
  }

  void Look(Pool::Slot slot) {
    const Waiter other = WaiterAt(queue_.pool, queue_.traits, slot);
    const Micros waited = queue_.book.WaitOf(self_, other, now_);
    ++out_.seen;
    bool refused = false;
    queue_.book.ForEachRefusal(self_, other, waited, [&](Rule rule, Micros) {
      ++out_.refused[static_cast<size_t>(rule)];
      refused = true;
    });
    if (!refused) {
      ++out_.fitting;
      Count(other);
      return;
    }
    const Meeting meeting = queue_.book.Meet(self_, other);
    const Micros from = queue_.book.From(self_, other, meeting.wait);
    const Explanation::Miss miss{.rule = meeting.rule,
                                 .in = from == kNever ? kNever : std::max<Micros>(from - now_, 0),
                                 .gap = std::abs(other.entry->value - self_.entry->value)};
    // The nearest came first, so of equals the first stays.
    if (!out_.nearest.has_value() || miss.in < out_.nearest->in) out_.nearest = miss;
  }

  // Whom required_attributes keep apart stands elsewhere in the rating order.
  void LookAtStrangers() {
    const size_t strangers = queue_.pool.size() - queue_.pool.CountWithAffinity(self_.entry->affinity);
    out_.seen += strangers;
    out_.refused[static_cast<size_t>(Rule::kAttribute)] += strangers;
  }

  // Why those who may meet do not play yet.
  void JudgeFitting() {
    if (out_.fitting == 0) return;
    const QueueRules& rules = queue_.rules;
    int64_t needed = rules.players_per_match();
    for (const FewerPlayers& step : rules.fewer) {
      if (step.after <= now_ - oldest_) needed = std::min<int64_t>(needed, step.team_count * step.team_size);
    }
    const auto refuse = [this](Rule rule) { out_.refused[static_cast<size_t>(rule)] = out_.fitting; };
    if (heads_ < needed) return refuse(Rule::kHeadCount);
    const bool roles = RolesAreTaken(), parties = TeamIsFilled();
    if (!roles) refuse(Rule::kRoles);
    if (!parties) refuse(Rule::kPartySize);
    if (roles && parties && rules.target_wait_p95 > 0) refuse(Rule::kPatience);
  }

  void Count(const Waiter& ticket) {
    heads_ += ticket.entry->heads;
    oldest_ = std::min(oldest_, ticket.entry->queued_at);
    ++parties_[static_cast<size_t>(std::min(ticket.entry->heads, kMostHeads))];
    if (ticket.traits == nullptr) return;
    const bool fills = now_ - ticket.entry->queued_at >= queue_.rules.roles.fill_after;
    for (const Traits::Wishes& wishes : ticket.traits->wishes) {
      for (size_t role = 0; role < queue_.rules.roles.roles.size(); ++role) {
        if (fills || (wishes.roles >> role & 1) != 0) ++willing_[role];
      }
    }
  }

  // Whether each role has enough players for all teams; not whether one player is counted upon for two.
  bool RolesAreTaken() const {
    const RoleRules& rules = queue_.rules.roles;
    for (size_t role = 0; role < rules.roles.size(); ++role) {
      if (willing_[role] < int64_t{rules.roles[role].count} * queue_.rules.team_count) return false;
    }
    return true;
  }

  // Whether parties of these sizes fill a team that it is in.
  bool TeamIsFilled() const {
    const auto filled = [this](int32_t team_size) {
      uint64_t reached = 1;  // bit n: n seats beside it can be filled
      for (int32_t size = 1; size < team_size; ++size) {
        for (int64_t i = std::min<int64_t>(parties_[static_cast<size_t>(size)], team_size / size); i > 0; --i) {
          reached |= reached << size;
        }
      }
      return self_.entry->heads <= team_size && (reached >> (team_size - self_.entry->heads) & 1) != 0;
    };
    const QueueRules& rules = queue_.rules;
    for (int32_t team = 0; team < rules.team_count; ++team) {
      if (filled(rules.size_of_team(team))) return true;
    }
    return std::any_of(rules.fewer.begin(), rules.fewer.end(), [&](const FewerPlayers& step) {
      return step.after <= now_ - oldest_ && filled(step.team_size);
    });
  }

  const QueueState& queue_;
  const Waiter self_;
  const Micros now_;
  static constexpr int32_t kMostHeads = 64;

  // Of it and of those that fit.
  int64_t heads_ = 0;
  Micros oldest_ = 0;                              // the first of them to be queued
  std::array<int64_t, 64> willing_{};              // players by role that they would take
  std::array<int64_t, kMostHeads + 1> parties_{};  // by size; without its own
  Explanation out_;
};

}  // namespace

std::vector<Explanation> ExplainTicket(const GroupState& state, uint32_t ticket, Micros now) {
  std::vector<Explanation> explanations;
  const TicketRecord& record = state.tickets[ticket];
  if (IsFinal(record.state)) return explanations;
  const uint32_t* place = state.PlacesOf(record);
  for (const QueueChoice& choice : record.ticket->queues) {
    const QueueState& queue = state.QueueAt(choice.queue);
    Explanation& explanation = explanations.emplace_back(Explainer(queue, *place++, now).Take());
    explanation.never =
        queue.book.CannotPlay(*record.ticket, choice, &explanation.never_field, &explanation.never_reason);
  }
  return explanations;
}

}  // namespace evenmatch
