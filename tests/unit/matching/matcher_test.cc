#include "matching/matcher.h"

#include <algorithm>
#include <string>

namespace evenmatch {
namespace {

constexpr Micros kStart = 1'700'000'000 * kSecond;

// A pool whose tickets have names; values and windows in points.
class MatcherTest : public testing::Test {
 protected:
  // Windows of 100 that grow by 10 a second to 500.
  void Queue(int32_t teams, int32_t team_size) {
    rules_.team_count = teams;
    rules_.team_size = team_size;
    rules_.window.base = 100 * kPoint;
    rules_.window.growth_per_second = 10 * kPoint;
    rules_.window.max = 500 * kPoint;
    book_.emplace(rules_);
    matcher_ = std::make_unique<Matcher>(*book_);
  }

  Pool::Slot Add(char name, int32_t value, Micros queued_at, int32_t heads = 1, uint32_t affinity = 0) {
    PoolEntry entry;
    entry.value = value * kPoint;
    entry.heads = heads;
    entry.affinity = affinity;
    entry.queued_at = queued_at;
    entry.arrival = ++arrivals_;
    entry.ticket = static_cast<uint64_t>(name);
    return pool_.Insert(entry);
  }

  // One tick; what was formed, as "A v B, CD v EF", and removed from the pool.
  std::string Tick(Micros now) {
    proposals_.clear();
    matcher_->Tick(pool_, traits_, now, &proposals_, &due_);
    std::string formed;
    for (const Proposal& proposal : proposals_) {
      if (!formed.empty()) formed += ", ";
      int32_t team = 0;
      for (const Proposal::Place& place : proposal.places) {
        if (place.team != team) formed += " v ";
        team = place.team;
        formed += static_cast<char>(pool_.Get(place.slot).ticket);
      }
    }
    for (const Proposal& proposal : proposals_) {
      for (const Proposal::Place& place : proposal.places) pool_.Remove(place.slot);
    }
    return formed;
  }

