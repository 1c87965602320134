#include "matching/duel_pairing.h"

namespace evenmatch {
namespace {

// Builds a line from (value, window, wait) in points and seconds; the arrival follows the wait, longest first.
class Line {
 public:
  Line& Add(int32_t value, int32_t window, int32_t wait = 0, bool overdue = false) {
    DuelCandidate candidate;
    candidate.value = value * kPoint;
    candidate.window = candidate.reach = window * kPoint;
    candidate.queued_at = kHour - wait * kSecond;
    candidate.arrival = static_cast<uint64_t>(10'000 - 10 * wait) + line_.size();
    candidate.overdue = overdue;
    candidate.due = true;
    line_.push_back(candidate);
    return *this;
  }
  std::vector<int32_t> Pair() {
    std::vector<int32_t> partner;
    pairing_.Pair(line_, &partner);
    return partner;
  }

 private:
  std::vector<DuelCandidate> line_;
  DuelPairing pairing_;
};

using Partners = std::vector<int32_t>;
constexpr int32_t kAlone = DuelPairing::kAlone;

TEST(DuelPairingTest, EmptyLineAndSingleTicketPairNobody) {
  EXPECT_EQ(Line().Pair(), Partners{});
  EXPECT_EQ(Line().Add(1'500, 100).Pair(), Partners{kAlone});
}

TEST(DuelPairingTest, PairFitsUpToTheStricterWindow) {
  EXPECT_EQ(Line().Add(1'500, 100).Add(1'600, 300).Pair(), (Partners{1, 0}));
  EXPECT_EQ(Line().Add(1'500, 99).Add(1'600, 300).Pair(), (Partners{kAlone, kAlone}));
  EXPECT_EQ(Line().Add(1'500, 300).Add(1'600, 99).Pair(), (Partners{kAlone, kAlone}));
}

TEST(DuelPairingTest, FourPlayersBeatTheOneClosestPair) {
  // The middle two are closest, but then the outer two are far from each other.
  EXPECT_EQ(Line().Add(1'400, 300).Add(1'490, 300).Add(1'500, 300).Add(1'590, 300).Pair(), (Partners{1, 0, 3, 2}));
}

TEST(DuelPairingTest, StrongestMeetEachOtherNotTheCrowd) {
  EXPECT_EQ(Line().Add(1'500, 400).Add(1'500, 400).Add(1'900, 400).Add(1'950, 400).Pair(), (Partners{1, 0, 3, 2}));
}

TEST(DuelPairingTest, EqualGapsGoToTheOlder) {
  EXPECT_EQ(Line().Add(1'400, 150, 1).Add(1'500, 150, 2).Add(1'600, 150, 3).Pair(), (Partners{kAlone, 2, 1}));
  EXPECT_EQ(Line().Add(1'400, 150, 3).Add(1'500, 150, 2).Add(1'600, 150, 1).Pair(), (Partners{1, 0, kAlone}));
  EXPECT_EQ(Line().Add(1'500, 100).Add(1'500, 100).Add(1'500, 100).Pair(), (Partners{1, 0, kAlone}));
}

TEST(DuelPairingTest, NarrowTicketBetweenTwoWideOnesIsSteppedOver) {
  EXPECT_EQ(Line().Add(1'400, 400, 9).Add(1'500, 10).Add(1'600, 400, 9).Pair(), (Partners{2, kAlone, 0}));
}

TEST(DuelPairingTest, ManyNarrowTicketsBetweenTwoWideOnesAreSteppedOver) {
  Line line;
  line.Add(1'400, 900, 9);
  for (int32_t i = 0; i < 20; ++i) line.Add(1'410 + 8 * i, 7);
  line.Add(1'600, 900, 9);
  const Partners partner = line.Pair();
  EXPECT_EQ(partner.front(), 21);
  EXPECT_EQ(partner.back(), 0);
}

TEST(DuelPairingTest, PairAtTheEdgeOfItsWindowIsFormedAlthoughItsQualityIsNothing) {
  EXPECT_EQ(Line().Add(1'500, 100).Add(1'600, 100).Pair(), (Partners{1, 0}));
}

TEST(DuelPairingTest, TicketPastItsLastStageTakesASeatFromAYoungerOne) {
  // Left to quality alone, the two at 1500 would meet and 1580 wait.
  EXPECT_EQ(Line().Add(1'500, 100).Add(1'500, 100).Add(1'580, 500, 60, false).Pair(), (Partners{1, 0, kAlone}));
  const Partners partner = Line().Add(1'500, 100).Add(1'500, 100).Add(1'580, 500, 60, true).Pair();
  EXPECT_NE(partner[2], kAlone);
}

TEST(DuelPairingTest, OldestPastItsLastStageIsSeatedBeforeAnother) {
  // Only the one in the middle fits either; the nearer is the younger.
  EXPECT_EQ(Line().Add(1'300, 500, 90, true).Add(1'450, 150).Add(1'500, 20, 80, true).Pair(), (Partners{1, 0, kAlone}));
}

TEST(DuelPairingTest, UnlimitedWindowsMeetAtAnyDistance) {
  const int32_t unlimited = kUnlimitedWindow / kPoint;
  EXPECT_EQ(Line().Add(-90'000, unlimited).Add(90'000, unlimited).Pair(), (Partners{1, 0}));
}

}  // namespace
}  // namespace evenmatch
