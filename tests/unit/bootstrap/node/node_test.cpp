#include "bootstrap/node/node.hpp"

#include <gtest/gtest.h>

#include "base/sys/random.hpp"

namespace hearth::bootstrap {
namespace {

TEST(Node, timesLookAsIronicWritesThemAndReadBack) {
  const Stamp stamp = 1'795'217'500'498'302;
  EXPECT_EQ(stamp_json(stamp), "2026-11-20T23:31:40.498302+00:00");
  EXPECT_EQ(parse_stamp("2026-11-20T23:31:40.498302+00:00"), stamp);
  EXPECT_TRUE(stamp_json(0).is_null());
}

TEST(Node, capabilitiesAreSetInTheirPlaceAndKeepTheOthers) {
  Node node;
  node.properties["capabilities"] = "profile:control, boot_mode:uefi,odd";
  EXPECT_EQ(node.capability("profile"), "control");
  EXPECT_TRUE(node.boots_uefi());
  node.set_capability("profile", "compute");
  node.set_capability("boot_option", "local");
  EXPECT_EQ(node.properties["capabilities"], "profile:compute,boot_mode:uefi,boot_option:local");
  Node told;
  EXPECT_FALSE(told.boots_uefi());
  told.internal["firmware"] = {{"boot_mode", "uefi"}, {"secure_boot", nullptr}};
  EXPECT_TRUE(told.boots_uefi()) << "its BMC says so, and nobody else";
  told.set_capability("boot_mode", "bios");
  EXPECT_FALSE(told.boots_uefi());
  node.instance_info["capabilities"] = {{"boot_mode", "bios"}};
  EXPECT_FALSE(node.boots_uefi());
}

TEST(Node, uuidsAreNewEachTimeAndReadInAnySpelling) {
  const std::string uuid = random_uuid();
  EXPECT_NE(uuid, random_uuid());
  EXPECT_EQ(uuid[14], '4');
  EXPECT_EQ(parse_uuid(uuid), uuid);
  EXPECT_EQ(parse_uuid("CE9937BED2F94D1BB3AE016C128ED6AF"), "ce9937be-d2f9-4d1b-b3ae-016c128ed6af");
  EXPECT_FALSE(parse_uuid("web1"));
  EXPECT_FALSE(parse_uuid("----ce9937bed2f94d1bb3ae016c128ed6af"));
}

TEST(Node, scalarsAreTextWhateverPeopleWrote) {
  Node node;
  node.driver_info = {{"ipmi_port", 623}, {"flag", true}, {"list", {1}}};
  EXPECT_EQ(node.info("ipmi_port"), "623");
  EXPECT_EQ(node.info("flag"), "true");
  EXPECT_EQ(node.info("list", "none"), "none");
  EXPECT_EQ(node.title(), "");
  node.uuid = "u";
  EXPECT_EQ(node.title(), "u");
  node.name = "web1";
  EXPECT_EQ(node.title(), "web1");
}

}  // namespace
}  // namespace hearth::bootstrap
