// Unified kernel images: kernel, ramdisk and command line as sections of systemd's stub, one UEFI program. Sources:
// UAPI Group, "Unified Kernel Image"; Microsoft, "PE Format".
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "builder/boot/grub.hpp"

namespace hearth::builder {

/// A section to be added: its name (at most 8 characters, ".linux") and contents.
using PeSection = std::pair<std::string, std::string>;

/// `stub`, a PE32+ program, with further sections behind its own. Pure. Throws Error(input) when it is no such program,
/// is signed, or has no room for the headers.
[[nodiscard]] std::string with_sections(std::string stub, const std::vector<PeSection>& sections);

/// The image's own kernel, ramdisk and command line as one program, by systemd's stub (package systemd-boot-efi).
[[nodiscard]] std::string unified_kernel_of(const fs::path& tree, const DiskLayout& layout, const BootOptions& options);

}  // namespace hearth::builder
