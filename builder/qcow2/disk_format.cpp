#include "builder/qcow2/disk_format.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder::qcow2 {

namespace {

constexpr std::uint64_t k_single_owner = std::uint64_t{1} << 63U;
constexpr std::uint64_t k_compressed = std::uint64_t{1} << 62U;
constexpr unsigned k_sector_bits = 9;
constexpr unsigned k_offset_bits = 62 - (k_cluster_bits - 8);  // the rest counts further sectors
constexpr std::uint32_t k_header_length = 112;
constexpr std::uint32_t k_backing_format_extension = 0xe2792aca;
constexpr std::uint64_t k_compression_type_feature = std::uint64_t{1} << 3U;

template <typename Number>
void append(std::string& out, Number number) {
  for (std::size_t byte = sizeof(Number); byte-- > 0;) out += static_cast<char>(number >> (byte * 8) & 0xffU);
}

std::string extensions_of(const Header& header) {
  std::string out;
  if (!header.backing_format.empty()) {
    append(out, k_backing_format_extension);
    append(out, static_cast<std::uint32_t>(header.backing_format.size()));
    out += header.backing_format;
    out.resize((out.size() + 7) / 8 * 8);
  }
  append(out, std::uint64_t{0});  // the end of the extensions
  return out;
}

std::string padded(std::string bytes) {
  bytes.resize((bytes.size() + k_cluster - 1) / k_cluster * k_cluster);
  return bytes;
}

}  // namespace

std::string header_bytes(const Header& header) {
  const std::string extensions = extensions_of(header);
  const bool deflate = header.compression == CompressionType::deflate;
  std::string out = "QFI\xfb";
  append(out, std::uint32_t{3});
  append(out, header.backing_file.empty() ? std::uint64_t{0} : k_header_length + extensions.size());
  append(out, static_cast<std::uint32_t>(header.backing_file.size()));
  append(out, std::uint32_t{k_cluster_bits});
  append(out, header.virtual_size);
  append(out, std::uint32_t{0});  // not encrypted
  append(out, header.l1_entries);
  append(out, header.l1_offset);
  append(out, header.refcount_table_offset);
  append(out, header.refcount_table_clusters);
  append(out, std::uint32_t{0});  // snapshots
  append(out, std::uint64_t{0});
  append(out, deflate ? std::uint64_t{0} : k_compression_type_feature);  // incompatible features
  append(out, std::uint64_t{0});                                         // compatible
  append(out, std::uint64_t{0});                                         // autoclear
  append(out, std::uint32_t{4});                                         // 1 << 4 bits a reference count
  append(out, k_header_length);
  append(out, static_cast<std::uint64_t>(header.compression) << 56U);  // compression_type, 7 bytes of padding
  out += extensions;
  out += header.backing_file;
  if (out.size() > k_cluster || header.backing_file.size() > 1023) {
    throw Error(
        ErrorKind::input,
        cat("the backing file's name is too long for qcow2 (1023 bytes): ", header.backing_file.substr(0, 60), "…"));
  }
  return out;
}

std::uint64_t plain_entry(std::uint64_t offset) { return offset | k_single_owner; }

std::uint64_t compressed_entry(std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t further_sectors = ((offset + bytes - 1) >> k_sector_bits) - (offset >> k_sector_bits);
  return k_compressed | further_sectors << k_offset_bits | offset;
}

std::uint64_t table_entry(std::uint64_t offset, bool l1) { return l1 ? offset | k_single_owner : offset; }

std::string table_bytes(const std::vector<std::uint64_t>& entries) {
  std::string out;
  out.reserve(entries.size() * 8);
  for (const std::uint64_t entry : entries) append(out, entry);
  return padded(std::move(out));
}

std::string refcount_bytes(const std::uint16_t* counts, std::size_t number) {
  std::string out;
  out.reserve(number * 2);
  for (std::size_t i = 0; i < number; ++i) append(out, counts[i]);
  return padded(std::move(out));
}

}  // namespace hearth::builder::qcow2
