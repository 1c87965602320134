#include "rpc/peers.h"

#include <gtest/gtest.h>

#include "rpc/log.h"

namespace evenmatch {
namespace {

TEST(Peers, AHostIsOneWhateverItsPort) {
  EXPECT_EQ(HashOfHost("ipv4:10.0.0.1:1000"), HashOfHost("ipv4:10.0.0.1:2000"));
  EXPECT_NE(HashOfHost("ipv4:10.0.0.1:1000"), HashOfHost("ipv4:10.0.0.2:1000"));
  EXPECT_EQ(HashOfHost("ipv6:%5B::1%5D:1000"), HashOfHost("ipv6:%5B::1%5D:2000"));
  EXPECT_NE(HashOfHost("ipv6:%5B::1%5D:1000"), HashOfHost("ipv6:%5B::2%5D:1000"));
  EXPECT_EQ(HashOfHost("unix:/run/a:1"), HashOfHost("unix:"));
}

TEST(Peers, AsManyEnterAsThereIsRoomFor) {
  Peers peers(10, false);
  EXPECT_EQ(peers.Enter(1, 6), 6u);
  EXPECT_EQ(peers.Enter(1, 5), 4u);
  EXPECT_EQ(peers.Enter(1, 1), 0u);
  EXPECT_EQ(peers.Enter(2, 11), 10u) << "another peer";
  peers.Leave(1, 10);
  EXPECT_EQ(peers.Enter(1, 3), 3u);
  EXPECT_EQ(peers.Enter(3, 0), 0u);
}

TEST(LogBudget, WritesSoManyLinesASecondAndCountsTheRest) {
  LogBudget budget(2);
  int64_t left_out = -1;
  EXPECT_TRUE(budget.Take(0, &left_out));
  EXPECT_EQ(left_out, 0);
  EXPECT_TRUE(budget.Take(1, &left_out));
  EXPECT_FALSE(budget.Take(2, &left_out));
  EXPECT_FALSE(budget.Take(kSecond - 1, &left_out));
  EXPECT_TRUE(budget.Take(kSecond, &left_out));
  EXPECT_EQ(left_out, 2);
}

}  // namespace
}  // namespace evenmatch
