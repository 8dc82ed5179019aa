#include "agent/deploy/init/links.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

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
    note(cat("bond ", bond.name));
    macs[bond.name] = macs[bond.ports.front()];
  }
  void add_port(const std::string& bond, const std::string& port) override { note(cat("port ", bond, " ", port)); }
  void remove_bond(const std::string& bond) override { macs.erase(bond); }
  void add_vlan(const VlanWish& vlan) override {
    if (vlans_.count(vlan.name) != 0) return;
    if (macs.count(vlan.name) != 0) throw Error(ErrorKind::input, "another interface is called so");
    note(cat("vlan ", vlan.name, " ", vlan.below, " ", vlan.id));
    vlans_.insert(vlan.name);
    macs[vlan.name] = macs[vlan.below];
  }
  void set_mac(const std::string& interface, const std::string& mac) override {
    note(cat("mac ", interface, " ", mac));
  }
  void set_mtu(const std::string& interface, std::uint16_t mtu) override { note(cat("mtu ", interface, " ", mtu)); }
  void set_address(const std::string& interface, const IpBytes& address, int prefix) override {
    note(cat("address ", interface, " ", ip_text(address), "/", prefix));
  }
  void drop_address(const std::string& interface, const IpBytes& address, int prefix) override {
    note(cat("drop ", interface, " ", ip_text(address), "/", prefix));
  }
  void add_route(const RouteWish& route) override {
    note(cat("route ", ip_text(route.network), "/", route.prefix, " ", ip_text(route.router), " ", route.interface));
  }

 private:
  void note(const std::string& text) {
    if (text.rfind(refused, 0) == 0) throw Error(ErrorKind::io, "refused");
    told.push_back(text);
  }
  std::set<std::string> vlans_;
};

struct Done {
  std::vector<std::string> told;
  std::vector<std::string> said;
  NetworkWish made;
};

Done apply(const char* line, NotedLinks links = {}, int times = 1) {
  Done done;
  for (int i = 0; i < times; ++i) {
    // The boot interface is known by its MAC, whatever it is called by then.
    const auto boot_interface = [&links] { return links.macs.begin()->first; };
    done.made = apply_wish(network_wish(kernel_words(line)), boot_interface, links,
                           [&](const std::string& text) { done.said.push_back(text); });
  }
  done.told = links.told;
  return done;
}

TEST(ApplyWish, AVlanOnABondIsMadeFromBelow) {
  const Done done = apply("ip=192.0.2.15::192.0.2.1:24::prov.5:none vlan=prov.5:prov bond=prov:eth0,eth1:mode=1:1400");
  EXPECT_EQ(done.told, (std::vector<std::string>{"bond prov", "port prov eth0", "port prov eth1", "mtu prov 1400",
                                                 "up prov", "vlan prov.5 prov 5", "up prov.5",
                                                 "address prov.5 192.0.2.15/24", "route 0.0.0.0/0 192.0.2.1 prov.5"}));
  EXPECT_TRUE(done.said.empty());
}

TEST(ApplyWish, AVlanMayBeNamedBeforeTheOneThatItLiesWithin) {
  const Done done = apply("vlan=a.5.7:a.5 vlan=a.5.6:a.5 vlan=a.5:eth0");
  EXPECT_EQ(done.told, (std::vector<std::string>{"up eth0", "vlan a.5 eth0 5", "up a.5", "vlan a.5.7 a.5 7", "up a.5",
                                                 "vlan a.5.6 a.5 6"}));
  EXPECT_TRUE(done.said.empty());
  EXPECT_EQ(done.made.vlans.size(), 3U);
}

TEST(ApplyWish, OfTwoCardsWithOneAddressNeitherIsRenamed) {
  NotedLinks links;
  links.macs["eth1"] = links.macs["eth0"];
  const Done done = apply("ifname=boot:52:54:00:00:00:01", links);
  EXPECT_EQ(done.said,
            std::vector<std::string>{"ifname=boot: eth0 and eth1 have the address 52:54:00:00:00:01: which is "
                                     "meant isn't known"});
  EXPECT_TRUE(done.told.empty());
}

TEST(MoveAddress6, TheOneOfBeforeGoesOnceTheNewOneIsThere) {
  NotedLinks links;
  const IpBytes one = ip_bytes("2001:db8::1");
  const IpBytes two = ip_bytes("2001:db8::2");
  move_address6("eth0", IpBytes(), one, links);
  move_address6("eth0", one, one, links);
  move_address6("eth0", one, two, links);
  move_address6("eth0", two, IpBytes(), links);
  move_address6("eth0", IpBytes(), IpBytes(), links);
  EXPECT_EQ(links.told, (std::vector<std::string>{"address eth0 2001:db8::1/128", "address eth0 2001:db8::2/128",
                                                  "drop eth0 2001:db8::1/128", "drop eth0 2001:db8::2/128"}));
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
  const Done renamed = apply("ip=192.0.2.15:::24:::none ifname=boot:52:54:00:00:00:01");
  EXPECT_EQ(renamed.told.back(), "address boot 192.0.2.15/24");
  ASSERT_EQ(renamed.made.interfaces.size(), 1U);
  EXPECT_EQ(renamed.made.interfaces[0].name, "boot");
}

