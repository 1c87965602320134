// Teams under the rules of a queue against a dumb twin that tries every set and every way to make its teams, on seeded
// random worlds.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "matching/matcher.h"
#include "matching/rule_book.h"
#include "matching/team_set.h"
#include "matching/traits.h"
#include "pool/pool.h"
#include "tests/support/waiters.h"

namespace evenmatch {
namespace {

constexpr Micros kStart = 1'700'000'000 * kSecond;

class World {
 public:
  World(const QueueRules& rules, uint64_t seed) : rules_(rules), book_(rules_), matcher_(book_), random_(seed) {
    book_.KeepTraits();
  }

  void Arrive(int32_t heads, int rating, Micros queued_at) {
    std::vector<PlayerSpec> players(static_cast<size_t>(heads));
    for (PlayerSpec& player : players) {
      player.id = std::to_string(++players_);
      player.rating = rating;
      PlayerDetails& details = player.details;
      for (const RoleRules::Role& role : rules_.roles.roles) {
        if (random_.Percent(45)) details.roles.push_back(role.name);
      }
      for (const std::string& region : rules_.regions.regions) {
        details.latency_ms[region] = static_cast<int32_t>(random_.Between(1, 10) * 10);
      }
      if (random_.Percent(20))
        details.block.push_back(std::to_string(random_.Between(1, static_cast<int64_t>(players_))));
    }
    const std::shared_ptr<Ticket> ticket = MakeParty(std::move(players));
    PoolEntry entry;
    entry.value = book_.ValueOf(*ticket, ticket->queues[0]);
    entry.heads = heads;
    entry.queued_at = queued_at;
    entry.arrival = ++arrivals_;
    const Pool::Slot slot = pool_.Insert(entry);
    traits_.Add(slot, book_.TraitsOf(*ticket, ticket->queues[0]));
    waiting_[entry.arrival] = slot;
  }
  void LeaveOne() {
    auto it = waiting_.begin();
    std::advance(it, random_.Below(waiting_.size()));
    pool_.Remove(it->second);
    traits_.Remove(it->second);
    waiting_.erase(it);
  }

  size_t waiting() const { return waiting_.size(); }
  bool waits(uint64_t arrival) const { return waiting_.contains(arrival); }
  const RuleBook& book() const { return book_; }
  std::vector<Waiter> All() const {
    std::vector<Waiter> all;
    for (const auto& [arrival, slot] : waiting_) all.push_back(WaiterAt(pool_, traits_, slot));
    return all;
  }

  size_t Tick(Micros now) {
    proposals_.clear();
    size_t due = 0;
    matcher_.Tick(pool_, traits_, now, &proposals_, &due);
    for (const Proposal& proposal : proposals_) Check(proposal, now);
    for (const Proposal& proposal : proposals_) {
      for (const Proposal::Place& place : proposal.places) {
        EXPECT_EQ(waiting_.erase(pool_.Get(place.slot).arrival), 1u);
        pool_.Remove(place.slot);
        traits_.Remove(place.slot);
      }
    }
    return proposals_.size();
  }

  // Every two may meet, and one region serves all.
  bool MayAllMeet(const std::vector<Waiter>& set, Micros now) const {
    const Micros together = book_.SetWait(set, now);
    for (size_t a = 0; a < set.size(); ++a) {
      for (size_t b = a + 1; b < set.size(); ++b) {
        const Micros wait = rules_.wait_basis == WaitBasis::kStrictest ? book_.WaitOf(set[a], set[b], now) : together;
        if (book_.Meet(set[a], set[b]).wait > wait) return false;
      }
    }
    int32_t region = -1;
    return book_.RegionFor(set, together, &region);
  }

  bool RolesFit(const std::vector<Waiter>& set, const std::vector<int32_t>& team, int32_t which, Micros now) const {
    if (!rules_.roles.on()) return true;
    struct Wish {
      uint64_t roles;
    };
    std::vector<Wish> players;
    for (size_t i = 0; i < set.size(); ++i) {
      if (team[i] != which) continue;
      const bool may_fill = now - set[i].entry->queued_at >= rules_.roles.fill_after;
      for (const Traits::Wishes& wishes : set[i].traits->wishes) {
        players.push_back({may_fill ? ~uint64_t{0} : wishes.roles});
      }
    }
    std::vector<int32_t> left;
    for (const RoleRules::Role& role : rules_.roles.roles) left.push_back(role.count);
    const std::function<bool(size_t)> seat = [&](size_t player) {
      if (player == players.size()) return true;
      for (size_t role = 0; role < left.size(); ++role) {
        if (left[role] == 0 || (players[player].roles >> role & 1) == 0) continue;
        --left[role];
        const bool seated = seat(player + 1);
        ++left[role];
        if (seated) return true;
      }
      return false;
    };
    return seat(0);
  }

