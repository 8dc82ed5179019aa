#include "bootstrap/inventory/matching.hpp"

#include <gtest/gtest.h>

#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

std::vector<NodeDraft> matching_drafts_of(const char* text) {
  return draft_nodes(read_listing(text, "inv", ListingFormat::json).value()).nodes;
}

Node node_with(const char* uuid, const char* mac) {
  Node node;
  node.uuid = uuid;
  node.driver = "manual-management";
  node.ports = {new_port(mac, 1)};
  return node;
}

TEST(Matching, newOnesAreNewAndKnownOnesAreFoundByMacInAnyCase) {
  const Node known = node_with("u1", "52:54:00:00:00:aa");
  const auto plan =
      plan_import(matching_drafts_of(R"([{"pm_type": "fake_pxe", "mac": ["52:54:00:00:00:AA", "52:54:00:00:00:02"]},
    {"pm_type": "fake_pxe", "mac": ["52:54:00:00:00:03"]}])"),
                  {&known});
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.steps[0].node, "u1");
  ASSERT_EQ(plan.steps[0].new_ports.size(), 1U);
  EXPECT_EQ(plan.steps[0].new_ports[0].address, "52:54:00:00:00:02");
  EXPECT_EQ(plan.steps[1].node, "");
  EXPECT_TRUE(plan.faults.empty());
}

TEST(Matching, bmcAndUuidMatchToo) {
  Node by_bmc = node_with("00000000-0000-0000-0000-000000000001", "52:54:00:00:00:01");
  by_bmc.driver = "ipmi";
  by_bmc.driver_info = {{"ipmi_address", "192.0.2.5"}};
  const auto plan = plan_import(matching_drafts_of(R"([{"pm_type": "ipmi", "pm_addr": "192.0.2.5"}])"), {&by_bmc});
  EXPECT_EQ(plan.steps.at(0).node, by_bmc.uuid);
  const auto by_uuid = plan_import(
      matching_drafts_of(
          R"([{"pm_type": "fake_pxe", "uuid": "00000000000000000000000000000001", "mac": ["52:54:00:00:00:09"]}])"),
      {&by_bmc});
  EXPECT_EQ(by_uuid.steps.at(0).node, by_bmc.uuid);
  EXPECT_EQ(by_uuid.steps.at(0).stale_ports, std::vector<std::string>{"52:54:00:00:00:01"});
}

TEST(Matching, anEntryThatFitsTwoNodesIsAFault) {
  const Node one = node_with("u1", "52:54:00:00:00:01");
  const Node two = node_with("u2", "52:54:00:00:00:02");
  const auto plan =
      plan_import(matching_drafts_of(R"([{"pm_type": "fake_pxe", "mac": ["52:54:00:00:00:01", "52:54:00:00:00:02"]}])"),
                  {&one, &two});
  ASSERT_EQ(plan.faults.size(), 1U);
  EXPECT_EQ(plan.faults[0].text.rfind("Several candidates found for the same node data: ", 0), 0U);
  EXPECT_TRUE(plan.steps.empty());
}

TEST(Matching, twoEntriesForOneNodeAndANameThatIsTakenAreFaults) {
  Node one = node_with("u1", "52:54:00:00:00:01");
  one.ports.push_back(new_port("52:54:00:00:00:02", 1));
  one.name = "web1";
  const auto plan = plan_import(matching_drafts_of(R"([{"pm_type": "fake_pxe", "mac": ["52:54:00:00:00:01"]},
    {"pm_type": "fake_pxe", "mac": ["52:54:00:00:00:02"]}, {"pm_type": "fake_pxe", "mac": ["52:54:00:00:00:03"], "name": "web1"}])"),
                                {&one});
  ASSERT_EQ(plan.faults.size(), 2U);
  EXPECT_EQ(plan.faults[0].text,
            "its MAC 52:54:00:00:00:02 is node web1's, and node #0 is that node by its MAC 52:54:00:00:00:01: one "
            "machine has one entry");
  EXPECT_EQ(
      plan.faults[1].text,
      "Name \"web1\" is not unique: node u1 has it; where its machine has got another mainboard: hearth node delete "
      "web1, then import again");
}

