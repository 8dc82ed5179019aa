#include "agent/net/layout.hpp"

#include <gmock/gmock.h>

#include "tests/unit/agent/net/network_fixture.hpp"

namespace hearth::agent::net {
namespace {

using testing::ElementsAre;

std::vector<std::string> start_order(const std::string& yaml) {
  std::vector<std::string> names;
  for (const Device& device : in_start_order(network_of(yaml))) names.push_back(device.name);
  return names;
}

TEST(NetLayout, MembersStartBeforeTheirMasterAndVlansLast) {
  EXPECT_THAT(start_order("network_config:\n- {type: vlan, vlan_id: 5, device: br0}\n"
                          "- {type: linux_bridge, name: br0, members: [{type: linux_bond, name: bond0,"
                          " members: [{type: interface, name: em2}, {type: interface, name: em1}]}]}\n"),
              ElementsAre("em2", "em1", "bond0", "br0", "vlan5"));
}

TEST(NetLayout, OrderOfTheFileStaysWhereNothingIsNeeded) {
  EXPECT_THAT(start_order("network_config:\n- {type: interface, name: b}\n- {type: interface, name: a}\n"),
              ElementsAre("b", "a"));
}

TEST(NetLayout, DevicesInACircleAreRefused) {
  Network network;
  network.devices.push_back({.kind = Kind::vlan, .where = "x", .name = "a", .lower = "b"});
  network.devices.push_back({.kind = Kind::vlan, .where = "y", .name = "b", .lower = "a"});
  EXPECT_EQ(refusal([&network] { (void)in_start_order(network); }), "x: a needs itself, through the devices below it");
}

TEST(NetLayout, RoutingTablesKeepWhatOthersWrote) {
  Network network;
  network.tables = {{200, "mine"}, {201, "other"}};
  const std::string present =
      "255\tlocal\n# a note\n100\ttheirs\n200\tstale\n150\tgone    # os-net-config managed table\n";
  EXPECT_EQ(render_route_tables(network, present),
            "255\tlocal\n# a note\n100\ttheirs\n200\tmine    # os-net-config managed table\n"
            "201\tother    # os-net-config managed table\n");
}

TEST(NetLayout, TablesAreKnownByNumber) {
  Network network;
  network.tables = {{200, "mine"}};
  EXPECT_EQ(table_number("mine", network), "200");
  EXPECT_EQ(table_number("main", network), "main");
}

}  // namespace
}  // namespace hearth::agent::net
