#include "bootstrap/conductor/conductor.hpp"

#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {
namespace {

class ConductorTest : public ConductorFixture {
 protected:
  /// In what words; "taken" where it is not.
  std::string refused(const std::string& id, const std::string& verb, const Json& wishes) {
    try {
      conductor->verb(id, verb, wishes);
    } catch (const Refusal& refusal) {
      return refusal.what();
    }
    return "taken";
  }
};

TEST_F(ConductorTest, verbsAreRefusedForNodesThatAreUnknownProtectedOrOutOfService) {
  const auto status = [&](const std::string& id, const std::string& verb) {
    try {
      conductor->verb(id, verb, {});
    } catch (const Refusal& refusal) {
      return refusal.status();
    }
    return 0;
  };
  const std::string uuid = add("fake-hardware");
  EXPECT_EQ(status("nobody", "deploy"), 404);
  EXPECT_EQ(status(uuid, "dance"), 400);
  conductor->set_maintenance("web1", true, "fan");
  EXPECT_EQ(status(uuid, "deploy"), 400);
  EXPECT_EQ(node(uuid).maintenance_reason, "fan");
  conductor->set_maintenance("web1", false, "");
  set_state(uuid, State::active);
  conductor->ledger().edit(uuid).fields["protected"] = true;
  EXPECT_EQ(status(uuid, "undeploy"), 403);
}

TEST_F(ConductorTest, aMachineInUseIsSwitchedOffForStepsOnly) {
  const std::string uuid = add("fake-hardware");
  set_state(uuid, State::active);
  const auto told = [&](const Json& wishes) { return refused(uuid, "service", wishes); };
  const std::string none = "\"service_steps\" is required when setting target provision state to service";
  EXPECT_EQ(told(Json::object()), none);
  EXPECT_EQ(told({{"service_steps", nullptr}}), none);
  EXPECT_EQ(told({{"service_steps", Json::array()}}), none);
  EXPECT_EQ(told({{"service_steps", "steps.json"}}), "service_steps is to be a list");
  EXPECT_EQ(told({{"service_steps", {{{"stp", "burn_in"}}}}}),
            "Invalid step in service_steps: {\"stp\":\"burn_in\"}: interface and step are needed; args is an object");
  EXPECT_EQ(node(uuid).state, State::active);
  EXPECT_EQ(told({{"service_steps", {{{"interface", "deploy"}, {"step", "burn_in"}}}}}), "taken");
  EXPECT_EQ(node(uuid).state, State::servicing);
}

TEST_F(ConductorTest, aMachineInUseKeepsItsStateWhereItsRebuildCanNotBegin) {
  const std::string uuid = add("fake-hardware");
  set_state(uuid, State::active);
  for (const char* lacking : {"image_os_hash_value", "image_source"}) {
    conductor->ledger().edit(uuid).instance_info.erase(lacking);
    try {
      conductor->verb(uuid, "rebuild", {});
      ADD_FAILURE() << "taken without " << lacking;
    } catch (const Refusal& refusal) {
      EXPECT_EQ(refusal.status(), 400);
      EXPECT_NE(std::string(refusal.what()).find("it stays active"), std::string::npos) << refusal.what();
    }
    EXPECT_EQ(node(uuid).state, State::active);
    EXPECT_EQ(node(uuid).power, Power::off) << "as before";
  }
}

TEST_F(ConductorTest, WhatCanBeKnownBeforeAMachineIsTouchedIsNoFailureOfItsNode) {
  const std::string uuid = add("fake-hardware");
  const auto told = [&](const std::string& verb, const Json& wishes) { return refused(uuid, verb, wishes); };
  conductor->ledger().edit(uuid).instance_info.erase("image_os_hash_value");
  EXPECT_NE(told("deploy", {}).find("--sha256 HEX"), std::string::npos);
  EXPECT_NE(told("deploy", {}).find("--sha256 HEX"), std::string::npos);
  ASSERT_EQ(events(uuid, "refused").size(), 1U) << "hearth why tells it; asked again at once it is the same";
  EXPECT_TRUE(events(uuid, "refused").front().starts_with("deploy was refused: "));
  for (const char* wrong : {"abc", "zz345678901234567890123456789012"}) {
    conductor->ledger().edit(uuid).instance_info["image_checksum"] = wrong;
    EXPECT_NE(told("deploy", {}).find(cat("image_checksum ", wrong, " is neither")), std::string::npos) << wrong;
  }
  EXPECT_EQ(node(uuid).state, State::available);
  set_state(uuid, State::manageable);
  conductor->ledger().edit(uuid).driver = "redfish";
  const Json raid = {{"clean_steps", {{{"interface", "raid"}, {"step", "create_configuration"}}}}};
  EXPECT_NE(told("clean", raid).find("has no target RAID configuration"), std::string::npos);
  EXPECT_EQ(node(uuid).state, State::manageable);
  EXPECT_EQ(node(uuid).power, Power::off) << "nothing was switched";
}

TEST_F(ConductorTest, NoMachineIsSwitchedForARamdiskThatNobodyHasNamed) {
  settings.site_ramdisks.emplace();  // it has boot servers of its own, which have none
  start();
  const std::string uuid = add("fake-hardware");
  const auto told = [&](const std::string& verb, const Json& wishes) { return refused(uuid, verb, wishes); };
  conductor->ledger().edit(uuid).driver_info.erase("deploy_kernel");
  EXPECT_NE(told("deploy", {}).find("driver_info has no deploy_kernel, so its machine would find nothing to boot"),
            std::string::npos);
  set_state(uuid, State::manageable);
  const Json steps = {{"clean_steps", {{{"interface", "deploy"}, {"step", "erase_devices_metadata"}}}}};
  for (const char* kernel : {"", "site"}) {
    conductor->ledger().edit(uuid).driver_info["deploy_kernel"] = kernel;
    EXPECT_NE(told("clean", steps).find("; it stays manageable"), std::string::npos) << kernel;
  }
  EXPECT_NE(told("inspect", {}).find("configure boot"), std::string::npos);
  EXPECT_EQ(node(uuid).state, State::manageable);
  EXPECT_EQ(node(uuid).power, Power::off);
  store.put_document("image/site", {{"kernel", "/images/site.kernel"}});
  EXPECT_EQ(told("clean", steps), "taken");
  pass(1);
  EXPECT_EQ(node(uuid).state, State::clean_wait);
}

TEST_F(ConductorTest, ASitesOwnRamdiskIsForNodesThatNameNone) {
  settings.site_ramdisks = {"inspect"};
  start();
  const std::string uuid = add("fake-hardware");
  conductor->ledger().edit(uuid).driver_info.erase("deploy_kernel");
  set_state(uuid, State::manageable);
  conductor->verb(uuid, "inspect", {});
  EXPECT_EQ(node(uuid).state, State::inspecting);
}

TEST_F(ConductorTest, AnAdoptedMachinesImageIsAURLOrOneThatTheSeedHas) {
  const std::string uuid = add("fake-hardware");
  store.put_document("image/site", {{"file", "/var/lib/images/site.raw"}});
  for (const char* unknown : {"", "sites", "/tmp/site.raw"}) {
    set_state(uuid, State::manageable);
    conductor->ledger().edit(uuid).instance_info["image_source"] = unknown;
    EXPECT_THROW(conductor->verb(uuid, "adopt", {}), Refusal) << unknown;
    EXPECT_EQ(node(uuid).state, State::manageable);
  }
  for (const char* known : {"site", "/var/lib/images/site.raw", "http://192.0.2.1/site.raw"}) {
    set_state(uuid, State::manageable);
    conductor->ledger().edit(uuid).instance_info["image_source"] = known;
    conductor->verb(uuid, "adopt", {});
    EXPECT_NE(node(uuid).state, State::manageable) << known;
    pass(3);
    EXPECT_EQ(node(uuid).state, State::active) << known;
  }
}

TEST_F(ConductorTest, aServiceThatIsGivenUpLeavesNoMachineInTheRamdisk) {
  const std::string uuid = add("fake-hardware");
  set_state(uuid, State::active);
  conductor->verb(uuid, "service", {{"service_steps", {{{"interface", "deploy"}, {"step", "burn_in"}}}}});
  pass(3);
  ASSERT_EQ(node(uuid).state, State::service_wait);
  conductor->verb(uuid, "abort", {});
  EXPECT_EQ(node(uuid).state, State::service_failed);
  EXPECT_TRUE(events(uuid, "power").empty() || events(uuid, "power").back() != "rebooting was asked for");
  conductor->verb(uuid, "abort", {});
  EXPECT_EQ(node(uuid).state, State::active);
  EXPECT_EQ(node(uuid).last_error, "");
  pass(2);
  const std::vector<std::string> power = events(uuid, "power");
  EXPECT_NE(std::find(power.begin(), power.end(), "rebooting was asked for"), power.end());
  EXPECT_EQ(node(uuid).power, Power::on);
  EXPECT_FALSE(node(uuid).internal.contains(k_out_of_system));
}

TEST_F(ConductorTest, aServiceThatNeverTookItsMachineLeavesItAsItIs) {
  const std::string uuid = add("fake-hardware");
  set_state(uuid, State::service_failed);
  conductor->verb(uuid, "abort", {});
  EXPECT_EQ(node(uuid).state, State::active);
  EXPECT_TRUE(events(uuid, "power").empty());
}

TEST_F(ConductorTest, aDriveIsMadeFromKeysOfTheNodeOrWhatTheVerbBrings) {
  const std::string uuid = add("fake-hardware");
  store.put_document("role/compute", {{"user_data", "#!/bin/sh"}});
  conductor->ledger().edit(uuid).properties["capabilities"] = "profile:compute";
  conductor->verb(uuid, "deploy", {});
  EXPECT_EQ(node(uuid).instance_info["configdrive"].get<std::string>().substr(0, 3), "H4s");
  EXPECT_FALSE(node(uuid).instance_uuid.empty());
  const std::string other = add("fake-hardware", "52:54:00:00:00:02", "web2");
  conductor->verb(other, "deploy", {{"configdrive", {{"user_data", "x"}}}});
  EXPECT_EQ(node(other).instance_info["configdrive"].get<std::string>().substr(0, 3), "H4s");
  EXPECT_FALSE(node(other).job.arguments.contains("configdrive"));
  const std::string third = add("fake-hardware", "52:54:00:00:00:03", "web3");
  conductor->verb(third, "deploy", {{"configdrive", "ready"}});
  EXPECT_EQ(node(third).instance_info["configdrive"], "ready");
}

TEST_F(ConductorTest, validationTellsWhatIsMissing) {
  const std::string uuid = add("manual-management");
  std::map<std::string, std::string> found;
  for (const auto& [interface, reason] : conductor->validate(uuid)) found[interface] = reason;
  EXPECT_EQ(found["power"], "");
  EXPECT_EQ(found["deploy"], "");
  EXPECT_NE(found["boot"].find("deploy_kernel"), std::string::npos);
  conductor->ledger().edit(uuid).instance_info = Json::object();
  conductor->ledger().edit(uuid).ports.clear();
  for (const auto& [interface, reason] : conductor->validate(uuid)) found[interface] = reason;
  EXPECT_NE(found["power"], "");
  EXPECT_NE(found["deploy"], "");
}

TEST_F(ConductorTest, strangersOnTheNetworkChangeNothing) {
  const std::int64_t before = store.last_event();
  conductor->seen("52:54:00:00:00:77", "DHCP", Conductor::Sign::boots);
  EXPECT_EQ(store.last_event(), before);
}

TEST_F(ConductorTest, whatAMachineAsksInVainIsKeptAlsoRightBehindAnotherSign) {
  const std::string uuid = add("fake-hardware");
  conductor->seen("52:54:00:00:00:01", "dhcp REQUEST", Conductor::Sign::asks);
  conductor->seen("52:54:00:00:00:01", "it asks in vain: arp who-has 192.0.2.99", Conductor::Sign::in_vain);
  EXPECT_EQ(node(uuid).seen_how, "it asks in vain: arp who-has 192.0.2.99");
  conductor->seen("52:54:00:00:00:01", "dhcp REQUEST", Conductor::Sign::asks);
  EXPECT_EQ(node(uuid).seen_how, "it asks in vain: arp who-has 192.0.2.99") << "no news within half a minute";
}

TEST_F(ConductorTest, AMachineThatWasGivenAwayGetsNoOrders) {
  const std::string uuid = add("fake-hardware");
  conductor->give("web1", "http://cloud:5000");
  conductor->give("web1", "http://cloud:5000");
  EXPECT_EQ(given_to(node(uuid)), "http://cloud:5000");
  const auto refused = [](const auto& act) {
    try {
      act();
    } catch (const Refusal& refusal) {
      return refusal.status() == 409 &&
             std::string(refusal.what()).find("given to http://cloud:5000") != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refused([&] { conductor->power("web1", "power on"); }));
  EXPECT_TRUE(refused([&] { conductor->verb("web1", "deploy", Json::object()); }));
  EXPECT_TRUE(refused([&] { conductor->set_boot_device("web1", "pxe", true); }));
  EXPECT_TRUE(refused([&] { conductor->inject_nmi("web1", {}); }));
  EXPECT_TRUE(refused([&] { conductor->give("web1", "http://other:5000"); }));
  EXPECT_EQ(events(uuid, "given").size(), 1U);
  ImportRequest others;
  others.text = R"({"nodes": [{"name": "web9", "pm_type": "fake_pxe", "mac": ["52:54:00:00:00:99"]}]})";
  others.source = "others.json";
  others.to = State::enroll;
  others.remove_absent = true;
  ASSERT_NE(join(conductor->import(others).warnings, "\n").find("was given to http://cloud:5000: it stays"),
            std::string::npos);
  EXPECT_EQ(given_to(node(uuid)), "http://cloud:5000");
  EXPECT_TRUE(events(uuid, "handover").empty()) << "these end the service (cli/seed_service.cpp)";
  start();  // a new process knows it, too
  EXPECT_TRUE(refused([&] { conductor->power("web1", "power on"); }));
  conductor->take_back("web1");
  EXPECT_EQ(node(uuid).power, Power::unknown) << "its former owner may have switched it: nothing is forced on it";
  conductor->power("web1", "power on");
}

TEST_F(ConductorTest, WhatWasGivenForGoodDoesNotComeBack) {
  const std::string uuid = add("fake-hardware");
  conductor->give("web1", "http://cloud:5000");
  conductor->give("web1", "http://cloud:5000", true);
  conductor->give("web1", "http://cloud:5000");
  EXPECT_THROW(conductor->take_back("web1"), Refusal);
  start();
  EXPECT_EQ(node(uuid).internal.value(k_given_for_good, false), true);
  EXPECT_EQ(given_to(node(uuid)), "http://cloud:5000");
}

TEST_F(ConductorTest, AnInventoryWithoutAMachineTakesNoneAway) {
  const std::string uuid = add("fake-hardware");
  ImportRequest none;
  none.text = R"({"nodes": []})";
  none.source = "none.json";
  none.remove_absent = true;
  EXPECT_NE(conductor->import(none).faults.find("none.json has no machine: all 1 nodes would be removed"),
            std::string::npos);
  EXPECT_EQ(node(uuid).name, "web1");
}

TEST_F(ConductorTest, AMachineThatIsWorkedOnIsNotGivenAway) {
  const std::string uuid = add("fake-hardware");
  conductor->verb("web1", "deploy", Json::object());
  EXPECT_THROW(conductor->give("web1", "http://cloud:5000"), Refusal);
  EXPECT_EQ(given_to(node(uuid)), "");
}

}  // namespace
}  // namespace hearth::bootstrap
