#include "bootstrap/rehearse/plan.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "bootstrap/seed/images_disk.hpp"

namespace hearth::bootstrap {
namespace {

RehearsalSettings settings() {
  RehearsalSettings settings;
  settings.site.subnet = "192.0.2.0/29";
  settings.site.seed_address = "192.0.2.1";
  settings.site.pool = "192.0.2.4-192.0.2.6";
  settings.site.machines = {BlankMachine{.name = "node1"}, BlankMachine{.name = "node2"}};
  settings.site.image = "/site/node.qcow2";
  settings.hearth = "/usr/bin/hearth";
  settings.work = "/rehearsal";
  return settings;
}

TEST(RehearsalPlan, managementGetsTheLastAddressThatIsNobodys) {
  RehearsalSettings with = settings();
  EXPECT_EQ(bmc_address(with.site), "192.0.2.3");
  with.site.machines[0].address = "192.0.2.3";
  EXPECT_EQ(bmc_address(with.site), "192.0.2.2");
  with.site.pool = "192.0.2.2-192.0.2.6";
  EXPECT_EQ(bmc_address(with.site), "");
}

TEST(RehearsalPlan, theNetworkHasATapForEachMachineAndTheSeedsAddressWhereItIsAProcess) {
  RehearsalSettings with = settings();
  const auto text = [&] {
    std::string all;
    for (const auto& argv : network_commands(with)) all += join(argv, " ") + "\n";
    return all;
  };
  EXPECT_NE(text().find("ip addr add 192.0.2.1/29 dev br0"), std::string::npos);
  EXPECT_NE(text().find("ip tuntap add dev t2 mode tap"), std::string::npos);
  with.seed = SeedKind::machine;
  EXPECT_EQ(text().find("192.0.2.1/29"), std::string::npos);
}

TEST(RehearsalPlan, theImageHasTheNameThatALoadedFileHasToo) {
  RehearsalSettings with = settings();
  const Json record = {{"file", "/images/site.qcow2"}};
  const auto names = [&](const char* name, const char* file) {
    return join(image_names(with.site, record, {{"images", {{{"name", name}, {"file", file}}}}}), " ");
  };
  EXPECT_EQ(names("site", "/images/site.qcow2"), "site node");
  EXPECT_EQ(names("node", "/images/site.raw"), "site node") << "it was so before, of another format";
  EXPECT_EQ(names("node", "/images/node.qcow2"), "site") << "somebody has loaded that one";
  with.site.image = "/site/site.qcow2";
  EXPECT_EQ(names("site", "/images/site.qcow2"), "site");
}

TEST(RehearsalPlan, anOperatorsStepsGoFromImagesToDeployment) {
  RehearsalSettings with = settings();
  with.site.stack.template_file = "/site/t.yaml";
  with.site.stack.parameters = {{"a", "b"}};
  std::string titles;
  for (const Step& step : operator_steps(with)) titles += step.title + " ";
  EXPECT_EQ(titles, "images inventory boot consoles inspection deployment ");
  const Step last = operator_steps(with).back();
  EXPECT_EQ(last.again, 0U);
  EXPECT_NE(join(last.argv, " ").find("-t /site/t.yaml -P a=b"), std::string::npos);
  EXPECT_EQ(deploy_again(with, "s.rehearsal/node"),
            "hearth deploy --name site -t /site/t.yaml -P a=b --image site --state s.rehearsal/node");
  with.inspect = false;
  with.seed = SeedKind::machine;  // its images are lent to it as a disk
  with.faults = {InjectedFault{FaultKind::dead_disk, "node1", ""}};
  EXPECT_EQ(operator_steps(with).size(), 4U);
  EXPECT_GT(operator_steps(with).back().again, 0U);
}

TEST(RehearsalPlan, withoutATemplateEachMachineGetsTheImage) {
  RehearsalSettings with = settings();
  const Step last = operator_steps(with).back();
  EXPECT_EQ(last.title, "deployment");
  EXPECT_TRUE(last.each_machine);
  EXPECT_EQ(join(last.argv, " "),
            cat("/usr/bin/hearth node deploy --image site --wait 0 --state ", node_state(with).string()));
  EXPECT_EQ(deploy_again(with, "s.rehearsal/node"),
            "hearth node rebuild NODE --image site --wait 0 --state s.rehearsal/node");
  with.site.stack.template_file = "/site/t.yaml";
  EXPECT_FALSE(operator_steps(with).back().each_machine) << "the stack says which";
}

TEST(RehearsalPlan, eachMachineHasABmcOfItsOwnWithTheInventorysAccount) {
  RehearsalSettings with = settings();
  with.site.inventory.resize(2);
  with.site.inventory[1].data = {{"pm_user", "root"}, {"pm_password", "calvin"}};
  const BmcPlace bmc = bmc_place(with, [] { return std::string("random"); });
  ASSERT_EQ(bmc.machines.size(), 2U);
  EXPECT_EQ(bmc.machines[0].account.password, "random");
  EXPECT_EQ(bmc.machines[1].account.user, "root");
  EXPECT_EQ(bmc.machines[1].account.password, "calvin");
  EXPECT_EQ(bmc.url(bmc.machines[1]), "http://192.0.2.3:8445");
  EXPECT_EQ(rehearsed_inventory(with, bmc)["nodes"][1]["pm_addr"], "http://192.0.2.3:8445");
}

TEST(RehearsalPlan, nobodyWatchesAMachineWithAMistypedAddressForHalfAnHour) {
  RehearsalSettings with = settings();
  EXPECT_EQ(join(seed_service_command(with), " ").find("--deploy-callback-timeout"), std::string::npos);
  with.faults = {InjectedFault{FaultKind::wrong_mac, "node1", ""}};
  EXPECT_NE(join(seed_service_command(with), " ").find("--deploy-callback-timeout 300"), std::string::npos);
  EXPECT_GT(inventory_step(with).again, 0U);
  EXPECT_NE(join(seed_service_command(with), " ").find(cat("--consoles ", (with.work / "machines").string())),
            std::string::npos);
}

TEST(RehearsalPlan, theStateOfAnEventIsItsLastOne) {
  const auto told = [](const char* text) { return state_told({{"kind", "state"}, {"text", text}}); };
  EXPECT_EQ(told("available -> deploying"), "deploying");
  EXPECT_EQ(told("deploying -> wait call-back"), "wait call-back");
  EXPECT_EQ(told("deploying -> deploy failed (no disk)"), "deploy failed");
  EXPECT_EQ(told("something"), std::nullopt);
  EXPECT_EQ(state_told({{"kind", "power"}, {"text", "a -> active"}}), std::nullopt);
}

TEST(RehearsalPlan, aSpareMachineIsNoFailure) {
  const auto node = [](const char* state, const char* error = "") {
    return Json{{"provision_state", state}, {"last_error", *error == '\0' ? Json() : Json(error)}};
  };
  EXPECT_TRUE(all_are_well({node("active"), node("active"), node("available")}, 3));
  EXPECT_FALSE(all_are_well({node("active"), node("available", "no disk")}, 2)) << "something went wrong with it";
  EXPECT_FALSE(all_are_well({node("active"), node("deploy failed")}, 2));
  EXPECT_FALSE(all_are_well({node("available"), node("available")}, 2)) << "nothing was deployed";
  EXPECT_FALSE(all_are_well({node("active")}, 2)) << "one is missing";
}

TEST(RehearsalPlan, aStepIsNotRunAgainForMachinesThatNoFaultBefell) {
  const std::vector<InjectedFault> mistakes = {{FaultKind::wrong_mac, "web1", ""}};
  EXPECT_FALSE(may_end_otherwise({"db1", "db2"}, {"web2"}, mistakes)) << "their disks are too small, and stay so";
  EXPECT_TRUE(may_end_otherwise({"db1", "web2"}, {"web2"}, mistakes));
  EXPECT_TRUE(may_end_otherwise({"db1", "web1"}, {}, mistakes));
  EXPECT_TRUE(may_end_otherwise({}, {}, {})) << "it is no machine that failed";
}

}  // namespace
}  // namespace hearth::bootstrap
