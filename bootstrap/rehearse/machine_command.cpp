#include "bootstrap/rehearse/machine_command.hpp"

#include "base/base64.hpp"
#include "base/text.hpp"
#include "bootstrap/power/headless_machine.hpp"

namespace hearth::bootstrap {

namespace {

std::string escaped_path(const fs::path& path) { return qemu_escaped(path.string()); }

std::string disk_option(const MachineSetting& setting) {
  const std::string common = "if=none,id=disk,discard=unmap,cache=unsafe,driver=qcow2";
  const std::string file = escaped_path(setting.home / "disk.qcow2");
  if (!setting.dead_disk) return cat(common, ",file.driver=file,file.filename=", file);
  return cat(common, ",werror=report,file.driver=blkdebug,file.image.driver=file,file.image.filename=", file,
             ",file.inject-error.0.event=none,file.inject-error.0.iotype=write,file.inject-error.0.errno=5");
}

std::string link_option(const MachineSetting& setting) {
  if (!setting.relayed) return cat("tap,id=net,script=no,downscript=no,ifname=", setting.tap);
  return cat("dgram,id=net,local.type=unix,local.path=", escaped_path(setting.home / "frames"),
             ",remote.type=unix,remote.path=", escaped_path(setting.home / "relay"));
}

}  // namespace

std::vector<std::string> machine_command(const BlankMachine& machine, const MachineSetting& setting,
                                         const BootOverride& boot) {
  const bool disk_first = boot.enabled != "Disabled" && boot.target == "Hdd";
  std::vector<std::string> argv = headless_command({.name = machine.name,
                                                    .accelerator = setting.accelerator,
                                                    .cpus = std::to_string(machine.cpus),
                                                    .memory_mib = std::to_string(machine.memory_mib),
                                                    .home = setting.home,
                                                    .open_console = true,
                                                    .uefi = machine.uefi});
  argv.insert(argv.end(), {"-drive", disk_option(setting), "-device",
                           cat("virtio-blk-pci,drive=disk,serial=", machine.name, ",bootindex=", disk_first ? 0 : 1),
                           "-netdev", link_option(setting), "-device",
                           cat("virtio-net-pci,netdev=net,mac=", machine.mac, ",bootindex=", disk_first ? 1 : 0,
                               machine.uefi ? ",romfile=" : "")});  // UEFI's firmware has its own driver
  if (!setting.ssh_key.empty()) {
    argv.insert(argv.end(), {"-smbios", cat("type=11,value=io.systemd.credential.binary:ssh.authorized_keys.root=",
                                            base64_encode(setting.ssh_key))});
  }
  return argv;
}

}  // namespace hearth::bootstrap
