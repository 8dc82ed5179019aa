#include "bootstrap/page/view.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap {
namespace {

Node deploying() {
  Node node;
  node.uuid = "u1";
  node.name = "web1";
  node.driver = "ipmi";
  node.state = State::deploying;
  node.target = State::active;
  node.ports = {new_port("52:54:00:00:00:01", 1)};
  node.driver_info = {{"ipmi_address", "192.0.2.9"}, {"ipmi_username", "root"}, {"ipmi_password", "sesame"}};
  node.instance_info = {{"image_source", "http://192.0.2.1/i?temp_url_sig=sesame"}, {"configdrive", "sesame"}};
  node.extra = {{"x_seed", {{"rack", "A1"}, {"slot", 3}}}};
  node.internal = {{"agent_secret_token", "sesame"}};
  node.progress = {{"written", 5}};
  node.job.kind = JobKind::deploy;
  node.job.stage = Stage::write_image;
  node.properties = {{"cpus", 4}, {"capabilities", "profile:compute"}};
  return node;
}

TEST(PageView, aRowTellsStateWorkPlaceAndProgress) {
  const Json row = page_row(deploying(), false);
  EXPECT_EQ(row["state"], "deploying");
  EXPECT_EQ(row["kind"], "working");
  EXPECT_EQ(row["target"], "active");
  EXPECT_EQ(row["job"]["stage"], "write image");
  EXPECT_EQ(row["job"]["stages"][0], "check");
  EXPECT_EQ(row["progress"]["written"], 5);
  EXPECT_EQ(row["place"]["slot"], "3");
  EXPECT_EQ(row["profile"], "compute");
  EXPECT_EQ(row["macs"][0], "52:54:00:00:00:01");
  EXPECT_FALSE(row.contains("maintenance"));
  EXPECT_FALSE(row.contains("todo"));
}

TEST(PageView, neitherRowNorDetailsHoldASecretOrSayHowABmcIsReached) {
  for (const Json& shown : {page_row(deploying(), false), page_details(deploying(), true)}) {
    EXPECT_EQ(shown.dump().find("sesame"), std::string::npos) << shown;
    EXPECT_EQ(shown.dump().find("192.0.2.9"), std::string::npos) << shown;
  }
}

TEST(PageView, aNodeWithoutWorkHasNoJobAndOffersItsVerbs) {
  Node node = deploying();
  node.job = {};
  node.state = State::available;
  node.instruction = {"power-off", "Switch it off", 1, 2, 0};
  node.maintenance = true;
  node.maintenance_reason = "fan";
  const Json row = page_row(node, false);
  EXPECT_FALSE(row.contains("job"));
  EXPECT_FALSE(row.contains("progress"));
  EXPECT_EQ(row["verbs"], Json({"deploy", "manage"}));
  EXPECT_EQ(row["todo"]["text"], "Switch it off");
  EXPECT_EQ(row["maintenance"], "fan");
}

TEST(PageView, everyStateSaysWhatKindItIs) {
  const Json states = page_states();
  EXPECT_EQ(states.size(), 30U);
  EXPECT_EQ(states["wait call-back"]["kind"], "waiting");
  EXPECT_EQ(states["cleaning"]["to"], "available");
  EXPECT_EQ(states["service hold"]["kind"], "held");
}

TEST(PageView, anEventComesWithoutItsDetail) {
  EXPECT_EQ(page_event({7, 0, "u1", "web1", "inventory", "registered", {{"who", "ole"}}})["who"], "ole");
  const Json event = page_event({7, 0, "u1", "web1", "state", "a -> b", {{"x", "y"}}});
  EXPECT_EQ(event["id"], 7);
  EXPECT_EQ(event["text"], "a -> b");
  EXPECT_FALSE(event.contains("detail"));
}

TEST(PageView, maintenanceAndFailuresOfTheBmcLookLikeWhatTheyAre) {
  Node node;
  node.state = State::available;
  EXPECT_EQ(page_row(node, false)["kind"], "stable");
  node.maintenance = true;
  EXPECT_EQ(page_row(node, false)["kind"], "held");
  node.fault = "power failure";
  EXPECT_EQ(page_row(node, false)["kind"], "failed");
  Node fresh;
  fresh.state = State::enroll;
  EXPECT_EQ(page_row(fresh, false)["kind"], "stable");
  fresh.last_error = "Failed to verify: BMC 192.0.2.7: no answer";
  EXPECT_EQ(page_row(fresh, false)["kind"], "failed");
  fresh.maintenance = true;
  EXPECT_EQ(page_row(fresh, false)["kind"], "held") << "a person has taken it out of service";
  fresh.state = State::deploy_failed;
  EXPECT_EQ(page_row(fresh, false)["kind"], "held");
  fresh.state = State::deploying;
  EXPECT_EQ(page_row(fresh, false)["kind"], "working");
  fresh.state = State::deploy_failed;
  fresh.fault = "power failure";  // the conductor has
  EXPECT_EQ(page_row(fresh, false)["kind"], "failed");
}

TEST(PageView, aBootModeThatNobodyToldIsNoBios) {
  Node node;
  EXPECT_EQ(page_details(node, false)["boot_mode"], "");
  node.internal["firmware"] = {{"boot_mode", "uefi"}};
  EXPECT_EQ(page_details(node, false)["boot_mode"], "uefi") << "by its BMC";
  node.set_capability("boot_mode", "bios");
  EXPECT_EQ(page_details(node, false)["boot_mode"], "bios") << "what people say goes before";
}

}  // namespace
}  // namespace hearth::bootstrap
