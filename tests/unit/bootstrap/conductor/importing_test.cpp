// Conductor::import and configure_boot, of bootstrap/conductor/importing.cpp.
#include "bootstrap/power/driver_keys.hpp"
#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {
namespace {

constexpr const char* k_three = R"({"nodes": [
  {"mac": ["AA:AA:AA:AA:AA:AA"], "arch": "x86_64", "pm_type": "fake_pxe"},
  {"mac": ["BB:BB:BB:BB:BB:BB"], "arch": "x86_64", "pm_type": "fake_pxe"},
  {"mac": ["CC:CC:CC:CC:CC:CC"], "arch": "x86_64", "pm_type": "fake_pxe"}]})";

class Importing : public ConductorFixture {
 protected:
  ImportResult import(const std::string& text, bool dry = false) {
    ImportRequest request;
    request.text = text;
    request.source = "inv.json";
    request.dry_run = dry;
    return conductor->import(request);
  }
};

TEST_F(Importing, theGuidesThreeNodesAreAvailableAndOffAtOnce) {
  const ImportResult result = import(k_three);
  EXPECT_EQ(result.faults, "");
  ASSERT_EQ(result.created.size(), 3U);
  for (const std::string& uuid : result.created) {
    EXPECT_EQ(node(uuid).state, State::available);
    EXPECT_EQ(node(uuid).power, Power::off);
    EXPECT_EQ(node(uuid).driver, "manual-management");
    EXPECT_EQ(node(uuid).properties["capabilities"], "boot_option:local");
    EXPECT_FALSE(node(uuid).internal.contains("import_to"));
  }
  EXPECT_TRUE(conductor->quiet());
}

TEST_F(Importing, againIsTheSameAndATryChangesNothing) {
  EXPECT_EQ(import(k_three, true).created.size(), 3U);
  EXPECT_TRUE(conductor->ledger().nodes().empty());
  import(k_three);
  const std::int64_t last = store.last_event();
  const ImportResult again = import(k_three);
  EXPECT_EQ(again.unchanged.size(), 3U);
  EXPECT_TRUE(again.created.empty());
  EXPECT_TRUE(again.differing.empty()) << "its words are out of date, and mean the same";
  EXPECT_EQ(store.last_event(), last);
  conductor->ledger().edit(again.unchanged[0]).driver = "ipmi";
  EXPECT_EQ(import(k_three).differing, std::vector<std::string>{again.unchanged[0]}) << "its driver stays";
}

TEST_F(Importing, oneFaultAndNothingIsTaken) {
  const ImportResult result = import(R"([{"pm_type": "fake_pxe", "mac": ["52:54:00:00:00:01"]},
{"pm_type": "nothing"}])");
  std::vector<std::string> known;
  for (const DriverSheet& sheet : driver_sheets()) known.push_back(sheet.driver);
  EXPECT_EQ(result.faults, cat("inv.json:2:13: node #1: unknown pm_type (ironic driver to use): nothing (there are ",
                               join(known, ", "), ")"));
  EXPECT_TRUE(conductor->ledger().nodes().empty());
  EXPECT_NE(import("{").faults, "");
}

TEST_F(Importing, aNodeWhoseBmcRefusesStaysEnrolledWithTheReason) {
  const ImportResult result =
      import(R"([{"pm_type": "fake-hardware", "fake_fault": "refused", "mac": ["52:54:00:00:00:01"]}])");
  ASSERT_EQ(result.created.size(), 1U) << result.faults;
  pass(2);
  EXPECT_EQ(node(result.created[0]).state, State::enroll);
  EXPECT_NE(node(result.created[0]).last_error, "");
  EXPECT_TRUE(conductor->quiet());
}

TEST_F(Importing, aMachineThatIsInUseWhereItComesFromIsNotMadeAvailable) {
  const char* machines =
      R"([{"hostname": "w0", "system_id": "a", "boot_interface": {"mac_address": "52:54:00:00:00:01"}, "status_name": "Deployed", "power_type": "manual"},
                             {"hostname": "w1", "boot_interface": {"mac_address": "52:54:00:00:00:02"}, "status_name": "Ready", "power_type": "manual"},
                             {"hostname": "w2", "boot_interface": {"mac_address": "52:54:00:00:00:03"}, "status_name": "Rescue mode", "power_type": "manual"}])";
  for (const bool dry : {true, false}) {
    const ImportResult result = import(machines, dry);
    ASSERT_EQ(result.created.size(), 3U) << result.faults;
    const std::string said = join(result.warnings, "\n");
    EXPECT_NE(said.find("node #0 (w0): status_name Deployed says that it is in use: it becomes manageable"),
              std::string::npos)
        << said;
    EXPECT_EQ(said.find("w1"), std::string::npos) << said;
    EXPECT_EQ(said.find("left out, as nothing here uses it: status_name"), std::string::npos) << said;
  }
  EXPECT_EQ(conductor->ledger().find("w0")->state, State::manageable);
  EXPECT_EQ(conductor->ledger().find("w1")->state, State::available);
  EXPECT_EQ(conductor->ledger().find("w2")->state, State::manageable);
}

