// A virtual machine that starts an image, as a value, and the QEMU command line for it. Pure but for the two finders.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/path.hpp"

namespace hearth::builder::vm {

enum class FirmwareKind {
  bios,
  uefi,
  uefi_secure,  ///< with Secure Boot enforced and Microsoft's keys: what is not signed does not start
};

enum class SerialLine {
  output,    ///< the guest's console goes to QEMU's stdout; nothing is read
  terminal,  ///< both ways, with QEMU's own keys: Ctrl-A x ends the machine
};

enum class DiskWrites {
  discarded,  ///< into a temporary overlay; the image stays as it is
  kept,
};

/// The files of OVMF: its code, and the variable store that each machine needs a copy of its own of.
struct OvmfFiles {
  fs::path code;
  fs::path variables;
  bool operator==(const OvmfFiles&) const = default;
};

/// A port of this machine's loopback that leads to one of the guest.
struct PortForward {
  std::uint16_t host = 0;
  std::uint16_t guest = 0;
};

/// A directory of this machine that the guest can mount (9p).
struct SharedDirectory {
  fs::path directory;
  bool writable = false;
};
constexpr const char* k_share_tag = "share";

struct QemuMachine {
  std::string program = "qemu-system-x86_64";
  fs::path image;
  std::string image_format = "qcow2";  ///< qemu's name; see image_format_of()
  DiskWrites disk_writes = DiskWrites::discarded;
  FirmwareKind firmware = FirmwareKind::bios;
  OvmfFiles ovmf;  ///< for UEFI; `variables` is written to, so give a copy
  std::uint64_t memory_mib = 1024;
  unsigned cpus = 1;
  std::string accelerator = "tcg";    ///< "kvm" only where probe_kvm() found that it works
  bool user_network = false;          ///< NAT to the host's network
  std::vector<PortForward> forwards;  ///< work without user_network, too: then the guest reaches nothing
  std::optional<SharedDirectory> share;
  std::string ssh_key;  ///< a public key that root of the guest lets in, by systemd's credentials; empty = none
  SerialLine serial = SerialLine::output;
  std::uint32_t sector_size = 512;  ///< of the disk, as the guest sees it
  bool cd_drive = false;            ///< the image lies in a CD drive
  bool restart_on_reboot = false;   ///< false: a guest's reboot ends the machine
};

[[nodiscard]] std::vector<std::string> qemu_argv(const QemuMachine& machine);

/// qemu's name for an image file's format, by its first bytes: qcow2, vmdk, vdi, vhdx, else raw. Throws Error for one
/// that is empty, or a frames file, of which no machine starts.
[[nodiscard]] std::string image_format_of(const fs::path& image);

/// Whether it is no disk by its first bytes, but tar, cpio, zip, or something compressed.
[[nodiscard]] bool is_archive(const fs::path& file);

/// The OVMF files of this host for a kind of firmware other than BIOS. Throws Error(not_found) naming the Debian
/// package.
[[nodiscard]] OvmfFiles find_ovmf(FirmwareKind kind);

}  // namespace hearth::builder::vm