TEST(ApplyWish, WhatCantBeDoneIsToldAndTheRestIsDone) {
  const Done done = apply(
      "bond=b:eth0,eth9:mode=1 bond=c:eth9:mode=1 vlan=v5:eth7 ip=192.0.2.15:::24::eth8:none ip=eth1:dhcp:1400 "
      "ifname=x:52:54:00:00:00:09");
  ASSERT_EQ(done.said.size(), 6U);
  EXPECT_EQ(done.said[0], "ifname=x: no interface has the address 52:54:00:00:00:09");
  EXPECT_EQ(done.said[1], "the bond b: there is no interface eth9");
  EXPECT_EQ(done.said[2], "the bond c: there is no interface eth9");
  EXPECT_EQ(done.said[3], "the bond c: none of its interfaces is there");
  EXPECT_EQ(done.said[4], "the VLAN v5: there is no interface eth7");
  EXPECT_EQ(done.said[5], "ip=…:eth8: there is no interface eth8");
  EXPECT_EQ(done.told, (std::vector<std::string>{"bond b", "port b eth0", "mtu eth1 1400", "up eth1"}));
}

/// "bonds; vlans; interfaces" that there are.
std::string made_of(const char* line, const char* refused) {
  NotedLinks links;
  links.refused = refused;
  const Done done = apply(line, links);
  EXPECT_FALSE(done.said.empty()) << line;
  std::vector<std::string> made;
  for (const BondWish& bond : done.made.bonds) made.push_back(cat(bond.name, "=", join(bond.ports, ",")));
  for (const VlanWish& vlan : done.made.vlans) made.push_back(vlan.name);
  for (const InterfaceWish& one : done.made.interfaces) made.push_back(cat(one.name, "?"));
  return join(made, " ");
}

TEST(ApplyWish, WhatCameToNothingIsNotThere) {
  const char* const tower = "bond=b:eth0,eth1:mode=1 vlan=b.5:b ip=b.5:dhcp";
  EXPECT_EQ(made_of(tower, "bond"), "") << "so that all cards ask";
  EXPECT_EQ(made_of(tower, "port"), "");
  EXPECT_EQ(made_of(tower, "port b eth1"), "b=eth0 b.5 b.5?");
  EXPECT_EQ(made_of(tower, "vlan"), "b=eth0,eth1");
  EXPECT_EQ(made_of("ip=192.0.2.15:::24::eth0:none", "address"), "");
  EXPECT_EQ(made_of("ip=eth7:dhcp", "nothing"), "");
  EXPECT_EQ(made_of("ip=eth0:dhcp", "up"), "");
  EXPECT_EQ(made_of("vlan=a5:b7 vlan=b7:a5", "nothing"), "");
}

TEST(ApplyWish, AnMtuAMacOrARouteThatIsRefusedCostsNoAddress) {
  for (const char* refused : {"mtu", "mac", "route"}) {
    EXPECT_EQ(made_of("ip=192.0.2.15::192.0.2.1:24::eth0:none:9000:52-54-00-00-00-07", refused), "eth0?") << refused;
  }
}

TEST(ApplyWish, TheKernelsRefusalIsTold) {
  NotedLinks links;
  links.refused = "vlan";
  const Done done = apply("vlan=v5:eth0 ip=192.0.2.15:::24::eth1:none", links);
  EXPECT_EQ(done.said, std::vector<std::string>{"the VLAN v5: refused"});
  EXPECT_EQ(done.told.back(), "address eth1 192.0.2.15/24");
}

TEST(ApplyWish, AVlanTakesNoOthersName) {
  const Done done = apply("vlan=eth1:eth0");
  EXPECT_EQ(done.said, std::vector<std::string>{"the VLAN eth1: another interface is called so"});
  EXPECT_TRUE(done.made.vlans.empty());
}

TEST(ApplyWish, AnotherTryMakesNoSecondVlan) {
  const Done done = apply("vlan=v5:eth0", {}, 2);
  EXPECT_EQ(std::count(done.told.begin(), done.told.end(), "vlan v5 eth0 5"), 1);
  EXPECT_TRUE(done.said.empty());
}

}  // namespace
}  // namespace hearth::agent::deploy