TEST_F(Importing, nodesThatShareABmcStayInEnrollWithoutItsAddress) {
  const char* nodes =
      R"({"nodes": [{"name": "n0", "xname": "x0n0", "bmc_ip": "192.0.2.7", "interfaces": [{"mac_addr": "52:54:00:00:00:01"}]},
                    {"name": "n1", "xname": "x0n1", "bmc_ip": "192.0.2.7", "interfaces": [{"mac_addr": "52:54:00:00:00:02"}]}]})";
  const ImportResult result = import(nodes);
  ASSERT_EQ(result.created.size(), 2U) << result.faults;
  pass(2);
  EXPECT_EQ(conductor->ledger().find("n0")->state, State::enroll);
  EXPECT_EQ(conductor->ledger().find("n1")->info("redfish_address"), "");
  EXPECT_TRUE(conductor->quiet());
  EXPECT_EQ(import(nodes).faults, "") << "again";
}

TEST_F(Importing, whatIsEnrolledOnlyMayLackItsBmc) {
  ImportRequest request;
  request.text = R"({"nodes": [{"name": "n4", "driver": "ipmi", "ports": [{"address": "52:54:00:00:00:04"}]}]})";
  request.source = "create.json";
  EXPECT_NE(conductor->import(request).faults.find("The following fields are missing: ipmi_address"),
            std::string::npos);
  request.to = State::enroll;
  const ImportResult result = conductor->import(request);
  ASSERT_EQ(result.created.size(), 1U) << result.faults;
  EXPECT_NE(join(result.warnings, "\n").find("it is enrolled only, and can't be managed yet: there is no ipmi_address"),
            std::string::npos)
      << join(result.warnings, "\n");
  request.text = R"({"nodes": [{"name": "n6", "driver": "ipmi"}]})";
  EXPECT_NE(conductor->import(request).faults, "") << "nothing would know it again";
}

TEST_F(Importing, noMachineIsStartedToBeCleanedThatWouldFindNothingToBoot) {
  settings.automated_clean = true;
  settings.site_ramdisks.emplace();
  start();
  const ImportResult result = import(
      R"([{"name": "a", "pm_type": "fake-hardware", "mac": ["52:54:00:00:00:01"]},
          {"name": "b", "pm_type": "fake-hardware", "mac": ["52:54:00:00:00:02"], "kernel_id": "/k", "ramdisk_id": "/r"}])");
  ASSERT_EQ(result.created.size(), 2U) << result.faults;
  EXPECT_NE(join(result.warnings, "\n")
                .find("node #0 (a): it can't be cleaned, and stays manageable: driver_info has no "
                      "deploy_kernel"),
            std::string::npos)
      << join(result.warnings, "\n");
  EXPECT_EQ(result.cleaned, std::vector<std::string>{result.created[1]});
  pass(3);
  EXPECT_EQ(conductor->ledger().find("a")->state, State::manageable);
  EXPECT_EQ(conductor->ledger().find("a")->power, Power::off);
  EXPECT_EQ(conductor->ledger().find("b")->state, State::clean_wait);
}

TEST_F(Importing, whatIsCorrectedIsTriedAgain) {
  const char* wrong = R"([{"pm_type": "fake-hardware", "fake_fault": "refused", "mac": ["52:54:00:00:00:01"]}])";
  const char* right = R"([{"pm_type": "fake-hardware", "fake_fault": "", "mac": ["52:54:00:00:00:01"]}])";
  const std::string uuid = import(wrong).created.at(0);
  pass(2);
  ASSERT_EQ(node(uuid).state, State::enroll);
  EXPECT_EQ(import(wrong).unchanged.size(), 1U);
  pass(2);
  EXPECT_NE(node(uuid).last_error, "") << "nothing was corrected";
  EXPECT_EQ(import(right).updated.size(), 1U);
  pass(2);
  EXPECT_EQ(node(uuid).state, State::available);
  EXPECT_EQ(node(uuid).last_error, "");
}

