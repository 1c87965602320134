#include "tests/support/team_world.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <tuple>

#include "base/random.h"
#include "matching/rule_book.h"
#include "matching/traits.h"
#include "pool/pool.h"
#include "tests/support/waiters.h"

namespace evenmatch {
namespace {

constexpr Micros kStart = 1'000'000 * kSecond;

class Play {
 public:
  explicit Play(const TeamWorld& world)
      : world_(world), book_(world.rules), matcher_(book_), random_(world.seed), next_(kStart) {
    double tickets = 0;
    for (size_t i = 0; i < 5; ++i) {
      share_[i] = static_cast<double>(world.percent[i]) / static_cast<double>(i + 1);
      tickets += share_[i];
    }
    for (double& share : share_) share /= tickets;
    tickets_per_second_ = world.players_per_second * tickets / 100;
  }

  TeamOutcome Run() {
    const Micros end = kStart + world_.warm_up + world_.duration;
    std::vector<Proposal> proposals;
    for (Micros now = kStart; now <= end; now += world_.rules.tick) {
      while (next_ <= now) Arrive();
      counting_ = now >= kStart + world_.warm_up;
      outcome_.largest_pool = std::max(outcome_.largest_pool, pool_.size());
      proposals.clear();
      size_t due = 0;
      matcher_.Tick(pool_, traits_, now, &proposals, &due);
      for (const Proposal& proposal : proposals) Observe(proposal, now);
      for (const Proposal& proposal : proposals) {
        for (const Proposal::Place& place : proposal.places) {
          pool_.Remove(place.slot);
          traits_.Remove(place.slot);
        }
      }
    }
    outcome_.left = pool_.size();
    return outcome_;
  }