TEST(Matching, ofAnotherMainboardItIsSaidWhichCommandMakesItTheNodes) {
  Node old = node_with("u1", "52:54:00:00:00:01");
  old.name = "web1";
  old.driver = "ipmi";
  old.driver_info = {{"ipmi_address", "192.0.2.5"}, {"ipmi_username", "u"}, {"ipmi_password", "p"}};
  const char* entry =
      R"([{"name": "web1", "pm_type": "ipmi", "pm_addr": "192.0.2.6", "pm_user": "u", "pm_password": "q",
    "mac": ["52:54:00:00:00:02"]}])";
  const auto plan = plan_import(matching_drafts_of(entry), {&old});
  ASSERT_EQ(plan.faults.size(), 1U);
  EXPECT_EQ(plan.faults[0].text,
            "Name \"web1\" is not unique: node u1 has it; where its machine has got another mainboard: hearth node set "
            "web1 --driver-info ipmi_address=192.0.2.6, then import again, which adds its cards");
  old.driver_info["ipmi_address"] = "192.0.2.6";
  const auto then = plan_import(matching_drafts_of(entry), {&old});
  EXPECT_TRUE(then.faults.empty()) << "what was advised does it";
  ASSERT_EQ(then.steps.size(), 1U);
  EXPECT_EQ(then.steps[0].new_ports.size(), 1U);
}

TEST(Matching, aNewMachineWithASlipInItsLineRenamesNoOther) {
  Node a2 = node_with("u1", "52:54:00:00:00:12");
  a2.name = "cmp-a2";
  a2.driver = "ipmi";
  a2.driver_info = {{"ipmi_address", "192.0.2.12"}};
  const auto told = [&](const char* name, const char* address, const char* mac, const char* more = "") {
    const std::string text = cat(R"([{"pm_type": "ipmi", "name": ")", name, R"(", "pm_addr": ")", address,
                                 R"(", "mac": [")", mac, R"("])", more, "}]");
    const ImportPlan plan = plan_import(matching_drafts_of(text.c_str()), {&a2});
    return plan.faults.empty() ? cat("is ", plan.steps.at(0).node) : plan.faults[0].text;
  };
  EXPECT_EQ(told("cmp-d1", "192.0.2.12", "52:54:00:00:00:d1"),
            "its BMC 192.0.2.12 is node cmp-a2's, which has another name and other cards (52:54:00:00:00:12): is it "
            "mistyped? Where it is that machine after all: hearth node set cmp-a2 --name cmp-d1, then import again");
  EXPECT_EQ(told("cmp-d1", "192.0.2.99", "52:54:00:00:00:12"),
            "its MAC 52:54:00:00:00:12 is node cmp-a2's, which has another name and another BMC (192.0.2.12): is it "
            "mistyped? Where it is that machine after all: hearth node set cmp-a2 --name cmp-d1, then import again");
  EXPECT_EQ(told("cmp-d1", "192.0.2.12", "52:54:00:00:00:12"), "is u1") << "renamed";
  EXPECT_EQ(told("cmp-a2", "192.0.2.12", "52:54:00:00:00:d1"), "is u1") << "with a new card";
  EXPECT_EQ(told("cmp-a2", "192.0.2.99", "52:54:00:00:00:12"), "is u1") << "with a new BMC";
  EXPECT_EQ(told("CMP-A2", "192.0.2.99", "52:54:00:00:00:12"), "is u1") << "that is no other name";
  a2.uuid = "00000000-0000-0000-0000-000000000001";
  EXPECT_EQ(told("cmp-d1", "192.0.2.99", "52:54:00:00:00:d1", R"(, "uuid": "00000000-0000-0000-0000-000000000001")"),
            cat("is ", a2.uuid))
      << "as it says itself";
}

