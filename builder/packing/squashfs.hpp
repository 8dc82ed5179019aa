// The tree as a file system that can only be read: SquashFS by mksquashfs, EROFS by mkfs.erofs. dev, proc and sys are
// empty; equal trees give equal bytes.
#pragma once

#include <cstdint>

#include "base/hash.hpp"
#include "base/sys/process.hpp"

namespace hearth::builder {

struct ReadOnlyImage {
  std::int64_t epoch = 0;           ///< the time of all files
  std::vector<HashKind> checksums;  ///< checksum files to write beside it
};

/// Writes `target`, which appears complete or not at all, and a link NAME.squashfs to it: upstream's builder writes the
/// one name, its documentation the other.
void write_squashfs(const fs::path& tree, const fs::path& target, const ReadOnlyImage& image, CommandRunner& runner);

/// Writes `target`, which appears complete or not at all.
void write_erofs(const fs::path& tree, const fs::path& target, const ReadOnlyImage& image, CommandRunner& runner);

/// Runs mksquashfs with such a command line.
void make_squashfs(const std::vector<std::string>& argv, CommandRunner& runner);

/// The command lines. `compression` is mksquashfs' name of one: xz, as upstream has it; zstd reads ten times faster.
[[nodiscard]] std::vector<std::string> squashfs_argv(const fs::path& tree, const fs::path& file, std::int64_t epoch,
                                                     const std::string& compression = "xz");
[[nodiscard]] std::vector<std::string> erofs_argv(const fs::path& tree, const fs::path& file, std::int64_t epoch);

}  // namespace hearth::builder
