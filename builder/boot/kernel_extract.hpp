// The kernel and the ramdisk of a finished image, taken out without mounting it: what disk-image-get-kernel does with
// nbd. Reads every format that qemu-img reads, and ext2, ext3 and ext4 inside, with or without a partition table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sys/process.hpp"

namespace hearth::builder {

struct BootFiles {
  std::string kernel;  ///< base names
  std::string ramdisk;
  bool operator==(const BootFiles&) const = default;
};

/// The files that an image boots with, from the names in its /boot: the newest kernel that is not for debugging,
/// preferring "generic" ones, and the ramdisk of the same version where there is one, else the newest. Nothing when
/// either is missing.
[[nodiscard]] std::optional<BootFiles> choose_boot_files(const std::vector<std::string>& names);

/// Names of regular files in the output of debugfs' "ls -p".
[[nodiscard]] std::vector<std::string> parse_debugfs_list(std::string_view text);

/// Where the partitions of a disk begin, in bytes, from the JSON of `sfdisk --json`; 0 first, for a disk without any.
[[nodiscard]] std::vector<std::uint64_t> parse_sfdisk_starts(std::string_view json);

struct KernelOutput {
  fs::path kernel;
  fs::path ramdisk;
};

/// Writes the image's kernel and ramdisk, readable by all. Throws Error when there is none.
void extract_kernel(const fs::path& image, const KernelOutput& output, CommandRunner& runner);

}  // namespace hearth::builder
