#include "rpc/wire.h"

#include <gtest/gtest.h>

namespace evenmatch {
namespace {

TEST(Wire, TellsThePathOfTheTextThatIsNotUtf8) {
  v1::EnqueueRequest request;
  v1::Ticket& ticket = *request.mutable_ticket();
  ticket.add_players()->set_player_id("p1");
  ticket.add_players()->set_player_id("p\xff");
  std::string bytes;
  ASSERT_TRUE(request.SerializeToString(&bytes));
  ASSERT_FALSE(v1::EnqueueRequest().ParseFromString(bytes)) << "the library accepts it: this file may go";
  EXPECT_EQ(FindBadText(bytes, *v1::EnqueueRequest::descriptor()), "ticket.players[1].player_id");
}

TEST(Wire, EntriesOfMapsAreToldByTheNameOfTheMap) {
  v1::EnqueueRequest request;
  (*request.mutable_ticket()->mutable_attributes())["a"].set_text("\xff");
  EXPECT_EQ(FindBadText(request.SerializeAsString(), *v1::EnqueueRequest::descriptor()), "ticket.attributes");
}

TEST(Wire, RepeatedTextsHaveTheirIndex) {
  v1::EnqueueRequest request;
  v1::Player& player = *request.mutable_ticket()->add_players();
  player.add_roles("a");
  player.add_roles("\xff");
  EXPECT_EQ(FindBadText(request.SerializeAsString(), *v1::EnqueueRequest::descriptor()), "ticket.players[0].roles[1]");
}

TEST(Wire, BytesThatAreNoMessageHaveNoPath) {
  EXPECT_EQ(FindBadText("\xff\xff\xff", *v1::EnqueueRequest::descriptor()), std::nullopt);
  EXPECT_EQ(FindBadText("", *v1::EnqueueRequest::descriptor()), std::nullopt);
}

TEST(Wire, SalvageKeepsTheGoodCommandsAndTellsTheBad) {
  v1::SessionRequest request;
  request.set_session_id("s");
  for (uint64_t i = 1; i <= 3; ++i) {
    v1::SessionCommand& command = *request.add_commands();
    command.set_request(i);
    command.mutable_enqueue()->mutable_ticket()->add_players()->set_player_id(i == 2 ? "\xff" : "p");
  }
  v1::SessionRequest good;
  std::vector<BadCommand> bad;
  ASSERT_TRUE(SalvageSession(request.SerializeAsString(), &good, &bad));
  EXPECT_EQ(good.session_id(), "s");
  ASSERT_EQ(good.commands_size(), 2);
  EXPECT_EQ(good.commands(0).request(), 1u);
  EXPECT_EQ(good.commands(1).request(), 3u);
  ASSERT_EQ(bad.size(), 1u);
  EXPECT_EQ(bad[0].request, 2u);
  EXPECT_EQ(bad[0].field, "ticket.players[0].player_id");
}

TEST(Wire, SalvageGivesUpOnABadSessionIdAndOnNoMessage) {
  v1::SessionRequest request, good;
  std::vector<BadCommand> bad;
  request.set_session_id("\xff");
  EXPECT_FALSE(SalvageSession(request.SerializeAsString(), &good, &bad));
  EXPECT_FALSE(SalvageSession("\x0a\xff", &good, &bad));
}

}  // namespace
}  // namespace evenmatch