TEST_F(Importing, whatIsCorrectedAroundTheMachineIsTriedAgainByTheSameFile) {
  const std::string uuid =
      import(R"([{"pm_type": "fake-hardware", "fake_fault": "unreachable", "mac": ["52:54:00:00:00:01"]}])")
          .created.at(0);
  pass(2);
  ASSERT_EQ(node(uuid).state, State::enroll);
  conductor->ledger().edit(uuid).driver_info.erase("fake_fault");  // somebody has put the cable in
  const char* same = R"([{"pm_type": "fake-hardware", "mac": ["52:54:00:00:00:01"]}])";
  EXPECT_EQ(import(same, true).retried, std::vector<std::string>{uuid});
  EXPECT_NE(node(uuid).last_error, "") << "a dry run tries nothing";
  conductor->ledger().edit(uuid).maintenance = true;
  EXPECT_TRUE(import(same).retried.empty()) << "somebody is at it";
  conductor->ledger().edit(uuid).maintenance = false;
  const ImportResult again = import(same);
  EXPECT_EQ(again.unchanged, std::vector<std::string>{uuid});
  EXPECT_EQ(again.retried, std::vector<std::string>{uuid});
  pass(2);
  EXPECT_EQ(node(uuid).state, State::available);
  EXPECT_EQ(node(uuid).last_error, "");
  EXPECT_TRUE(import(same).retried.empty());
}

TEST_F(Importing, aCorrectedNodeThatWasGivenAwayIsNotAsked) {
  const std::string uuid =
      import(R"([{"pm_type": "fake-hardware", "fake_fault": "refused", "mac": ["52:54:00:00:00:01"]}])").created.at(0);
  pass(2);
  conductor->give(uuid, "http://cloud:5000");
  EXPECT_EQ(import(R"([{"pm_type": "fake-hardware", "fake_fault": "", "mac": ["52:54:00:00:00:01"]}])").updated.size(),
            1U);
  pass(2);
  EXPECT_EQ(node(uuid).state, State::enroll);
}

TEST_F(Importing, AMachineThatIsOnIsNotSwitchedOffToBeCleaned) {
  settings.automated_clean = true;
  start();
  const std::string off = R"([{"name": "a", "pm_type": "fake-hardware", "mac": ["aa:aa:aa:aa:aa:aa"]}])";
  const std::string on = R"([{"name": "b", "pm_type": "fake-hardware", "mac": ["bb:bb:bb:bb:bb:bb"],
                               "uuid": "2f9a1a3e-2f37-4d4c-8d8e-0d3c5a3a7b11"}])";
  const ImportResult first = import(off);
  ASSERT_EQ(first.created.size(), 1U);
  EXPECT_EQ(first.cleaned, first.created);
  pass(2);
  EXPECT_EQ(node(first.created[0]).state, State::clean_wait);
  Node running;
  running.uuid = "2f9a1a3e-2f37-4d4c-8d8e-0d3c5a3a7b11";
  drivers.find("fake-hardware")->set(running, PowerAction::on);
  ASSERT_EQ(import(on).created, std::vector<std::string>{running.uuid});
  pass(2);
  EXPECT_EQ(node(running.uuid).state, State::manageable);
  EXPECT_EQ(node(running.uuid).power, Power::on);
  EXPECT_NE(join(events(running.uuid, "inventory"), "; ").find("it stays manageable"), std::string::npos);
  conductor->verb("b", "provide", {});
  pass(2);
  EXPECT_EQ(node(running.uuid).state, State::clean_wait) << "who says so knows";
}

TEST_F(Importing, nodesInTheMiddleOfSomethingAreNotTouched) {
  const std::string uuid = import(k_three).created[0];
  set_state(uuid, State::deploying);
  EXPECT_EQ(import(k_three).unchanged.size(), 3U) << "of what the file has as it is nothing is to be changed";
  EXPECT_NE(import(R"([{"pm_type": "fake_pxe", "mac": ["aa:aa:aa:aa:aa:aa"], "cpu": 1}])")
                .faults.find("can't be changed now (properties.cpus: nothing → 1)"),
            std::string::npos);
  ImportRequest again;
  again.text = R"([{"pm_type": "fake_pxe", "mac": ["aa:aa:aa:aa:aa:aa"], "cpu": 1}])";
  again.skip_busy = true;
  const ImportResult left = conductor->import(again);
  EXPECT_EQ(left.faults, "");
  EXPECT_EQ(left.busy, std::vector<std::string>{uuid});
  EXPECT_TRUE(left.unchanged.empty()) << "it is not as the file has it";
  ASSERT_FALSE(left.warnings.empty());
  EXPECT_NE(left.warnings.back().find("it is left as it is"), std::string::npos) << left.warnings.back();
  EXPECT_FALSE(node(uuid).properties.contains("cpus"));
}

