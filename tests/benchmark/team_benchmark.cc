// How long a tick of a queue of teams takes with all rules in use. The world is stated at its function.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "base/random.h"
#include "matching/matcher.h"
#include "matching/rule_book.h"
#include "matching/traits.h"
#include "model/queue_rules.h"
#include "pool/pool.h"
#include "tests/support/waiters.h"

namespace evenmatch {
namespace {

constexpr Micros kStart = 1'700'000'000 * kSecond;

// Every rule that a queue of teams can have.
QueueRules AllRules() {
  QueueRules rules;
  rules.team_count = 2;
  rules.team_size = 5;
  rules.window = {.base = 100 * kPoint, .growth_per_second = 50 * kPoint, .max = 800 * kPoint};
  rules.window.deviation_factor = 100;
  rules.max_difference = 1'000 * kPoint;
  rules.roles.roles = {{"tank", 1}, {"heal", 1}, {"damage", 3}};
  rules.tiers.groups = {{"low", false}, {"middle", false}, {"high", false}, {"peak", true}};
  rules.tiers.tiers = {
      {"bronze", 0, -kMaxValue}, {"gold", 1, 1'200 * kPoint}, {"star", 2, 1'800 * kPoint}, {"peak", 3}};
  rules.party.mirror = {{0, 1}, {20 * kSecond, 3}, {40 * kSecond, 5}};
  rules.regions.regions = {"ams", "fra", "lon", "mad"};
  rules.regions.steps = {{0, 30, 80}, {15 * kSecond, 60, 120}, {30 * kSecond, 100, 200}};
  rules.attributes.push_back({.name = "mode", .missing = Missing::kMeetsAnybody});
  rules.attributes.push_back({.name = "maps",
                              .compare = AttributeRule::Compare::kOverlap,
                              .missing = Missing::kMeetsAnybody,
                              .required_for = 30 * kSecond});
  rules.shelter.games_below = 5;
  rules.streak.losses = 3;
  rules.quality[QualityTerm::kDistance] = {.weight = 500, .scale = 0};
  rules.quality[QualityTerm::kEvenness] = {.weight = 500, .scale = kCertain};
  rules.quality[QualityTerm::kLatency] = {.weight = 100, .scale = 60};
  rules.quality[QualityTerm::kParty] = {.weight = 50, .scale = 1};
  rules.quality[QualityTerm::kFill] = {.weight = 100, .scale = 1'000};
  rules.quality[QualityTerm::kRecent] = {.weight = 50, .scale = 1'000};
  rules.quality[QualityTerm::kAvoid] = {.weight = 50, .scale = 1'000};
  rules.quality[QualityTerm::kAttributes] = {.weight = 50, .scale = 1'000};
  return rules;
}

class Crowd {
 public:
  explicit Crowd(QueueRules rules) : rules_(std::move(rules)), book_(rules_), matcher_(book_), random_(1) {}

  // A ticket of a party; `role` is what all want, none for any mix.
  void Add(int32_t size, Micros queued_at, const char* role) {
    const double radius = std::sqrt(-2 * std::log(1 - random_.Unit()));
    const int rating = static_cast<int>(1'500 + 300 * radius * std::cos(2 * std::numbers::pi * random_.Unit()));
    std::vector<PlayerSpec> players(static_cast<size_t>(size));
    const int home = static_cast<int>(random_.Below(4));
    for (PlayerSpec& player : players) {
      player.id = "p" + std::to_string(++players_);
      player.rating = rating;
      player.deviation = static_cast<int>(random_.Between(50, 150));
      PlayerDetails& details = player.details;
      details.games_played = static_cast<int32_t>(random_.Below(200));
      details.loss_streak = static_cast<int32_t>(random_.Below(5));
      for (int region = 0; region < 4; ++region) {
        details.latency_ms[rules_.regions.regions[static_cast<size_t>(region)]] =
            static_cast<int32_t>(region == home ? random_.Between(10, 30) : random_.Between(30, 90));
      }
      details.roles = {role != nullptr ? role : Role()};
      if (role == nullptr && random_.Percent(40)) details.roles.push_back(Role());
      if (details.roles.size() == 2 && details.roles[0] == details.roles[1]) details.roles.pop_back();
      for (int i = 0; i < 5; ++i) {
        details.recent_opponents.push_back("p" + std::to_string(random_.Below(players_ + 1)));
      }
      details.block = {"p" + std::to_string(random_.Below(players_ + 1))};
      details.avoid = {"p" + std::to_string(random_.Below(players_ + 1))};
    }
    Attributes attributes;
    attributes["mode"] = std::string("ranked");
    attributes["maps"] = std::vector<std::string>{"map" + std::to_string(random_.Below(4)), "map4"};
    const std::shared_ptr<Ticket> ticket = MakeParty(std::move(players), std::move(attributes));
    PoolEntry entry;
    entry.value = book_.ValueOf(*ticket, ticket->queues[0]);
    entry.heads = size;
    entry.queued_at = queued_at;
    entry.arrival = ++arrivals_;
    const Pool::Slot slot = pool_.Insert(entry);
    traits_.Add(slot, book_.TraitsOf(*ticket, ticket->queues[0]));
  }

  int32_t PartySize() {
    // Of the players 40 % alone, 25 % in pairs, 15 % in threes, 8 % in fours, 12 % in fives.
    const uint64_t at = random_.Below(619);
    return at < 400 ? 1 : at < 525 ? 2 : at < 575 ? 3 : at < 595 ? 4 : 5;
  }

  size_t Tick(Micros now) {
    proposals_.clear();
    size_t due = 0;
    matcher_.Tick(pool_, traits_, now, &proposals_, &due);
    return due;
  }
  void Commit() {
    for (const Proposal& proposal : proposals_) {
      for (const Proposal::Place& place : proposal.places) {
        pool_.Remove(place.slot);
        traits_.Remove(place.slot);
      }
    }
  }
  const std::vector<Proposal>& proposals() const { return proposals_; }
  size_t waiting() const { return pool_.size(); }

 private:
  const char* Role() {
    const uint64_t at = random_.Below(5);
    return at == 0 ? "tank" : at == 1 ? "heal" : "damage";
  }

  const QueueRules rules_;
  RuleBook book_;
  Matcher matcher_;
  Random random_;
  Pool pool_;
  TraitTable traits_;
  std::vector<Proposal> proposals_;
  uint64_t players_ = 0, arrivals_ = 0;
};

// 2'000 players a second in parties of one to five, ticks of 100 ms, all rules, among standing tickets: players alone
// who do damage, all past their last stage, waiting for the tanks and healers who do not come in such numbers. Ten
// seconds of it; with a target wait (the last argument, in seconds) new tickets hold out for it.
void BM_TeamsAllRules(benchmark::State& state) {
  QueueRules rules = AllRules();
  rules.target_wait_p95 = state.range(1) * kSecond;
  double formed = 0, quality = 0, due = 0, ticks = 0, longest = 0, spent = 0;
  size_t waiting = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto crowd = std::make_unique<Crowd>(rules);
    for (int64_t i = 0; i < state.range(0); ++i) crowd->Add(1, kStart - kHour + i, "damage");
    crowd->Tick(kStart - 200 * kMillisecond);
    crowd->Tick(kStart - 100 * kMillisecond);
    int64_t players = 0;
    for (Micros now = kStart; now < kStart + 10 * kSecond; now += 100 * kMillisecond) {
      for (const int64_t until = 200 * ((now - kStart) / (100 * kMillisecond) + 1); players < until;) {
        const int32_t size = crowd->PartySize();
        crowd->Add(size, now - 100 * kMillisecond + (players * 500) % (100 * kMillisecond), nullptr);
        players += size;
      }
      const auto begin = std::chrono::steady_clock::now();
      state.ResumeTiming();
      due += static_cast<double>(crowd->Tick(now));
      state.PauseTiming();
      const double took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
      longest = std::max(longest, took);
      spent += took;
      ++ticks;
      for (const Proposal& proposal : crowd->proposals()) {
        ++formed;
        quality += proposal.quality;
      }
      crowd->Commit();
    }
    waiting = crowd->waiting();
    crowd.reset();
    state.ResumeTiming();
  }
  state.counters["ms_a_tick"] = spent / ticks;
  state.counters["longest_ms"] = longest;
  state.counters["due_a_tick"] = due / ticks;
  state.counters["formed_a_tick"] = formed / ticks;
  state.counters["mean_quality"] = quality / std::max(formed, 1.0);
  state.counters["waiting"] = static_cast<double>(waiting);
}
BENCHMARK(BM_TeamsAllRules)
    ->Args({0, 0})
    ->Args({100'000, 0})
    ->Args({100'000, 3})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace evenmatch

BENCHMARK_MAIN();
