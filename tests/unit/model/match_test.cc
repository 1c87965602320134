#include "model/match.h"

#include <gtest/gtest.h>

#include "model/event.h"
#include "model/queue_rules.h"

namespace evenmatch {
namespace {

TEST(MatchIdTest, WhatIsWrittenIsRead) {
  // Numbers beyond 32 bits and 2^53 as well: ids are text for clients.
  for (uint64_t number : {uint64_t{0}, uint64_t{0x7fffffff}, uint64_t{0x100000000}, ~uint64_t{0}}) {
    const MatchId id{.fence = number, .sequence = ~number};
    uint64_t fence, sequence;
    std::string_view group;
    const std::string text = FormatMatchId(id, "eu-west");
    ASSERT_TRUE(ParseMatchId(text, &fence, &sequence, &group)) << text;
    EXPECT_EQ(fence, id.fence);
    EXPECT_EQ(sequence, id.sequence);
    EXPECT_EQ(group, "eu-west");
  }
}

TEST(MatchIdTest, RefusesWhatIsNoneOfOurs) {
  uint64_t fence, sequence;
  std::string_view group;
  for (std::string_view text : {"", "-", "1", "1-", "1-2", "1-2-", "-1-2-g", "1--2-g", "a-2-g", "1-b-g", "+1-2-g",
                                "99999999999999999999-1-g"}) {
    EXPECT_FALSE(ParseMatchId(text, &fence, &sequence, &group)) << text;
  }
}

TEST(MatchStateTest, EndedAndDissolvedAreFinal) {
  using enum MatchState;
  for (MatchState to : {kProposed, kFormed, kPlaced, kEnded, kDissolved}) {
    EXPECT_FALSE(MayFollow(kEnded, to));
    EXPECT_FALSE(MayFollow(kDissolved, to));
  }
  EXPECT_TRUE(MayFollow(kProposed, kFormed));
  EXPECT_FALSE(MayFollow(kProposed, kEnded));
  EXPECT_TRUE(MayFollow(kFormed, kEnded));
  EXPECT_FALSE(MayFollow(kPlaced, kFormed));
}

TEST(EventKindTest, OnlyTheLastNumberedEventIsFinal) {
  EXPECT_TRUE(IsNumbered(EventKind::kQueued) && !IsFinal(EventKind::kQueued));
  for (EventKind kind : {EventKind::kMatched, EventKind::kCancelled, EventKind::kExpired}) {
    EXPECT_TRUE(IsFinal(kind) && IsNumbered(kind) && IsStored(kind) && IsTold(kind));
  }
  EXPECT_TRUE(IsTold(EventKind::kWidened) && !IsStored(EventKind::kWidened) && !IsNumbered(EventKind::kWidened));
  for (EventKind kind : {EventKind::kAcknowledged, EventKind::kMoved}) {
    EXPECT_TRUE(IsStored(kind) && !IsTold(kind) && !IsNumbered(kind));
  }
  for (EventKind kind : {EventKind::kAttached, EventKind::kDetached, EventKind::kForgotten}) {
    EXPECT_FALSE(IsStored(kind) || IsTold(kind));
  }
}

TEST(CatalogTest, FindsByName) {
  Catalog catalog;
  catalog.queues.resize(2);
  catalog.queues[1].name = "duel";
  catalog.groups.push_back({.name = "default"});
  EXPECT_EQ(catalog.FindQueue("duel"), 1);
  EXPECT_EQ(catalog.FindQueue("due"), -1);
  EXPECT_EQ(catalog.FindGroup("default"), 0);
  EXPECT_EQ(catalog.FindGroup("other"), -1);
}

}  // namespace
}  // namespace evenmatch
