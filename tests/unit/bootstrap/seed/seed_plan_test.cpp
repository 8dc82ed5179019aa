#include "bootstrap/seed/seed_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

SiteFile a_site() {
  SiteFile site;
  site.subnet = "192.0.2.0/24";
  site.seed_address = "192.0.2.1";
  site.pool = "192.0.2.100-192.0.2.199";
  BlankMachine machine;
  machine.name = "node1";
  machine.mac = "52:54:00:00:00:01";
  machine.uefi = true;
  machine.profile = "control";
  machine.address = "192.0.2.50";
  site.machines = {machine};
  return site;
}

TEST(SeedPlan, theMetadataHaveNetworkTokenAndSite) {
  const SeedCards cards = seed_cards(a_site());
  const Json metadata = seed_metadata(a_site(), cards, "secret");
  EXPECT_EQ(metadata["os-collect-config"]["collectors"], Json::array({"heat_local"}));
  EXPECT_EQ(metadata["hearth-seed"]["nics"]["nic2"], cards.provisioning);
  EXPECT_EQ(metadata["hearth-seed"]["token"], "secret");
  EXPECT_EQ(metadata["hearth-seed"]["site"]["networks"][0]["server"], "192.0.2.1");
  const Json bridge = metadata["os_net_config"]["network_config"][1];
  EXPECT_EQ(bridge["name"], "br-ctlplane");
  EXPECT_EQ(bridge["addresses"][0]["ip_netmask"], "192.0.2.1/24");
  EXPECT_EQ(bridge["members"][0]["name"], "nic2");
}

TEST(SeedPlan, seedsOfTwoSitesHaveDifferentCards) {
  SiteFile other = a_site();
  other.seed_address = "192.0.2.2";
  EXPECT_NE(seed_cards(a_site()).provisioning, seed_cards(other).provisioning);
  EXPECT_NE(seed_cards(a_site()).provisioning, seed_cards(a_site()).management);
  EXPECT_EQ(seed_cards(a_site()).management, seed_cards(a_site()).management);
}

TEST(SeedPlan, theMachineForwardsItsPortsToLoopbackOnly) {
  SeedMachine machine;
  machine.image = "/srv/a,b.qcow2";
  machine.home = "/run/seed";
  machine.tap = "t0";
  machine.cards = seed_cards(a_site());
  const std::string line = join(seed_command(machine), " ");
  EXPECT_NE(line.find("hostfwd=tcp:127.0.0.1:6385-10.0.2.15:6385"), std::string::npos);
  EXPECT_NE(line.find("file=/srv/a,,b.qcow2,"), std::string::npos);
  EXPECT_NE(line.find("ifname=t0"), std::string::npos);
  EXPECT_EQ(line.find("images"), std::string::npos);
  machine.first_port = 20000;
  machine.images = "/srv/images.squashfs";
  const std::string other = join(seed_command(machine), " ");
  EXPECT_NE(other.find("hostfwd=tcp:127.0.0.1:20000-10.0.2.15:6385"), std::string::npos);
  EXPECT_NE(other.find("serial=hearth-images"), std::string::npos);
  EXPECT_EQ(forwarded_port(machine, 8000), 20001);
}

TEST(SeedPlan, onlyADisposableSeedWritesWithoutWaitingForTheDisk) {
  SeedMachine machine;
  EXPECT_EQ(join(seed_command(machine), " ").find("cache="), std::string::npos);
  machine.disposable = true;
  EXPECT_NE(join(seed_command(machine), " ").find("cache=unsafe"), std::string::npos);
}

}  // namespace
}  // namespace hearth::bootstrap
