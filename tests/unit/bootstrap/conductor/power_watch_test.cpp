#include "bootstrap/conductor/power_watch.hpp"

#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {
namespace {

class PowerWatch : public ConductorFixture {
 protected:
  PowerWatch() {
    settings.power_sync_interval = Seconds(60);
    start();
  }
};

TEST_F(PowerWatch, machinesAreSwitchedOnRequestAndSayWhenItIsDone) {
  const std::string uuid = add("fake-hardware");
  conductor->power(uuid, "power on");
  EXPECT_EQ(node(uuid).target_power, "power on");
  EXPECT_THROW(conductor->power(uuid, "power off"), Refusal);  // one thing at a time
  pass(1);
  EXPECT_EQ(node(uuid).power, Power::on);
  EXPECT_EQ(node(uuid).target_power, "");
  conductor->power(uuid, "rebooting");
  pass(1);
  EXPECT_EQ(node(uuid).power, Power::on);
  EXPECT_THROW(conductor->power(uuid, "explode"), Refusal);
}

TEST_F(PowerWatch, forAMachineWithoutManagementAPersonIsAsked) {
  const std::string uuid = add("manual-management");
  conductor->power(uuid, "power off");
  EXPECT_EQ(node(uuid).power, Power::off);
  EXPECT_EQ(node(uuid).instruction.text, "Switch node web1 off.");
  conductor->instruction_done(uuid);
  EXPECT_EQ(node(uuid).instruction.action, "");
}

TEST_F(PowerWatch, aMachineThatIsOnAgainstOurWordIsSetRightThenTakenOver) {
  const std::string uuid = add("fake-hardware");
  drivers.find("fake-hardware")->set(node(uuid), PowerAction::on);
  pass(62);
  EXPECT_EQ(drivers.find("fake-hardware")->state(node(uuid)), Power::off);
  EXPECT_EQ(events(uuid, "power").back(), "found power on; set to power off");
  // Deaf: it answers, but does not obey.
  drivers.find("fake-hardware")->set(node(uuid), PowerAction::on);
  conductor->ledger().edit(uuid).driver_info["fake_fault"] = "deaf";
  pass(180);
  EXPECT_EQ(node(uuid).power, Power::on);
  EXPECT_EQ(events(uuid, "failure").back(), "found power on; taken over");
}

TEST_F(PowerWatch, aBmcThatIsGoneTakesTheNodeOutOfServiceUntilItIsBack) {
  const std::string uuid = add("fake-hardware");
  conductor->ledger().edit(uuid).driver_info["fake_fault"] = "unreachable";
  pass(130);
  EXPECT_FALSE(node(uuid).maintenance);
  pass(60);
  EXPECT_TRUE(node(uuid).maintenance);
  EXPECT_NE(node(uuid).maintenance_reason.find("does not answer"), std::string::npos);
  conductor->ledger().edit(uuid).driver_info.erase("fake_fault");
  pass(61);
  EXPECT_FALSE(node(uuid).maintenance);
  EXPECT_EQ(node(uuid).fault, "");
}

TEST_F(PowerWatch, bootDevicesAreCheckedAndKept) {
  const std::string uuid = add("fake-hardware");
  EXPECT_THROW(conductor->set_boot_device(uuid, "floppy", false), Refusal);
  conductor->set_boot_device(uuid, "pxe", true);
  EXPECT_EQ(node(uuid).boot_device, "pxe");
  EXPECT_TRUE(node(uuid).boot_device_persistent);
}

}  // namespace
}  // namespace hearth::bootstrap