  bool Mirrors(const std::vector<Waiter>& set, const std::vector<int32_t>& team, size_t teams, Micros now) const {
    std::vector<int32_t> largest(teams);
    for (size_t i = 0; i < set.size(); ++i) largest[team[i]] = std::max(largest[team[i]], set[i].entry->heads);
    const auto [low, high] = std::minmax_element(largest.begin(), largest.end());
    Micros wait = 0;
    for (const Waiter& ticket : set) {
      if (ticket.entry->heads == *high) wait = std::max(wait, now - ticket.entry->queued_at);
    }
    int32_t allowed = 64;
    for (const PartyRules::MirrorStep& step : rules_.party.mirror) {
      if (step.after <= wait) allowed = step.difference;
    }
    return *high - *low <= allowed;
  }

  // The fewest players of a team who get a role that they did not ask for: all but the most that can be given theirs.
  int32_t FillsOf(const std::vector<Waiter>& set, const std::vector<int32_t>& team, int32_t which) const {
    std::vector<uint64_t> players;
    for (size_t i = 0; i < set.size(); ++i) {
      if (team[i] != which) continue;
      for (const Traits::Wishes& wishes : set[i].traits->wishes) players.push_back(wishes.roles);
    }
    std::vector<int32_t> left;
    for (const RoleRules::Role& role : rules_.roles.roles) left.push_back(role.count);
    const std::function<int32_t(size_t)> most = [&](size_t player) {
      if (player == players.size()) return 0;
      int32_t best = most(player + 1);
      for (size_t role = 0; role < left.size(); ++role) {
        if (left[role] == 0 || (players[player] >> role & 1) == 0) continue;
        --left[role];
        best = std::max(best, 1 + most(player + 1));
        ++left[role];
      }
      return best;
    };
    return static_cast<int32_t>(players.size()) - most(0);
  }

  bool FillsLevelled(const std::vector<Waiter>& set, const std::vector<int32_t>& team, size_t teams, Micros now) const {
    if (!rules_.roles.on()) return true;
    int32_t fewest = 64, most = 0;
    for (size_t which = 0; which < teams; ++which) {
      const int32_t fills = FillsOf(set, team, static_cast<int32_t>(which));
      fewest = std::min(fewest, fills);
      most = std::max(most, fills);
    }
    return most - fewest <= 1 || std::any_of(set.begin(), set.end(), [&](const Waiter& ticket) {
             return book_.PastLastStage(now - ticket.entry->queued_at);
           });
  }

  bool CanMakeTeams(const std::vector<Waiter>& set, Micros now) const {
    Micros oldest = 0;
    for (const Waiter& ticket : set) oldest = std::max(oldest, now - ticket.entry->queued_at);
    for (const TeamShape& shape : ShapesOf(rules_)) {
      int32_t heads = 0;
      for (const Waiter& ticket : set) heads += ticket.entry->heads;
      if (heads != shape.players() || oldest < shape.after) continue;
      std::vector<int32_t> room = shape.sizes, team(set.size());
      const std::function<bool(size_t)> place = [&](size_t ticket) {
        if (ticket == set.size()) {
          if (!Mirrors(set, team, room.size(), now) || !FillsLevelled(set, team, room.size(), now)) return false;
          for (size_t which = 0; which < room.size(); ++which) {
            if (!RolesFit(set, team, static_cast<int32_t>(which), now)) return false;
          }
          return true;
        }
        for (size_t into = 0; into < room.size(); ++into) {
          if (room[into] < set[ticket].entry->heads) continue;
          room[into] -= set[ticket].entry->heads;
          team[ticket] = static_cast<int32_t>(into);
          const bool found = place(ticket + 1);
          room[into] += set[ticket].entry->heads;
          if (found) return true;
        }
        return false;
      };
      if (place(0)) return true;
    }
    return false;
  }

