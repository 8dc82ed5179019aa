#include "agent/net/reader.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tests/unit/agent/net/network_fixture.hpp"

namespace hearth::agent::net {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refused(const std::string& entry) {
  return refusal([&entry] { (void)network_of("network_config:\n- " + entry); });
}

TEST(NetReader, AliasesBecomeDevicesAlsoWithAVlanBehindThem) {
  const ReadSettings settings{.nics = {{"nic1", "em1"}}};
  const Network network = network_of(
      "network_config:\n- {type: interface, name: nic1}\n- {type: interface, name: nic1.10}\n"
      "- {type: vlan, vlan_id: 5, device: nic1}\n",
      {}, settings);
  EXPECT_EQ(network.devices[0].name, "em1");
  EXPECT_EQ(network.devices[1].name, "em1.10");
  EXPECT_EQ(network.devices[2].name, "vlan5");
  EXPECT_EQ(network.devices[2].lower, "em1");
}

TEST(NetReader, PersistentMappingRenamesByMac) {
  fakes::MemoryFileSystem files;
  add_card(files, "em1", "52:54:00:00:00:01");
  const ReadSettings settings{.nics = {{"nic1", "em1"}}, .persist_mapping = true};
  const Network network = network_of("network_config: [{type: interface, name: nic1}]", files, settings);
  EXPECT_EQ(network.devices[0].name, "nic1");
  EXPECT_EQ(network.devices[0].device_now, "em1");
  EXPECT_EQ(network.devices[0].hwaddr, "52:54:00:00:00:01");
}

TEST(NetReader, MembersFollowTheirMasterAndKnowIt) {
  const Network network = network_of(
      "network_config:\n- type: linux_bridge\n  name: br0\n  members:\n  - type: linux_bond\n    name: bond0\n"
      "    members:\n    - {type: interface, name: em1, primary: true}\n    - {type: interface, name: em2}\n");
  ASSERT_EQ(network.devices.size(), 4);
  EXPECT_THAT(network.devices[0].members, ElementsAre("bond0"));
  EXPECT_EQ(network.devices[1].master, "br0");
  EXPECT_EQ(network.devices[2].master, "bond0");
  EXPECT_EQ(network.devices[2].where, "network_config/0/members/0/members/0");
  EXPECT_EQ(network.devices[1].primary_member, "em1");
}

TEST(NetReader, VlanAmongMembersLiesOnTopOfTheirMaster) {
  const Network network = network_of(
      "network_config:\n- {type: linux_bond, name: bond0, members: [{type: interface, name: em1},"
      " {type: vlan, vlan_id: 7}]}\n");
  EXPECT_EQ(network.devices[2].lower, "bond0");
  EXPECT_EQ(network.devices[2].master, "");
  EXPECT_THAT(refused("{type: linux_bond, name: b, members: [{type: vlan, vlan_id: 7, device: em1}]}"),
              HasSubstr("Invalid base_iface em1 set for vlan member: vlan7, b should be set instead."));
}

TEST(NetReader, VlanWithAnotherDeviceIsAPortOfTheBridge) {
  const Network network = network_of(
      "network_config:\n- {type: linux_bridge, name: br0, members: [{type: vlan, vlan_id: 7, device: em1}]}\n");
  EXPECT_EQ(network.devices[1].master, "br0");
  EXPECT_EQ(network.devices[1].lower, "em1");
}

TEST(NetReader, BooleansAreThoseOfOsloUtils) {
  const Network network = network_of(
      "network_config:\n- {type: interface, name: a, use_dhcp: 'Yes', defroute: 'off', onboot: 0, hotplug: t}\n");
  EXPECT_TRUE(network.devices[0].dhcp);
  EXPECT_FALSE(network.devices[0].defroute);
  EXPECT_FALSE(network.devices[0].onboot);
  EXPECT_TRUE(network.devices[0].hotplug);
}

TEST(NetReader, OneMasterHasOnePrimary) {
  EXPECT_THAT(refused("{type: linux_bridge, name: b, members: [{type: interface, name: x, primary: true},"
                      " {type: interface, name: y, primary: true}]}"),
              HasSubstr("Only one primary interface allowed per bridge."));
}

TEST(NetReader, ReservedRoutingTablesAreRefused) {
  EXPECT_EQ(refused("{type: route_table, name: mine, table_id: 254}"),
            "network_config/0: Route table \"254\" conflicts with reserved table \"254 main\"");
  EXPECT_THAT(refused("{type: route_table, name: local, table_id: 9}"), HasSubstr("\"255 local\""));
  EXPECT_EQ(network_of("network_config: [{type: route_table, name: mine, table_id: 200}]").tables.at(200), "mine");
}

TEST(NetReader, DpdkAndFriendsFailClearly) {
  EXPECT_EQ(refused("{type: ovs_dpdk_port, name: dpdk0}"),
            "network_config/0: type 'ovs_dpdk_port': DPDK is not supported");
}

TEST(NetReader, OpenVswitchMustBeInstalled) {
  EXPECT_EQ(refused("{type: ovs_bridge, name: br-ex}"),
            "network_config/0: OvsBridge cannot be created as OpenvSwitch is not installed.");
  fakes::MemoryFileSystem files;
  files.put("/usr/bin/ovs-appctl", "", 0755);
  const Network network = network_of("network_config: [{type: ovs_bridge, name: br-ex, ovs_extra: 'x {name}'}]", files);
  EXPECT_THAT(network.devices[0].ovs_extra,
              ElementsAre("x br-ex", "set bridge br-ex fail_mode=standalone", "del-controller br-ex"));
}

TEST(NetReader, UnresolvedParametersAreNamed) {
  EXPECT_THAT(refused("{type: interface, name: {get_param: Nic}}"),
              HasSubstr("name is {'get_param': 'Nic'}, which Heat was to replace by a value and did not"));
}

TEST(NetReader, NamesThatWouldLeaveTheirFolderAreRefused) {
  EXPECT_THAT(refused("{type: interface, name: ../../etc/x}"), HasSubstr("cannot be the name of a network device"));
  for (const char* name : {"a;id", "$(id)", "`id`", "a*", "-a", "a|b", "a%b"})  // a shell reads them
    EXPECT_THAT(refused(cat("{type: linux_tap, name: '", name, "'}")), HasSubstr("cannot be the name")) << name;
  EXPECT_EQ(network_of("network_config: [{type: linux_tap, name: 'br-ex.5:1@+,'}]").devices[0].name, "br-ex.5:1@+,");
  EXPECT_THAT(refused("{type: interface, name: averyveryverylongname}"), HasSubstr("cannot be the name"));
  EXPECT_THAT(refused("{type: interface, name: \"a\\nauto b\"}"), HasSubstr("control character"));
}

TEST(NetReader, DeviceCannotBeThereTwice) {
  EXPECT_THAT(refusal([] {
                (void)network_of("network_config:\n- {type: interface, name: a}\n- {type: interface, name: a}\n");
              }),
              HasSubstr("network_config/1: 'a' is there twice"));
}

TEST(NetReader, InfinibandChildIsNamedByItsKey) {
  const Network network = network_of("network_config: [{type: ib_child_interface, parent: ib0, pkey_id: 100}]");
  EXPECT_EQ(network.devices[0].name, "ib0.8064");
  EXPECT_THAT(refused("{type: ib_child_interface, parent: ib0, pkey_id: 0}"), HasSubstr("Invalid pkey value"));
}

TEST(NetReader, RouteNeedsANextHopThatIsAnAddress) {
  EXPECT_THAT(refused("{type: interface, name: a, routes: [{ip_netmask: 10.0.0.0/8, next_hop: x}]}"),
              HasSubstr("next_hop 'x' is not an IP address"));
  EXPECT_THAT(refused("{type: vlan, vlan_id: 5}"), HasSubstr("vlan5 needs 'device'"));
}

}  // namespace
}  // namespace hearth::agent::net
