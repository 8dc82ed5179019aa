#include "agent/net/address.hpp"

#include <gtest/gtest.h>

namespace hearth::agent::net {
namespace {

TEST(Address, HasAnIpAndAPrefixLength) {
  const auto v4 = parse_cidr("192.0.2.1/24");
  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->text(), "192.0.2.1/24");
  EXPECT_EQ(v4->netmask(), "255.255.255.0");
  const auto v6 = parse_cidr("2001:db8::1/64");
  ASSERT_TRUE(v6);
  EXPECT_TRUE(v6->v6);
  EXPECT_EQ(v6->netmask(), "64");
}

TEST(Address, IsRefusedWithoutPrefixOrWithATooLongOne) {
  for (const char* text : {"192.0.2.1", "192.0.2.1/33", "192.0.2/24", "2001:db8::1/129", "/24", "192.0.2.1/", "x/8"}) {
    EXPECT_FALSE(parse_cidr(text)) << text;
  }
}

TEST(Address, LosesItsHostBitsInItsNetwork) {
  EXPECT_EQ(network_of(*parse_cidr("192.0.2.77/26")).text(), "192.0.2.64/26");
  EXPECT_EQ(network_of(*parse_cidr("2001:db8:0:1::5/48")).text(), "2001:db8::/48");
  EXPECT_EQ(network_of(*parse_cidr("192.0.2.77/32")).text(), "192.0.2.77/32");
}

TEST(Address, NetmaskIsDotted) {
  EXPECT_EQ(dotted_netmask(0), "0.0.0.0");
  EXPECT_EQ(dotted_netmask(20), "255.255.240.0");
  EXPECT_EQ(dotted_netmask(32), "255.255.255.255");
}

TEST(Address, MacHasSixPairs) {
  EXPECT_TRUE(is_mac("12:34:56:de:f0:12"));
  EXPECT_TRUE(is_mac("12-34-56-DE-F0-12"));
  EXPECT_FALSE(is_mac("12:34:56:de:f0"));
  EXPECT_FALSE(is_mac("12:34:56:de:f0:1g"));
}

}  // namespace
}  // namespace hearth::agent::net