  QueueRules rules_;
  std::optional<RuleBook> book_;
  TraitTable traits_;
  Pool pool_;
  std::unique_ptr<Matcher> matcher_;
  std::vector<Proposal> proposals_;
  size_t due_ = 0;
  uint64_t arrivals_ = 0;
};

TEST_F(MatcherTest, EqualPlayersMeetInTheFirstTick) {
  Queue(2, 1);
  Add('A', 1'500, kStart);
  Add('B', 1'500, kStart);
  EXPECT_EQ(Tick(kStart), "A v B");
  EXPECT_EQ(due_, 2u);
  const Proposal& proposal = proposals_.front();
  EXPECT_EQ(proposal.quality, kBestQuality);
  EXPECT_EQ(proposal.win_chance[0], kCertain / 2);
  EXPECT_EQ(proposal.spread, 0);
  EXPECT_EQ(proposal.stage, 0);
}

TEST_F(MatcherTest, PairMeetsInTheFirstTickAfterBothWindowsReachAndIsNotLookedAtBefore) {
  Queue(2, 1);
  Add('A', 1'500, kStart);
  Add('B', 1'700, kStart + 2 * kSecond);
  EXPECT_EQ(Tick(kStart + 2 * kSecond), "");
  // B's window is 200 wide ten seconds after it came.
  for (Micros now = kStart + 3 * kSecond; now < kStart + 12 * kSecond; now += kSecond) {
    EXPECT_EQ(Tick(now), "");
    EXPECT_EQ(due_, 0u);
  }
  EXPECT_EQ(pool_.NextDue(), kStart + 12 * kSecond);
  EXPECT_EQ(Tick(kStart + 12 * kSecond), "A v B");
  EXPECT_EQ(proposals_.front().quality, 0);
  EXPECT_EQ(proposals_.front().win_chance[0], kCertain - proposals_.front().win_chance[1]);
}

TEST_F(MatcherTest, FarApartMeetNeverWhateverTheirWait) {
  Queue(2, 1);
  Add('A', 200, kStart);
  Add('B', 1'000, kStart);
  EXPECT_EQ(Tick(kStart), "");
  EXPECT_EQ(pool_.NextDue(), kNever);
  Add('C', 250, kStart + 5 * kSecond);
  EXPECT_EQ(Tick(kStart + 5 * kSecond), "A v C");
}

TEST_F(MatcherTest, TopPlayersMeetEachOtherInAStreamOfOthers) {
  Queue(2, 1);
  Add('A', 1'950, kStart - kMinute);
  Add('B', 1'900, kStart - kMinute);
  for (const char name : {'C', 'D', 'E', 'F'}) Add(name, 1'500, kStart);
  const std::string formed = Tick(kStart);
  EXPECT_NE(formed.find("A v B"), std::string::npos) << formed;
  EXPECT_EQ(proposals_.size(), 3u);
}

TEST_F(MatcherTest, UnlikeAffinitiesNeverMeet) {
  Queue(2, 1);
  Add('A', 1'500, kStart, 1, 1);
  Add('B', 1'500, kStart, 1, 2);
  EXPECT_EQ(Tick(kStart), "");
  EXPECT_EQ(pool_.NextDue(), kNever);
  Add('C', 1'500, kStart + kSecond, 1, 2);
  EXPECT_EQ(Tick(kStart + kSecond), "B v C");
  EXPECT_EQ(due_, 1u);
}

TEST_F(MatcherTest, TicketWhosePartnerLeftFindsTheNext) {
  Queue(2, 1);
  Add('A', 1'500, kStart);
  const Pool::Slot b = Add('B', 1'650, kStart);
  Add('C', 1'300, kStart);
  EXPECT_EQ(Tick(kStart), "");
  EXPECT_EQ(pool_.NextDue(), kStart + 5 * kSecond);  // A and B
  pool_.Remove(b);
  for (Micros now = kStart; now < kStart + 10 * kSecond; now += kSecond) EXPECT_EQ(Tick(now), "");
  EXPECT_EQ(Tick(kStart + 10 * kSecond), "A v C");
}

TEST_F(MatcherTest, RefusedProposalIsProposedAgain) {
  Queue(2, 1);
  Add('A', 1'500, kStart);
  Add('B', 1'500, kStart);
  matcher_->Tick(pool_, traits_, kStart, &proposals_, &due_);
  ASSERT_EQ(proposals_.size(), 1u);
  for (const Proposal::Place& place : proposals_.front().places) pool_.SetDue(place.slot, kStart);
  EXPECT_EQ(Tick(kStart + kSecond), "A v B");
}

TEST_F(MatcherTest, OldestPastTheLastStageIsSeatedBeforeACloserYoungerPair) {
  Queue(2, 1);
  Add('A', 1'580, kStart - kHour);
  Tick(kStart - kSecond);
  Add('B', 1'500, kStart);
  Add('C', 1'500, kStart);
  EXPECT_EQ(Tick(kStart), "A v B");
  EXPECT_EQ(proposals_.front().stage, 1);
}

TEST_F(MatcherTest, LoneSoloDoesNotBlockTwoPairs) {
  Queue(2, 2);
  Add('S', 1'500, kStart);
  Add('P', 1'500, kStart, 2);
  Add('Q', 1'500, kStart, 2);
  EXPECT_EQ(Tick(kStart), "P v Q");
  EXPECT_EQ(pool_.size(), 1u);
  EXPECT_EQ(pool_.NextDue(), kNever);
}

TEST_F(MatcherTest, TeamsAreFullEvenAndKeepPartiesWhole) {
  Queue(2, 3);
  Add('P', 1'500, kStart, 2);
  Add('A', 1'540, kStart);
  Add('B', 1'500, kStart);
  Add('C', 1'500, kStart);
  Add('D', 1'460, kStart);
  EXPECT_EQ(Tick(kStart), "PB v ACD");
  EXPECT_EQ(proposals_.front().win_chance[0], kCertain / 2);
  EXPECT_EQ(proposals_.front().spread, 80 * kPoint);
}

TEST_F(MatcherTest, ManyTeamsShareTheField) {
  Queue(4, 1);
  for (const char name : {'A', 'B', 'C', 'D', 'E'}) Add(name, 1'500, kStart);
  EXPECT_EQ(Tick(kStart), "A v B v C v D");
  EXPECT_EQ(proposals_.front().win_chance[3], kCertain / 4);
}

TEST_F(MatcherTest, TeamTicketSleepsUntilEnoughWindowsHaveGrown) {
  Queue(2, 2);
  for (const char name : {'A', 'B', 'C'}) Add(name, 1'500, kStart);
  EXPECT_EQ(Tick(kStart), "");
  EXPECT_EQ(pool_.NextDue(), kNever);  // a fourth must come
  Add('D', 1'700, kStart + kSecond);
  EXPECT_EQ(Tick(kStart + kSecond), "");
  EXPECT_EQ(pool_.NextDue(), kStart + 11 * kSecond);
  EXPECT_EQ(Tick(kStart + 11 * kSecond), "AB v CD");
}

TEST_F(MatcherTest, EnoughPlayersWhosePartiesDoNotFitLookAgainWhileWindowsGrow) {
  Queue(2, 4);
  rules_.window.base = 50 * kPoint;
  book_.emplace(rules_);
  matcher_ = std::make_unique<Matcher>(*book_);
  Add('C', 1'600, kStart - kMinute, 3);
  Add('F', 1'500, kStart);
  Add('G', 1'500, kStart);
  EXPECT_EQ(Tick(kStart), "");
  EXPECT_EQ(pool_.NextDue(), kNever);
  // Two come back with their age. Three, three and two are eight players, but fill no team of four; the solos between
  // them do not accept both ends of the range before five seconds.
  Add('A', 1'400, kStart - kMinute, 3);
  Add('E', 1'500, kStart - kMinute, 2);
  std::string formed;
  Micros now = kStart + 100 * kMillisecond;
  for (; formed.empty() && now < kStart + 20 * kSecond; now += 100 * kMillisecond) formed = Tick(now);
  EXPECT_EQ(formed, "CF v GA");
  EXPECT_LE(now, kStart + 6 * kSecond + 200 * kMillisecond);
}

TEST_F(MatcherTest, NarrowTicketInTheMiddlePlaysWithWiderOnesAround) {
  Queue(2, 2);
  Add('A', 1'400, kStart - 20 * kSecond);
  Add('B', 1'600, kStart - 20 * kSecond);
  Tick(kStart - kSecond);
  Add('C', 1'500, kStart);
  Add('D', 1'500, kStart);
  EXPECT_EQ(Tick(kStart), "AB v CD");
}

TEST_F(MatcherTest, SamePoolGivesTheSameProposals) {
  for (const int32_t team_size : {1, 3}) {
    std::vector<std::string> formed;
    for (int round = 0; round < 2; ++round) {
      Queue(2, team_size);
      while (!pool_.empty()) pool_.Remove(pool_.Oldest());
      arrivals_ = 0;
      // The slots differ between the rounds, the tickets do not.
      std::vector<Pool::Slot> fillers;
      for (int i = 0; i < 7 * round; ++i) fillers.push_back(Add('x', 0, kNever - 1, 1, 9));
      for (const Pool::Slot slot : fillers) pool_.Remove(slot);
      arrivals_ = 0;
      for (int i = 0; i < 50; ++i) {
        Add(static_cast<char>('0' + i), 1'000 + (i * 7'919) % 700, kStart - i * kSecond / 7, 1 + i % team_size);
      }
      formed.push_back(Tick(kStart));
    }
    EXPECT_EQ(formed[0], formed[1]);
    EXPECT_FALSE(formed[0].empty());
  }
}

TEST_F(MatcherTest, NothingDueCostsNothingAndFormsNothing) {
  Queue(2, 5);
  EXPECT_EQ(Tick(kStart), "");
  EXPECT_EQ(due_, 0u);
}

}  // namespace
}  // namespace evenmatch
