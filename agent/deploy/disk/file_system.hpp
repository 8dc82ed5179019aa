// File systems by their first bytes, and swap space, whose header is all there is to it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hearth::agent::deploy {

struct FoundFileSystem {
  std::string type;  ///< as mount(2) calls it: ext4 (for all of its kind), xfs, btrfs, vfat
  std::string uuid;  ///< as blkid(8) prints it
};

/// How much of a partition find_file_system() wants to see: btrfs begins at 64 KiB.
constexpr std::size_t k_file_system_head = std::size_t{68} << 10U;

/// Superblocks of ext2 to 4 (offset 1024), XFS (0), Btrfs (65536) and FAT (0); nothing for anything else.
[[nodiscard]] std::optional<FoundFileSystem> find_file_system(std::string_view head);

/// The first page of swap space of `bytes` bytes in pages of 4 KiB, as mkswap(8) makes it (struct swap_header, version
/// 1). `uuid` are 16 bytes.
[[nodiscard]] std::string swap_header(std::uint64_t bytes, std::string_view uuid, std::string_view label);

}  // namespace hearth::agent::deploy
