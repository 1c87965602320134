// Random rules and random tickets: what holds between any two of them, whatever a queue asks for.
#include "matching/rule_book.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "tests/support/waiters.h"

namespace evenmatch {
namespace {

constexpr int kWorlds = 400;

class World {
 public:
  explicit World(uint64_t seed) : random_(seed) {}

  QueueRules Rules() {
    QueueRules rules;
    rules.team_size = 5;
    const auto after = [&] { return random_.Between(0, 60) * kSecond; };
    rules.window.base = static_cast<MilliPoints>(random_.Between(0, 300)) * kPoint;
    rules.window.growth_per_second = static_cast<MilliPoints>(random_.Between(0, 60)) * kPoint;
    rules.window.max = rules.window.base + static_cast<MilliPoints>(random_.Between(0, 900)) * kPoint;
    if (random_.Percent(40)) {
      Micros at = 0;
      MilliPoints width = rules.window.base;
      for (int i = 0; i < 4; ++i, at += 1 + after(), width += random_.Between(0, 300) * kPoint) {
        rules.window.steps.push_back({at, i == 3 && random_.Percent(50) ? kUnlimitedWindow : width});
      }
    }
    if (random_.Percent(40)) rules.window.deviation_factor = static_cast<int32_t>(random_.Between(1, 2000));
    rules.wait_basis = static_cast<WaitBasis>(random_.Below(3));
    if (random_.Percent(30)) rules.max_difference = static_cast<MilliPoints>(random_.Between(100, 900)) * kPoint;
    if (random_.Percent(40)) {
      rules.tiers.tiers = {{"t0", 0, 0}, {"t1", 1, 1300 * kPoint}, {"t2", 2, 1600 * kPoint}, {"t3", 3, kNoValue}};
      rules.tiers.groups = {{"g0"}, {"g1"}, {"g2", random_.Percent(20)}, {"g3", random_.Percent(50)}};
      rules.tiers.neighbours_after = after();
      rules.tiers.all_after = rules.tiers.neighbours_after + after();
    }
    if (random_.Percent(40)) {
      rules.regions.regions = {"r0", "r1", "r2"};
      Micros at = 0;
      int32_t delta = 20, limit = 100;
      for (int i = 0; i < 3; ++i, at += 1 + after()) {
        rules.regions.steps.push_back({at, delta, limit});
        delta += static_cast<int32_t>(random_.Between(0, 80));
        limit += static_cast<int32_t>(random_.Between(0, 80));
      }
      rules.regions.missing = random_.Percent(50) ? Missing::kMeetsAnybody : Missing::kMeetsNobody;
    }
    for (const auto compare :
         {AttributeRule::Compare::kEqual, AttributeRule::Compare::kDistance, AttributeRule::Compare::kOverlap}) {
      if (!random_.Percent(25)) continue;
      AttributeRule& rule = rules.attributes.emplace_back();
      rule.name = Name("a", static_cast<uint64_t>(compare));
      rule.compare = compare;
      rule.distance = random_.Between(0, 3'000);
      rule.missing = static_cast<Missing>(random_.Below(3));
      rule.required = random_.Percent(70);
      if (random_.Percent(50)) rule.required_for = after();
    }
    if (random_.Percent(30)) rules.shelter = {.games_below = 10, .own_pool_for = after(), .widest = 200 * kPoint};
    if (random_.Percent(30)) rules.streak = {.losses = 3, .ease = 150 * kPoint, .after = after()};
    rules.blocks = random_.Percent(70);
    if (random_.Percent(60)) {
      for (QualityRules::Weight& term : rules.quality.terms) {
        if (random_.Percent(60)) term = {static_cast<int32_t>(random_.Between(1, 3000)), random_.Between(1, 500'000)};
      }
      if (random_.Percent(50)) rules.quality[QualityTerm::kDistance] = {.weight = 1000, .scale = 0};
    }
    const auto party = random_.Below(3);
    rules.strength.party = static_cast<StrengthRules::Party>(party);
    return rules;
  }

  PlayerSpec Player() {
    PlayerSpec player;
    player.id = Person();
    player.rating = static_cast<int>(random_.Between(1000, 2000));
    player.deviation = static_cast<int>(random_.Between(0, 300));
    PlayerDetails& details = player.details;
    if (random_.Percent(30)) details.tier = Name("t", random_.Below(4));
    details.games_played = static_cast<int32_t>(random_.Between(0, 30));
    details.loss_streak = static_cast<int32_t>(random_.Between(0, 5));
    for (int region = 0; region < 3; ++region) {
      if (random_.Percent(60)) details.latency_ms[Name("r", region)] = static_cast<int32_t>(random_.Between(5, 250));
    }
    if (random_.Percent(50)) details.attributes["a0"] = Name("v", random_.Below(2));
    if (random_.Percent(50)) details.attributes["a1"] = static_cast<double>(random_.Between(0, 5));
    if (random_.Percent(50)) {
      details.attributes["a2"] = std::vector<std::string>{Name("v", random_.Below(3)), Name("v", random_.Below(3))};
    }
    for (auto* list : {&details.block, &details.avoid, &details.recent_opponents}) {
      for (uint64_t i = random_.Below(3); i > 0; --i) list->push_back(Person());
    }
    return player;
  }

  std::vector<PlayerSpec> Party() {
    std::vector<PlayerSpec> players;
    std::set<std::string> ids;
    for (uint64_t i = 1 + random_.Below(4); i > 0; --i) {
      PlayerSpec player = Player();
      if (ids.insert(player.id).second) players.push_back(std::move(player));
    }
    return players;
  }

  Random& random() { return random_; }

 private:
  std::string Person() { return Name("p", random_.Below(40)); }

  Random random_;
};

// The same, player by player and list by list, with names instead of digests.
bool BlocksAny(const std::vector<PlayerSpec>& a, const std::vector<PlayerSpec>& b) {
  return std::any_of(a.begin(), a.end(), [&](const PlayerSpec& one) {
    return std::any_of(one.details.block.begin(), one.details.block.end(), [&](const std::string& id) {
      return std::any_of(b.begin(), b.end(), [&](const PlayerSpec& other) { return other.id == id; });
    });
  });
}

TEST(RuleBookPropertyTest, MeetingsAndCostsAreSymmetricAndKnowNoOrderOfPlayers) {
  for (uint64_t seed = 1; seed <= kWorlds; ++seed) {
    SCOPED_TRACE(seed);
    World world(seed);
    WaitingRoom room(world.Rules());
    room.book.KeepTraits();
    std::vector<Waiter> waiters, shuffled;
    std::vector<std::vector<PlayerSpec>> parties;
    for (int i = 0; i < 12; ++i) {
      std::vector<PlayerSpec> party = world.Party();
      parties.push_back(party);
      const Micros queued_at = world.random().Between(0, 30) * kSecond;
      waiters.push_back(room.AddTicket(*MakeParty(party), queued_at));
      std::rotate(party.begin(), party.begin() + static_cast<int64_t>(world.random().Below(party.size())), party.end());
      std::reverse(party.begin(), party.end());
      shuffled.push_back(room.AddTicket(*MakeParty(party), queued_at));
    }
    const Micros now = 30 * kSecond + world.random().Between(0, 60) * kSecond;
    for (size_t i = 0; i < waiters.size(); ++i) {
      for (size_t j = 0; j < waiters.size(); ++j) {
        const Meeting meeting = room.book.Meet(waiters[i], waiters[j]);
        const Meeting back = room.book.Meet(waiters[j], waiters[i]);
        const Meeting same = room.book.Meet(shuffled[i], shuffled[j]);
        ASSERT_EQ(meeting.wait, back.wait);
        ASSERT_EQ(meeting.rule, back.rule);
        ASSERT_EQ(meeting.wait, same.wait);
        ASSERT_EQ(meeting.rule, same.rule);
        ASSERT_EQ(meeting.wait == 0, meeting.rule == Rule::kNone);
        if (room.book.rules().blocks && (BlocksAny(parties[i], parties[j]) || BlocksAny(parties[j], parties[i]))) {
          ASSERT_EQ(meeting.wait, kNever);
        } else {
          ASSERT_NE(meeting.rule, Rule::kBlock);
        }
        const Waiter pair[] = {waiters[i], waiters[j]};
        int32_t region = -1;
        if (meeting.wait != kNever) {
          ASSERT_TRUE(room.book.RegionFor(pair, meeting.wait, &region));
        }
        const int64_t cost = room.book.PairCost(waiters[i], waiters[j], now, region);
        ASSERT_GE(cost, 0);
        ASSERT_EQ(cost, room.book.PairCost(waiters[j], waiters[i], now, region));
        ASSERT_EQ(cost, room.book.PairCost(shuffled[i], shuffled[j], now, region));
      }
    }
  }
}

TEST(RuleBookPropertyTest, WhoMayMeetMayMeetForEver) {
  for (uint64_t seed = 1; seed <= kWorlds; ++seed) {
    SCOPED_TRACE(seed);
    World world(seed + 10'000);
    WaitingRoom room(world.Rules());
    const RuleBook& book = room.book;
    room.book.KeepTraits();
    for (int pair = 0; pair < 30; ++pair) {
      const Waiter a = room.AddTicket(*MakeParty(world.Party()), world.random().Between(0, 20) * kSecond);
      const Waiter b = room.AddTicket(*MakeParty(world.Party()), world.random().Between(0, 20) * kSecond);
      const Meeting meeting = book.Meet(a, b);
      const Waiter both[] = {a, b};
      Micros counted = -1;
      MilliPoints window = -1;
      int stage = 0;
      int32_t region;
      bool in_region = false;
      for (Micros now = 20 * kSecond; now < 220 * kSecond; now += 1 + world.random().Between(0, 5) * kSecond) {
        const Micros wait = book.WaitOf(a, b, now);
        ASSERT_GE(wait, counted);
        counted = wait;
        ASSERT_EQ(wait, book.SetWait(both, now));
        // What is refused now is exactly what asks for more, and From says when it ends.
        Micros longest = 0;
        book.ForEachRefusal(a, b, wait, [&](Rule, Micros asked) { longest = std::max(longest, asked); });
        ASSERT_EQ(longest, meeting.wait > wait ? meeting.wait : 0);
        if (meeting.wait != kNever) {
          ASSERT_EQ(now >= book.From(a, b, meeting.wait), wait >= meeting.wait);
        }
        ASSERT_GE(book.WindowOf(a, wait), window);
        window = book.WindowOf(a, wait);
        ASSERT_GE(book.StageAt(wait), stage);
        stage = book.StageAt(wait);
        ASSERT_LT(stage, book.stage_count());
        ASSERT_EQ(book.NextStageAfter(wait) == kNever, stage + 1 == book.stage_count());
        const bool found = book.RegionFor(both, wait, &region);
        ASSERT_TRUE(found || !in_region);
        in_region = found;
        // A rule relaxes at a stage: within one, only a growing window lets more tickets meet.
        if (meeting.wait != kNever && meeting.rule != Rule::kWindow && meeting.rule != Rule::kNone) {
          ASSERT_EQ(book.StageAt(meeting.wait), book.StageAt(meeting.wait - 1) + 1);
        }
      }
    }
  }
}

TEST(RuleBookPropertyTest, OfABareQueueTraitsChangeNothing) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    World world(seed);
    WaitingRoom room{QueueRules()};
    ASSERT_TRUE(room.book.plain());
    for (int i = 0; i < 50; ++i) {
      const auto a = MakeParty({{"a", static_cast<int>(world.random().Between(0, 1000))}});
      const auto b = MakeParty({{"b", static_cast<int>(world.random().Between(0, 1000))}});
      const Micros later = world.random().Between(0, 20) * kSecond, now = 30 * kSecond;
      const Waiter bare_a = room.AddTicket(*a), bare_b = room.AddTicket(*b, later);
      ASSERT_EQ(bare_a.traits, nullptr);
      const auto traits_a = room.book.TraitsOf(*a, a->queues[0]), traits_b = room.book.TraitsOf(*b, b->queues[0]);
      const Waiter full_a{bare_a.entry, traits_a.get()}, full_b{bare_b.entry, traits_b.get()};
      ASSERT_EQ(room.book.Meet(bare_a, bare_b).wait, room.book.Meet(full_a, full_b).wait);
      ASSERT_EQ(room.book.PairCost(bare_a, bare_b, now, -1), room.book.PairCost(full_a, full_b, now, -1));
      const MilliPoints gap = std::abs(bare_a.entry->value - bare_b.entry->value);
      if (room.book.Meet(bare_a, bare_b).wait > now - later) continue;
      const MilliPoints window = WindowAt(room.book.rules().window, now - later);
      const int64_t quality = kBestQuality - room.book.PairCost(bare_a, bare_b, now, -1);
      ASSERT_EQ(std::max<int64_t>(quality, 0), DuelQuality(gap, window));
    }
  }
}

}  // namespace
}  // namespace evenmatch
