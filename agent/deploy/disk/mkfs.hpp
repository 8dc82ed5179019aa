// Which of the ramdisk's programs makes a file system.
#pragma once

#include <string>

#include "base/sys/process.hpp"

namespace hearth::agent::deploy {

/// The command for "vfat", ext2 to 4; another type's is mkfs.TYPE, should the ramdisk have it. Throws Error(input) for
/// what is no type at all.
[[nodiscard]] Command mkfs_command(const std::string& type, const std::string& device, const std::string& label);

}  // namespace hearth::agent::deploy
