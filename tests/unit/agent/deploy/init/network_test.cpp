#include "agent/deploy/init/network.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth::agent::deploy {
namespace {

const std::vector<Nic> k_nics{{.name = "eth0", .mac = "52:54:00:00:00:01"},
                              {.name = "eth1", .mac = "52:54:00:00:00:02"},
                              {.name = "eth2", .mac = "52:54:00:00:00:03"}};

/// "eth0:46" asks by both families.
std::string asked(const std::string& line) {
  std::vector<std::string> list;
  for (const InterfaceWish& one :
       interfaces_to_ask(k_nics, settings_of(parse_kernel_line(line)), network_wish(kernel_words(line)))) {
    list.push_back(cat(one.name, ":", one.asks4() ? "4" : "", one.asks6() ? "6" : ""));
  }
  return join(list, " ");
}

TEST(InterfacesToAsk, AllAskForBothFamiliesUnlessOneIsNamed) {
  EXPECT_EQ(asked(""), "eth0:46 eth1:46 eth2:46");
  EXPECT_EQ(asked("BOOTIF=01-52-54-00-00-00-02"), "eth1:46");
  EXPECT_EQ(asked("ipa-network-interface=eth2"), "eth2:46");
}

TEST(InterfacesToAsk, WhereIpStandsItAloneSays) {
  EXPECT_EQ(asked("ip=dhcp"), "eth0:4 eth1:4 eth2:4");
  EXPECT_EQ(asked("ip=either6 BOOTIF=01-52-54-00-00-00-02"), "eth1:6");
  EXPECT_EQ(asked("ip=eth1:dhcp"), "eth1:4");
  EXPECT_EQ(asked("ip=eth1:dhcp ip=eth1:auto6"), "eth1:4 eth1:6");
  EXPECT_EQ(asked("ip=192.0.2.15:::24::eth0:none"), "");
  EXPECT_EQ(asked("ip=none"), "eth0:46 eth1:46 eth2:46") << "without an address a ramdisk is of no use";
  EXPECT_EQ(asked("ip=none ip=eth1:link6 BOOTIF=01-52-54-00-00-00-02"), "eth1:46");
  EXPECT_EQ(asked("ip=eth1:none ip=dhcp"), "eth0:4 eth2:4");
}

TEST(InterfacesToAsk, ABondAsksAndItsPortsDoNot) {
  EXPECT_EQ(asked("bond=b:eth0,eth1:mode=1"), "b:46 eth2:46");
  EXPECT_EQ(asked("bond=b:eth0,eth1:mode=1 vlan=b.5:b ip=b.5:dhcp"), "b.5:4");
  EXPECT_EQ(asked("ip=nonsense"), "eth0:46 eth1:46 eth2:46") << "what is left out is as if it were not there";
}

TEST(ResolvConf, ServersOfBothFamilies) {
  EXPECT_EQ(resolv_conf("lab.example", {"192.0.2.53", server_text(ip_bytes("2001:db8::53"), "eth0"),
                                        server_text(ip_bytes("fe80::53"), "eth0")}),
            "search lab.example\nnameserver 192.0.2.53\nnameserver 2001:db8::53\nnameserver fe80::53%eth0\n");
  EXPECT_EQ(resolv_conf("lab.example", {}), "");
}

}  // namespace
}  // namespace hearth::agent::deploy
