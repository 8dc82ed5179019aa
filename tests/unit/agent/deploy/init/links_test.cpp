#include "agent/deploy/init/links.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {
namespace {

/// A kernel with these interfaces that notes what it is told, and refuses what begins with `refused`.
class NotedLinks final : public Links {
 public:
  std::map<std::string, std::string> macs{{"eth0", "52:54:00:00:00:01"}, {"eth1", "52:54:00:00:00:02"}};
  std::vector<std::string> told;
  std::string refused = "nothing";

  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> list;
    for (const auto& [name, mac] : macs) list.push_back(name);
    return list;
  }
  [[nodiscard]] std::string mac_of(const std::string& interface) const override {
    const auto found = macs.find(interface);
    return found == macs.end() ? "" : found->second;
  }
  void set_up(const std::string& interface, bool up) override { note(cat(up ? "up " : "down ", interface)); }
  void rename(const std::string& interface, const std::string& name) override {
    note(cat("rename ", interface, " ", name));
    macs[name] = macs[interface];
    macs.erase(interface);
  }
  void add_bond(const BondWish& bond) override {
    note(cat("bond ", bond.name, " ", join(bond.ports, ",")));
    macs[bond.name] = macs[bond.ports.front()];
  }
  void add_vlan(const VlanWish& vlan) override {
    note(cat("vlan ", vlan.name, " ", vlan.below, " ", vlan.id));
    macs[vlan.name] = macs[vlan.below];
  }
  void set_mac(const std::string& interface, const std::string& mac) override {
    note(cat("mac ", interface, " ", mac));
  }
  void set_mtu(const std::string& interface, std::uint16_t mtu) override { note(cat("mtu ", interface, " ", mtu)); }
  void set_address(const std::string& interface, const IpBytes& address, int prefix) override {
    note(cat("address ", interface, " ", ip_text(address), "/", prefix));
  }
  void add_route(const RouteWish& route) override {
    note(cat("route ", ip_text(route.network), "/", route.prefix, " ", ip_text(route.router), " ", route.interface));
  }

 private:
  void note(const std::string& text) {
    if (text.rfind(refused, 0) == 0) throw Error(ErrorKind::io, "refused");
    told.push_back(text);
  }
};

struct Done {
  std::vector<std::string> told;
  std::vector<std::string> said;
};

Done apply(const char* line, NotedLinks links = {}, int times = 1) {
  Done done;
  for (int i = 0; i < times; ++i) {
    apply_wish(network_wish(kernel_words(line)), "eth0", links,
               [&](const std::string& text) { done.said.push_back(text); });
  }
  done.told = links.told;
  return done;
}

TEST(ApplyWish, AVlanOnABondIsMadeFromBelow) {
  const Done done = apply("ip=192.0.2.15::192.0.2.1:24::prov.5:none vlan=prov.5:prov bond=prov:eth0,eth1:mode=1:1400");
  EXPECT_EQ(done.told, (std::vector<std::string>{"bond prov eth0,eth1", "mtu prov 1400", "up prov",
                                                 "vlan prov.5 prov 5", "up prov.5", "address prov.5 192.0.2.15/24",
                                                 "route 0.0.0.0/0 192.0.2.1 prov.5"}));
  EXPECT_TRUE(done.said.empty());
}

TEST(ApplyWish, NamesAreGivenFirst) {
  const Done done = apply(
      "ip=[2001:db8::15]::[2001:db8::1]:64::boot:none ifname=boot:52:54:00:00:00:02 "
      "rd.route=198.51.100.0/24:192.0.2.9");
  EXPECT_EQ(done.told,
            (std::vector<std::string>{"down eth1", "rename eth1 boot", "up boot", "address boot 2001:db8::15/64",
                                      "route ::/0 2001:db8::1 boot", "route 198.51.100.0/24 192.0.2.9 "}));
}

TEST(ApplyWish, AnAddressWithoutAnInterfaceIsTheBootInterfaces) {
  const Done done = apply("ip=192.0.2.15:::24:::none");
  EXPECT_EQ(done.told, (std::vector<std::string>{"up eth0", "address eth0 192.0.2.15/24"}));
}

TEST(ApplyWish, WhatCantBeDoneIsToldAndTheRestIsDone) {
  const Done done = apply(
      "bond=b:eth0,eth9:mode=1 vlan=v5:eth7 ip=192.0.2.15:::24::eth8:none ip=eth1:dhcp:1400 "
      "ifname=x:52:54:00:00:00:09");
  ASSERT_EQ(done.said.size(), 4U);
  EXPECT_EQ(done.said[0], "ifname=x: no interface has the address 52:54:00:00:00:09");
  EXPECT_EQ(done.said[1], "the bond b: there is no interface eth9");
  EXPECT_EQ(done.said[2], "the VLAN v5: there is no interface eth7");
  EXPECT_EQ(done.said[3], "ip=…:eth8: there is no interface eth8");
  EXPECT_EQ(done.told, (std::vector<std::string>{"mtu eth1 1400", "up eth1"}));
}

TEST(ApplyWish, TheKernelsRefusalIsTold) {
  NotedLinks links;
  links.refused = "vlan";
  const Done done = apply("vlan=v5:eth0 ip=192.0.2.15:::24::eth1:none", links);
  EXPECT_EQ(done.said, std::vector<std::string>{"the VLAN v5: refused"});
  EXPECT_EQ(done.told.back(), "address eth1 192.0.2.15/24");
}

TEST(ApplyWish, AnotherTryMakesNoSecondVlan) {
  const Done done = apply("vlan=v5:eth0", {}, 2);
  EXPECT_EQ(std::count(done.told.begin(), done.told.end(), "vlan v5 eth0 5"), 1);
  EXPECT_TRUE(done.said.empty());
}

}  // namespace
}  // namespace hearth::agent::deploy
