// Faults that matchmakers had in the field, each as the smallest world in which ours must do better. Unless a test says
// otherwise a ticket that has waited w seconds accepts min(100 + 10 w, 500) points, and both sides must.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/group_world.h"

namespace evenmatch {
namespace {

QueueRules Slow(std::string name, int32_t team_count, int32_t team_size) {
  QueueRules rules;
  rules.name = std::move(name);
  rules.team_count = team_count;
  rules.team_size = team_size;
  rules.window = {.base = 100 * kPoint, .growth_per_second = 10 * kPoint, .max = 500 * kPoint};
  return rules;
}

struct Person {
  std::string id;
  int rating = 1500;
  PlayerDetails details;
};

class Field : public GroupWorld {
 public:
  explicit Field(QueueRules rules) : GroupWorld({std::move(rules)}) {}

  // A ticket named after its first player.
  void Join(const std::vector<Person>& party) {
    auto ticket = std::make_shared<evenmatch::Ticket>();
    ticket->ticket_id = party.front().id;
    ticket->queues.push_back({.queue = 0});
    for (const Person& person : party) {
      Player player{.player_id = person.id, .value = person.rating * kPoint};
      if (!(person.details == PlayerDetails())) player.details = std::make_unique<const PlayerDetails>(person.details);
      ticket->players.push_back(std::move(player));
    }
    ticket->timeout = kHour;
    const Reply reply = Do(EnqueueCommand{ticket});
    ASSERT_TRUE(reply.status.ok()) << reply.status;
  }
  void Join(const std::string& id, int rating) { Join({Person{id, rating, {}}}); }
  void JoinSolos(std::initializer_list<int> ratings) {
    for (const int rating : ratings) Join(Name("s", ++solos_), rating);
  }
  // A party of so many players, all of one rating.
  void JoinParty(const std::string& id, uint64_t size, int rating) {
    std::vector<Person> party;
    for (uint64_t i = 0; i < size; ++i) party.push_back({Name(id, i), rating, {}});
    Join(party);
  }

  // Ticks once a second until the first match or the limit; gives the seconds that passed, -1 without a match.
  int SecondsToMatch(int limit) {
    for (int second = 0;; ++second) {
      if (Tick().matches > 0) return second;
      if (second == limit) return -1;
      Pass(kSecond);
    }
  }
  std::shared_ptr<const Match> MatchOf(const std::string& player) {
    const Reply reply = Do(GetTicketCommand{{.player_id = player}});
    return reply.status.ok() ? std::get<TicketView>(reply.value).match : nullptr;
  }
  bool Waits(const std::string& player) {
    const Reply reply = Do(GetTicketCommand{{.player_id = player}});
    return reply.status.ok() && std::get<TicketView>(reply.value).state == TicketState::kWaiting;
  }
  bool Together(const std::string& a, const std::string& b) {
    const auto match = MatchOf(a);
    return match != nullptr && match == MatchOf(b);
  }

