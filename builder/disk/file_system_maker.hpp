// Making one file system inside an image file, at an offset, filled from a directory. No mounts, no loop devices.
#pragma once

#include <cstdint>
#include <optional>

#include "base/path.hpp"
#include "base/sys/process.hpp"
#include "builder/disk/copy/data_copy.hpp"
#include "builder/disk/layout/placement.hpp"

namespace hearth::builder {

struct FileSystemJob {
  DiskFileSystem file_system;  ///< with its ids assigned
  Extent extent;               ///< in bytes, in `image`
  std::uint32_t sector_size = 512;
  fs::path image;          ///< exists, is sparse and zero in `extent`
  fs::path source;         ///< the directory that becomes the root of the file system; empty = nothing goes in
  fs::path scratch;        ///< an existing directory for temporary files
  std::int64_t epoch = 0;  ///< seconds since 1970: creation times, and the latest time that a file may carry
  /// Where given, a maker that can do so (ext) leaves the data of the files out, and adds here what is missing.
  std::vector<FilePiece>* left_out = nullptr;
};

/// Makes the file system by its type. Throws Error; Error(unsupported) for types that only another maker can make.
void make_file_system(const FileSystemJob& job, CommandRunner& runner);

/// ext2, ext3, ext4 by mke2fs -d. Bit for bit the same for equal trees: see normalise_ext().
void make_ext(const FileSystemJob& job, CommandRunner& runner);
/// FAT by mkfs.vfat and mtools. Refuses what FAT can't hold (links, devices).
void make_vfat(const FileSystemJob& job, CommandRunner& runner);
/// A swap area: its header page, format version 1.
void make_swap(const FileSystemJob& job);
/// btrfs by mkfs.btrfs --rootdir. Bit for bit the same for one tree: see normalise_btrfs(). It takes
/// over the tree's inode numbers and the order of its directories.
void make_btrfs(const FileSystemJob& job, CommandRunner& runner);

/// XFS by mkfs.xfs -p and a pass over it (xfs_finish.hpp). Bit for bit the same for equal trees. Throws
/// Error(unsupported) for a tree with an xfs_obstacle().
void make_xfs(const FileSystemJob& job, CommandRunner& runner);
/// Why user space can't make this XFS (a file beyond 2 GiB, large extended attributes, odd options); nothing when it
/// can. `source` may be empty.
[[nodiscard]] std::optional<std::string> xfs_obstacle(const DiskFileSystem& file_system, const fs::path& source);

/// Programs that a file system type needs: {program, Debian package}.
struct NeededProgram {
  std::string program;
  std::string package;
  bool operator==(const NeededProgram&) const = default;
};
[[nodiscard]] std::vector<NeededProgram> programs_for(const DiskLayout& layout);

/// Throws Error(not_found) naming every missing program and its Debian package.
void require_programs(const std::vector<NeededProgram>& programs, const Environment& env);

/// The environment for the makers' programs: the caller's PATH, C locale, UTC, fixed time.
[[nodiscard]] Environment maker_environment(std::int64_t epoch);

}  // namespace hearth::builder
