// Makes the firmware start what was written to the disk.
#pragma once

#include <string>
#include <vector>

#include "agent/deploy/boot/efi_variables.hpp"

namespace hearth::agent::deploy {

/// What on an EFI system partition shall be started, the first one first: what the distributions' BOOTX64.CSV files
/// name, else the removable path. Empty when there is no loader. `esp` is where the partition is mounted.
struct Loader {
  std::string label;
  std::string path;  ///< with backslashes
};
[[nodiscard]] std::vector<Loader> find_loaders(const std::string& esp);

/// Finds the EFI system partition of `disk`, its loader, and puts it first in the firmware's order. Returns what was
/// done, for a person. Throws Error.
std::string install_uefi_entry(const std::string& disk, std::uint32_t sector);

}  // namespace hearth::agent::deploy
