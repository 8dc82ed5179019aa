#include "agent/net/eni.hpp"

#include <gmock/gmock.h>

#include "tests/unit/agent/net/network_fixture.hpp"

namespace hearth::agent::net {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

std::string eni(const std::string& yaml, const EniMachine& machine = {.resolver_hook = true}) {
  fakes::MemoryFileSystem files;
  files.put("/usr/bin/ovs-appctl", "", 0755);
  add_card(files, "em1", "52:54:00:00:00:01");
  return file_of(render_eni(network_of(yaml, files), machine), "/etc/network/interfaces");
}

TEST(Eni, StaticInterfaceIsWrittenAsInTheField) {
  EXPECT_EQ(eni("network_config:\n- {type: interface, name: em1, addresses: [{ip_netmask: 192.0.2.1/24}], mtu: 9000}\n"
                "- {type: interface, name: em2, use_dhcp: true}\n"
                "- {type: interface, name: em3, use_dhcp: true, hotplug: true, onboot: false}\n"
                "- {type: interface, name: em4}\n"),
            "auto em1\niface em1 inet static\n    address 192.0.2.1\n    netmask 255.255.255.0\n    mtu 9000\n"
            "auto em2\niface em2 inet dhcp\n"
            "allow-hotplug em3\niface em3 inet dhcp\n"
            "auto em4\niface em4 inet manual\n");
}

TEST(Eni, PlainRoutesAreForNetToolsWhereTheyAreInstalled) {
  const std::string yaml =
      "network_config:\n- {type: interface, name: em1, addresses: [{ip_netmask: 192.0.2.1/24}], routes:\n"
      "   [{default: true, next_hop: 192.0.2.254},\n"
      "    {ip_netmask: 10.1.2.0/24, next_hop: 192.0.2.5, route_options: metric 10}]}\n";
  EXPECT_THAT(eni(yaml, {.net_tools = true}),
              HasSubstr("up route add -net 0.0.0.0 netmask 0.0.0.0 gw 192.0.2.254\n"
                        "down route del -net 0.0.0.0 netmask 0.0.0.0 gw 192.0.2.254\n"
                        "up route add -net 10.1.2.0 netmask 255.255.255.0 gw 192.0.2.5 metric 10\n"
                        "down route del -net 10.1.2.0 netmask 255.255.255.0 gw 192.0.2.5 metric 10\n"));
  EXPECT_THAT(eni(yaml), HasSubstr("    up ip route replace default via 192.0.2.254 dev em1\n"));
  EXPECT_THAT(eni(yaml), HasSubstr("    up ip route replace 10.1.2.0/24 via 192.0.2.5 dev em1 metric 10\n"));
}

TEST(Eni, EachAddressHasAStanzaAndDhcpItsOwn) {
  EXPECT_EQ(eni("network_config:\n- {type: interface, name: em1, use_dhcp: true, use_dhcpv6: true,\n"
                "   addresses: [{ip_netmask: '2001:db8::1/64'}, {ip_netmask: 192.0.2.1/24}]}\n"),
            "auto em1\niface em1 inet dhcp\n"
            "auto em1\niface em1 inet static\n    address 192.0.2.1\n    netmask 255.255.255.0\n"
            "auto em1\niface em1 inet6 static\n    address 2001:db8::1\n    netmask 64\n"
            "auto em1\niface em1 inet6 dhcp\n");
}

TEST(Eni, Ipv6RoutesTablesAndRulesAreForIp) {
  const std::string text =
      eni("network_config:\n- {type: route_table, name: mine, table_id: 200}\n"
          "- {type: interface, name: em1, addresses: [{ip_netmask: '2001:db8::1/64'}],\n"
          "   routes: [{destination: '2001:db8:1::/48', next_hop: '2001:db8::2', table: mine, metric: 5},\n"
          "            {destination: 10.0.0.7/8, next_hop: self}],\n"
          "   rules: [{rule: from 192.0.2.0/24 table mine, comment: ours}, {rule: add blackhole from 10.9.0.0/16}]}\n");
  EXPECT_THAT(text, HasSubstr("up ip -6 route replace 2001:db8:1::/48 via 2001:db8::2 dev em1 table 200 metric 5\n"));
  EXPECT_THAT(text, HasSubstr("up ip route replace 10.0.0.0/8 dev em1\n"));
  EXPECT_THAT(text, HasSubstr("    # ours\n    up ip rule del from 192.0.2.0/24 table 200 2>/dev/null; "
                              "ip rule add from 192.0.2.0/24 table 200\n"));
  EXPECT_THAT(text, HasSubstr("    down ip rule del blackhole from 10.9.0.0/16 2>/dev/null || true\n"));
}

TEST(Eni, VlanIsMadeWithoutThePackageVlan) {
  EXPECT_EQ(eni("network_config:\n- {type: vlan, vlan_id: 5, device: em1, addresses: [{ip_netmask: 192.0.2.1/24}]}\n"),
            "auto vlan5\niface vlan5 inet static\n    address 192.0.2.1\n    netmask 255.255.255.0\n"
            "    vlan-raw-device em1\n"
            "    pre-up [ -d /sys/class/net/vlan5 ] || ip link add link em1 name vlan5 type vlan id 5\n"
            "    post-down ip link delete dev vlan5 2>/dev/null || true\n");
}

TEST(Eni, BridgeTakesItsPortsAndIsMadeAfterThem) {
  EXPECT_EQ(eni("network_config:\n- {type: linux_bridge, name: br0, use_dhcp: true, members:"
                " [{type: interface, name: em1, primary: true}]}\n"),
            "auto em1\niface em1 inet manual\n"
            "auto br0\niface br0 inet dhcp\n"
            "    pre-up [ -d /sys/class/net/br0 ] || ip link add name br0 type bridge\n"
            "    pre-up ip link set dev em1 master br0\n    pre-up ip link set dev em1 up\n"
            "    pre-up ip link set dev br0 address 52:54:00:00:00:01\n"
            "    post-down ip link delete dev br0 2>/dev/null || true\n");
}

TEST(Eni, BondHasItsOptionsAndItsPrimaryOnceItHasMembers) {
  const std::string text =
      eni("network_config:\n- {type: linux_bond, name: bond1, bonding_options: mode=1 miimon=100 primary=em2, members:"
          " [{type: interface, name: em1}, {type: interface, name: em2}, {type: vlan, vlan_id: 7}]}\n");
  EXPECT_THAT(text, HasSubstr("|| ip link add name bond1 type bond miimon 100 mode active-backup\n"
                              "    pre-up ip link set dev em1 down\n    pre-up ip link set dev em1 master bond1\n"));
  EXPECT_THAT(text, HasSubstr("pre-up ip link set dev em2 up\n"
                              "    pre-up ip link set dev bond1 type bond primary em2\n"));
  EXPECT_THAT(text, Not(HasSubstr("vlan7 master")));
  EXPECT_LT(text.find("iface bond1"), text.find("iface vlan7"));
}

TEST(Eni, OpenVswitchBridgeIsWrittenAsInTheField) {
  EXPECT_EQ(
      eni("network_config:\n- {type: ovs_bridge, name: br-ex, ovs_fail_mode: secure, members:\n"
          "   [{type: interface, name: em1}, {type: vlan, vlan_id: 16, addresses: [{ip_netmask: 192.0.2.1/24}]}]}\n"),
      "auto br-ex\nallow-ovs br-ex\niface br-ex inet manual\n    ovs_type OVSBridge\n    ovs_ports em1 vlan16\n"
      "    pre-up ip addr flush dev em1\n    ovs_extra set bridge br-ex fail_mode=secure\n"
      "auto em1\nallow-br-ex em1\niface em1 inet manual\n    ovs_bridge br-ex\n    ovs_type OVSPort\n"
      "auto vlan16\nallow-br-ex vlan16\niface vlan16 inet static\n    address 192.0.2.1\n"
      "    netmask 255.255.255.0\n    ovs_bridge br-ex\n    ovs_type OVSIntPort\n    ovs_options tag=16\n");
}

TEST(Eni, NameServersGoToTheResolverOrIntoResolvConf) {
  const std::string yaml =
      "network_config:\n- {type: interface, name: em1, dns_servers: [192.0.2.53], domain: [a.test, b.test]}\n";
  EXPECT_THAT(eni(yaml), HasSubstr("    dns-nameservers 192.0.2.53\n    dns-search a.test b.test\n"));
  const Layout with_hook = render_eni(network_of(yaml), {.resolver_hook = true});
  EXPECT_EQ(file_of(with_hook, "/etc/resolv.conf"), "(not there)");
  const Layout without = render_eni(network_of(yaml), {});
  EXPECT_EQ(file_of(without, "/etc/resolv.conf"),
            "# This file is autogenerated by os-net-config\nsearch a.test b.test\nnameserver 192.0.2.53\n");
}

TEST(Eni, DefaultRouteOfDhcpCanBeLeftOut) {
  EXPECT_THAT(eni("network_config:\n- {type: interface, name: em1, use_dhcp: true, defroute: false}\n"),
              HasSubstr("    up ip route del default dev em1 2>/dev/null || true\n"));
}

TEST(Eni, TeamsAreNotForIfupdown) {
  const Network network =
      network_of("network_config:\n- {type: team, name: t0, members: [{type: interface, name: a}]}\n");
  EXPECT_THAT(refusal([&network] { (void)render_eni(network, {}); }), HasSubstr("ifupdown knows no teams"));
}

TEST(Eni, StanzasAreKnownByInterface) {
  EXPECT_THAT(split_stanzas("# note\nauto lo em1\niface lo inet loopback\n\nsource /etc/network/interfaces.d/*\n"
                            "iface em1 inet static\n\taddress   192.0.2.1/24\n"),
              ElementsAre(Pair("em1", "auto\niface em1 inet static\naddress 192.0.2.1/24\n"),
                          Pair("lo", "auto\niface lo inet loopback\n")));
}

TEST(Eni, UnitsAreWhatTheFileSaysOfThem) {
  const Layout layout = render_eni(
      network_of("network_config:\n- {type: linux_bridge, name: br0, members: [{type: interface, name: em1}]}\n"), {});
  const auto stanzas = split_stanzas(file_of(layout, "/etc/network/interfaces"));
  ASSERT_EQ(layout.units.size(), 2);
  for (const Unit& unit : layout.units) EXPECT_EQ(stanzas.at(unit.name), unit.text);
}

TEST(Eni, RenamingIsARuleOfUdev) {
  Network network;
  network.devices.push_back({.name = "nic1", .device_now = "em1", .hwaddr = "52:54:00:00:00:01"});
  EXPECT_THAT(file_of(render_eni(network, {}), "/etc/udev/rules.d/70-os-net-config.rules"),
              HasSubstr("ATTR{address}==\"52:54:00:00:00:01\", NAME=\"nic1\"\n"));
}

}  // namespace
}  // namespace hearth::agent::net
