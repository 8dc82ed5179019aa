#include "builder/disk/guest/md_superblock.hpp"

#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "base/uuid.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint32_t k_md_superblock_magic = 0xa92b4efc;
constexpr std::uint64_t k_md_superblock_sector = 512;
constexpr std::size_t k_created = 64;
constexpr std::size_t k_member_id = 168;
constexpr std::size_t k_updated = 192;
constexpr std::size_t k_events = 200;
constexpr std::size_t k_md_superblock_checksum = 216;
constexpr std::size_t k_members = 220;
constexpr std::size_t k_head = 256;
constexpr std::uint64_t k_time_mask = (std::uint64_t{1} << 40U) - 1;  // above it are microseconds

/// The words summed up, the carry folded in, with the checksum's own field as zero.
std::uint32_t checksum(std::string block) {
  put_le(block, k_md_superblock_checksum, 0, 4);
  const std::size_t size = k_head + 2 * get_le(block, k_members, 4);
  std::uint64_t sum = 0;
  std::size_t at = 0;
  for (; at + 4 <= size; at += 4) sum += get_le(block, at, 4);
  if (at < size) sum += get_le(block, at, 2);
  return static_cast<std::uint32_t>((sum & 0xffffffffU) + (sum >> 32U));
}

}  // namespace

std::uint64_t md_superblock_offset(std::string_view version, std::uint64_t member_bytes) {
  if (version == "1.2") return 8 * k_md_superblock_sector;
  if (version == "1.1") return 0;
  return (member_bytes / k_md_superblock_sector - 16) / 8 * 8 * k_md_superblock_sector;
}

std::string fixed_md_superblock(std::string block, std::string_view uuid, std::int64_t epoch) {
  const bool whole = k_head + 2 * get_le(block, k_members, 4) <= block.size();
  if (get_le(block, 0, 4) != k_md_superblock_magic || get_le(block, 4, 4) != 1 || !whole ||
      checksum(block) != get_le(block, k_md_superblock_checksum, 4)) {
    throw Error(ErrorKind::input, "this is no member of an array (md superblock, version 1)");
  }
  const std::uint64_t time = static_cast<std::uint64_t>(epoch) & k_time_mask;
  put_le(block, k_created, time, 8);
  put_le(block, k_updated, time, 8);
  put_le(block, k_events, 1, 8);
  block.replace(k_member_id, 16, guid_bytes(uuid));
  put_le(block, k_md_superblock_checksum, checksum(block), 4);
  return block;
}

}  // namespace hearth::builder
