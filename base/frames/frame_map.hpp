// The map of a frames file: which blocks of a disk it holds, and where. The file is made for writing disks straight
// from the network: head and map first, then the frames in the order of the disk, each a zstd frame of its own (or the
// block as it is, where that is no longer). Frames can be fetched, checked, decompressed and written in any order;
// blocks that have no frame are zero. The format is ours; base/frames/README.md describes it byte by byte.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace hearth::frames {

constexpr std::string_view k_magic = "HearthF1";
constexpr std::size_t k_head_bytes = 64;
constexpr std::size_t k_entry_bytes = 40;
constexpr std::size_t k_signature_bytes = 64;
constexpr std::uint32_t k_default_block = 1U << 20U;
constexpr std::uint32_t k_smallest_block = 1U << 16U;
constexpr std::uint32_t k_largest_block = 1U << 24U;

using FrameHash = std::array<std::uint8_t, 32>;

/// The first half of the BLAKE2b-512 digest (RFC 7693).
[[nodiscard]] FrameHash hash_of(std::string_view bytes);

struct Frame {
  std::uint32_t block = 0;   ///< which block of the disk, counted from 0; they ascend
  std::uint32_t stored = 0;  ///< bytes in the file; as many as the block has = stored as it is
  FrameHash hash{};          ///< of the stored bytes
  bool operator==(const Frame&) const = default;
};

/// What the first k_head_bytes say.
struct Head {
  std::uint64_t disk_size = 0;  ///< bytes
  std::uint32_t block_size = k_default_block;
  std::uint32_t frame_count = 0;
  bool is_signed = false;

  [[nodiscard]] std::uint64_t map_bytes() const { return std::uint64_t{frame_count} * k_entry_bytes; }
  /// Where the first frame lies in the file.
  [[nodiscard]] std::uint64_t data_offset() const {
    return k_head_bytes + map_bytes() + (is_signed ? k_signature_bytes : 0);
  }
  /// Bytes of one block; the disk's last one may be shorter.
  [[nodiscard]] std::uint32_t bytes_of(std::uint32_t block) const;
  bool operator==(const Head&) const = default;
};

[[nodiscard]] std::string encode_head(const Head& head);
[[nodiscard]] std::string encode_map(const std::vector<Frame>& frames);

/// `bytes` are the file's first k_head_bytes. `source` names the file in errors.
[[nodiscard]] Result<Head> parse_head(std::string_view bytes, std::string_view source);
/// `bytes` are the head.map_bytes() that follow the head.
[[nodiscard]] Result<std::vector<Frame>> parse_map(const Head& head, std::string_view bytes, std::string_view source);

/// The image's identity: the hash of head and map, as lower-case hexadecimal. As the map has each frame's hash, it
/// stands for every byte of the disk.
[[nodiscard]] std::string root_of(std::string_view head_and_map);

}  // namespace hearth::frames