  // Arrivals of some set that could play now; with that arrival in it when it is given. At most 12 tickets.
  std::vector<uint64_t> AnySet(Micros now, uint64_t with = 0) const {
    const std::vector<Waiter> all = All();
    std::vector<Waiter> set;
    for (size_t mask = 1; mask < size_t{1} << all.size(); ++mask) {
      set.clear();
      int32_t heads = 0;
      bool has = with == 0;
      for (size_t i = 0; i < all.size(); ++i) {
        if ((mask >> i & 1) == 0) continue;
        set.push_back(all[i]);
        heads += all[i].entry->heads;
        has |= all[i].entry->arrival == with;
      }
      if (!has || heads > rules_.players_per_match()) continue;
      if (!MayAllMeet(set, now) || !CanMakeTeams(set, now)) continue;
      std::vector<uint64_t> arrivals;
      for (const Waiter& ticket : set) arrivals.push_back(ticket.entry->arrival);
      return arrivals;
    }
    return {};
  }

 private:
  void Check(const Proposal& proposal, Micros now) {
    std::vector<Waiter> set;
    std::vector<int32_t> team;
    std::vector<int32_t> heads(proposal.win_chance.size());
    for (const Proposal::Place& place : proposal.places) {
      set.push_back(WaiterAt(pool_, traits_, place.slot));
      team.push_back(place.team);
      heads[place.team] += set.back().entry->heads;
    }
    Micros oldest = 0;
    for (const Waiter& ticket : set) oldest = std::max(oldest, now - ticket.entry->queued_at);
    ASSERT_TRUE(rules_.Allows(heads, oldest));
    ASSERT_TRUE(MayAllMeet(set, now));
    ASSERT_TRUE(Mirrors(set, team, heads.size(), now));
    ASSERT_TRUE(FillsLevelled(set, team, heads.size(), now));
    int32_t region = -1;
    ASSERT_TRUE(book_.RegionFor(set, book_.SetWait(set, now), &region));
    ASSERT_EQ(proposal.region, region);
    int64_t costs = 0;
    for (const TermCost& cost : proposal.costs) costs += cost.cost;
    ASSERT_EQ(proposal.quality, std::max<int64_t>(kBestQuality - costs, 0));
    if (!rules_.roles.on()) return;
    std::vector<std::vector<int32_t>> taken(heads.size(), std::vector<int32_t>(rules_.roles.roles.size()));
    size_t seat = 0;
    for (size_t i = 0; i < set.size(); ++i) {
      for (const Traits::Wishes& wishes : set[i].traits->wishes) {
        const SeatRole& role = proposal.roles.at(seat++);
        ASSERT_EQ(role.fill, (wishes.roles >> role.role & 1) == 0);
        if (role.fill) {
          ASSERT_GE(now - set[i].entry->queued_at, rules_.roles.fill_after);
        }
        ASSERT_LE(++taken[team[i]][role.role], rules_.roles.roles[role.role].count);
      }
    }
    ASSERT_EQ(seat, proposal.roles.size());
  }

