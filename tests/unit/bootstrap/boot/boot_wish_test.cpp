#include "bootstrap/boot/boot_wish.hpp"

#include <gtest/gtest.h>

#include "bootstrap/conductor/flow.hpp"

namespace hearth::bootstrap {
namespace {

const ImageBook k_images = [](const std::string& name) -> std::optional<Json> {
  if (name != "deploy") return std::nullopt;
  return Json{{"kernel", "/i/kernel"}, {"ramdisk", "/i/ramdisk"}};
};

Node node_at(State state, JobKind kind, Stage stage) {
  Node node;
  node.uuid = "u";
  node.name = "web1";
  node.state = state;
  node.job.kind = kind;
  node.job.stage = stage;
  node.ports = {new_port("52:54:00:00:00:01", 1), new_port("52:54:00:00:00:02", 1)};
  node.ports[1].pxe_enabled = false;
  node.driver_info = {{"deploy_kernel", "deploy"},
                      {"deploy_ramdisk", "deploy"},
                      {"rescue_kernel", "/r/k"},
                      {"rescue_ramdisk", "http://h/r"}};
  return node;
}

pxe::Node wish(const Node& node) { return boot_wish(node, {"http://192.0.2.1:6385", ""}, k_images); }

TEST(BootWish, theRamdiskWhileAJobWantsItAndTheDiskWheneverElse) {
  const std::vector<std::tuple<State, JobKind, Stage, pxe::BootState>> rows = {
      {State::deploying, JobKind::deploy, Stage::power_off, pxe::BootState::local},
      {State::deploying, JobKind::deploy, Stage::power_on, pxe::BootState::deploy},
      {State::wait_call_back, JobKind::deploy, Stage::await_agent, pxe::BootState::deploy},
      {State::deploying, JobKind::deploy, Stage::write_image, pxe::BootState::deploy},
      {State::deploying, JobKind::deploy, Stage::leave, pxe::BootState::local},
      {State::deploying, JobKind::deploy, Stage::start_disk, pxe::BootState::local},
      {State::inspect_wait, JobKind::inspect, Stage::await_data, pxe::BootState::inspect},
      {State::clean_wait, JobKind::clean, Stage::run_steps, pxe::BootState::deploy},
      {State::rescue_wait, JobKind::rescue, Stage::await_agent, pxe::BootState::rescue}};
  for (const auto& [state, kind, stage, expected] : rows)
    EXPECT_EQ(wish(node_at(state, kind, stage)).state, expected) << name(kind) << name(stage);
  Node idle = node_at(State::active, JobKind::none, Stage::finish);
  idle.job = {};
  EXPECT_EQ(wish(idle).state, pxe::BootState::local);
  idle.state = State::rescue;
  EXPECT_EQ(wish(idle).state, pxe::BootState::rescue);
}

TEST(BootWish, imagesByNamePathOrUrlAndTheWayToTheConductor) {
  Node node = node_at(State::wait_call_back, JobKind::deploy, Stage::await_agent);
  node.driver_info["kernel_append_params"] = "console=ttyS0";
  node.extra["x_seed"] = {{"ipv4_address", "192.0.2.50"}};
  node.set_capability("secure_boot", "true");
  const pxe::Node deploy = wish(node);
  ASSERT_TRUE(deploy.profile);
  EXPECT_EQ(deploy.profile->kernel.text(), "/i/kernel");
  EXPECT_EQ(deploy.profile->ramdisk.text(), "/i/ramdisk");
  EXPECT_EQ(deploy.profile->append.text(), "ipa-api-url=http://192.0.2.1:6385 console=ttyS0");
  EXPECT_EQ(deploy.macs.size(), 1U);  // the other card is not for booting
  EXPECT_EQ(deploy.address, pxe::parse_ipv4("192.0.2.50"));
  EXPECT_TRUE(deploy.secure_boot);
  node.driver_info.erase("deploy_kernel");
  EXPECT_FALSE(wish(node).profile);  // the site's own
  EXPECT_NE(wish(node).append.text().find("ipa-api-url"), std::string::npos);
  const pxe::Node inspect = wish(node_at(State::inspect_wait, JobKind::inspect, Stage::await_data));
  EXPECT_NE(
      inspect.profile->append.text().find("ipa-inspection-callback-url=http://192.0.2.1:6385/v1/continue_inspection"),
      std::string::npos);
  EXPECT_EQ(wish(node_at(State::rescue_wait, JobKind::rescue, Stage::await_agent)).profile->ramdisk.text(),
            "http://h/r");
  EXPECT_EQ(boot_wish(node_at(State::wait_call_back, JobKind::deploy, Stage::await_agent),
                      {"https://192.0.2.1:6385", "ab"}, k_images)
                .profile->append.text(),
            "ipa-api-url=https://192.0.2.1:6385 hearth-api-pin=ab ipa-insecure=1");
  EXPECT_EQ(resolved_image("nothing", "kernel", k_images), "");
}

TEST(BootWish, WordsThatWouldBecomeALineOfAScriptPutTheMachineOnHold) {
  Node node = node_at(State::wait_call_back, JobKind::deploy, Stage::await_agent);
  node.driver_info["kernel_append_params"] = "quiet\nchain http://192.0.2.66/x";
  EXPECT_EQ(wish(node).state, pxe::BootState::hold);
  EXPECT_FALSE(wish(node).profile);
  node.driver_info["kernel_append_params"] = "quiet";
  node.driver_info["deploy_kernel"] = "http://192.0.2.9/k\nshell";
  EXPECT_EQ(wish(node).state, pxe::BootState::hold);
}

}  // namespace
}  // namespace hearth::bootstrap
