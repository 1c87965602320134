#include "matching/team_matcher.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tests/support/waiters.h"

namespace evenmatch {
namespace {

constexpr Micros kStart = 1'000 * kSecond;

class TeamMatcherTest : public testing::Test {
 protected:
  TeamMatcherTest() {
    rules_.window.base = 100 * kPoint;
    rules_.window.growth_per_second = 10 * kPoint;
    rules_.window.max = 500 * kPoint;
  }

  void Teams(int32_t count, int32_t size) {
    rules_.team_count = count;
    rules_.team_size = size;
  }
  void Roles(std::vector<std::pair<std::string, int32_t>> roles) {
    for (const auto& [name, count] : roles) rules_.roles.roles.push_back({name, count});
  }

  // A ticket whose players are named by the letters of `name`; the first of them has the details.
  Pool::Slot Add(const std::string& name, int rating, PlayerDetails details = {}, Micros waited = 0) {
    std::vector<PlayerSpec> players;
    for (const char letter : name) players.push_back({std::string(1, letter), rating, 0, {}});
    players.front().details = std::move(details);
    return AddParty(std::move(players), waited);
  }
  Pool::Slot AddParty(std::vector<PlayerSpec> players, Micros waited = 0) {
    if (!book_) {
      book_.emplace(rules_);
      matcher_ = std::make_unique<TeamMatcher>(*book_);
    }
    std::string name;
    for (const PlayerSpec& player : players) name += player.id;
    const std::shared_ptr<Ticket> ticket = MakeParty(std::move(players));
    if (book_->plain() && book_->NeedsTraits(*ticket)) book_->KeepTraits();
    PoolEntry entry;
    entry.value = book_->ValueOf(*ticket, ticket->queues[0]);
    entry.heads = static_cast<int32_t>(ticket->players.size());
    entry.queued_at = now_ - waited;
    entry.arrival = ++arrivals_;
    const Pool::Slot slot = pool_.Insert(entry);
    if (!book_->plain()) traits_.Add(slot, book_->TraitsOf(*ticket, ticket->queues[0]));
    names_[slot] = name;
    return slot;
  }
  Pool::Slot AddWith(const std::string& name, std::vector<std::string> roles, Micros waited = 0) {
    PlayerDetails details;
    details.roles = std::move(roles);
    return Add(name, 1'500, std::move(details), waited);
  }

  // One tick; what was formed, as "A v B, CD v EF", and removed from the pool.
  std::string Tick(Micros after = 0) {
    now_ += after;
    proposals_.clear();
    size_t due = 0;
    matcher_->Tick(pool_, traits_, now_, &proposals_, &due);
    std::string formed;
    for (const Proposal& proposal : proposals_) {
      if (!formed.empty()) formed += ", ";
      int32_t team = 0;
      int64_t costs = 0;
      for (const TermCost& cost : proposal.costs) costs += cost.cost;
      EXPECT_EQ(proposal.quality, std::max<int64_t>(kBestQuality - costs, 0));
      for (const Proposal::Place& place : proposal.places) {
        if (place.team != team) formed += " v ";
        team = place.team;
        formed += names_[place.slot];
        pool_.Remove(place.slot);
        traits_.Remove(place.slot);
      }
    }
    return formed;
  }
  int64_t Measure(QualityTerm term) const {
    for (const TermCost& cost : proposals_.at(0).costs) {
      if (cost.term == term) return cost.measure;
    }
    return -1;
  }

  QueueRules rules_;
  std::optional<RuleBook> book_;
  std::unique_ptr<TeamMatcher> matcher_;
  Pool pool_;
  TraitTable traits_;
  std::map<Pool::Slot, std::string> names_;
  std::vector<Proposal> proposals_;
  Micros now_ = kStart;
  uint64_t arrivals_ = 0;
};

TEST_F(TeamMatcherTest, TwoFullPairsMeetThoughASoloStandsBetweenThem) {
  Teams(2, 2);
  Add("AB", 1'500);
  Add("S", 1'500);
  Add("CD", 1'500);
  EXPECT_EQ(Tick(), "AB v CD");
}

TEST_F(TeamMatcherTest, WhoBlocksAnotherIsNeverInOneMatchWithHimNorInOneTeam) {
  Teams(2, 2);
  PlayerDetails blocks;
  blocks.block = {"B"};
  Add("A", 1'500, blocks);
  Add("B", 1'500);
  Add("C", 1'500);
  Add("D", 1'500);
  EXPECT_EQ(Tick(), "");
  EXPECT_EQ(Tick(kMinute), "");
  Add("E", 1'500);
  const std::string formed = Tick();
  EXPECT_EQ(formed.size(), 7u);
  EXPECT_NE(formed.find('A') == std::string::npos, formed.find('B') == std::string::npos);
}

TEST_F(TeamMatcherTest, RolesAreGivenSoThatEverySeatHasSomebodyWhoAskedForIt) {
  Teams(2, 3);
  Roles({{"tank", 1}, {"heal", 1}, {"dps", 1}});
  AddWith("A", {"tank", "dps"});
  AddWith("B", {"tank"});
  AddWith("C", {"heal", "dps"});
  AddWith("D", {"heal"});
  AddWith("E", {"dps"});
  EXPECT_EQ(Tick(), "");
  AddWith("F", {"tank"});
  ASSERT_EQ(Tick().size(), 9u);
  ASSERT_EQ(proposals_[0].roles.size(), 6u);
  std::map<char, int> role;
  for (size_t i = 0; i < 6; ++i) {
    role[names_[proposals_[0].places[i].slot][0]] = proposals_[0].roles[i].role;
    EXPECT_FALSE(proposals_[0].roles[i].fill);
  }
  EXPECT_EQ(role, (std::map<char, int>{{'A', 2}, {'B', 0}, {'C', 1}, {'D', 1}, {'E', 2}, {'F', 0}}));
}

TEST_F(TeamMatcherTest, RareRoleIsFoundBehindManyOfTheCommonOne) {
  Teams(2, 2);
  Roles({{"tank", 1}, {"dps", 1}});
  rules_.window.base = 400 * kPoint;
  for (int i = 0; i < 300; ++i)
    Add(std::string(1, static_cast<char>('a' + i % 26)), 1'500 + i / 2, [] {
      PlayerDetails details;
      details.roles = {"dps"};
      return details;
    }());
  EXPECT_EQ(Tick(), "");
  PlayerDetails tank;
  tank.roles = {"tank"};
  Add("T", 1'550, tank);
  EXPECT_EQ(Tick(), "");
  Add("U", 1'640, tank);
  EXPECT_EQ(Tick().size(), 7u);
}

TEST_F(TeamMatcherTest, RoleIsFilledInOnlyAfterItsTimeAndFillsAreLevelled) {
  Teams(2, 3);
  Roles({{"tank", 1}, {"heal", 2}});
  rules_.roles.fill_after = 20 * kSecond;
  AddWith("A", {"tank"});
  AddWith("B", {"tank"});
  for (const char* name : {"C", "D", "E", "F"}) AddWith(name, {"tank"});
  EXPECT_EQ(Tick(), "");
  EXPECT_EQ(Tick(19 * kSecond), "");
  ASSERT_EQ(Tick(kSecond).size(), 9u);
  for (size_t team = 0; team < 2; ++team) {
    int fills = 0;
    for (size_t i = 0; i < 3; ++i) fills += proposals_[0].roles[3 * team + i].fill;
    EXPECT_EQ(fills, 2);
  }
}

TEST_F(TeamMatcherTest, FilledInPlayersAreSharedByTheTeams) {
  Teams(2, 4);
  Roles({{"heal", 2}, {"dps", 2}});
  rules_.roles.fill_after = 0;
  for (const char* name : {"A", "B", "C", "D", "E", "F"}) AddWith(name, {"dps"});
  for (const char* name : {"G", "H"}) AddWith(name, {"heal"});
  ASSERT_EQ(Tick().size(), 11u);
  for (size_t team = 0; team < 2; ++team) {
    int fills = 0;
    for (size_t i = 0; i < 4; ++i) fills += proposals_[0].roles[4 * team + i].fill;
    EXPECT_EQ(fills, 1);
  }
}

TEST_F(TeamMatcherTest, TheRegionIsTheOneWithTheLeastWorstLatencyThatServesAll) {
  Teams(2, 2);
  rules_.regions.regions = {"hkg", "sin"};
  rules_.regions.steps = {{0, RegionRules::kAnyLatency, 120}};
  PlayerDetails near_sin;
  near_sin.latency_ms = {{"sin", 45}, {"hkg", 110}};
  for (const char* name : {"A", "B", "C", "D"}) Add(name, 1'500, near_sin);
  EXPECT_EQ(Tick().size(), 7u);
  EXPECT_EQ(proposals_[0].region, 1);
}

TEST_F(TeamMatcherTest, NoRegionForAllMeansNoMatchUntilLimitsRelax) {
  Teams(2, 2);
  rules_.regions.regions = {"ams", "fra", "sin"};
  rules_.regions.steps = {{0, 30, RegionRules::kAnyLatency}, {30 * kSecond, 150, RegionRules::kAnyLatency}};
  const auto latencies = [](int ams, int fra, int sin) {
    PlayerDetails details;
    details.latency_ms = {{"ams", ams}, {"fra", fra}, {"sin", sin}};
    return details;
  };
  // Any two of these share a region, but not all.
  Add("A", 1'500, latencies(10, 20, 150));
  Add("B", 1'500, latencies(100, 20, 20));
  Add("C", 1'500, latencies(20, 100, 20));
  Add("D", 1'500, latencies(20, 20, 100));
  EXPECT_EQ(Tick(), "");
  EXPECT_EQ(Tick(31 * kSecond).size(), 7u);
  EXPECT_EQ(proposals_[0].region, 0);  // 100 ms at worst in ams and fra
}

TEST_F(TeamMatcherTest, PremadeMeetsPremadeUntilItsMirrorRelaxes) {
  Teams(2, 5);
  rules_.party.mirror = {{0, 0}, {30 * kSecond, 1}, {60 * kSecond, 4}};
  Add("ABC", 1'500);
  for (const char* name : {"D", "E", "F", "G", "H", "I", "J"}) Add(name, 1'500);
  EXPECT_EQ(Tick(), "");
  EXPECT_EQ(Tick(59 * kSecond), "");
  EXPECT_EQ(Tick(2 * kSecond).size(), 13u);
}

TEST_F(TeamMatcherTest, TriosFaceEachOther) {
  Teams(2, 5);
  rules_.party.mirror = {{0, 0}};
  for (const char* name : {"A", "B"}) Add(name, 1'500);
  Add("CDE", 1'500);
  Add("FGH", 1'500);
  for (const char* name : {"I", "J"}) Add(name, 1'500);
  const std::string formed = Tick();
  ASSERT_EQ(formed.size(), 13u);
  EXPECT_NE(formed.find("CDE") < formed.find(" v "), formed.find("FGH") < formed.find(" v "));
}

// A party of a strong and a weak player has nobody like it, and waits no longer than the rules say.
TEST_F(TeamMatcherTest, WidePartyIsNotStarved) {
  Teams(2, 5);
  rules_.party.mirror = {{0, 0}, {60 * kSecond, 5}};
  AddParty({{"P", 2'500, 0, {}}, {"Q", 1'500, 0, {}}});
  for (int second = 0; second < 59; ++second) {
    for (int i = 0; i < 3; ++i) Add("s", 2'000);
    EXPECT_EQ(Tick(kSecond).find("PQ"), std::string::npos);
  }
  bool seated = false;
  for (int second = 0; second < 3 && !seated; ++second) {
    for (int i = 0; i < 8; ++i) Add("s", 2'000);
    seated = Tick(kSecond).find("PQ") != std::string::npos;
  }
  EXPECT_TRUE(seated);
}

TEST_F(TeamMatcherTest, HardDifferenceHoldsWhateverTheWindow) {
  Teams(2, 2);
  rules_.window.steps = {{0, kUnlimitedWindow}};
  rules_.max_difference = 200 * kPoint;
  Add("A", 1'500);
  Add("B", 1'600);
  Add("C", 1'700);
  Add("D", 1'701);
  EXPECT_EQ(Tick(), "");
  EXPECT_EQ(Tick(kHour), "");
  Add("E", 1'650);
  EXPECT_EQ(Tick().find('A') == std::string::npos, true);
}

TEST_F(TeamMatcherTest, OneAgainstFourIsFilledAndBalancedByMeans) {
  rules_.team_count = 2;
  rules_.team_size = 4;
  rules_.sides = {1, 4};
  rules_.window.base = 300 * kPoint;
  Add("A", 1'400);
  Add("B", 1'500);
  Add("C", 1'700);
  Add("D", 1'480);
  Add("E", 1'490);
  EXPECT_EQ(Tick(), "B v ACDE");  // 1500 against 1517.5
  EXPECT_EQ(proposals_[0].win_chance[0] + proposals_[0].win_chance[1], kCertain);
}

TEST_F(TeamMatcherTest, SmallerMatchIsMadeWhenItsOldestHasWaitedSoLong) {
  Teams(2, 3);
  rules_.fewer = {{10 * kSecond, 2, 2}, {20 * kSecond, 2, 1}};
  Add("A", 1'500);
  Add("B", 1'500);
  Add("C", 1'500);
  Tick();
  Add("D", 1'500, {}, 0);
  EXPECT_EQ(Tick(9 * kSecond), "");
  EXPECT_EQ(Tick(2 * kSecond).size(), 7u);
  Add("E", 1'500);
  Add("F", 1'500);
  EXPECT_EQ(Tick(), "");
  EXPECT_EQ(Tick(19 * kSecond), "");
  for (const char* name : {"G", "H", "I", "J"}) Add(name, 1'500);
  EXPECT_EQ(Tick(2 * kSecond).size(), 9u) << "the full match is preferred";
}

TEST_F(TeamMatcherTest, WaitOfTheOldestCountsWhereTheQueueSaysSo) {
  Teams(2, 2);
  Add("A", 1'500, {}, 20 * kSecond);
  Add("B", 1'500);
  Add("C", 1'500);
  Add("D", 1'700);
  EXPECT_EQ(Tick(), "");
  rules_.wait_basis = WaitBasis::kOldest;
  book_.reset();
  pool_.Remove(3);
  Add("D", 1'700);
  for (const Pool::Slot slot : {0, 1, 2}) {
    pool_.SetDue(slot, now_);
    traits_.Add(slot, book_->TraitsOf(*MakeParty({{"x"}}), QueueChoice{}));
  }
  EXPECT_EQ(Tick().size(), 7u);
}

TEST_F(TeamMatcherTest, EveryTermIsMeasuredOverTheWholeMatch) {
  Teams(2, 2);
  rules_.regions.regions = {"fra"};
  rules_.regions.steps = {{0, RegionRules::kAnyLatency, RegionRules::kAnyLatency}};
  rules_.quality[QualityTerm::kDistance] = {1'000, 200 * kPoint};
  rules_.quality[QualityTerm::kLatency] = {300, 60};
  rules_.quality[QualityTerm::kParty] = {200, 1};
  rules_.quality[QualityTerm::kRecent] = {100, 1'000};
  PlayerDetails here, there, met;
  here.latency_ms = {{"fra", 20}};
  there.latency_ms = {{"fra", 32}};
  met = here;
  met.recent_opponents = {"C"};
  Add("A", 1'500, met);
  Add("B", 1'500, there);
  Add("C", 1'520, here);
  Add("D", 1'520, here);
  ASSERT_EQ(Tick().size(), 7u);
  EXPECT_EQ(Measure(QualityTerm::kDistance), 20 * kPoint);
  EXPECT_EQ(Measure(QualityTerm::kLatency), 12);
  EXPECT_EQ(Measure(QualityTerm::kParty), 0);
  EXPECT_EQ(Measure(QualityTerm::kRecent), 1'000);
  EXPECT_EQ(Measure(QualityTerm::kFill), -1) << "has no weight";
  EXPECT_EQ(proposals_[0].quality, 10'000 - 1'000 - 600 - 0 - 1'000);
}

TEST_F(TeamMatcherTest, PriceOfUnlikePartiesIsHeldAgainstEvenness) {
  Teams(2, 3);
  rules_.quality[QualityTerm::kEvenness] = {1'000, kCertain};
  rules_.quality[QualityTerm::kParty] = {1'000, 1};
  Add("AB", 1'510);
  Add("CD", 1'500);
  Add("E", 1'500);
  Add("F", 1'490);
  const std::string formed = Tick();
  EXPECT_EQ(Measure(QualityTerm::kParty), 0);
  EXPECT_NE(formed.find("AB") < formed.find(" v "), formed.find("CD") < formed.find(" v "));
}

TEST_F(TeamMatcherTest, PriorityOfItsTicketsCountsForASet) {
  for (const int32_t weight : {1, 200}) {
    SCOPED_TRACE(weight);
    rules_ = {};
    Teams(3, 1);
    rules_.window.growth_per_second = 0;
    rules_.window.max = rules_.window.base;
    rules_.priority.wait_weight = weight;
    book_.reset();
    const std::vector<Pool::Slot> slots{Add("A", 1'000, {}, kMinute), Add("B", 1'040), Add("C", 1'090), Add("D", 1'135),
                                        Add("E", 1'170)};
    const std::string formed = Tick();
    EXPECT_EQ(formed, weight == 1 ? "C v D v E" : "A v B v C");
    for (const Pool::Slot slot : slots) {
      if (formed.find(names_[slot]) == std::string::npos) pool_.Remove(slot);
    }
  }
}

TEST_F(TeamMatcherTest, VarietyChoosesAmongEqualSetsByItsSeed) {
  std::map<uint64_t, std::string> formed;
  for (const uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8, 1}) {
    rules_ = {};
    Teams(3, 1);
    rules_.variety.within = 100;
    rules_.variety.seed = seed;
    book_.reset();
    std::vector<Pool::Slot> slots;
    arrivals_ = 0;
    for (const char* name : {"A", "B", "C", "D", "E"}) slots.push_back(Add(name, 1'500));
    const std::string now = Tick();
    ASSERT_EQ(now.size(), 9u);
    if (formed.contains(seed)) {
      EXPECT_EQ(formed[seed], now);
    }
    formed[seed] = now;
    for (const Pool::Slot slot : slots) {
      if (now.find(names_[slot]) == std::string::npos) pool_.Remove(slot);
    }
  }
  std::map<std::string, int> different;
  for (const auto& [seed, text] : formed) ++different[text];
  EXPECT_GT(different.size(), 1u);
}

TEST_F(TeamMatcherTest, TargetWaitHoldsOutForABetterGameButNotBeyondItsTime) {
  Teams(2, 2);
  rules_.target_wait_p95 = 10 * kSecond;
  rules_.window.steps = {{0, kUnlimitedWindow}};
  Add("A", 1'000);
  Add("B", 1'900);
  Add("C", 2'300);
  Add("D", 2'900);
  EXPECT_EQ(Tick(), "");
  Add("E", 1'001);
  Add("F", 1'002);
  Add("G", 1'003);
  EXPECT_EQ(Tick(2 * kSecond).size(), 7u);
  EXPECT_EQ(proposals_[0].spread, 3 * kPoint);
  Add("H", 2'500);
  Micros waited = 2 * kSecond;
  std::string formed;
  while (formed.empty() && waited < kMinute) {
    formed = Tick(100 * kMillisecond);
    waited += 100 * kMillisecond;
  }
  EXPECT_EQ(formed.size(), 7u);
  EXPECT_GT(waited, 5 * kSecond);
  EXPECT_LE(waited, 28 * kSecond);
}

TEST_F(TeamMatcherTest, MoreThanThirtyTwoOfAKindPlayWithRoles) {
  Teams(2, 17);
  Roles({{"any", 17}});
  rules_.window.steps = {{0, kUnlimitedWindow}};
  for (int i = 0; i < 34; ++i) AddParty({{std::to_string(i), 1'400 + 5 * i, 0, {}}});
  Tick();
  ASSERT_EQ(proposals_.size(), 1u);
  EXPECT_EQ(proposals_[0].places.size(), 34u);
}

TEST_F(TeamMatcherTest, RareRoleIsFoundForTwentyFourAgainstTwentyFour) {
  Teams(2, 24);
  Roles({{"tank", 6}, {"damage", 18}});
  rules_.window.steps = {{0, kUnlimitedWindow}};
  for (int i = 0; i < 60; ++i) {
    PlayerDetails details;
    details.roles = {i % 5 == 0 ? "tank" : "damage"};
    AddParty({{std::to_string(i), 1'400 + 5 * i, 0, std::move(details)}});
  }
  Tick();
  ASSERT_EQ(proposals_.size(), 1u);
  EXPECT_EQ(proposals_[0].places.size(), 48u);
}

TEST_F(TeamMatcherTest, SixtyFourAgainstSixtyFourPlayWithLargestPartiesAlike) {
  Teams(2, 64);
  rules_.window.steps = {{0, kUnlimitedWindow}};
  rules_.party.mirror = {{0, 0}};
  std::map<Pool::Slot, int32_t> heads;
  for (int i = 0; i < 90; ++i) {
    std::vector<PlayerSpec> players;
    for (int member = 0; member <= i % 7 % 5; ++member) {
      players.push_back({std::to_string(10 * i + member), 1'400 + 3 * i, 0, {}});
    }
    const int32_t size = static_cast<int32_t>(players.size());
    heads[AddParty(std::move(players))] = size;
  }
  Tick();
  ASSERT_EQ(proposals_.size(), 1u);
  int32_t players[2] = {}, largest[2] = {};
  for (const Proposal::Place& place : proposals_[0].places) {
    players[place.team] += heads[place.slot];
    largest[place.team] = std::max(largest[place.team], heads[place.slot]);
  }
  EXPECT_EQ(players[0], 64);
  EXPECT_EQ(players[1], 64);
  EXPECT_EQ(largest[0], largest[1]);
}

// Parties of three, and few of five that make up 64 with them: most searches find nothing.
class CrowdedTeamMatcherTest : public TeamMatcherTest, public testing::WithParamInterface<bool> {};

TEST_P(CrowdedTeamMatcherTest, WorkOfATickIsBoundedAndWhomItDoesNotReachIsReachedLater) {
  Teams(2, 64);
  rules_.window.steps = {{0, kUnlimitedWindow}};
  if (GetParam()) rules_.party.mirror = {{0, 0}};
  for (int i = 0; i < 1'500; ++i) {
    std::vector<PlayerSpec> players;
    for (int member = 0; member < (i % 24 == 0 ? 5 : 3); ++member) {
      players.push_back({std::to_string(10 * i + member), 1'400 + i * 389 % 1'500, 0, {}});
    }
    AddParty(std::move(players));
  }
  constexpr int64_t kMost = TeamSeeker::kMaxWork + 2 * TeamSeeker::kMaxLooks;
  int ticks = 0;
  do {
    proposals_.clear();
    size_t due = 0;
    matcher_->Tick(pool_, traits_, ++now_, &proposals_, &due);
    EXPECT_LE(matcher_->seeker().work(), kMost);
    EXPECT_LE(matcher_->seeker().work_ahead(), kMost);
    for (const Proposal& proposal : proposals_) {
      for (const Proposal::Place& place : proposal.places) pool_.Remove(place.slot);
    }
  } while (++ticks < 500 && pool_.NextDue() <= now_ + 1);
  EXPECT_GT(ticks, 1);
  EXPECT_LT(ticks, 500);
}

INSTANTIATE_TEST_SUITE_P(PlainAndMirrored, CrowdedTeamMatcherTest, testing::Bool());

}  // namespace
}  // namespace evenmatch
