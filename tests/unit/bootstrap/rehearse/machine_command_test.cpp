#include "bootstrap/rehearse/machine_command.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

std::string line(const BlankMachine& machine, const MachineSetting& setting, const BootOverride& boot = {}) {
  return join(machine_command(machine, setting, boot), " ");
}

BlankMachine a_machine(bool uefi) {
  BlankMachine machine;
  machine.name = "node1";
  machine.mac = "52:54:00:00:00:01";
  machine.uefi = uefi;
  return machine;
}

TEST(MachineCommand, bootsFromTheNetworkFirstUnlessToldOtherwise) {
  const MachineSetting setting{.home = "/m", .tap = "t1"};
  const std::string usual = line(a_machine(false), setting);
  EXPECT_NE(usual.find("mac=52:54:00:00:00:01,bootindex=0"), std::string::npos);
  EXPECT_NE(usual.find("serial=node1,bootindex=1"), std::string::npos);
  EXPECT_NE(usual.find("ifname=t1"), std::string::npos);
  const std::string disk = line(a_machine(false), setting, {"Hdd", "Continuous"});
  EXPECT_NE(disk.find("serial=node1,bootindex=0"), std::string::npos);
  EXPECT_EQ(line(a_machine(false), setting, {"Hdd", "Disabled"}), usual);
}

TEST(MachineCommand, uefiHasItsOwnVariablesAndNoRomInTheCard) {
  const std::string text = line(a_machine(true), {.home = "/m,1", .tap = "t1"});
  EXPECT_NE(text.find("file=/m,,1/vars.fd"), std::string::npos);
  EXPECT_NE(text.find("bootindex=0,romfile="), std::string::npos);
}

TEST(MachineCommand, itsConsoleIsASocketBesideTheLogAndRootLetsTheRehearsalsKeyIn) {
  const std::string text = line(a_machine(false), {.home = "/m", .tap = "t1", .ssh_key = "ssh-ed25519 AAAA\n"});
  EXPECT_NE(text.find("path=/m/console,logappend=on,logfile=/m/console.log"), std::string::npos) << text;
  EXPECT_NE(text.find("type=11,value=io.systemd.credential.binary:ssh.authorized_keys.root=c3NoLWVkMjU1MTkgQUFBQQo="),
            std::string::npos)
      << text;
  EXPECT_EQ(line(a_machine(false), {.home = "/m", .tap = "t1"}).find("smbios"), std::string::npos);
}

TEST(MachineCommand, faultsChangeDiskAndCable) {
  const std::string text = line(a_machine(false), {.home = "/m", .tap = "t1", .relayed = true, .dead_disk = true});
  EXPECT_NE(text.find("file.driver=blkdebug"), std::string::npos);
  EXPECT_NE(text.find("remote.path=/m/relay"), std::string::npos);
  EXPECT_EQ(text.find("ifname"), std::string::npos);
}

}  // namespace
}  // namespace hearth::bootstrap