TEST_F(Importing, aBmcThatAnImportChangesIsAskedAlsoPastEnroll) {
  const auto text = [](const char* fault) {
    return cat(R"([{"pm_type": "fake-hardware", "fake_fault": ")", fault, R"(", "mac": ["52:54:00:00:00:01"]}])");
  };
  const std::string uuid = import(text("")).created.at(0);
  pass(2);
  ASSERT_EQ(node(uuid).state, State::available);
  EXPECT_EQ(import(text("refused")).updated.size(), 1U);
  EXPECT_EQ(node(uuid).power, Power::unknown) << "nothing is forced on whatever machine that is";
  pass(2);
  EXPECT_EQ(node(uuid).state, State::available);
  EXPECT_TRUE(node(uuid).last_error.starts_with(k_other_refuses)) << node(uuid).last_error;
  Node& lost = conductor->ledger().edit(uuid);  // the power sync has seen it meanwhile
  lost.maintenance = true;
  lost.fault = "power failure";
  EXPECT_EQ(import(text("")).updated.size(), 1U);
  pass(2);
  EXPECT_EQ(node(uuid).last_error, "");
  EXPECT_NE(node(uuid).power, Power::unknown);
  EXPECT_FALSE(node(uuid).maintenance) << "its management answers again";
  Node& failed = conductor->ledger().edit(uuid);  // an error that is there already hides no refusal
  failed.state = State::deploy_failed;
  failed.last_error = "its machine never called back";
  EXPECT_EQ(import(text("refused")).asked, std::vector<std::string>{uuid}) << "that is waited for";
  pass(2);
  EXPECT_TRUE(node(uuid).last_error.starts_with(k_other_refuses)) << node(uuid).last_error;
  EXPECT_EQ(import(text("")).asked.size(), 1U);
  EXPECT_EQ(node(uuid).last_error, "") << "an answer is waited for, and this was one before";
}

TEST_F(Importing, ofABmcThatIsChangedWhileItIsAskedTheLastOneCounts) {
  const auto text = [](const char* fault) {
    return cat(R"([{"pm_type": "fake-hardware", "fake_fault": ")", fault, R"(", "mac": ["52:54:00:00:00:01"]}])");
  };
  const std::string uuid = import(text("")).created.at(0);
  pass(2);
  import(text("refused"));
  EXPECT_EQ(import(text("")).asked.size(), 1U) << "it waits for its turn, and is waited for";
  pass(3);
  EXPECT_EQ(node(uuid).last_error, "") << "of the wrong one, which was corrected, nothing is kept";
  EXPECT_NE(node(uuid).power, Power::unknown);
  import(text("refused"));
  conductor->verb(uuid, "manage", {});
  pass(2);
  EXPECT_EQ(node(uuid).state, State::manageable);
  EXPECT_TRUE(node(uuid).last_error.starts_with(k_other_refuses)) << "a verb that asks nobody hides no refusal";
}

TEST_F(Importing, WhoStandsWhereANodeDoesIsToldOf) {
  const auto text = [](const char* mac) {
    return cat(R"([{"pm_type": "fake_pxe", "name": "n)", mac, R"(", "mac": ["52:54:00:00:00:0)", mac,
               R"("], "x_seed": {"rack": "C", "slot": "10"}}])");
  };
  import(text("1"));
  const ImportResult other = import(text("2"));
  ASSERT_EQ(other.warnings.size(), 2U) << join(other.warnings, " | ");
  EXPECT_EQ(other.warnings.front(), "node #0 (n2): the name fake_pxe is out of date; the driver is manual-management");
  EXPECT_EQ(other.warnings.back(), "node #0 (n2): it stands where n1 does, which is a node already: rack C, slot 10");
  EXPECT_EQ(import(text("2")).warnings.size(), 2U) << "as long as it does";
}

TEST_F(Importing, bootImagesReachNodesInServiceAndRootDisksComeFromTheInspection) {
  const ImportResult three = import(k_three);
  conductor->set_maintenance(three.created[2], true, "fan");
  store.put_document(
      cat("introspection/", three.created[0]),
      {{"data", {{"inventory", {{"disks", {{{"name", "/dev/sda"}, {"size", 10737418240}, {"serial", "A"}}}}}}}}});
  const auto done = conductor->configure_boot("k", "r", {{"root_device", "largest"}});
  const std::vector<std::string>& warnings = done.warnings;
  EXPECT_EQ(node(three.created[0]).driver_info["deploy_kernel"], "k");
  EXPECT_EQ(node(three.created[0]).properties["root_device"]["serial"], "A");
  EXPECT_EQ(node(three.created[1]).driver_info["deploy_ramdisk"], "r");
  EXPECT_FALSE(node(three.created[2]).driver_info.contains("deploy_kernel"));
  EXPECT_EQ(warnings.size(), 1U);
}

}  // namespace
}  // namespace hearth::bootstrap
