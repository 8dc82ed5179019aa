// The direct maker: a disk image from a finished tree, all in user space. No loop device, no device-mapper, no VM, no
// root; only the rights of a user namespace (bind mounts, when a mount point lies below another one).
//
//   layout = assign_ids(parse_block_config(…), seed)   →  prepare_tree, write_boot_files (builder/boot/grub.hpp)
//   size   = image_size(…)                             →  place(layout, size)
//   make_disk(…) writes a sparse raw file              →  install_bios_boot, builder/output
#pragma once

#include <cstdint>

#include "base/path.hpp"
#include "base/sys/process.hpp"
#include "builder/disk/placement.hpp"

namespace hearth::builder {

struct DirectOptions {
  fs::path scratch;        ///< an existing directory for temporary files and mounts
  std::int64_t epoch = 0;  ///< SOURCE_DATE_EPOCH: creation times, and the latest time that a file may carry
};

/// Creates the mount points that the tree lacks, and writes /etc/fstab (replacing it). Times are set to `epoch`.
void prepare_tree(const fs::path& tree, const DiskLayout& layout, std::int64_t epoch);

/// Writes `raw` (created or replaced, sparse, exactly placement.disk_bytes long): partition table and all file systems,
/// each filled with its part of the tree. The layout must be makeable (require_direct) and have its ids (assign_ids).
/// Equal trees and layouts give equal bytes, but for btrfs.
void make_disk(const fs::path& tree, const DiskLayout& layout, const Placement& placement, const fs::path& raw,
               const DirectOptions& options, CommandRunner& runner);

}  // namespace hearth::builder
