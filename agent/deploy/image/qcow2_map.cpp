#include "agent/deploy/image/qcow2_map.hpp"

#include <algorithm>

#include "base/byte_order.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::uint64_t k_offset_mask = 0x00fffffffffffe00;
constexpr std::uint64_t k_compressed = std::uint64_t{1} << 62U;
constexpr std::uint64_t k_reads_as_zeros = 1;
constexpr std::uint64_t k_sector = 512;
constexpr std::uint32_t k_largest_l1 = (32U << 20U) / 8;  // QEMU's own limit

// Bits of the header's incompatible_features.
constexpr std::uint64_t k_dirty = 1;  // reference counts may be off: no matter for reading
constexpr std::uint64_t k_external_data = 4;
constexpr std::uint64_t k_compression_type = 8;
constexpr std::uint64_t k_extended_l2 = 16;

/// Why this image can't be written; empty = it can.
std::string refusal(std::string_view bytes, std::uint32_t version, std::uint64_t features) {
  if (version != 2 && version != 3) return cat("qcow2 version ", version, " is unknown");
  if (get_be<std::uint64_t>(bytes, 8) != 0) return "the qcow2 image has a backing file: it is no whole disk";
  if (get_be<std::uint32_t>(bytes, 32) != 0) return "the qcow2 image is encrypted";
  if ((features & k_external_data) != 0) return "the qcow2 image keeps its data in another file";
  if ((features & k_extended_l2) != 0) return "the qcow2 image has extended L2 entries, which are not supported";
  const std::uint64_t known = k_dirty | 2U | k_external_data | k_compression_type | k_extended_l2;
  return (features & ~known) == 0 ? "" : "the qcow2 image has features that are not known";
}

}  // namespace

Result<Qcow2Header> parse_qcow2_header(std::string_view bytes, std::string_view source) {
  const auto problem = [source](std::string what) { return ParseError{std::string(source), {}, std::move(what)}; };
  if (bytes.size() < k_qcow2_header_bytes || bytes.substr(0, 4) != "QFI\xfb") return problem("this is no qcow2 image");
  const auto version = get_be<std::uint32_t>(bytes, 4);
  const std::uint64_t features = version >= 3 ? get_be<std::uint64_t>(bytes, 72) : 0;
  if (std::string why = refusal(bytes, version, features); !why.empty()) return problem(std::move(why));
  Qcow2Header header{.disk_size = get_be<std::uint64_t>(bytes, 24),
                     .cluster_bits = get_be<std::uint32_t>(bytes, 20),
                     .l1_offset = get_be<std::uint64_t>(bytes, 40),
                     .l1_entries = get_be<std::uint32_t>(bytes, 36)};
  if (header.cluster_bits < 9 || header.cluster_bits > 21)
    return problem("the qcow2 image has an impossible cluster size");
  if ((features & k_compression_type) != 0) {
    const auto type = static_cast<unsigned char>(bytes[104]);
    if (type > 1) return problem("the qcow2 image has an unknown kind of compression");
    header.zstd = type == 1;
  }
  const std::uint64_t reach = header.cluster() * header.entries_per_table();
  if (header.disk_size > std::uint64_t{1} << 56U || header.l1_entries > k_largest_l1 ||
      header.l1_entries < (header.disk_size + reach - 1) / reach) {
    return problem("the qcow2 image's table does not fit its size");
  }
  header.l1_entries = static_cast<std::uint32_t>((header.disk_size + reach - 1) / reach);
  return header;
}

std::vector<std::uint64_t> parse_l1(std::string_view bytes) {
  std::vector<std::uint64_t> offsets;
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    offsets.push_back(get_be<std::uint64_t>(bytes, at) & k_offset_mask);
  }
  return offsets;
}

void parse_l2(const Qcow2Header& header, std::uint64_t table, std::string_view bytes, std::vector<Extent>& extents) {
  const std::uint64_t first = table * header.entries_per_table();
  const std::uint64_t clusters = (header.disk_size + header.cluster() - 1) / header.cluster();
  const std::uint64_t count =
      std::min({header.entries_per_table(), bytes.size() / 8, clusters - std::min(first, clusters)});
  const unsigned length_shift = 62 - (header.cluster_bits - 8);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto entry = get_be<std::uint64_t>(bytes, static_cast<std::size_t>(i * 8));
    if ((entry & k_compressed) != 0) {
      const std::uint64_t offset = entry & ((std::uint64_t{1} << length_shift) - 1);
      const std::uint64_t sectors = ((entry & ~(k_compressed | (std::uint64_t{1} << 63U))) >> length_shift) + 1;
      extents.push_back({offset, first + i, static_cast<std::uint32_t>(sectors * k_sector - offset % k_sector), true});
    } else if ((entry & k_offset_mask) != 0 && (entry & k_reads_as_zeros) == 0) {
      extents.push_back({entry & k_offset_mask, first + i, static_cast<std::uint32_t>(header.cluster()), false});
    }
  }
}

}  // namespace hearth::agent::deploy