  const QueueRules rules_;
  RuleBook book_;
  Matcher matcher_;
  Random random_;
  Pool pool_;
  TraitTable traits_;
  std::map<uint64_t, Pool::Slot> waiting_;  // by arrival
  std::vector<Proposal> proposals_;
  uint64_t arrivals_ = 0, players_ = 0;
};

// `relaxes`: rules loosen with wait; else all are as they ever will be.
QueueRules RandomRules(Random& random, bool relaxes) {
  QueueRules rules;
  rules.team_count = 2;
  rules.team_size = static_cast<int32_t>(random.Between(2, 3));
  rules.window.base = static_cast<MilliPoints>(random.Between(50, 300) * kPoint);
  rules.window.growth_per_second = relaxes ? 20 * kPoint : 0;
  rules.window.max = relaxes ? 600 * kPoint : rules.window.base;
  if (random.Percent(50)) {
    rules.roles.roles = {{"tank", 1}, {"damage", rules.team_size - 1}};
    if (random.Percent(50)) rules.roles.fill_after = relaxes ? 10 * kSecond : random.Percent(50) ? 0 : kNever;
  }
  if (random.Percent(50)) {
    rules.regions.regions = {"a", "b", "c"};
    rules.regions.steps = {{0, 40, 80}};
    if (relaxes) rules.regions.steps.push_back({8 * kSecond, 100, 200});
  }
  if (random.Percent(50)) {
    rules.party.mirror = {{0, static_cast<int32_t>(random.Between(0, 1))}};
    if (relaxes) rules.party.mirror.push_back({12 * kSecond, 3});
  }
  if (random.Percent(30)) rules.max_difference = 250 * kPoint;
  if (relaxes && random.Percent(30)) rules.fewer = {{15 * kSecond, 2, rules.team_size - 1}};
  return rules;
}

TEST(TeamRulesTwinTest, SetThatANewTicketCompletesIsFoundInItsTick) {
  int64_t formed = 0, missed = 0, ticks = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const QueueRules rules = RandomRules(random, false);
    World world(rules, seed);
    Micros now = kStart;
    for (int step = 0; step < 30; ++step, now += 100 * kMillisecond) {
      for (int64_t arriving = random.Between(0, 3); arriving > 0 && world.waiting() < 10; --arriving) {
        const int32_t heads = random.Percent(60) ? 1 : static_cast<int32_t>(random.Between(1, rules.team_size));
        world.Arrive(heads, static_cast<int>(random.Between(1'000, 1'500)), now);
      }
      if (world.waiting() >= 9) world.LeaveOne();
      formed += static_cast<int64_t>(world.Tick(now));
      if (HasFatalFailure()) return;
      ++ticks;
      missed += !world.AnySet(now).empty();
    }
  }
  std::printf("teams under rules: %lld matches, a set overlooked after %lld of %lld ticks\n",
              static_cast<long long>(formed), static_cast<long long>(missed), static_cast<long long>(ticks));
  EXPECT_GT(formed, 500);
  EXPECT_EQ(missed, 0);
}

TEST(TeamRulesTwinTest, NoSetStandsLongerThanTheRecheck) {
  int64_t formed = 0, found = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    QueueRules rules = RandomRules(random, true);
    rules.wait_basis = static_cast<WaitBasis>(random.Below(3));
    World world(rules, seed);
    const Micros tick = random.Between(50, 400) * kMillisecond;
    Micros now = kStart;
    std::vector<uint64_t> standing;
    Micros since = 0;
    for (int step = 0; step < 80; ++step, now += tick) {
      for (int64_t arriving = random.Percent(25) ? random.Between(1, 3) : 0; arriving > 0; --arriving) {
        if (world.waiting() >= 9) break;
        const int32_t heads = random.Percent(60) ? 1 : static_cast<int32_t>(random.Between(1, rules.team_size));
        const Micros wait = random.Percent(20) ? random.Between(0, 20) * kSecond : random.Between(0, tick);
        world.Arrive(heads, static_cast<int>(random.Between(1'000, 1'700)), now - wait);
      }
      if (world.waiting() >= 9 && random.Percent(50)) world.LeaveOne();
      formed += static_cast<int64_t>(world.Tick(now));
      if (HasFatalFailure()) return;
      if (!standing.empty() &&
          std::all_of(standing.begin(), standing.end(), [&](uint64_t arrival) { return world.waits(arrival); })) {
        ASSERT_LT(now - since, 10 * kSecond) << "step " << step;
        continue;
      }
      standing = world.AnySet(now);
      since = now;
      found += !standing.empty();
    }
  }
  std::printf("teams under relaxing rules: %lld matches; %lld sets stood for a while\n", static_cast<long long>(formed),
              static_cast<long long>(found));
  EXPECT_GT(formed, 500);
}

// The oldest ticket past its last stage has a seat in every tick in which somebody would let it play.
TEST(TeamRulesTwinTest, OldestPastItsLastStageIsSeatedFirst) {
  int64_t contested = 0;
  for (uint64_t seed = 1; seed <= 1'500; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const QueueRules rules = RandomRules(random, true);
    World world(rules, seed);
    world.Arrive(1, 1'350, kStart - kMinute);
    world.Tick(kStart - kSecond);  // it stands
    for (int64_t arriving = random.Between(3, 9); arriving > 0; --arriving) {
      const int32_t heads = random.Percent(70) ? 1 : static_cast<int32_t>(random.Between(1, rules.team_size));
      world.Arrive(heads, static_cast<int>(random.Between(1'250, 1'450)), kStart - random.Between(0, 3) * kSecond);
    }
    const bool could_play = !world.AnySet(kStart, 1).empty();
    const bool formed = world.Tick(kStart) > 0;
    if (HasFatalFailure()) return;
    ASSERT_EQ(world.waits(1), !could_play);
    contested += formed && !world.waits(1);
  }
  std::printf("oldest seated in %lld worlds\n", static_cast<long long>(contested));
  EXPECT_GT(contested, 200);
}

}  // namespace
}  // namespace evenmatch
