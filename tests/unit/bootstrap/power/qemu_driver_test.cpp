#include "bootstrap/power/qemu_driver.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::bootstrap {
namespace {

Node machine() {
  Node node;
  node.uuid = "ce9937be-d2f9-4d1b-b3ae-016c128ed6af";
  node.name = "n1";
  node.ports = {new_port("52:54:00:00:00:01", 1), new_port("52:54:00:00:00:02", 1)};
  node.driver_info = {{"qemu_disk", "/d/a.qcow2:8G, /d/b.raw"}, {"qemu_bridge", "br0"}};
  return node;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(QemuDriver, theCommandLineBootsWhereItShould) {
  const std::string network = join(qemu_command(machine(), "/h", "pxe"), " ");
  EXPECT_TRUE(has(network, "virtio-net-pci,netdev=n0,mac=52:54:00:00:00:01,bootindex=0"));
  EXPECT_TRUE(has(network, "drive=d0,serial=HEARTH-ce9937be-0,bootindex=10"));
  EXPECT_TRUE(has(network, "tap,id=n1,ifname=htce9937be-1,script=no,downscript=no"));
  EXPECT_TRUE(has(network, "-accel tcg"));
  EXPECT_FALSE(has(network, "pflash"));
  const std::string disk = join(qemu_command(machine(), "/h", "disk"), " ");
  EXPECT_TRUE(has(disk, "drive=d0,serial=HEARTH-ce9937be-0,bootindex=0"));
  EXPECT_TRUE(has(disk, "mac=52:54:00:00:00:02,bootindex=11"));
}

TEST(QemuDriver, firmwareNamespaceAndTapsAsTheNodeSays) {
  Node node = machine();
  node.set_capability("boot_mode", "uefi");
  node.driver_info["qemu_netns"] = "site";
  node.driver_info["qemu_tap"] = "tap7";
  const std::vector<std::string> argv = qemu_command(node, "/h", "pxe");
  EXPECT_EQ(argv[3], "site");
  EXPECT_TRUE(has(join(argv, " "), "if=pflash,unit=1,format=raw,file=/h/vars.fd"));
  EXPECT_TRUE(has(join(argv, " "), "romfile="));
  EXPECT_EQ(qemu_taps(node), std::vector<std::string>{"tap7"});
  EXPECT_EQ(qemu_disks(node).at(0).size, "8G");
  EXPECT_EQ(qemu_disks(node).at(1).path, "/d/b.raw");
  EXPECT_EQ(qemu_taps(machine()).at(0).size(), 12U);  // an interface's name has at most fifteen characters
}

TEST(QemuDriver, aMachineWhoseMonitorIsNotThereIsOff) {
  const TempDir directory = TempDir::create("/tmp", "hq-");
  fakes::ScriptedRunner runner;
  fakes::ManualClock clock;
  for (const char* program : {"ip", "qemu-img", "qemu-system-x86_64"}) runner.on(program, 0);
  QemuDriver driver(runner, clock, directory.path());
  Node node = machine();
  EXPECT_EQ(driver.state(node), Power::off);
  driver.set(node, PowerAction::off);
  EXPECT_TRUE(runner.ran.empty());
  driver.set_boot_device(node, "disk", true);
  driver.set_boot_device(node, "pxe", false);
  driver.set(node, PowerAction::on);
  const std::string first = join(runner.ran.back().argv, " ");
  EXPECT_TRUE(has(first, "mac=52:54:00:00:00:01,bootindex=0")) << first;
  driver.set(node, PowerAction::on);  // it has left no socket: off again
  EXPECT_TRUE(has(join(runner.ran.back().argv, " "), "mac=52:54:00:00:00:01,bootindex=10"));
  EXPECT_THROW(driver.set_boot_device(node, "cdrom", false), PowerFault);
  runner.on("qemu-system-x86_64", 1);
  EXPECT_THROW(driver.set(node, PowerAction::on), PowerFault);
  EXPECT_EQ(driver.missing(Node()).size(), 2U);
}

}  // namespace
}  // namespace hearth::bootstrap