 private:
  uint64_t solos_ = 0;
};

// Player ids by team.
std::vector<std::set<std::string>> TeamsOf(const Match& match) {
  std::vector<std::set<std::string>> teams;
  for (const Match::Side& side : match.sides) {
    teams.resize(std::max(teams.size(), static_cast<size_t>(side.team) + 1));
    for (const Player& player : side.ticket->players) teams[static_cast<size_t>(side.team)].insert(player.player_id);
  }
  return teams;
}

// The name of the role of each player, with a star when he was filled in.
std::map<std::string, std::string> RolesOf(const Match& match, const RoleRules& rules) {
  std::map<std::string, std::string> roles;
  size_t next = 0;
  for (const Match::Side& side : match.sides) {
    for (const Player& player : side.ticket->players) {
      const SeatRole& seat = match.roles.at(next++);
      roles[player.player_id] = rules.roles.at(seat.role).name + (seat.fill ? "*" : "");
    }
  }
  return roles;
}

TEST(WindowFaultTest, LastStepIsNotTheEndOfTheSearch) {
  QueueRules rules = DuelRules("duel");
  rules.window = {.steps = {{0, 50 * kPoint}, {5 * kSecond, 150 * kPoint}}};
  Field field(rules);
  field.Join("p1", 1500);
  ASSERT_EQ(field.SecondsToMatch(60), -1);
  field.Join("p2", 1500);
  EXPECT_EQ(field.SecondsToMatch(0), 0);
}

TEST(WindowFaultTest, ThoseFarApartDoNotMeetBeforeBothWindowsReach) {
  Field field(Slow("duel", 2, 1));
  field.Join("p1", 200);
  field.Join("p2", 1000);
  ASSERT_EQ(field.SecondsToMatch(5), -1);
  field.Join("p3", 250);
  EXPECT_EQ(field.SecondsToMatch(0), 0);
  EXPECT_TRUE(field.Together("p1", "p3"));
  EXPECT_EQ(field.SecondsToMatch(100), -1);  // 800 apart is never within 500
}

TEST(WindowFaultTest, TwoWaitsCombineTheSameWayRound) {
  for (const bool strong_waits : {true, false}) {
    for (const WaitBasis basis : {WaitBasis::kStrictest, WaitBasis::kOldest}) {
      QueueRules rules = Slow("duel", 2, 1);
      rules.wait_basis = basis;
      Field field(rules);
      field.Join("first", strong_waits ? 2200 : 1900);
      field.Pass(115 * kSecond);
      field.Join("second", strong_waits ? 1900 : 2200);
      field.Pass(5 * kSecond);
      EXPECT_EQ(field.SecondsToMatch(0), basis == WaitBasis::kOldest ? 0 : -1);
    }
  }
}

TEST(WindowFaultTest, TheTopMeetsTheTopFirst) {
  Field field(Slow("duel", 2, 1));
  field.Join("a", 1950);
  field.Join("b", 1900);
  field.Pass(60 * kSecond);
  field.JoinSolos({1500, 1500, 1500, 1500, 1500});
  ASSERT_EQ(field.SecondsToMatch(0), 0);
  EXPECT_TRUE(field.Together("a", "b"));
}

TEST(WindowFaultTest, PartiesRelaxAsSolosDo) {
  std::vector<int> seconds;
  for (const uint64_t size : {1, 2}) {
    Field field(Slow("squad", 2, 4));
    for (uint64_t i = 0; i < 4 / size; ++i) {
      field.JoinParty(Name("low", i), size, 1500);
      field.JoinParty(Name("high", i), size, 1640);
    }
    seconds.push_back(field.SecondsToMatch(20));
  }
  EXPECT_EQ(seconds, (std::vector<int>{4, 4}));
}

TEST(PartyFaultTest, PartyIsNotDividedForTheSakeOfBalance) {
  QueueRules rules = Slow("squad", 2, 3);
  rules.window = {.base = 1000 * kPoint, .growth_per_second = 0, .max = 1000 * kPoint};
  Field field(rules);
  field.Join({{"a", 1900, {}}, {"b", 1100, {}}});
  field.JoinSolos({1900, 1500, 1500, 1100});
  ASSERT_EQ(field.SecondsToMatch(0), 0);
  const auto match = field.MatchOf("a");
  for (const std::set<std::string>& team : TeamsOf(*match)) EXPECT_EQ(team.contains("a"), team.contains("b"));
  EXPECT_EQ(match->win_chance[0], kCertain / 2);
}

TEST(PartyFaultTest, PartyIsSeatedWholeOrNotAtAll) {
  Field field(Slow("squad", 2, 2));
  field.JoinParty("pair", 2, 1500);
  field.JoinSolos({1500});
  EXPECT_EQ(field.SecondsToMatch(5), -1);
  field.JoinSolos({1500});
  ASSERT_EQ(field.SecondsToMatch(0), 0);
  EXPECT_TRUE(field.Together("pair0", "pair1"));
}

TEST(PartyFaultTest, FullPairsMeetThoughASoloStandsBetweenThem) {
  Field field(Slow("squad", 2, 2));
  field.JoinParty("ab", 2, 1500);
  field.JoinSolos({1500});
  field.JoinParty("cd", 2, 1500);
  ASSERT_EQ(field.SecondsToMatch(0), 0);
  EXPECT_TRUE(field.Together("ab0", "cd0"));
  EXPECT_TRUE(field.Waits("s1"));
}

TEST(PartyFaultTest, TriosFaceEachOther) {
  Field field(Slow("squad", 2, 5));
  field.JoinParty("one", 3, 1500);
  field.JoinParty("two", 3, 1500);
  field.JoinSolos({1500, 1500, 1500, 1500});
  ASSERT_EQ(field.SecondsToMatch(0), 0);
  for (const std::set<std::string>& team : TeamsOf(*field.MatchOf("one0"))) {
    EXPECT_NE(team.contains("one0"), team.contains("two0"));
  }
}

TEST(PartyFaultTest, LoneTrioStillPlaysWithItsPremadeCounted) {
  QueueRules rules = Slow("squad", 2, 5);
  rules.strength.premade_bonus = {0, 20 * kPoint, 50 * kPoint};
  Field field(rules);
  field.JoinParty("trio", 3, 1500);
  field.JoinSolos({1500, 1500, 1500, 1500, 1500, 1500, 1500});
  ASSERT_EQ(field.SecondsToMatch(0), 0);
  const auto match = field.MatchOf("trio0");
  const std::vector<std::set<std::string>> teams = TeamsOf(*match);
  const size_t trios = teams[0].contains("trio0") ? 0 : 1;
  EXPECT_GT(match->win_chance[trios], kCertain / 2);
}

TEST(PartyFaultTest, MirrorRuleEndsAtItsTime) {
  QueueRules rules = Slow("squad", 2, 5);
  rules.window = {.base = 1000 * kPoint, .growth_per_second = 0, .max = 1000 * kPoint};
  rules.party.mirror = {{0, 0}, {60 * kSecond, 4}};
  Field field(rules);
  field.Join({{"best", 2500, {}}, {"friend", 1500, {}}});
  field.JoinSolos({1900, 1900, 2000, 2000, 2000, 2000, 2100, 2100});
  EXPECT_EQ(field.SecondsToMatch(90), 60);
  EXPECT_TRUE(field.Together("best", "friend"));
}

TEST(ShapeFaultTest, HeadCountFallsByTheWaitOfTheOldest) {
  QueueRules rules = Slow("royale", 4, 1);
  rules.fewer = {{30 * kSecond, 3, 1}, {40 * kSecond, 2, 1}};
  Field field(rules);
  field.Join("p1", 1500);
  field.Pass(10 * kSecond);
  field.Join("p2", 1500);
  EXPECT_EQ(field.SecondsToMatch(60), 30);  // the first has waited 40 s
  EXPECT_TRUE(field.Together("p1", "p2"));
}

TEST(ShapeFaultTest, SizesAreThoseOfTheFinalTeamsWhateverTheOrderOfArrival) {
  std::vector<uint64_t> sizes = {1, 1, 2, 3};
  do {
    QueueRules rules = Slow("squad", 2, 3);
    rules.fewer = {{0, 2, 2}, {0, 2, 1}};
    Field field(rules);
    for (size_t i = 0; i < sizes.size(); ++i) field.JoinParty(Name("t", i) + "-", sizes[i], 1500);
    ASSERT_EQ(field.SecondsToMatch(0), 0);
    for (const Event& event : field.TakeEvents()) {
      if (event.kind != EventKind::kMatchFormed) continue;
      const std::vector<std::set<std::string>> teams = TeamsOf(*event.match);
      ASSERT_EQ(teams.size(), 2u);
      EXPECT_EQ(teams[0].size(), 3u);
      EXPECT_EQ(teams[1].size(), 3u);
    }
  } while (std::next_permutation(sizes.begin(), sizes.end()));
}

TEST(ShapeFaultTest, OfEqualSumsTeamsAlsoSpreadAlike) {
  QueueRules rules = Slow("squad", 2, 4);
  rules.window = {.base = 1000 * kPoint, .growth_per_second = 0, .max = 1000 * kPoint};
  Field field(rules);
  field.JoinSolos({2000, 1800, 1800, 1600, 1600, 1400, 1400, 1200});
  ASSERT_EQ(field.SecondsToMatch(0), 0);
  const auto match = field.MatchOf("s1");
  std::map<int32_t, std::multiset<int>> ratings;
  for (const Match::Side& side : match->sides) ratings[side.team].insert(side.ticket->players[0].value / kPoint);
  const std::multiset<int> with_best = ratings[0].contains(2000) ? ratings[0] : ratings[1];
  EXPECT_EQ(with_best, (std::multiset<int>{2000, 1600, 1400, 1400}));
  EXPECT_EQ(match->win_chance[0], kCertain / 2);
}

RoleRules Roles(std::vector<RoleRules::Role> roles, Micros fill_after) {
  return {.roles = std::move(roles), .fill_after = fill_after};
}

Person Wants(std::string id, std::vector<std::string> roles) {
  return {std::move(id), 1500, {.roles = std::move(roles)}};
}

TEST(RoleFaultTest, NobodyGetsARoleHeDidNotAskForUnlessFillSaysSo) {
  for (const Micros fill_after : {kNever, 10 * kSecond}) {
    QueueRules rules = Slow("duo", 2, 2);
    rules.roles = Roles({{"offlane", 1}, {"support", 1}}, fill_after);
    Field field(rules);
    for (const char* id : {"p1", "p2", "p3"}) field.Join({Wants(id, {"offlane"})});
    field.Join({Wants("p4", {"support"})});
    EXPECT_EQ(field.SecondsToMatch(60), fill_after == kNever ? -1 : 10);
    if (fill_after == kNever) continue;
    int filled = 0;
    for (const auto& [player, role] : RolesOf(*field.MatchOf("p4"), rules.roles)) {
      filled += role.ends_with('*');
      EXPECT_EQ(role.starts_with("support") && !role.ends_with('*'), player == "p4");
    }
    EXPECT_EQ(filled, 1);
  }
}

TEST(RoleFaultTest, RolesAreSharedOutSoThatEverybodyGetsOneHeAskedFor) {
  QueueRules rules = Slow("trio", 2, 3);
  rules.roles = Roles({{"tank", 1}, {"heal", 1}, {"damage", 1}}, kNever);
  Field field(rules);
  for (const std::string team : {"a", "b"}) {
    field.Join(
        {Wants(team + "1", {"tank", "damage"}), Wants(team + "2", {"tank"}), Wants(team + "3", {"heal", "damage"})});
  }
  ASSERT_EQ(field.SecondsToMatch(0), 0);
  const std::map<std::string, std::string> roles = RolesOf(*field.MatchOf("a1"), rules.roles);
  for (const std::string team : {"a", "b"}) {
    EXPECT_EQ(roles.at(team + "1"), "damage");
    EXPECT_EQ(roles.at(team + "2"), "tank");
    EXPECT_EQ(roles.at(team + "3"), "heal");
  }
}

TEST(RegionFaultTest, GameIsPlayedWhereTheWorstLatencyIsLeast) {
  QueueRules rules = Slow("duel", 2, 1);
  rules.regions = {.regions = {"hkg", "sin"}, .steps = {{0, RegionRules::kAnyLatency, 200}}};
  Field field(rules);
  for (const char* id : {"p1", "p2"}) {
    field.Join({Person{id, 1500, {.latency_ms = {{"hkg", 110}, {"sin", 45}}}}});
  }
  ASSERT_EQ(field.SecondsToMatch(0), 0);
  EXPECT_EQ(field.MatchOf("p1")->region, 1);
}

TEST(RegionFaultTest, WithoutACommonRegionNobodyMeets) {
  QueueRules rules = Slow("duel", 2, 1);
  rules.regions = {.regions = {"eu", "us"}, .steps = {{0, RegionRules::kAnyLatency, 80}}};
  Field field(rules);
  field.Join({Person{"p1", 1500, {.latency_ms = {{"eu", 20}, {"us", 120}}}}});
  field.Join({Person{"p2", 1500, {.latency_ms = {{"eu", 130}, {"us", 20}}}}});
  EXPECT_EQ(field.SecondsToMatch(100), -1);
}

TEST(StrengthFaultTest, PartyCountsForNoLessThanItsMeanAndNoMoreThanItsBest) {
  const std::vector<std::vector<int>> parties = {{1500}, {2000, 1000}, {1000, 2000}, {1900, 1800, 900}, {-50, 50, 0}};
  for (const StrengthRules::Party how :
       {StrengthRules::Party::kMean, StrengthRules::Party::kMaximum, StrengthRules::Party::kPowerMean}) {
    QueueRules rules = Slow("squad", 2, 3);
    rules.strength.party = how;
    rules.strength.power = 3;
    std::map<std::multiset<int>, MilliPoints> seen;
    for (const std::vector<int>& ratings : parties) {
      Field field(rules);
      std::vector<Person> party;
      int64_t sum = 0;
      for (const int rating : ratings) {
        party.push_back({Name("p", party.size()), rating, {}});
        sum += rating * int64_t{kPoint};
      }
      field.Join(party);
      const MilliPoints value = field.Ticket("p0").queues[0].value;
      EXPECT_GE(value, sum / static_cast<int64_t>(ratings.size()));
      EXPECT_LE(value, *std::max_element(ratings.begin(), ratings.end()) * kPoint);
      const auto [same, is_new] = seen.try_emplace({ratings.begin(), ratings.end()}, value);
      EXPECT_EQ(same->second, value) << "the order of players matters";
    }
  }
}

}  // namespace
}  // namespace evenmatch
