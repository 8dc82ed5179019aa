#include "agent/deploy/spread/peers.hpp"

#include <gtest/gtest.h>

namespace hearth::agent::deploy {
namespace {

const Peer k_one{"http://192.0.2.1:9999", "t1", ""};
const Peer k_two{"https://192.0.2.2:9999", "t2", "pin"};

TEST(PeersTest, WhatTheConductorSaysOfPeersIsReadAndWhatMakesNoSenseIsTheSeed) {
  const PeerPlan plan = parse_peers(Json::parse(R"([
    {"url": "http://192.0.2.1:9999", "token": "t1", "pin": ""},
    {"url": "https://192.0.2.2:9999", "token": "t2", "pin": "pin"},
    null, 7, {"url": "ftp://x", "token": "t"}, {"url": "http://192.0.2.1:9999"},
    {"url": "https://192.0.2.2:9999", "token": "t2"}, {"url": "http://192.0.2.2:9999", "token": "t2", "pin": "pin"}])"));
  ASSERT_EQ(plan.size(), 8U);
  EXPECT_EQ(plan[0], k_one);
  EXPECT_EQ(plan[1], k_two);
  for (std::size_t i = 2; i < plan.size(); ++i) EXPECT_FALSE(plan[i]) << i;
  EXPECT_TRUE(parse_peers(Json()).empty());
}

TEST(PeersTest, WhoIsBlamedIsAskedNoMoreAndToldOfOnce) {
  Peers peers;
  peers.begin({k_one, k_two});
  EXPECT_EQ(peers.asked_for(0), k_one);
  peers.blame(k_one, PeerFault::wrong, "block 7");
  peers.blame(k_one, PeerFault::gone, "it has hung up");
  EXPECT_FALSE(peers.asked_for(0));
  EXPECT_EQ(peers.asked_for(1), k_two);
  peers.follow({k_two, k_one});
  EXPECT_EQ(peers.asked_for(0), k_two);
  EXPECT_FALSE(peers.asked_for(1));
  EXPECT_EQ(peers.take_faults(),
            Json::parse(R"([{"url": "http://192.0.2.1:9999", "fault": "wrong", "what": "block 7"}])"));
  EXPECT_TRUE(peers.take_faults().empty());
}

TEST(PeersTest, AReportThatDidNotArriveIsToldAgain) {
  Peers peers;
  peers.begin({k_one, k_two});
  peers.blame(k_one, PeerFault::slow, "1");
  const Json told = peers.take_faults();
  peers.blame(k_two, PeerFault::gone, "2");
  peers.keep_faults(told);
  const Json again = peers.take_faults();
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again[0]["fault"], "slow");
  EXPECT_EQ(again[1]["fault"], "gone");
}

TEST(PeersTest, AnotherImageBeginsWithoutGrudgesAndAnEmptyPlanIsNone) {
  Peers peers;
  peers.begin({k_one, std::nullopt});
  peers.blame(k_one, PeerFault::gone, "");
  peers.follow({});
  EXPECT_EQ(peers.stripes(), 2U);
  peers.begin({k_one});
  EXPECT_EQ(peers.asked_for(0), k_one);
  EXPECT_FALSE(peers.asked_for(1));
  EXPECT_TRUE(peers.take_faults().empty());
}

}  // namespace
}  // namespace hearth::agent::deploy