TEST(Matching, applyingTwiceChangesNothingAndKeepsWhatTheFileDoesNotSay) {
  const char* text = R"([{"pm_type": "fake_pxe", "mac": ["52:54:00:00:00:01"], "cpu": 4, "name": "web1"}])";
  Node node;
  node.uuid = "u1";
  EXPECT_TRUE(apply_draft(plan_import(matching_drafts_of(text), {}).steps.at(0), node, 5));
  EXPECT_EQ(node.driver, "manual-management");
  EXPECT_EQ(node.ports.size(), 1U);
  node.properties["capabilities"] = "profile:x";
  EXPECT_FALSE(apply_draft(plan_import(matching_drafts_of(text), {&node}).steps.at(0), node, 6));
  EXPECT_EQ(node.properties["capabilities"], "profile:x");
  EXPECT_EQ(node.ports.size(), 1U);
}

TEST(Matching, aBmcIsTheSameWhereOnlyOneOfTwoSaysItsSystem) {
  Node node;
  node.uuid = "u1";
  node.driver = "redfish";
  node.driver_info = {{"redfish_address", "http://192.0.2.5:8000"}, {"redfish_system_id", "/redfish/v1/Systems/1"}};
  const auto taken_for = [&](const char* more) {
    const std::string text = cat(R"([{"pm_type": "redfish", "pm_addr": "http://192.0.2.5:8000", "name": "other",)",
                                 more, R"("mac": ["52:54:00:00:00:77"]}])");
    return plan_import(matching_drafts_of(text.c_str()), {&node}).steps.at(0).node;
  };
  EXPECT_EQ(taken_for(""), "u1");
  EXPECT_EQ(taken_for(R"("pm_system_id": "/redfish/v1/Systems/2", )"), "") << "another one of that BMC";
  node.driver_info.erase("redfish_system_id");
  EXPECT_EQ(taken_for(R"("pm_system_id": "/redfish/v1/Systems/2", )"), "u1");
  node.ports = {new_port("52:54:00:00:00:01", 1)};
  const auto both = plan_import(matching_drafts_of(R"([
    {"pm_type": "redfish", "pm_addr": "http://192.0.2.5:8000", "pm_system_id": "/2", "mac": ["52:54:00:00:00:02"]},
    {"pm_type": "redfish", "pm_addr": "http://192.0.2.5:8000", "pm_system_id": "/1", "mac": ["52:54:00:00:00:01"]}])"),
                                {&node});
  EXPECT_TRUE(both.faults.empty()) << both.faults[0].text;
  ASSERT_EQ(both.steps.size(), 2U);
  EXPECT_EQ(both.steps[0].node, "") << "by its card the other entry is the node: this is another system of that BMC";
  EXPECT_EQ(both.steps[1].node, "u1");
  node.driver_info["redfish_address"] = "http://192.0.2.5:8001";
  EXPECT_EQ(taken_for(""), "");
}

TEST(Matching, aCapabilityThatTheFileDoesNotSayStays) {
  const auto import_with = [](const char* capabilities, Node& node) {
    const std::string text =
        cat(R"([{"pm_type": "fake_pxe", "mac": ["52:54:00:00:00:01"], "capabilities": ")", capabilities, R"("}])");
    return apply_draft(plan_import(matching_drafts_of(text.c_str()), {&node}).steps.at(0), node, 5);
  };
  Node node;
  node.uuid = "u1";
  node.driver = "manual-management";
  node.ports = {new_port("52:54:00:00:00:01", 1)};
  node.properties["capabilities"] = "profile:compute,boot_mode:bios";
  EXPECT_TRUE(import_with("boot_mode:uefi,boot_option:local", node));
  EXPECT_EQ(node.properties["capabilities"], "profile:compute,boot_mode:uefi,boot_option:local");
  EXPECT_FALSE(import_with("boot_option:local,boot_mode:uefi", node)) << "the same in another order";
}

