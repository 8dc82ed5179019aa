#include "agent/net/device.hpp"

#include <gtest/gtest.h>

namespace hearth::agent::net {
namespace {

TEST(Device, RouteIsOfTheFamilyOfItsNextHop) {
  EXPECT_TRUE((Route{.next_hop = "2001:db8::1"}).v6());
  EXPECT_FALSE((Route{.next_hop = "192.0.2.1"}).v6());
}

TEST(Device, RouteOnTheLinkIsOfTheFamilyOfItsDestination) {
  EXPECT_TRUE((Route{.next_hop = "self", .destination = "2001:db8::/64"}).v6());
  EXPECT_FALSE((Route{.next_hop = "self", .destination = "192.0.2.0/24"}).v6());
}

TEST(Device, VlanOfAnOpenVswitchBridgeIsNotOursToDelete) {
  EXPECT_TRUE((Device{.kind = Kind::vlan}).is_virtual());
  EXPECT_FALSE((Device{.kind = Kind::vlan, .ovs_bridge = "br-ex"}).is_virtual());
  EXPECT_FALSE((Device{.kind = Kind::interface}).is_virtual());
}

}  // namespace
}  // namespace hearth::agent::net