 private:
  void Arrive() {
    size_t size = 0;
    for (double at = random_.Unit(); size < 4 && at >= share_[size]; ++size) at -= share_[size];
    const double radius = std::sqrt(-2 * std::log(1 - random_.Unit()));
    const double normal = radius * std::cos(2 * std::numbers::pi * random_.Unit());
    const int rating = static_cast<int>(std::lround(1'000 * (world_.mean + world_.deviation * normal)));
    PoolEntry entry;
    entry.heads = static_cast<int32_t>(size) + 1;
    entry.queued_at = next_;
    entry.arrival = ++arrivals_;
    entry.value = static_cast<MilliPoints>(rating);
    std::unique_ptr<const Traits> traits;
    if (!book_.plain()) {
      std::vector<PlayerSpec> players(size + 1);
      for (size_t i = 0; i < players.size(); ++i) {
        players[i].id = std::to_string(arrivals_) + "-" + std::to_string(i);
        players[i].details.roles = Wishes();
      }
      const std::shared_ptr<Ticket> ticket = MakeParty(std::move(players));
      traits = book_.TraitsOf(*ticket, ticket->queues[0]);
    }
    const Pool::Slot slot = pool_.Insert(entry);
    if (traits != nullptr) traits_.Add(slot, std::move(traits));
    next_ += static_cast<Micros>(-std::log(1 - random_.Unit()) / tickets_per_second_ * kSecond);
  }

  std::vector<std::string> Wishes() {
    if (world_.wanted.empty() || random_.Percent(10)) return {};
    std::vector<std::string> wishes;
    const auto pick = [&] {
      int at = static_cast<int>(random_.Below(100));
      size_t role = 0;
      while (role + 1 < world_.wanted.size() && at >= world_.wanted[role]) at -= world_.wanted[role++];
      return world_.rules.roles.roles[role].name;
    };
    wishes.push_back(pick());
    if (random_.Percent(50)) {
      const std::string second = pick();
      if (second != wishes[0]) wishes.push_back(second);
    }
    return wishes;
  }

  void Observe(const Proposal& proposal, Micros now) {
    const Proposal::Place* oldest = &proposal.places[0];
    for (const Proposal::Place& place : proposal.places) {
      if (pool_.Get(place.slot).arrival < pool_.Get(oldest->slot).arrival) oldest = &place;
    }
    if (!counting_) return;
    ++outcome_.matches;
    outcome_.quality += proposal.quality;
    outcome_.spread += proposal.spread;
    outcome_.neighbours += MostCompactRun(oldest->slot);
    const auto [low, high] = std::minmax_element(proposal.win_chance.begin(), proposal.win_chance.end());
    outcome_.even += *low >= 4'500 && *high <= 5'500;
    std::map<int32_t, int32_t> largest;
    for (const Proposal::Place& place : proposal.places) {
      const PoolEntry& entry = pool_.Get(place.slot);
      ++outcome_.tickets;
      outcome_.players += static_cast<uint64_t>(entry.heads);
      outcome_.wait.Add(static_cast<uint64_t>(now - entry.queued_at));
      for (int32_t i = 0; i < entry.heads; ++i) outcome_.player_wait.Add(static_cast<uint64_t>(now - entry.queued_at));
      largest[place.team] = std::max(largest[place.team], entry.heads);
    }
    outcome_.unequal_parties += largest[0] != largest[1];
    if (!proposal.roles.empty()) CountFills(proposal);
    if (world_.check_splits) outcome_.split_misses += MoreEvenSplitExists(proposal);
  }

  void CountFills(const Proposal& proposal) {
    std::array<int32_t, 64> fills{};
    size_t player = 0;
    for (const Proposal::Place& place : proposal.places) {
      for (int32_t i = 0; i < pool_.Get(place.slot).heads; ++i) {
        fills[static_cast<size_t>(place.team)] += proposal.roles[player++].fill;
      }
    }
    const size_t teams = proposal.win_chance.size();
    const auto [fewest, most] = std::minmax_element(fills.begin(), fills.begin() + static_cast<int64_t>(teams));
    for (size_t team = 0; team < teams; ++team) outcome_.fills += static_cast<uint64_t>(fills[team]);
    outcome_.fills_levelled += *most - *fewest <= 1;
  }

  MilliPoints MostCompactRun(Pool::Slot anchor) const {
    std::vector<std::pair<MilliPoints, int32_t>> around;  // (value, heads), of the ten players' neighbourhood
    const int32_t players = world_.rules.players_per_match();
    Pool::Cursor at = pool_.At(anchor);
    for (int32_t heads = at.heads(); at.valid() && heads < players;) {
      at.Prev();
      if (at.valid()) heads += at.heads();
    }
    if (!at.valid()) at.Next();
    size_t place = 0;
    int32_t above = 0;
    for (bool passed = false; at.valid() && above < players; at.Next()) {
      if (at.slot() == anchor) {
        passed = true;
        place = around.size();
      }
      around.emplace_back(at.value(), at.heads());
      if (passed) above += at.heads();
    }
    MilliPoints best = std::numeric_limits<MilliPoints>::max();
    for (size_t low = 0; low <= place; ++low) {
      int32_t heads = 0;
      for (size_t high = low; high < around.size(); ++high) {
        heads += around[high].second;
        if (high < place || heads < players) continue;
        best = std::min(best, around[high].first - around[low].first);
        break;
      }
    }
    return best;
  }

  // By trying all: nearer sums of the two teams, or as near ones with nearer sums of squares.
  bool MoreEvenSplitExists(const Proposal& proposal) const {
    const size_t tickets = proposal.places.size();
    const int32_t size = world_.rules.team_size;
    using Measure = std::pair<int64_t, double>;
    const auto measure = [&](size_t mask) -> Measure {
      int64_t sums[2] = {0, 0};
      double means[2] = {0, 0}, variances[2] = {0, 0};
      for (size_t i = 0; i < tickets; ++i) {
        const PoolEntry& entry = pool_.Get(proposal.places[i].slot);
        sums[mask >> i & 1] += int64_t{entry.value} * entry.heads;
      }
      for (int team = 0; team < 2; ++team) means[team] = static_cast<double>(sums[team]) / size;
      for (size_t i = 0; i < tickets; ++i) {
        const PoolEntry& entry = pool_.Get(proposal.places[i].slot);
        const double off = entry.value - means[mask >> i & 1];
        variances[mask >> i & 1] += off * off * entry.heads;
      }
      return {std::abs(sums[0] - sums[1]), std::abs(variances[0] - variances[1])};
    };
    size_t ours = 0;
    for (size_t i = 0; i < tickets; ++i) ours |= static_cast<size_t>(proposal.places[i].team) << i;
    const Measure given = measure(ours);
    for (size_t mask = 1; mask < size_t{1} << tickets; ++mask) {
      int32_t heads = 0;
      for (size_t i = 0; i < tickets; ++i) heads += (mask >> i & 1) != 0 ? pool_.Get(proposal.places[i].slot).heads : 0;
      if (heads != size) continue;
      const Measure other = measure(mask);
      if (other.first < given.first) return true;
      if (other.first == given.first && other.second < given.second * (1 - 1e-9) - 1) return true;
    }
    return false;
  }

  const TeamWorld& world_;
  RuleBook book_;
  Matcher matcher_;
  Random random_;
  Pool pool_;
  TraitTable traits_;
  Micros next_;
  std::array<double, 5> share_{};
  double tickets_per_second_ = 0;
  uint64_t arrivals_ = 0;
  bool counting_ = false;
  TeamOutcome outcome_;
};

}  // namespace

QueueRules FiveAgainstFive() {
  QueueRules rules;
  rules.team_count = 2;
  rules.team_size = 5;
  rules.window.base = 100 * kPoint;
  rules.window.growth_per_second = 50 * kPoint;
  rules.window.max = 800 * kPoint;
  rules.tick = 500 * kMillisecond;
  return rules;
}

TeamOutcome PlayTeams(const TeamWorld& world) { return Play(world).Run(); }

}  // namespace evenmatch
