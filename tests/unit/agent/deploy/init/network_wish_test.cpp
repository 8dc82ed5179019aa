#include "agent/deploy/init/network_wish.hpp"

#include <gtest/gtest.h>

namespace hearth::agent::deploy {
namespace {

NetworkWish wished(const char* line) { return network_wish(kernel_words(line)); }

TEST(NetworkWish, DracutsMethodsForAllInterfacesOrOne) {
  const NetworkWish wish = wished("quiet ip=dhcp ip=eth1:auto6 ip=eth2:dhcp6:9000:52-54-00-12-34-56 ip=eth3:off");
  ASSERT_EQ(wish.interfaces.size(), 4U);
  EXPECT_EQ(wish.interfaces[0].name, "");
  EXPECT_TRUE(wish.interfaces[0].asks4() && !wish.interfaces[0].asks6());
  EXPECT_EQ(wish.interfaces[1].name, "eth1");
  EXPECT_TRUE(!wish.interfaces[1].asks4() && wish.interfaces[1].asks6());
  EXPECT_EQ(wish.interfaces[2].method, Method::dhcp6);
  EXPECT_EQ(wish.interfaces[2].mtu, 9000);
  EXPECT_EQ(wish.interfaces[2].mac, "52:54:00:12:34:56");
  EXPECT_FALSE(wish.interfaces[3].asks4() || wish.interfaces[3].asks6());
  EXPECT_EQ(wish.problems, std::vector<std::string>{});
}

TEST(NetworkWish, StaticAddressesOfBothFamilies) {
  const NetworkWish wish = wished(
      "ip=192.0.2.15::192.0.2.1:255.255.255.0:node1:eth0:none:1400:52:54:00:12:34:56 "
      "ip=[2001:db8::15]::[2001:db8::1]:64::eth0:none nameserver=192.0.2.53 nameserver=[2001:db8::53]");
  ASSERT_EQ(wish.interfaces.size(), 2U);
  const InterfaceWish& four = wish.interfaces[0];
  EXPECT_EQ(ip_text(four.address), "192.0.2.15");
  EXPECT_EQ(four.prefix, 24);
  EXPECT_EQ(ip_text(four.router), "192.0.2.1");
  EXPECT_EQ(four.hostname, "node1");
  EXPECT_EQ(four.mtu, 1400);
  EXPECT_EQ(four.mac, "52:54:00:12:34:56");
  const InterfaceWish& six = wish.interfaces[1];
  EXPECT_EQ(ip_text(six.address), "2001:db8::15");
  EXPECT_EQ(six.prefix, 64);
  EXPECT_EQ(ip_text(six.router), "2001:db8::1");
  ASSERT_EQ(wish.name_servers.size(), 2U);
  EXPECT_EQ(ip_text(wish.name_servers[1]), "2001:db8::53");
  EXPECT_EQ(wish.problems, std::vector<std::string>{});
}

TEST(NetworkWish, NameServersMayStandBehindTheMethod) {
  const NetworkWish wish = wished("ip=192.0.2.15::192.0.2.1:24::eth0:none:192.0.2.53:192.0.2.54");
  ASSERT_EQ(wish.name_servers.size(), 2U);
  EXPECT_EQ(ip_text(wish.name_servers[1]), "192.0.2.54");
}

TEST(NetworkWish, AVlansNumberIsWhatItsNameEndsWith) {
  const NetworkWish wish = wished("vlan=vlan0005:eth0 vlan=eth0.4094:eth0");
  ASSERT_EQ(wish.vlans.size(), 2U);
  EXPECT_EQ(wish.vlans[0].id, 5);
  EXPECT_EQ(wish.vlans[0].below, "eth0");
  EXPECT_EQ(wish.vlans[1].name, "eth0.4094");
  EXPECT_EQ(wish.vlans[1].id, 4094);
}

TEST(NetworkWish, ABondHasPortsOptionsAndAnMtu) {
  const NetworkWish wish = wished("bond=b1:eth0,eth2:miimon=100,mode=802.3ad,lacp_rate=fast:9000 bond");
  ASSERT_EQ(wish.bonds.size(), 2U);
  EXPECT_EQ(wish.bonds[0].name, "b1");
  EXPECT_EQ(wish.bonds[0].ports, (std::vector<std::string>{"eth0", "eth2"}));
  EXPECT_EQ(wish.bonds[0].options.front(), (KernelWord{"mode", "802.3ad"})) << "the others depend on it";
  EXPECT_EQ(wish.bonds[0].options.size(), 3U);
  EXPECT_EQ(wish.bonds[0].mtu, 9000);
  EXPECT_EQ(wish.bonds[1].name, "bond0") << "as dracut has it without a value";
  EXPECT_EQ(wish.bonds[1].ports, (std::vector<std::string>{"eth0", "eth1"}));
}

TEST(NetworkWish, RoutesAndNames) {
  const NetworkWish wish = wished(
      "rd.route=198.51.100.0/24:192.0.2.254:eth0 rd.route=[2001:db8:1::]/48:[2001:db8::1] "
      "ifname=boot:52:54:00:AB:CD:EF rd.peerdns=0");
  ASSERT_EQ(wish.routes.size(), 2U);
  EXPECT_EQ(ip_text(wish.routes[0].network), "198.51.100.0");
  EXPECT_EQ(wish.routes[0].prefix, 24);
  EXPECT_EQ(wish.routes[0].interface, "eth0");
  EXPECT_EQ(ip_text(wish.routes[1].network), "2001:db8:1::");
  EXPECT_EQ(wish.routes[1].prefix, 48);
  ASSERT_EQ(wish.names.size(), 1U);
  EXPECT_EQ(wish.names[0], (KernelWord{"boot", "52:54:00:ab:cd:ef"}));
  EXPECT_FALSE(wish.peer_dns);
}

TEST(NetworkWish, WhatIsMalformedOrUnknownIsLeftOutAndTold) {
  for (const char* word : {"ip=",
                           "ip=ibft",
                           "ip=eth0:magic",
                           "ip=a/b:dhcp",
                           "ip=an-interface-too-long:dhcp",
                           "ip=192.0.2.300::::eth0:none",
                           "ip=192.0.2.1:::255.0.255.0::eth0:none",
                           "ip=192.0.2.1:::33::eth0:none",
                           "ip=192.0.2.1::[2001:db8::1]:24::eth0:none",
                           "ip=192.0.2.1:::24::eth0:dhcp",
                           "ip=192.0.2.1:192.0.2.2::24::eth0:none",
                           "ip=[2001:db8::1:::64::eth0:none",
                           "ip=255.255.255.255:::24::eth0:none",
                           "ip=0.0.0.0:::24::eth0:none",
                           "ip=[ff02::1]:::64::eth0:none",
                           "ip=192.0.2.1::127.0.0.1:24::eth0:none",
                           "ip=eth0:dhcp:70000",
                           "ip=eth0:dhcp::52:54",
                           "vlan=vlan5",
                           "vlan=vlan:eth0",
                           "vlan=vlan0:eth0",
                           "vlan=v4095:eth0",
                           "bond=bond0:eth0:mode",
                           "bond=bond0::mode=1",
                           "bond=b:e:mode=",
                           "bond=b:e:../x=1",
                           "bond=b:e:mode=1:9000:x",
                           "ifname=eth0",
                           "ifname=eth0:1",
                           "nameserver=dns.example",
                           "rd.route=192.0.2.0/24",
                           "rd.route=192.0.2.0/24:[2001:db8::1]",
                           "rd.peerdns=no",
                           "bridge=br0:eth0",
                           "team=t0:eth0",
                           "ipa-enable-vlan-interfaces=all"}) {
    const NetworkWish wish = wished(word);
    ASSERT_EQ(wish.problems.size(), 1U) << word;
    EXPECT_EQ(wish.problems[0].rfind(std::string(word), 0), 0U) << wish.problems[0];
    EXPECT_TRUE(wish.interfaces.empty() && wish.vlans.empty() && wish.bonds.empty() && wish.routes.empty()) << word;
  }
}

TEST(NetworkWish, OtherWordsAreNoConcern) {
  EXPECT_TRUE(wished("ipa-api-url=http://192.0.2.1 ro ipv6.disable=0").problems.empty());
}

}  // namespace
}  // namespace hearth::agent::deploy
