#include "bootstrap/power/headless_machine.hpp"

#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_code = "/usr/share/OVMF/OVMF_CODE_4M.fd";

std::string console_option(const HeadlessMachine& machine) {
  const std::string log = qemu_escaped((machine.home / "console.log").string());
  if (!machine.open_console) return cat("file,id=", k_console_label, ",append=on,path=", log);
  return cat("socket,id=", k_console_label,
             ",server=on,wait=off,path=", qemu_escaped((machine.home / "console").string()),
             ",logappend=on,logfile=", log);
}

}  // namespace

std::string qemu_escaped(const std::string& value) { return replace_all(value, ",", ",,"); }

std::vector<std::string> headless_command(const HeadlessMachine& machine) {
  std::vector<std::string> argv = {"qemu-system-x86_64",
                                   "-name",
                                   qemu_escaped(machine.name),
                                   "-accel",
                                   machine.accelerator,
                                   "-machine",
                                   "q35",
                                   "-smp",
                                   machine.cpus,
                                   "-m",
                                   machine.memory_mib,
                                   "-display",
                                   "none",
                                   "-vga",
                                   "none",
                                   "-nodefaults",
                                   "-qmp",
                                   cat("unix:", qemu_escaped((machine.home / "qmp").string()), ",server=on,wait=off"),
                                   "-chardev",
                                   console_option(machine),
                                   "-serial",
                                   cat("chardev:", k_console_label),
                                   "-device",
                                   "virtio-rng-pci"};
  if (machine.background) argv.insert(argv.end(), {"-daemonize", "-pidfile", (machine.home / "pid").string()});
  if (machine.uefi) {
    argv.insert(argv.end(),
                {"-drive", cat("if=pflash,unit=0,format=raw,readonly=on,file=", k_code), "-drive",
                 cat("if=pflash,unit=1,format=raw,file=", qemu_escaped((machine.home / "vars.fd").string()))});
  }
  return argv;
}

}  // namespace hearth::bootstrap
