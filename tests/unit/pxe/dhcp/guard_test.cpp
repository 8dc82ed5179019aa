#include "pxe/dhcp/guard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pxe/net/frame.hpp"
#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe::dhcp {
namespace {

std::string offer_of(const char* server) {
  Message offer{.op = 2};
  offer.chaddr = mac(9);
  offer.yiaddr = ip("192.0.2.77");
  offer.set_byte(option::type, 2);
  offer.set_address(option::server, ip(server));
  offer.file = "evil\n.0";
  return udp_packet({ip(server), 67}, {k_broadcast, 68}, write_message(offer, 548));
}

class GuardTest : public testing::Test {
 protected:
  Guard guard_{{ip("192.0.2.1")}, {ip("192.0.2.2")}};
};

TEST_F(GuardTest, AStrangerIsReportedWithItsAddressItsMacAndWhatItOffers) {
  EXPECT_EQ(guard_.heard(offer_of("192.0.2.3"), mac(3), 0),
            "another DHCP server: 192.0.2.3 (MAC 52:54:00:00:00:03): OFFER of 192.0.2.77, boot file evil?.0");
}

TEST_F(GuardTest, AllowedServersAreNone) { EXPECT_FALSE(guard_.heard(offer_of("192.0.2.2"), mac(3), 0)); }

TEST_F(GuardTest, AnotherMachineUnderOurOwnAddressIsTheLoudestAlarm) {
  EXPECT_THAT(guard_.heard(offer_of("192.0.2.1"), mac(3), 0),
              testing::Optional(testing::StartsWith(
                  "ANOTHER MACHINE ANSWERS AS 192.0.2.1, which is this server's own address (MAC 52:54:00:00:00:03)")));
  EXPECT_EQ(guard_.strangers(), 1U) << "a full server does not start beside it";
  EXPECT_FALSE(guard_.heard(offer_of("192.0.2.1"), mac(3), 59));
  EXPECT_TRUE(guard_.heard(offer_of("192.0.2.1"), mac(3), 60));
}

TEST_F(GuardTest, WhatARelayHandsOnOfOursIsNoAlarm) {
  Message ours{.op = 2};
  ours.giaddr = ip("198.51.100.1");
  ours.set_byte(option::type, 2);
  ours.set_address(option::server, ip("192.0.2.1"));
  const std::string packet = udp_packet({ip("198.51.100.1"), 67}, {k_broadcast, 68}, write_message(ours, 548));
  EXPECT_FALSE(guard_.heard(packet, mac(3), 0));
}

TEST_F(GuardTest, ANewSiteBringsItsOwnAddressesAndFriends) {
  guard_.use({ip("192.0.2.9")}, {ip("192.0.2.3")});
  EXPECT_FALSE(guard_.heard(offer_of("192.0.2.3"), mac(3), 0));
  EXPECT_TRUE(guard_.heard(offer_of("192.0.2.2"), mac(3), 0));
}

TEST_F(GuardTest, EachIsReportedOnceInTenMinutes) {
  EXPECT_TRUE(guard_.heard(offer_of("192.0.2.3"), mac(3), 0));
  EXPECT_FALSE(guard_.heard(offer_of("192.0.2.3"), mac(3), 599));
  EXPECT_TRUE(guard_.heard(offer_of("192.0.2.4"), mac(3), 599));
  EXPECT_TRUE(guard_.heard(offer_of("192.0.2.3"), mac(3), 600));
  EXPECT_EQ(guard_.strangers(), 2U);
}

TEST_F(GuardTest, RequestsAndNoiseAreNoServers) {
  EXPECT_FALSE(guard_.heard("noise", mac(3), 0));
  const std::string request = write_message(Guard::probe(mac(9), 1), 548);
  EXPECT_FALSE(guard_.heard(udp_packet({ip("192.0.2.3"), 68}, {k_broadcast, 68}, request), mac(3), 0));
}

TEST_F(GuardTest, TheProbeLooksLikeNetworkFirmwareAndWantsABroadcast) {
  const Message probe = Guard::probe(mac(9), 5);
  EXPECT_EQ(probe.type(), Type::discover);
  EXPECT_EQ(probe.flags, 0x8000);
  EXPECT_TRUE(probe.find(option::class_id)->starts_with("PXEClient"));
}

}  // namespace
}  // namespace hearth::pxe::dhcp
