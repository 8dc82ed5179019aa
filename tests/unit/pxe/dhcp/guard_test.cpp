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

TEST_F(GuardTest, WeAndAllowedServersAreNone) {
  EXPECT_FALSE(guard_.heard(offer_of("192.0.2.1"), mac(3), 0));
  EXPECT_FALSE(guard_.heard(offer_of("192.0.2.2"), mac(3), 0));
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
