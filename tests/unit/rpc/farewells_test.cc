#include "rpc/farewells.h"

#include <gtest/gtest.h>

namespace evenmatch {
namespace {

struct Counter final : Farewells::Guest {
  void Leave() override { ++left; }
  int left = 0;
};

TEST(Farewells, AFewAreNoBurst) {
  Farewells farewells([] {});
  for (size_t i = 0; i < Farewells::kBurst; ++i) EXPECT_FALSE(farewells.InBurst(kSecond));
  EXPECT_TRUE(farewells.InBurst(kSecond));
}

TEST(Farewells, ABurstHoldsUntilAWindowPassesWithoutOne) {
  Farewells farewells([] {});
  Counter guest;
  Micros now = kSecond;
  for (int window = 0; window < 10; ++window, now += Farewells::kWindow) {
    for (size_t i = 0; i < 2 * Farewells::kBurst; ++i) farewells.InBurst(now);
    EXPECT_TRUE(farewells.InBurst(now));
    farewells.Wait(&guest, now);
    EXPECT_TRUE(farewells.Turn(now));
    EXPECT_EQ(guest.left, 0);
  }
  farewells.Turn(now);
  EXPECT_EQ(guest.left, 0) << "the window that has just ended was one";
  farewells.Turn(now + Farewells::kWindow);
  EXPECT_EQ(guest.left, 10);
  EXPECT_FALSE(farewells.InBurst(now + Farewells::kWindow));
}

TEST(Farewells, NobodyWaitsForEver) {
  Farewells farewells([] {});
  Counter guest;
  Micros now = kSecond;
  for (size_t i = 0; i < 2 * Farewells::kBurst; ++i) farewells.InBurst(now);
  farewells.Wait(&guest, now);
  for (; now < kSecond + Farewells::kLongest; now += Farewells::kWindow) {
    for (size_t i = 0; i < 2 * Farewells::kBurst; ++i) farewells.InBurst(now);
    farewells.Turn(now);
    EXPECT_EQ(guest.left, 0);
  }
  farewells.Turn(now);
  EXPECT_EQ(guest.left, 1);
}

TEST(Farewells, TheFirstGuestIsAnnounced) {
  int announced = 0;
  Farewells farewells([&] { ++announced; });
  Counter guest;
  farewells.Wait(&guest, kSecond);
  farewells.Wait(&guest, kSecond);
  EXPECT_EQ(announced, 1);
  EXPECT_FALSE(farewells.Turn(kSecond));
  EXPECT_EQ(guest.left, 2) << "no burst";
  farewells.Wait(&guest, kSecond);
  EXPECT_EQ(announced, 2);
}

TEST(Farewells, ABurstOfLongAgoIsForgotten) {
  Farewells farewells([] {});
  for (size_t i = 0; i < 2 * Farewells::kBurst; ++i) farewells.InBurst(kSecond);
  EXPECT_FALSE(farewells.InBurst(2 * kSecond));
}

}  // namespace
}  // namespace evenmatch
