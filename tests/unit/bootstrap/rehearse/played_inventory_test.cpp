#include "bootstrap/rehearse/played_inventory.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

constexpr const char* k_inventory = R"({"nodes": [
{"name": "control1", "pm_type": "ipmi", "pm_addr": "198.51.100.1", "pm_user": "root", "pm_password": "calvin",
 "ipmi_cipher_suite": "17", "mac": ["52:54:00:00:00:01", "52:54:00:00:00:0a"], "profile": "control",
 "capabilities": "boot_mode:uefi", "root_device": {"size": ">= 200"}, "x_seed": {"rack": "A1"}},
{"name": "compute1", "pm_type": "manual-management", "mac": ["52:54:00:00:00:02"]},
{"name": "spare", "pm_type": "ipmi", "pm_addr": "198.51.100.3", "mac": ["52:54:00:00:00:03"]}]})";

std::vector<ListingEntry> entries() { return read_listing(k_inventory, "i.json", ListingFormat::json).value(); }

SiteFile site_with(std::vector<std::string> names) {
  SiteFile site;
  for (std::string& name : names) site.machines.push_back({.name = std::move(name)});
  return site;
}

TEST(PlayedInventory, machinesAreTheInventorysWithTheirBmcsPlayed) {
  std::vector<std::string> left_out;
  const Result<SiteFile, std::string> site =
      with_inventory(site_with({"compute1", "control1"}), entries(), "i.json", left_out);
  ASSERT_TRUE(site) << site.error();
  EXPECT_EQ(site->machines[1].mac, "52:54:00:00:00:01");
  EXPECT_TRUE(site->machines[1].uefi) << "from its capabilities";
  ASSERT_EQ(left_out.size(), 1U);
  EXPECT_EQ(left_out[0], "i.json:6: spare is no machine of the site file; it is left out");
  EXPECT_EQ(account_in(site->inventory[1].data).password, "calvin");
  const Json nodes = played_inventory(*site, {{"http://b:1", "a", "x"}, {"http://b:2", "root", "calvin"}})["nodes"];
  const Json& control = nodes[1];
  EXPECT_EQ(control["pm_type"], "redfish");
  EXPECT_EQ(control["pm_addr"], "http://b:2");
  EXPECT_EQ(control["pm_password"], "calvin");
  EXPECT_EQ(control["pm_system_id"], "/redfish/v1/Systems/control1");
  EXPECT_EQ(control["mac"].size(), 2U);
  EXPECT_EQ(control["profile"], "control");
  EXPECT_EQ(control["x_seed"]["rack"], "A1");
  EXPECT_FALSE(control.contains("ipmi_cipher_suite"));
  EXPECT_FALSE(control.contains("root_device")) << "its disk here is another";
  EXPECT_EQ(nodes[0]["capabilities"], "boot_mode:bios,boot_option:local");
}

TEST(PlayedInventory, aSiteWithoutMachinesGetsTheInventorys) {
  std::vector<std::string> left_out;
  const Result<SiteFile, std::string> site = with_inventory({}, entries(), "i.json", left_out);
  ASSERT_TRUE(site);
  EXPECT_EQ(site->machines.size(), 3U);
  EXPECT_TRUE(left_out.empty());
}

TEST(PlayedInventory, whatDoesNotFitTheSiteFileIsToldAtOnce) {
  SiteFile site = site_with({"contrl1", "compute1"});
  site.machines[1].mac = "52:54:00:00:00:09";
  site.machines[1].has_own_mac = true;
  site.machines[1].line = 7;
  std::vector<std::string> left_out;
  const Result<SiteFile, std::string> result = with_inventory(site, entries(), "i.json", left_out);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().find("i.json: there is no entry for the machine contrl1 (control1?)"), std::string::npos);
  EXPECT_NE(result.error().find("i.json:5: compute1 has the MAC 52:54:00:00:00:02, in the site file (line 7) "
                                "52:54:00:00:00:09: one of them is wrong"),
            std::string::npos)
      << result.error();
}

TEST(PlayedInventory, mistakesAreOfTheMachineThatIsNamedAndHitNoOther) {
  const Json right = {{"nodes",
                       {{{"name", "a"}, {"mac", {"52:54:00:00:00:01"}}, {"pm_password", "x"}},
                        {{"name", "b"}, {"mac", {"52:54:00:00:00:02"}}, {"pm_password", "y"}}}}};
  const InjectedFault mac{FaultKind::wrong_mac, "a", ""};
  const Json wrong = with_mistakes(right, {mac, {FaultKind::wrong_password, "b", ""}});
  EXPECT_EQ(wrong["nodes"][0]["mac"][0], "52:54:00:00:00:03");
  EXPECT_EQ(wrong["nodes"][0]["pm_password"], "x");
  EXPECT_EQ(wrong["nodes"][1]["mac"][0], "52:54:00:00:00:02");
  EXPECT_NE(wrong["nodes"][1]["pm_password"], "y");
  EXPECT_EQ(mistake_text(mac, right, wrong),
            "the inventory has 52:54:00:00:00:03 for the card of a, which has 52:54:00:00:00:01");
}

}  // namespace
}  // namespace hearth::bootstrap
