#include "agent/deploy/real_machine.hpp"

#include <sys/reboot.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "agent/deploy/boot/install_bootloader.hpp"
#include "agent/deploy/disk/mkfs.hpp"
#include "agent/deploy/hardware/bmc.hpp"
#include "agent/deploy/hardware/lldp.hpp"
#include "agent/deploy/partition/config_drive.hpp"
#include "agent/deploy/rescue.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"

namespace hearth::agent::deploy {

namespace {

/// As process 1 we leave the reaping to the kernel; here the ends of programs are of interest.
void with_programs(const std::function<void(CommandRunner&)>& work) {
  const auto before = ::signal(SIGCHLD, SIG_DFL);
  const SystemClock clock;
  RealRunner runner(clock);
  try {
    work(runner);
  } catch (...) {
    ::signal(SIGCHLD, before);
    throw;
  }
  ::signal(SIGCHLD, before);
}

}  // namespace

std::vector<Disk> RealMachine::disks() {
  if (settle_) settle_();
  return find_disks(RealFileSystem(), read_link);
}

std::vector<Nic> RealMachine::nics() {
  std::vector<Nic> nics = find_nics(RealFileSystem(), read_link);
  add_addresses(nics);
  if (collect_lldp_ && heard_.empty()) {
    heard_ = nics;
    listen_for_lldp(heard_, std::chrono::seconds(31));  // switches send every 30 s
  }
  for (Nic& nic : nics) {
    for (const Nic& one : heard_) {
      if (one.name == nic.name) nic.lldp = one.lldp;
    }
  }
  return nics;
}

Json RealMachine::inventory() {
  const RealFileSystem files;
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const InventorySources sources{files, read_link, boot_mac_, bmc_address(), host.data()};
  return inventory_json(sources, nics(), disks());
}

Json RealMachine::pci_devices() { return pci_devices_json(RealFileSystem()); }

std::string RealMachine::install_bootloader(const Disk& disk) {
  return install_uefi_entry(disk.name, disk.logical_sector);
}

std::string RealMachine::install_grub(const GrubWish& wish) {
  std::string done;
  with_programs([&](CommandRunner& runner) { done = deploy::install_grub(wish, runner); });
  return done;
}

void RealMachine::make_file_system(const std::string& type, const std::string& device, const std::string& label) {
  with_programs([&](CommandRunner& runner) { run_checked(runner, mkfs_command(type, device, label)); });
}

WrittenImage RealMachine::write_image(const ImageInfo& image, const std::string& device, WriterWorld& world,
                                      WriteProgress& progress) {
  return deploy::write_image(image, device, world, progress);
}

std::string RealMachine::finish_partitions(const Disk& disk, const std::string& drive) {
  return deploy::finish_partitions(disk.name, disk.logical_sector, drive);
}

void RealMachine::let_in(const Json& params) {
  RealFileSystem files;
  with_programs([&](CommandRunner& runner) { deploy::let_in(rescue_hash(params, runner), files, runner); });
}

void RealMachine::end(Ending ending) {
  ::sync();
  if (ending == Ending::power_off) ::reboot(RB_POWER_OFF);
  if (ending == Ending::reboot) ::reboot(RB_AUTOBOOT);
  throw Error::from_errno("asking the kernel to", ending == Ending::reboot ? "reboot" : "power off");
}

}  // namespace hearth::agent::deploy
