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
#include "builder/disk/file_system_maker.hpp"
#include "builder/disk/layout/placement.hpp"
#include "builder/disk/tree_view.hpp"

namespace hearth::builder {

struct DirectOptions {
  fs::path scratch;        ///< an existing directory for temporary files and mounts
  std::int64_t epoch = 0;  ///< SOURCE_DATE_EPOCH: creation times, and the latest time that a file may carry
};

/// Creates the mount points that the tree lacks, and writes /etc/fstab, /etc/crypttab and /etc/mdadm/mdadm.conf where
/// the layout has something to say there (replacing them). Times are set to `epoch`.
void prepare_tree(const fs::path& tree, const DiskLayout& layout, std::int64_t epoch, FstabName by = FstabName::uuid);

/// Writes `raw` (created or replaced, sparse, exactly placement.disk_bytes long): partition table and all file systems,
/// each filled with its part of the tree. The layout must be makeable (require_direct) and have its ids (assign_ids).
/// Equal trees and layouts give equal bytes.
/// With `left_out` the data of files may stay in the tree, where it is found by what is added there.
void make_disk(const fs::path& tree, const DiskLayout& layout, const Placement& placement, const fs::path& raw,
               const DirectOptions& options, CommandRunner& runner, std::vector<FilePiece>* left_out = nullptr);

/// The part of the tree that goes into one file system.
[[nodiscard]] TreeView part_of_tree(const fs::path& tree, const DiskLayout& layout, const DiskFileSystem& file_system,
                                    const fs::path& scratch);
/// Makes one file system of the layout where `job` says, filled with its part of the tree (job.source is set here).
void fill_file_system(FileSystemJob job, const fs::path& tree, const DiskLayout& layout, CommandRunner& runner);
void write_partition_table(const fs::path& raw, const DiskLayout& layout, const Placement& placement);

}  // namespace hearth::builder
