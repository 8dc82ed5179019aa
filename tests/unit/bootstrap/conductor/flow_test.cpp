#include "bootstrap/conductor/flow.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

std::string way(JobKind kind, const Node& node = {}, bool automated = false) {
  std::vector<std::string> names;
  for (const Stage stage : flow_of(kind, node, automated)) names.emplace_back(name(stage));
  return join(names, ", ");
}

Node with_image() {
  Node node;
  node.uuid = "u";
  node.instance_info = {{"image_source", "http://192.0.2.1/images/web.qcow2"},
                        {"image_os_hash_algo", "sha256"},
                        {"image_os_hash_value", "00"}};
  return node;
}

TEST(Flow, everyKindOfWorkHasItsWay) {
  EXPECT_EQ(
      way(JobKind::deploy),
      "check, power off, boot network, power on, await agent, get steps, write image, leave, await off, boot disk, "
      "start disk, finish");
  Node uefi;
  uefi.properties["capabilities"] = "boot_mode:uefi";
  EXPECT_NE(way(JobKind::deploy, uefi).find("write image, boot loader, leave"), std::string::npos);
  Node hasty;
  hasty.extra["agent_reboot"] = true;
  EXPECT_NE(way(JobKind::deploy, hasty).find("write image, boot disk, leave, finish"), std::string::npos);
  Node parts;
  parts.instance_info["image_type"] = "partition";
  EXPECT_NE(way(JobKind::deploy, parts).find("write image, partition ids, boot loader, leave"), std::string::npos);
  EXPECT_EQ(way(JobKind::clean), "finish");
  EXPECT_NE(way(JobKind::clean, {}, true).find("run steps"), std::string::npos);
  EXPECT_NE(way(JobKind::clean_manual).find("run steps"), std::string::npos);
  EXPECT_EQ(way(JobKind::inspect), "power off, boot network, power on, await data, switch off, finish");
}

TEST(Flow, whatChangesAMachineBeginsSafelyAndEndsAsItShould) {
  EXPECT_EQ(way(JobKind::verify), "verify, finish");
  EXPECT_EQ(way(JobKind::adopt), "check, verify, finish");
  EXPECT_EQ(way(JobKind::undeploy), "power off, wipe, finish");
  EXPECT_EQ(way(JobKind::rescue), "power off, boot network, power on, await agent, finalize rescue, finish");
  EXPECT_EQ(way(JobKind::unrescue), "power off, boot disk, start disk, finish");
  const std::string cleaning = "power off, boot network, power on, await agent, get steps, run steps, leave, await off";
  EXPECT_EQ(way(JobKind::clean, {}, true), cleaning + ", finish");
  EXPECT_EQ(way(JobKind::clean_manual), cleaning + ", finish");
  EXPECT_EQ(way(JobKind::service), cleaning + ", boot disk, start disk, finish");
}

TEST(Flow, verbsBeginTheirKindOfWork) {
  EXPECT_EQ(kind_of_work(Verb::manage), JobKind::verify);
  EXPECT_EQ(kind_of_work(Verb::provide), JobKind::clean);
  EXPECT_EQ(kind_of_work(Verb::clean), JobKind::clean_manual);
  EXPECT_EQ(kind_of_work(Verb::deploy), JobKind::deploy);
  EXPECT_EQ(kind_of_work(Verb::rebuild), JobKind::deploy);
  EXPECT_EQ(kind_of_work(Verb::abort), JobKind::none);
  EXPECT_EQ(kind_of_work(Verb::rescue), JobKind::rescue);
}

TEST(Flow, aMachineThatHasItsImageGetsTheRamdiskNoMore) {
  for (const Stage stage : {Stage::boot_network, Stage::power_on, Stage::await_agent, Stage::write_image}) {
    EXPECT_TRUE(boots_ramdisk(stage)) << name(stage);
  }
  for (const Stage stage : {Stage::leave, Stage::await_off, Stage::boot_disk, Stage::start_disk, Stage::finish}) {
    EXPECT_FALSE(boots_ramdisk(stage)) << name(stage);
  }
}

TEST(Flow, theAgentLeavesAndRescuesAsTheNodeSays) {
  Node node = with_image();
  for (const char* word : {"true", "True", "1"}) {
    node.extra = {{"agent_reboot", word}};
    EXPECT_EQ(order_of(Stage::leave, node, {}, {}).command, "standby.run_image") << word;
  }
  node.job.arguments = {{"rescue_password", "$6$salt$hash"}};
  const Order rescue = order_of(Stage::finalize_rescue, node, {}, {});
  EXPECT_EQ(rescue.params["rescue_password"], "$6$salt$hash");
  EXPECT_EQ(rescue.params["hashed"], true);
}