TEST(Matching, exportedNodesImportAsThemselves) {
  Node node;
  node.uuid = random_uuid();
  apply_draft(
      plan_import(matching_drafts_of(
                      R"([{"pm_type": "ipmi", "pm_addr": "192.0.2.5", "pm_user": "u", "pm_password": "p", "cpu": 4,
    "mac": ["52:54:00:00:00:01"], "profile": "a", "resource_class": "baremetal", "x_seed": {"rack": "2"}}])"),
                  {})
          .steps.at(0),
      node, 5);
  const Json entry = inventory_entry(node, true);
  EXPECT_EQ(entry["pm_password"], "p");
  EXPECT_FALSE(inventory_entry(node, false).contains("pm_password"));
  const auto drafts = draft_nodes(read_listing(Json::array({entry}).dump(), "x", ListingFormat::json).value());
  ASSERT_TRUE(drafts.good()) << faults_text(drafts.faults, {}, "x");
  const auto plan = plan_import(drafts.nodes, {&node});
  EXPECT_EQ(plan.steps.at(0).node, node.uuid);
  EXPECT_FALSE(apply_draft(plan.steps[0], node, 7)) << entry.dump(1);
}

TEST(Matching, anExportWithoutSecretsTakesNothingFromTheNodeThatItCameFrom) {
  Node node = node_with("00000000-0000-0000-0000-000000000001", "52:54:00:00:00:01");
  node.driver = "ipmi";
  node.driver_info = {{"ipmi_address", "192.0.2.5"},
                      {"ipmi_password", "hidden"},
                      {"deploy_kernel", "http://u:hidden@192.0.2.1/k"},
                      {"deploy_ramdisk", "http://192.0.2.1/r"}};
  node.properties = {{"root_device", {{"serial", "S"}}}};
  node.extra = {{"x_seed", {{"rack", "2"}, {"instance_info", {{"image_url", "http://192.0.2.1/hidden"}}}}},
                {"bmc", {{"its_password", "hidden"}, {"model", "m"}}},
                {"urls", {"http://u:hidden@192.0.2.1/"}},
                {"API_TOKEN", "hidden"},
                {"asset", "7"}};
  const Json entry = inventory_entry(node, false);
  for (const char* none : {"hidden", "******"}) EXPECT_EQ(entry.dump().find(none), std::string::npos) << entry.dump(1);
  EXPECT_EQ(entry["extra"], Json({{"asset", "7"}}));
  EXPECT_EQ(entry["x_seed"], Json({{"rack", "2"}}));
  EXPECT_EQ(entry["ramdisk_id"], "http://192.0.2.1/r");
  const auto drafts = draft_nodes(read_listing(Json::array({entry}).dump(), "x", ListingFormat::json).value());
  ASSERT_TRUE(drafts.good()) << faults_text(drafts.faults, {}, "x");
  Node after = node;
  apply_draft(plan_import(drafts.nodes, {&node}).steps.at(0), after, 7);
  after.driver_info.erase("rescue_ramdisk");  // an import gives it with the ramdisk
  EXPECT_EQ(after.driver_info, node.driver_info);
  EXPECT_EQ(after.properties, node.properties);
  EXPECT_EQ(after.extra, node.extra);
  Json moved = entry;
  moved["x_seed"]["rack"] = "3";
  const auto others = draft_nodes(read_listing(Json::array({moved}).dump(), "x", ListingFormat::json).value());
  EXPECT_TRUE(apply_draft(plan_import(others.nodes, {&node}).steps.at(0), after, 8));
  EXPECT_EQ(after.extra["x_seed"]["rack"], "3");
  EXPECT_EQ(after.extra["x_seed"]["instance_info"], node.extra["x_seed"]["instance_info"]);
}

}  // namespace
}  // namespace hearth::bootstrap
