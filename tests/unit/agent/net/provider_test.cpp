#include "agent/net/provider.hpp"

#include <gmock/gmock.h>

#include "tests/unit/agent/net/network_fixture.hpp"

namespace hearth::agent::net {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;

TEST(NetProvider, IsGuessedFromWhatTheMachineHas) {
  fakes::MemoryFileSystem files;
  EXPECT_THAT(refusal([&files] { (void)guess_provider("", files); }), HasSubstr("Unable to set provider"));
  files.make_directories("/etc/systemd/network", 0755);
  EXPECT_EQ(guess_provider("", files), Provider::networkd);
  files.make_directories("/etc/network", 0755);  // left behind by something
  EXPECT_EQ(guess_provider("", files), Provider::networkd);
  files.put("/sbin/ifup", "", 0755);
  EXPECT_EQ(guess_provider("", files), Provider::eni);
  files.make_directories("/etc/sysconfig/network-scripts", 0755);
  EXPECT_EQ(guess_provider("", files), Provider::ifcfg);
  EXPECT_THAT(refusal([&files] { (void)guess_provider("/other", files); }), HasSubstr("Unable to set provider"));
}

TEST(NetProvider, NmstateFailsClearly) {
  EXPECT_EQ(refusal([] { (void)provider_of("nmstate"); }), "the provider nmstate is not supported");
  EXPECT_THAT(refusal([] { (void)provider_of("netplan"); }), HasSubstr("'netplan' is none of eni, networkd, ifcfg"));
}

TEST(NetProvider, PresentUnitsAreOursOnly) {
  fakes::MemoryFileSystem files;
  files.put("/r/etc/systemd/network/10-os-net-config-em1.network", "a\n");
  files.put("/r/etc/systemd/network/10-os-net-config-vlan5.netdev", "b\n");
  files.put("/r/etc/systemd/network/10-os-net-config-vlan5.network", "c\n");
  files.put("/r/etc/systemd/network/20-others.network", "d\n");
  const auto units = present_units(Provider::networkd, "/r", files);
  EXPECT_THAT(units, ElementsAre(Key("em1"), Key("vlan5")));
  EXPECT_EQ(units.at("vlan5"), "b\nc\n");
}

TEST(NetProvider, WhatWasRenderedIsReadBackAsTheSameUnits) {
  const Network network = network_of(
      "network_config:\n- {type: linux_bridge, name: br0, members: [{type: interface, name: em1}]}\n"
      "- {type: interface, name: em2, routes: [{default: true, next_hop: 192.0.2.1}]}\n");
  for (const Provider provider : {Provider::eni, Provider::networkd, Provider::ifcfg}) {
    fakes::MemoryFileSystem files;
    const Layout layout = render(provider, network, "", files);
    for (const RenderedFile& file : layout.files) {
      if (!file.data.empty()) files.put(file.path, file.data);
    }
    const auto present = present_units(provider, "", files);
    for (const Unit& unit : layout.units) EXPECT_EQ(present.at(unit.name), unit.text) << provider_name(provider);
    EXPECT_EQ(present.size(), layout.units.size());
  }
}

}  // namespace
}  // namespace hearth::agent::net
