#include "matching/patience.h"

#include <algorithm>

namespace evenmatch {
namespace {

constexpr int64_t kOne = 1'024;

constexpr int64_t kLeastSpread = kOne;
constexpr int64_t kMostSpread = int64_t{kMaxValue} * 1'000 * kOne;

// Where between 0 and the target, in thousandths, a ticket allows for which share of the price. The share is about
// 1 / 20 of the ratio of the target to the time left: tickets nearby come in proportion to it.
struct Point {
  int32_t at;
  int32_t share;
};
constexpr Point kBefore[] = {{0, 20},    {200, 30},  {400, 46},  {550, 68},  {650, 92},
                             {750, 130}, {825, 185}, {875, 250}, {920, 360}, {960, 550}};
// The same between the target and kLongest.
constexpr Point kAfter[] = {{0, 40}, {250, 70}, {500, 120}, {700, 220}, {850, 420}, {930, 700}};

// The spread follows what is seen at this pace: in one target's time it may change by this times the share of tickets
// that were left over beyond the wanted one, and a single ticket counts for no more than kMostPerTicket.
constexpr int64_t kPace = 4;
constexpr int64_t kMostPerTicket = 50'000;  // millionths
constexpr int64_t kMostPerTick = 250'000;   // millionths

}  // namespace

Patience::Patience(const QueueRules& rules, int64_t first_spread)
    : target_(rules.target_wait_p95), spread_(first_spread * kOne) {
  if (!on()) return;
  last_chance_ = std::max<Micros>(target_ - rules.tick + 1, 0);
  const Micros longest = target_ / 1'000 * kLongest;
  over_ = std::max<Micros>(longest - rules.tick, target_) + 1;
  for (const Point& point : kBefore) {
    const Micros after = target_ / 1'000 * point.at;
    if (after < last_chance_) steps_.push_back({after, point.share});
  }
  steps_.push_back({last_chance_, 1'000});
  for (const Point& point : kAfter) {
    const Micros after = target_ + 1 + (longest - target_) / 1'000 * point.at;
    if (after < over_) steps_.push_back({after, point.share});
  }
}

void Patience::BeginTick(Micros now, size_t waiting) {
  since_last_tick_ = last_tick_ == kNever ? target_ : std::max<Micros>(now - last_tick_, 0);
  last_tick_ = now;
  const int64_t waiting_now = static_cast<int64_t>(waiting) * kOne;
  const Micros passed = std::min(since_last_tick_, target_);
  usual_waiting_ += (waiting_now - usual_waiting_) * passed / target_;
  // A crowd that comes all at once counts at once, if not in full.
  const int64_t tickets = std::max({usual_waiting_, waiting_now / 2, 2 * kOne});
  price_ = static_cast<MilliPoints>(std::clamp<int64_t>(spread_ / tickets, 1, 2 * kMaxValue / 4));
  in_time_ = too_late_ = 0;
}

void Patience::EndTick() {
  const int64_t decided = in_time_ + too_late_;
  const Micros passed = std::min(since_last_tick_, target_);
  usual_decided_ += (decided * kOne - usual_decided_) * passed / target_;
  if (decided == 0) return;
  const int64_t pace = kPace * 1'000'000 * passed / target_;  // for all tickets of a usual tick
  const int64_t each = std::min(kMostPerTicket, pace * kOne / std::max(usual_decided_, kOne / 16));
  const int64_t beyond = too_late_ * 1'000 - decided * kLeftOver;  // thousandths of a ticket
  const int64_t change = std::clamp(beyond * each / 1'000, -kMostPerTick, kMostPerTick);
  spread_ = std::clamp(spread_ + spread_ / 1'000 * change / 1'000, kLeastSpread, kMostSpread);
}

MilliPoints Patience::Allowance(Micros wait) const {
  if (wait < 0) wait = 0;
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), wait,
                                      [](Micros wait, const Step& step) { return wait < step.after; });
  const int32_t share = after == steps_.begin() ? 0 : std::prev(after)->share;
  return static_cast<MilliPoints>(int64_t{price_} * share / 1'000);
}

Micros Patience::NextStep(Micros wait) const {
  for (const Step& step : steps_) {
    if (step.after > wait) return step.after;
  }
  return wait < over_ ? over_ : kNever;
}

Micros Patience::NextTurn(Micros wait) const {
  return wait < last_chance_ ? last_chance_ : wait < over_ ? over_ : kNever;
}

Micros Patience::RipeFrom(Micros queued_at, Micros other_queued_at, int64_t distance, Micros now, Micros until) const {
  for (Micros at = now;;) {
    const Micros wait = at - queued_at, other_wait = at - other_queued_at;
    if (Over(wait) || Over(other_wait)) return at;
    if (int64_t{Allowance(wait)} + Allowance(other_wait) >= distance) return at;
    at = std::min(queued_at + NextStep(wait), other_queued_at + NextStep(other_wait));
    if (at >= until) return until;
  }
}

void Patience::Paired(Micros wait) {
  if (wait <= target_) {
    ++in_time_;
  } else if (ReachedThisTick(wait)) {
    ++too_late_;
  }
}

void Patience::LeftAlone(Micros wait) {
  if (ReachedThisTick(wait)) ++too_late_;
}

}  // namespace evenmatch
