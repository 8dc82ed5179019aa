#include "agent/net/change_plan.hpp"

#include <gmock/gmock.h>

#include "tests/unit/agent/net/network_fixture.hpp"

namespace hearth::agent::net {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* k_bridge =
    "network_config:\n- {type: linux_bridge, name: br0, members: [{type: interface, name: em1}]}\n"
    "- {type: interface, name: em2, addresses: [{ip_netmask: 192.0.2.1/24}]}\n";

class ChangePlanTest : public testing::Test {
 protected:
  [[nodiscard]] Layout layout(const std::string& yaml) const {
    return render(Provider::eni, network_of(yaml), "", files);
  }
  void put(const Layout& layout) {
    for (const RenderedFile& file : layout.files) files.put(file.path, file.data);
  }
  static std::vector<std::string> names(const std::vector<Unit>& units) {
    std::vector<std::string> names;
    for (const Unit& unit : units) names.push_back(unit.name);
    return names;
  }
  fakes::MemoryFileSystem files;
};

TEST_F(ChangePlanTest, NothingChangesWhereAllIsAsItShouldBe) {
  put(layout(k_bridge));
  EXPECT_TRUE(plan_change(layout(k_bridge), {}, files).empty());
}

TEST_F(ChangePlanTest, OnlyChangedUnitsAreRestarted) {
  put(layout(k_bridge));
  const std::string changed = std::string(k_bridge).replace(std::string(k_bridge).find("192.0.2.1"), 9, "192.0.2.9");
  const ChangePlan plan = plan_change(layout(changed), {}, files);
  EXPECT_THAT(names(plan.restart), ElementsAre("em2"));
  EXPECT_EQ(plan.files.size(), 1);
}

TEST_F(ChangePlanTest, WhatLiesOnARestartedUnitIsRestartedToo) {
  put(layout(k_bridge));
  const ChangePlan plan = plan_change(layout(k_bridge), {.pending = {"em1"}}, files);
  EXPECT_THAT(names(plan.restart), ElementsAre("em1", "br0"));
  EXPECT_THAT(plan.files, IsEmpty());
}

TEST_F(ChangePlanTest, CleanupTakesAwayWhatIsNotWanted) {
  put(layout(k_bridge));
  const Layout less =
      layout("network_config:\n- {type: interface, name: em2, addresses: [{ip_netmask: 192.0.2.1/24}]}\n");
  EXPECT_THAT(plan_change(less, {}, files).gone, IsEmpty());
  const ChangePlan plan = plan_change(less, {.cleanup = true}, files);
  EXPECT_THAT(names(plan.gone), ElementsAre("br0", "em1"));
  EXPECT_TRUE(plan.gone[0].is_virtual);
  EXPECT_THAT(names(plan.restart), IsEmpty());
}

TEST_F(ChangePlanTest, RemovalLeavesOtherStanzasAsTheyAre) {
  files.put(
      "/etc/network/interfaces",
      "auto lo em1 em2\niface lo inet loopback\n# first\niface em1 inet dhcp\n    mtu 1400\niface em2 inet dhcp\n");
  const ChangePlan plan = plan_removal({"em1", "em7"}, Provider::eni, "", files);
  EXPECT_THAT(names(plan.gone), ElementsAre("em1"));
  ASSERT_EQ(plan.files.size(), 1);
  EXPECT_EQ(plan.files[0].data, "auto lo em2\niface lo inet loopback\n# first\niface em2 inet dhcp\n");
}

TEST_F(ChangePlanTest, RemovalOfFilesOfTheirOwn) {
  files.put("/etc/sysconfig/network-scripts/ifcfg-em1", "DEVICE=em1\n");
  files.put("/etc/sysconfig/network-scripts/route-em1", "default via 192.0.2.1 dev em1\n");
  const ChangePlan plan = plan_removal({"em1"}, Provider::ifcfg, "", files);
  EXPECT_EQ(plan.files.size(), 2);
  EXPECT_EQ(plan.files[0].data, "");
}

}  // namespace
}  // namespace hearth::agent::net
