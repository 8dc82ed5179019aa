#include "bootstrap/power/libvirt_driver.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::bootstrap {
namespace {

constexpr const char* k_xml =
    "<domain><os><type>hvm</type><boot dev='hd'/></os><devices><disk><boot order=\"1\"/></disk>"
    "<interface><mac address='52:54:00:00:00:01'/></interface></devices></domain>";

TEST(LibvirtDriver, theBootDeviceIsTheFirstAndTheOnlyWordOnIt) {
  const std::string xml = with_boot_device(k_xml, "network");
  EXPECT_NE(xml.find("<boot dev='network'/><boot dev='hd'/></os>"), std::string::npos) << xml;
  EXPECT_EQ(xml.find("order"), std::string::npos);
  EXPECT_EQ(with_boot_device(xml, "network"), xml);
  EXPECT_THROW((void)with_boot_device("<domain/>", "hd"), Error);
}

TEST(LibvirtDriver, domainsAreFoundByTheirCardAndSwitched) {
  fakes::ScriptedRunner runner;
  fakes::ManualClock clock;
  bool on = false;
  std::string defined;
  runner.on("virsh", [&](const Command& command) {
    const std::vector<std::string> words(command.argv.begin() + 4, command.argv.end());
    if (words[0] == "list") return CommandResult{Exited{0}, "u-1\n", ""};
    if (words[0] == "dumpxml") return CommandResult{Exited{0}, k_xml, ""};
    if (words[0] == "domstate") return CommandResult{Exited{0}, on ? "running\n" : "shut off\n", ""};
    if (words[0] == "define") defined = command.input.value_or("");
    if (words[0] == "start") on = true;
    if (words[0] == "destroy" || words[0] == "shutdown") on = false;
    return CommandResult{Exited{0}, "", ""};
  });
  LibvirtDriver driver(runner, clock);
  Node node;
  node.driver_info["libvirt_uri"] = "qemu:///system";
  EXPECT_EQ(driver.missing(node).size(), 1U);
  node.ports = {new_port("52:54:00:00:00:01", 1)};
  EXPECT_TRUE(driver.missing(node).empty());
  driver.set(node, PowerAction::on);
  EXPECT_EQ(driver.state(node), Power::on);
  driver.set(node, PowerAction::reboot);
  driver.set(node, PowerAction::soft_off);
  EXPECT_EQ(driver.state(node), Power::off);
  driver.set_boot_device(node, "pxe", false);
  EXPECT_NE(defined.find("<boot dev='network'/>"), std::string::npos);
  node.ports = {new_port("52:54:00:00:00:99", 1)};
  EXPECT_THROW(static_cast<void>(driver.state(node)), PowerFault);
}

TEST(LibvirtDriver, aMachineThatIsOnIsNotStartedAndASoftEndIsNoHardOne) {
  fakes::ScriptedRunner runner;
  fakes::ManualClock clock;
  std::string state = "paused\n";
  std::vector<std::string> told;
  runner.on("virsh", [&](const Command& command) {
    if (command.argv[4] == "domstate") return CommandResult{Exited{0}, state, ""};
    told.push_back(command.argv[4]);
    return CommandResult{Exited{0}, "", ""};
  });
  LibvirtDriver driver(runner, clock);
  Node node;
  node.driver_info = {{"libvirt_uri", "qemu:///system"}, {"libvirt_domain", "n1"}};
  for (const char* on : {"paused\n", "in shutdown\n", "running\n"}) {
    state = on;
    EXPECT_EQ(driver.state(node), Power::on) << on;
    driver.set(node, PowerAction::on);
  }
  EXPECT_TRUE(told.empty()) << told.front();
  driver.set(node, PowerAction::soft_off);
  EXPECT_EQ(told, std::vector<std::string>{"shutdown"});
}

TEST(LibvirtDriver, failuresHaveTheirReason) {
  fakes::ScriptedRunner runner;
  fakes::ManualClock clock;
  runner.on("virsh", [](const Command&) {
    return CommandResult{Exited{1}, "", "error: failed to connect to the hypervisor\n"};
  });
  LibvirtDriver driver(runner, clock);
  Node node;
  node.driver_info = {{"libvirt_uri", "qemu:///system"}, {"libvirt_domain", "n1"}};
  try {
    static_cast<void>(driver.state(node));
    FAIL();
  } catch (const PowerFault& fault) {
    EXPECT_EQ(fault.reason(), PowerFault::Reason::unreachable);
  }
}

}  // namespace
}  // namespace hearth::bootstrap
