// Where the clusters of a qcow2 image lie in its file. Source: QEMU, docs/interop/qcow2.txt, versions 2 and 3. Images
// that point outside themselves (backing files, external data), encrypted ones and extended L2 entries are refused.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace hearth::agent::deploy {

struct Qcow2Header {
  std::uint64_t disk_size = 0;
  std::uint32_t cluster_bits = 16;
  std::uint64_t l1_offset = 0;
  std::uint32_t l1_entries = 0;
  bool zstd = false;  ///< how clusters are compressed; else deflate

  [[nodiscard]] std::uint64_t cluster() const { return std::uint64_t{1} << cluster_bits; }
  [[nodiscard]] std::uint64_t entries_per_table() const { return cluster() / 8; }
};

/// Enough of the file's front for its header.
constexpr std::size_t k_qcow2_header_bytes = 112;
[[nodiscard]] Result<Qcow2Header> parse_qcow2_header(std::string_view bytes, std::string_view source);

/// A cluster that has data.
struct Extent {
  std::uint64_t offset = 0;   ///< in the file
  std::uint64_t cluster = 0;  ///< of the disk
  std::uint32_t stored = 0;   ///< bytes in the file, rounded up for compressed ones
  bool compressed = false;
};

/// The offsets of the L2 tables, 0 where there is none. `bytes` is the L1 table.
[[nodiscard]] std::vector<std::uint64_t> parse_l1(std::string_view bytes);
/// Adds the extents of L2 table number `table`.
void parse_l2(const Qcow2Header& header, std::uint64_t table, std::string_view bytes, std::vector<Extent>& extents);

}  // namespace hearth::agent::deploy
