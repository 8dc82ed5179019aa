#include "agent/net/activation.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::agent::net {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> lines(const std::vector<Step>& steps) {
  std::vector<std::string> texts;
  for (const Step& step : steps) texts.push_back(join(step.argv, " "));
  return texts;
}

ChangePlan bridge_plan() {
  ChangePlan plan;
  plan.restart = {{.name = "em1", .text = "", .after = {}, .device_now = ""},
                  {.name = "br0", .text = "", .after = {"em1"}, .device_now = "", .is_virtual = true, .waits = true}};
  return plan;
}

TEST(Activation, IfdownGoesFromTheTopAndIfupFromTheBottom) {
  EXPECT_THAT(lines(stop_steps(bridge_plan(), Provider::eni, "")),
              ElementsAre("/sbin/ifdown br0", "ip link delete dev br0", "/sbin/ifdown em1", "ip addr flush dev em1",
                          "ip link set dev em1 down"));
  EXPECT_THAT(lines(start_steps(bridge_plan(), Provider::eni, "")), ElementsAre("/sbin/ifup em1", "/sbin/ifup br0"));
}

TEST(Activation, OtherRootHasItsOwnInterfacesFile) {
  EXPECT_THAT(
      lines(start_steps(bridge_plan(), Provider::eni, "/r")),
      ElementsAre("/sbin/ifup -i /r/etc/network/interfaces em1", "/sbin/ifup -i /r/etc/network/interfaces br0"));
}

TEST(Activation, NetworkdReloadsAndReconfigures) {
  EXPECT_THAT(lines(stop_steps(bridge_plan(), Provider::networkd, "")), ElementsAre("ip link delete dev br0"));
  EXPECT_THAT(lines(start_steps(bridge_plan(), Provider::networkd, "")),
              ElementsAre("networkctl reload", "networkctl reconfigure em1", "networkctl reconfigure br0",
                          "/lib/systemd/systemd-networkd-wait-online --interface br0 --timeout 60"));
}

TEST(Activation, RenamedDevicesAreDownMeanwhile) {
  ChangePlan plan;
  plan.restart = {{.name = "nic1", .text = "", .after = {}, .device_now = "em1"}};
  EXPECT_THAT(lines(start_steps(plan, Provider::ifcfg, "")),
              ElementsAre("ip link set dev em1 down", "ip link set dev em1 name nic1", "/sbin/ifup nic1"));
}

TEST(Activation, NothingIsStartedWithoutAChange) {
  EXPECT_THAT(start_steps({}, Provider::networkd, ""), IsEmpty());
  EXPECT_THAT(stop_steps({}, Provider::eni, ""), IsEmpty());
}

TEST(Activation, ReloadIsEnoughWhenOnlyFilesWent) {
  ChangePlan plan;
  plan.files = {{"/etc/systemd/network/10-os-net-config-em1.network", ""}};
  EXPECT_THAT(lines(start_steps(plan, Provider::networkd, "")), ElementsAre("networkctl reload"));
}

}  // namespace
}  // namespace hearth::agent::net
