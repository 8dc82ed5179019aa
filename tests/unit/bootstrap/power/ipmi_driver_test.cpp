#include "bootstrap/power/ipmi_driver.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::bootstrap {
namespace {

Node ipmi_driver_node_with(const Json& info) {
  Node node;
  node.driver = "ipmi";
  node.driver_info = {{"ipmi_address", "192.0.2.5"}, {"ipmi_username", "admin"}, {"ipmi_password", "secret"}};
  if (info.is_object()) node.driver_info.update(info);
  return node;
}

/// A BMC that keeps its power, and the words that it was told.
class Bmc {
 public:
  explicit Bmc(fakes::ScriptedRunner& runner) {
    runner.on("ipmitool", [this](const Command& command) {
      const auto end = std::find(command.argv.begin(), command.argv.end(), "-E");
      const std::string words = join({end + 1, command.argv.end()}, " ");
      told.push_back(words);
      if (words == "chassis power on") on = true;
      if ((words == "chassis power off" || words == "chassis power soft") && obeys) on = false;
      if (words == "chassis power status")
        return CommandResult{Exited{0}, cat("Chassis Power is ", on ? "on" : "off", "\n"), ""};
      return CommandResult{Exited{0}, "", ""};
    });
  }
  bool on = false, obeys = true;
  std::vector<std::string> told;
};

TEST(IpmiDriver, thePasswordIsInTheEnvironmentAndNowhereElse) {
  const Command command = ipmi_command(ipmi_driver_node_with({{"ipmi_port", 6230}}), {"chassis", "power", "status"});
  EXPECT_EQ(
      join(command.argv, " "),
      "ipmitool -I lanplus -H 192.0.2.5 -p 6230 -L ADMINISTRATOR -N 2 -R 1 -v -C 17 -U admin -E chassis power status");
  EXPECT_EQ(command.env->at("IPMI_PASSWORD"), "secret");
  const Command old =
      ipmi_command(ipmi_driver_node_with({{"ipmi_protocol_version", "1.5"}, {"ipmi_target_address", "0x24"}}), {"x"});
  EXPECT_EQ(old.argv[2], "lan");
  EXPECT_EQ(std::count(old.argv.begin(), old.argv.end(), "-C"), 0);
  EXPECT_EQ(std::count(old.argv.begin(), old.argv.end(), "0x24"), 1);
}

TEST(IpmiDriver, theKeyOfABmcIsInTheEnvironmentWhereItCanBe) {
  const Command text = ipmi_command(ipmi_driver_node_with({{"ipmi_hex_kg_key", "613100"}}), {"x"});
  EXPECT_EQ(std::count(text.argv.begin(), text.argv.end(), "-K"), 1);
  EXPECT_EQ(text.env->at("IPMI_KGKEY"), "a1") << "zeros at the end are the key's filling";
  EXPECT_EQ(join(text.argv, " ").find("6131"), std::string::npos);
  const Command bytes = ipmi_command(ipmi_driver_node_with({{"ipmi_hex_kg_key", "610031"}}), {"x"});
  EXPECT_EQ(*(std::find(bytes.argv.begin(), bytes.argv.end(), "-y") + 1), "610031");
  EXPECT_EQ(driver_key_faults(ipmi_driver_node_with({{"ipmi_hex_kg_key", "hush"}}), "ipmi"),
            std::vector<std::string>{
                "ipmi_hex_kg_key is no key of a BMC: two hexadecimal digits a byte, of 20 bytes at most."});
}

TEST(IpmiDriver, theOldCipherSuiteIsForThoseBmcsThatHaveNoOther) {
  fakes::ScriptedRunner runner;
  fakes::ManualClock clock;
  std::vector<std::string> suites;
  runner.on("ipmitool", [&](const Command& command) {
    suites.push_back(*(std::find(command.argv.begin(), command.argv.end(), "-C") + 1));
    if (suites.back() == "17")
      return CommandResult{Exited{1}, "", "Error in open session response message : no matching cipher suite\n"};
    return CommandResult{Exited{0}, "Chassis Power is off\n", ""};
  });
  IpmiDriver driver(runner, clock);
  EXPECT_EQ(driver.state(ipmi_driver_node_with({})), Power::off);
  EXPECT_EQ(driver.state(ipmi_driver_node_with({})), Power::off);
  EXPECT_EQ(suites, (std::vector<std::string>{"17", "3", "3"})) << "it is remembered";
  EXPECT_THROW(static_cast<void>(driver.state(ipmi_driver_node_with({{"ipmi_cipher_suite", "17"}}))), PowerFault);
  EXPECT_EQ(suites.back(), "17") << "what the node names is not changed";
}

TEST(IpmiDriver, sendsAnInterruptAndReadsTheBootDevice) {
  fakes::ScriptedRunner runner;
  fakes::ManualClock clock;
  Bmc bmc(runner);
  IpmiDriver driver(runner, clock);
  driver.inject_nmi(ipmi_driver_node_with({}));
  EXPECT_EQ(bmc.told, std::vector<std::string>{"chassis power diag"});
  EXPECT_EQ(driver.boot_device(ipmi_driver_node_with({}))->device, "");
  EXPECT_EQ(bmc.told.back(), "chassis bootparam get 5");
  EXPECT_THROW(driver.set_boot_mode(ipmi_driver_node_with({}), "uefi"), PowerFault);
  const BootDevice disk = ipmi_boot_device(
      "Boot parameter version: 1\n   - Options apply to all future boots\n   - Boot Device Selector : Force Boot from "
      "default Hard-Drive\n");
  EXPECT_EQ(disk.device, "disk");
  EXPECT_TRUE(disk.persistent);
  const BootDevice network =
      ipmi_boot_device("   - Options apply to only next boot\n   - Boot Device Selector : Force PXE\n");
  EXPECT_EQ(network.device, "pxe");
  EXPECT_FALSE(network.persistent);
}

TEST(IpmiDriver, switchesOnlyWhatIsNotSoAndWaitsUntilItIs) {
  fakes::ScriptedRunner runner;
  fakes::ManualClock clock;
  Bmc bmc(runner);
  IpmiDriver driver(runner, clock);
  driver.set(ipmi_driver_node_with({}), PowerAction::off);
  EXPECT_EQ(bmc.told, std::vector<std::string>{"chassis power status"});
  driver.set(ipmi_driver_node_with({}), PowerAction::on);
  EXPECT_TRUE(bmc.on);
  bmc.told.clear();
  driver.set(ipmi_driver_node_with({}), PowerAction::reboot);
  EXPECT_EQ(bmc.told, (std::vector<std::string>{"chassis power status", "chassis power off", "chassis power status",
                                                "chassis power on", "chassis power status"}));
  bmc.obeys = false;
  EXPECT_THROW(driver.set(ipmi_driver_node_with({}), PowerAction::off), PowerFault);
}

TEST(IpmiDriver, bootDevicesWithWhatTheFirmwareNeeds) {
  fakes::ScriptedRunner runner;
  fakes::ManualClock clock;
  Bmc bmc(runner);
  IpmiDriver driver(runner, clock);
  Node uefi = ipmi_driver_node_with({});
  uefi.set_capability("boot_mode", "uefi");
  driver.set_boot_device(uefi, "pxe", false);
  driver.set_boot_device(ipmi_driver_node_with({}), "disk", true);
  driver.set_boot_device(ipmi_driver_node_with({{"ipmi_disable_boot_timeout", "false"}}), "bios", false);
  EXPECT_EQ(bmc.told, (std::vector<std::string>{"raw 0x00 0x08 0x03 0x08", "chassis bootdev pxe options=efiboot",
                                                "raw 0x00 0x08 0x03 0x08", "chassis bootdev disk options=persistent",
                                                "chassis bootdev bios"}));
  EXPECT_THROW(driver.set_boot_device(uefi, "floppy", false), PowerFault);
}

TEST(IpmiDriver, failuresHaveTheirReasonAndNeverThePassword) {
  EXPECT_EQ(ipmi_reason("RAKP 2 HMAC is invalid"), PowerFault::Reason::refused);
  EXPECT_EQ(ipmi_reason("Error: Unable to establish IPMI v2 / RMCP+ session"), PowerFault::Reason::unreachable);
  EXPECT_EQ(ipmi_reason("Set Chassis Power Control to Up/On failed: Node busy"), PowerFault::Reason::busy);
  EXPECT_EQ(ipmi_reason("what"), PowerFault::Reason::failed);
  fakes::ScriptedRunner runner;
  fakes::ManualClock clock;
  runner.on("ipmitool", [](const Command&) {
    return CommandResult{Exited{1}, "", "Error: Unable to establish IPMI v2 / RMCP+ session\n"};
  });
  IpmiDriver driver(runner, clock);
  try {
    static_cast<void>(driver.state(ipmi_driver_node_with({})));
    FAIL();
  } catch (const PowerFault& fault) {
    EXPECT_TRUE(fault.passing());
    EXPECT_EQ(std::string(fault.what()),
              "BMC 192.0.2.5: chassis power status: no answer; Error: Unable to establish IPMI v2 / RMCP+ session");
  }
  fakes::ScriptedRunner none;
  IpmiDriver without(none, clock);
  EXPECT_THROW(static_cast<void>(without.state(ipmi_driver_node_with({}))), PowerFault);
}

TEST(IpmiDriver, saysWhatIsMissing) {
  fakes::ScriptedRunner runner;
  fakes::ManualClock clock;
  const IpmiDriver driver(runner, clock);
  EXPECT_TRUE(driver.missing(ipmi_driver_node_with({})).empty());
  EXPECT_EQ(driver.missing(Node()).size(), 1U);
  EXPECT_EQ(driver.missing(ipmi_driver_node_with({{"ipmi_port", "x"}})).size(), 1U);
}

}  // namespace
}  // namespace hearth::bootstrap
