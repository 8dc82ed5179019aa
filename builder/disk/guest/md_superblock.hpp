// What mdadm and the kernel put into an array's member by chance or by the clock: the member's own id, times, the count
// of events. Format: the kernel's include/uapi/linux/raid/md_p.h, struct mdp_superblock_1 (versions 1.0 and 1.2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hearth::builder {

/// Where a member's superblock begins. Version 1.0 has it at the end.
[[nodiscard]] std::uint64_t md_superblock_offset(std::string_view version, std::uint64_t member_bytes);

inline constexpr std::size_t k_md_superblock = 4096;  ///< bytes to read there

/// The superblock with the member's id `uuid`, all times `epoch`, and the events of an array that was never used.
/// Throws Error(input) when the bytes are no superblock of version 1.
[[nodiscard]] std::string fixed_md_superblock(std::string block, std::string_view uuid, std::int64_t epoch);

}  // namespace hearth::builder
