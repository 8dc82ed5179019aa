#include "builder/vm/qemu_machine.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/frames/frame_map.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"

namespace hearth::builder::vm {

namespace {

/// A value inside a comma-separated QEMU option: commas are doubled.
std::string option_value(const fs::path& path) { return replace_all(path.string(), ",", ",,"); }

void add_firmware(std::vector<std::string>& argv, const QemuMachine& machine) {
  if (machine.firmware == FirmwareKind::bios) return;
  if (machine.firmware == FirmwareKind::uefi_secure) {
    argv.insert(argv.end(), {"-global", "driver=cfi.pflash01,property=secure,value=on"});
  }
  argv.insert(argv.end(),
              {"-drive", cat("if=pflash,unit=0,format=raw,readonly=on,file=", option_value(machine.ovmf.code)),
               "-drive", cat("if=pflash,unit=1,format=raw,file=", option_value(machine.ovmf.variables))});
}

void add_disk(std::vector<std::string>& argv, const QemuMachine& machine) {
  if (machine.cd_drive) {
    argv.insert(argv.end(),
                {"-drive", cat("if=none,id=disk,format=raw,media=cdrom,readonly=on,file=", option_value(machine.image)),
                 "-device", "ide-cd,drive=disk"});
    return;
  }
  const char* const snapshot = machine.disk_writes == DiskWrites::discarded ? "on" : "off";
  argv.insert(argv.end(), {"-drive",
                           cat("if=none,id=disk,format=", machine.image_format, ",snapshot=", snapshot,
                               ",file=", option_value(machine.image)),
                           "-device",
                           cat("virtio-blk-pci,drive=disk,logical_block_size=", machine.sector_size,
                               ",physical_block_size=", machine.sector_size)});
}

void add_serial(std::vector<std::string>& argv, const QemuMachine& machine) {
  if (machine.serial == SerialLine::terminal) {
    argv.insert(argv.end(), {"-serial", "mon:stdio"});
  } else {
    argv.insert(argv.end(), {"-serial", "stdio", "-monitor", "none"});
  }
}

/// For a watched BIOS machine SeaBIOS writes its screen to the serial line too (graphics=off): "No bootable device" and
/// GRUB's rescue prompt would be seen nowhere else. At a terminal that would double GRUB's own serial menu.
std::string machine_type(const QemuMachine& machine) {
  const bool watched_bios = machine.firmware == FirmwareKind::bios && machine.serial == SerialLine::output;
  // Secure Boot keeps its variables where only system management mode may write.
  if (machine.firmware == FirmwareKind::uefi_secure) return "q35,smm=on";
  return cat(machine.accelerator == "tcg" ? "pc" : "q35", watched_bios ? ",graphics=off" : "");
}

std::string network_of(const QemuMachine& machine) {
  if (!machine.user_network && machine.forwards.empty()) return "none";
  std::string text = cat("user,model=virtio-net-pci", machine.user_network ? "" : ",restrict=on");
  for (const PortForward& forward : machine.forwards) {
    text += cat(",hostfwd=tcp:127.0.0.1:", forward.host, "-:", forward.guest);
  }
  return text;
}

}  // namespace

std::vector<std::string> qemu_argv(const QemuMachine& machine) {
  const bool emulated = machine.accelerator == "tcg";
  std::vector<std::string> argv = {machine.program,
                                   "-no-user-config",
                                   "-machine",
                                   machine_type(machine),
                                   "-accel",
                                   machine.accelerator,
                                   "-cpu",
                                   emulated ? "max" : "host",
                                   "-m",
                                   std::to_string(machine.memory_mib),
                                   "-smp",
                                   std::to_string(machine.cpus),
                                   "-display",
                                   "none",
                                   "-nic",
                                   network_of(machine)};
  if (!machine.restart_on_reboot) argv.emplace_back("-no-reboot");
  add_firmware(argv, machine);
  add_disk(argv, machine);
  add_serial(argv, machine);
  if (machine.share) {
    // What is only read keeps its owners; what the guest writes is this user's, with the guest's owners beside it.
    argv.insert(argv.end(),
                {"-virtfs",
                 cat("local,path=", option_value(machine.share->directory), ",mount_tag=", k_share_tag,
                     machine.share->writable ? ",security_model=mapped-xattr" : ",security_model=none,readonly=on")});
  }
  if (!machine.ssh_key.empty()) {
    argv.insert(argv.end(), {"-smbios", cat("type=11,value=io.systemd.credential.binary:ssh.authorized_keys.root=",
                                            base64_encode(machine.ssh_key))});
  }
  return argv;
}

std::string image_format_of(const fs::path& image) {
  const Fd file = Fd::open(image.string(), O_RDONLY);
  std::array<char, 72> bytes{};
  const ssize_t got = ::read(file.get(), bytes.data(), bytes.size());
  if (got < 0) throw Error::from_errno("reading", image.string());
  if (got == 0) {
    throw Error(ErrorKind::input, cat("the image ", image.string(), " is empty"))
        .hint("Whoever was to write it did not get there: make or copy it again.");
  }
  const std::string_view head(bytes.data(), bytes.size());
  if (head.starts_with(std::string_view("QFI\xfb", 4))) return "qcow2";
  if (head.starts_with("KDMV") || head.starts_with("# Disk DescriptorFile")) return "vmdk";
  if (head.starts_with("vhdxfile")) return "vhdx";
  if (head.starts_with(frames::k_magic))
    throw Error(ErrorKind::input, cat(image.string(), " is what hearth image publish made of an image, and no disk"))
        .hint(cat("Take the image that it was made of: ", image.stem().string(), ".qcow2, say."));
  if (head.substr(64, 4) == std::string_view("\x7f\x10\xda\xbe", 4)) return "vdi";
  return "raw";
}

bool is_archive(const fs::path& file) {
  const Fd fd = Fd::open(file.string(), O_RDONLY);
  std::array<char, 512> bytes{};
  if (::read(fd.get(), bytes.data(), bytes.size()) < 0) throw Error::from_errno("reading", file.string());
  const std::string_view head(bytes.data(), bytes.size());
  constexpr std::size_t k_tar = 257;
  return head.substr(k_tar).starts_with("ustar") || head.starts_with("\x1f\x8b") ||
         head.starts_with("\x28\xb5\x2f\xfd") ||
         head.starts_with(
             "\xfd"
             "7zXZ") ||
         head.starts_with("0707") || head.starts_with("PK\3\4");
}

OvmfFiles find_ovmf(FirmwareKind kind) {
  static const std::array<OvmfFiles, 3> plain = {{
      {"/usr/share/OVMF/OVMF_CODE_4M.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd"},
      {"/usr/share/OVMF/OVMF_CODE.fd", "/usr/share/OVMF/OVMF_VARS.fd"},
      {"/usr/share/edk2/ovmf/OVMF_CODE.fd", "/usr/share/edk2/ovmf/OVMF_VARS.fd"},
  }};
  static const std::array<OvmfFiles, 3> secure = {{
      {"/usr/share/OVMF/OVMF_CODE_4M.ms.fd", "/usr/share/OVMF/OVMF_VARS_4M.ms.fd"},
      {"/usr/share/OVMF/OVMF_CODE.ms.fd", "/usr/share/OVMF/OVMF_VARS.ms.fd"},
      {"/usr/share/edk2/ovmf/OVMF_CODE.secboot.fd", "/usr/share/edk2/ovmf/OVMF_VARS.secboot.fd"},
  }};
  for (const OvmfFiles& files : kind == FirmwareKind::uefi_secure ? secure : plain) {
    if (fs::exists(files.code) && fs::exists(files.variables)) return files;
  }
  throw Error(ErrorKind::not_found, "no UEFI firmware for virtual machines is installed")
      .hint("Install (as root): apt-get install ovmf");
}

}  // namespace hearth::builder::vm
