// The structures of a qcow2 file as bytes. Source: QEMU, docs/interop/qcow2.txt ("version 3", also called compat 1.1).
// All numbers on disk are big-endian.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hearth::builder::qcow2 {

constexpr unsigned k_cluster_bits = 16;
constexpr std::uint64_t k_cluster = std::uint64_t{1} << k_cluster_bits;  ///< bytes; QEMU's own default
constexpr std::uint64_t k_entries_per_table = k_cluster / 8;             ///< of an L2 table, one cluster long
constexpr std::uint64_t k_refcounts_per_block = k_cluster / 2;           ///< 16-bit reference counts

/// How many of `by` hold `value`.
[[nodiscard]] constexpr std::uint64_t divide_up(std::uint64_t value, std::uint64_t by) { return (value + by - 1) / by; }

/// What the header names as compression_type.
enum class CompressionType : std::uint8_t { deflate = 0, zstd = 1 };

struct Header {
  std::uint64_t virtual_size = 0;  ///< bytes
  std::uint64_t l1_offset = 0;
  std::uint32_t l1_entries = 0;
  std::uint64_t refcount_table_offset = 0;
  std::uint32_t refcount_table_clusters = 0;
  CompressionType compression = CompressionType::deflate;
  std::string backing_file;    ///< as it shall stand in the image; empty: none
  std::string backing_format;  ///< "raw", "qcow2"
};

/// The header with its extensions and the backing file's name, at most one cluster long.
[[nodiscard]] std::string header_bytes(const Header& header);

/// L2 entry of a cluster that lies as it is at `offset` (a multiple of the cluster size).
[[nodiscard]] std::uint64_t plain_entry(std::uint64_t offset);
/// L2 entry of a cluster whose compressed form lies at `offset`, `bytes` long.
[[nodiscard]] std::uint64_t compressed_entry(std::uint64_t offset, std::uint64_t bytes);
/// L2 entry of a cluster that reads as zeros even where a backing file has data.
constexpr std::uint64_t k_zero_entry = 1;
/// L1 or refcount-table entry for a table or block at `offset`. `l1` sets the flag that the table has one owner.
[[nodiscard]] std::uint64_t table_entry(std::uint64_t offset, bool l1);

/// Tables as they lie on disk, filled up with zeros to whole clusters.
[[nodiscard]] std::string table_bytes(const std::vector<std::uint64_t>& entries);
[[nodiscard]] std::string refcount_bytes(const std::uint16_t* counts, std::size_t number);

}  // namespace hearth::builder::qcow2