TEST(Flow, noStageComesTwiceAndEachLeadsToTheNext) {
  Node uefi;
  uefi.properties["capabilities"] = "boot_mode:uefi";
  for (const JobKind kind : {JobKind::verify, JobKind::deploy, JobKind::clean_manual, JobKind::inspect,
                             JobKind::undeploy, JobKind::adopt, JobKind::rescue, JobKind::unrescue, JobKind::service}) {
    const std::vector<Stage> flow = flow_of(kind, uefi, true);
    EXPECT_EQ(std::set<Stage>(flow.begin(), flow.end()).size(), flow.size()) << name(kind);
    EXPECT_EQ(flow.back(), Stage::finish);
    for (std::size_t i = 0; i + 1 < flow.size(); ++i) EXPECT_EQ(next_stage(flow, flow[i]), flow[i + 1]);
  }
  EXPECT_EQ(next_stage({Stage::verify, Stage::finish}, Stage::wipe), Stage::finish);
}

TEST(Flow, theAgentIsToldWhatIronicWouldTell) {
  Node node = with_image();
  node.instance_info["configdrive"] = "H4s";
  const Order order = order_of(Stage::write_image, node, {{"uuid", "u"}}, Json::array());
  EXPECT_EQ(order.command, "deploy.execute_deploy_step");
  EXPECT_EQ(order.short_name(), "execute_deploy_step");
  const Json args = order.params["step"]["args"];
  EXPECT_EQ(args["configdrive"], "H4s");
  EXPECT_EQ(args["image_info"]["urls"][0], "http://192.0.2.1/images/web.qcow2");
  EXPECT_EQ(args["image_info"]["disk_format"], "qcow2");
  EXPECT_EQ(args["image_info"]["os_hash_algo"], "sha256");
  EXPECT_EQ(args["image_info"]["node_uuid"], "u");
  EXPECT_TRUE(order_of(Stage::get_steps, node, {}, {}).wait);
  EXPECT_EQ(order_of(Stage::bootloader, node, {}, {}).params["target_boot_mode"], "bios");
  EXPECT_EQ(order_of(Stage::bootloader, node, {}, {}).params["root_uuid"], nullptr);
  node.job.notes.partition_ids = {{"root uuid", "r"}, {"efi system partition uuid", "e"}};
  EXPECT_EQ(order_of(Stage::bootloader, node, {}, {}).params["root_uuid"], "r");
  EXPECT_EQ(order_of(Stage::bootloader, node, {}, {}).params["efi_system_part_uuid"], "e");
  EXPECT_TRUE(order_of(Stage::partition_ids, node, {}, {}).wait);
  EXPECT_EQ(order_of(Stage::leave, node, {}, {}).command, "standby.power_off");
  node.job.kind = JobKind::clean;
  node.job.notes.steps = {{{"step", "erase"}}, {{"step", "check"}}};
  node.job.notes.step = 1;
  const Order step = order_of(Stage::run_steps, node, {}, {});
  EXPECT_EQ(step.command, "clean.execute_clean_step");
  EXPECT_EQ(step.params["step"]["step"], "check");
}

TEST(Flow, anOrderIsRecognisedInTheAgentsList) {
  const Order order = order_of(Stage::write_image, with_image(), {}, {});
  const Json commands = Json::parse(R"([
    {"id": "1", "command_name": "get_deploy_steps"},
    {"id": "2", "command_name": "execute_deploy_step", "command_params": {"step": {"step": "other"}}},
    {"id": "3", "command_name": "execute_deploy_step", "command_params": {"step": {"step": "write_image"}}}])");
  ASSERT_NE(find_order(commands, order), nullptr);
  EXPECT_EQ((*find_order(commands, order))["id"], "3");
  EXPECT_EQ(find_order(Json::array({commands[0], commands[1]}), order), nullptr);
}

TEST(Flow, anInspectionThatManagesNoBootSwitchesNothing) {
  Node node;
  node.job.arguments = {{"manage_boot", false}};
  EXPECT_EQ(flow_of(JobKind::inspect, node, false), (std::vector{Stage::await_data, Stage::finish}));
  node.job.arguments = {{"manage_boot", true}};
  EXPECT_EQ(flow_of(JobKind::inspect, node, false).front(), Stage::power_off);
}

}  // namespace
}  // namespace hearth::bootstrap
