// A machine of the inventory, and what it is to do when it boots from the network. Values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pxe/boot/boot_words.hpp"
#include "pxe/net/address.hpp"

namespace hearth::pxe {

/// What a machine is to do when it boots from the network.
enum class BootState { local, deploy, inspect, rescue, hold };
[[nodiscard]] std::string_view state_name(BootState state);
/// Our own words, and Ironic's provision states: "wait call-back" is deploy, "active" is local.
[[nodiscard]] std::optional<BootState> parse_state(std::string_view text);

/// A kernel and its ramdisk: files of this machine, or URLs that iPXE is given as they are.
struct Profile {
  BootSource kernel;
  BootSource ramdisk;  ///< empty = none
  KernelArguments append;
};

struct Node {
  std::string id;    ///< names it in a NodeTable and in the URLs of its own profile; letters, digits, ".", "-", "_"
  std::string name;  ///< its host name (is_boot_name)
  std::vector<Mac> macs;
  std::string uuid;     ///< of its board (SMBIOS), lower case; empty = unknown
  std::string serial;   ///< of its board; empty = unknown
  std::string circuit;  ///< what the relay says of its port (option 82.1); empty = unknown
  std::optional<Ipv4> address;
  BootState state = BootState::local;
  std::optional<Profile> profile;  ///< in place of the site's for its state
  bool secure_boot = false;        ///< UEFI: signed shim and GRUB in place of iPXE
  bool pxelinux = false;           ///< BIOS: PXELINUX by TFTP in place of iPXE
  KernelArguments append;          ///< further words for the kernel's command line
};

}  // namespace hearth::pxe
