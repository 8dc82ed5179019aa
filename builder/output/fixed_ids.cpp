#include "builder/output/fixed_ids.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/byte_order.hpp"
#include "base/crc.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"
#include "builder/disk/layout/layout.hpp"
#include "builder/packing/checksums.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_guid = 16;

/// The ids of one file: all zero at first, so that its digest can be taken; then derived from that digest.
struct Ids {
  std::string seed;  ///< empty: zeros
  std::int64_t epoch = 0;
  std::string name;  ///< of the file
  [[nodiscard]] std::string guid(std::string_view purpose) const {
    return seed.empty() ? std::string(k_guid, '\0') : guid_bytes(derived_uuid(seed, purpose));
  }
  [[nodiscard]] std::string hex(std::size_t digits) const {
    return seed.empty() ? std::string(digits, '0') : seed.substr(0, digits);
  }
};

std::string read_id(const Fd& file, std::uint64_t offset, std::size_t bytes) {
  std::string text(bytes, '\0');
  const ssize_t got = ::pread(file.get(), text.data(), bytes, static_cast<off_t>(offset));
  if (got < 0) throw Error::from_errno("reading", "the disk image");
  text.resize(static_cast<std::size_t>(got));
  return text;
}

void write_id(const Fd& file, std::uint64_t offset, std::string_view bytes) {
  const ssize_t written = ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
  if (written != static_cast<ssize_t>(bytes.size())) throw Error::from_errno("writing", "the disk image");
}

std::uint64_t file_bytes(const Fd& file) { return static_cast<std::uint64_t>(::lseek(file.get(), 0, SEEK_END)); }

void put_part(std::string& bytes, std::size_t at, std::string_view part) { bytes.replace(at, part.size(), part); }

[[noreturn]] void not_of(std::string_view format) {
  throw Error(ErrorKind::input, cat("qemu-img wrote something that is no ", format, " image"));
}

// VPC: a footer of 512 bytes at the end, and a copy of it at the beginning of a dynamic disk.
constexpr std::size_t k_vpc_footer = 512;
constexpr std::int64_t k_vpc_time_base = 946684800;  // 2000-01-01

std::string fixed_footer(std::string footer, const Ids& ids) {
  static constexpr std::size_t k_time = 24;
  static constexpr std::size_t k_sum = 64;
  static constexpr std::size_t k_uuid = 68;
  put_part(footer, k_time,
           big_endian(static_cast<std::uint64_t>(std::max<std::int64_t>(ids.epoch - k_vpc_time_base, 0)), 4));
  put_part(footer, k_uuid, ids.guid("vpc"));
  put_part(footer, k_sum, std::string(4, '\0'));
  std::uint32_t sum = 0;
  for (const char byte : footer) sum += static_cast<unsigned char>(byte);
  put_part(footer, k_sum, big_endian(~sum, 4));
  return footer;
}

void fix_vpc(const Fd& file, const Ids& ids) {
  const std::uint64_t last = file_bytes(file) - k_vpc_footer;
  bool found = false;
  for (const std::uint64_t offset : {std::uint64_t{0}, last}) {
    const std::string footer = read_id(file, offset, k_vpc_footer);
    if (!footer.starts_with("conectix")) continue;
    write_id(file, offset, fixed_footer(footer, ids));
    found = true;
  }
  if (!found) not_of("VHD");
}

// VDI: one header.
void fix_vdi(const Fd& file, const Ids& ids) {
  static constexpr std::uint64_t k_signature = 0x40;
  static constexpr std::uint64_t k_image_uuid = 0x188;
  static constexpr std::uint64_t k_snapshot_uuid = 0x198;
  if (read_id(file, k_signature, 4) != std::string_view("\x7f\x10\xda\xbe", 4)) not_of("VDI");
  write_id(file, k_image_uuid, ids.guid("vdi"));
  write_id(file, k_snapshot_uuid, ids.guid("vdi snapshot"));
}

// VMDK: a descriptor, which is text, where the header says; it names the file that qemu-img was given, too.
std::string fixed_descriptor(std::string text, const Ids& ids) {
  static constexpr std::string_view k_id = "\nCID=";
  static constexpr std::size_t k_digits = 8;
  const std::size_t id = text.find(k_id);
  const std::size_t end = text.find('\0');
  if (id == std::string::npos) not_of("VMDK");
  text.resize(std::min(end, text.size()));
  const std::size_t digits = id + k_id.size();  // as many as the random number needs: qemu-img writes no leading zeros
  text.replace(digits, text.find('\n', digits) - digits, ids.hex(k_digits));
  const std::size_t extent = text.find(" SPARSE \"");
  const std::size_t open = text.find('"', extent);
  const std::size_t close = text.find('"', open + 1);
  if (extent == std::string::npos || close == std::string::npos) not_of("VMDK");
  return text.replace(open + 1, close - open - 1, ids.name);
}

void fix_vmdk(const Fd& file, const Ids& ids) {
  static constexpr std::size_t k_descriptor = 28;  // first sector, number of sectors
  static constexpr std::size_t k_vmdk_sector = 512;
  const std::string head = read_id(file, 0, k_vmdk_sector);
  if (!head.starts_with("KDMV")) not_of("VMDK");
  const std::string_view view = head;
  const std::uint64_t begin = get_le(view, k_descriptor, 8) * k_vmdk_sector;
  const std::uint64_t bytes = get_le(view, k_descriptor + 8, 8) * k_vmdk_sector;
  std::string text = fixed_descriptor(read_id(file, begin, bytes), ids);
  if (text.size() > bytes) throw Error(ErrorKind::input, cat("the name is too long for VMDK: ", ids.name));
  text.resize(bytes);
  write_id(file, begin, text);
}

// VHDX: two headers, each with a checksum; a log that is empty when the file is closed; an id among the metadata.
constexpr std::size_t k_vhdx_header = 4096;
constexpr std::uint64_t k_vhdx_regions = 0x30000;

/// Its sequence number, which begins anywhere, says which header is the newer one.
constexpr std::size_t k_vhdx_sequence = 8;

void fix_vhdx_header(const Fd& file, std::uint64_t offset, char sequence, const Ids& ids) {
  static constexpr std::size_t k_sum = 4;
  static constexpr std::size_t k_file_guid = 16;
  static constexpr std::size_t k_data_guid = 32;
  static constexpr std::size_t k_log_guid = 48;
  static constexpr std::size_t k_log_length = 68;
  static constexpr std::size_t k_log_offset = 72;
  std::string header = read_id(file, offset, k_vhdx_header);
  if (!header.starts_with("head")) not_of("VHDX");
  put_part(header, k_vhdx_sequence, std::string(1, sequence) + std::string(7, '\0'));
  put_part(header, k_file_guid, ids.guid("vhdx file"));
  put_part(header, k_data_guid, ids.guid("vhdx data"));
  put_part(header, k_sum, std::string(4, '\0'));
  std::string sum = big_endian(crc32c(header), 4);
  std::reverse(sum.begin(), sum.end());
  put_part(header, k_sum, sum);
  write_id(file, offset, header);
  if (header.substr(k_log_guid, k_guid) != std::string(k_guid, '\0')) return;  // not empty: to be replayed
  const std::string_view view = header;
  write_id(file, get_le(view, k_log_offset, 8), std::string(get_le(view, k_log_length, 4), '\0'));
}

void fix_vhdx_metadata(const Fd& file, const Ids& ids) {
  static constexpr std::size_t k_table = 65536;
  static constexpr std::size_t k_head = 16;  // of the region table: signature, checksum, count, reserved
  static constexpr std::size_t k_items_head = 32;
  static constexpr std::size_t k_entry = 32;
  const std::string metadata_region = guid_bytes("8B7CA206-4790-4B9A-B8FE-575F050F886E");
  const std::string page83 = guid_bytes("BECA12AB-B2E6-4523-93EF-C309E000C746");
  const std::string regions = read_id(file, k_vhdx_regions, k_table);
  const std::size_t region = regions.find(metadata_region, k_head);
  if (!regions.starts_with("regi") || region == std::string::npos) not_of("VHDX");
  const std::uint64_t begin = get_le(regions, region + k_guid, 8);
  const std::string items = read_id(file, begin, k_table);
  const std::size_t item = items.find(page83, k_items_head);
  if (item == std::string::npos || (item - k_items_head) % k_entry != 0) not_of("VHDX");
  write_id(file, begin + get_le(items, item + k_guid, 4), ids.guid("vhdx page 83"));
}

void fix(const Fd& file, std::string_view format, const Ids& ids) {
  static constexpr std::uint64_t k_first_header = 0x10000;
  static constexpr std::uint64_t k_second_header = 0x20000;
  if (format == "vpc") fix_vpc(file, ids);
  if (format == "vdi") fix_vdi(file, ids);
  if (format == "vmdk") fix_vmdk(file, ids);
  if (format != "vhdx") return;
  const auto sequence = [&](std::uint64_t header) { return get_le(read_id(file, header + k_vhdx_sequence, 8), 0, 8); };
  const bool second_is_newer = sequence(k_first_header) < sequence(k_second_header);
  fix_vhdx_header(file, k_first_header, second_is_newer ? '\1' : '\2', ids);
  fix_vhdx_header(file, k_second_header, second_is_newer ? '\2' : '\1', ids);
  fix_vhdx_metadata(file, ids);
}

}  // namespace

void fix_disk_ids(const Fd& file, std::string_view format, const std::string& name, std::int64_t epoch) {
  static constexpr std::array<std::string_view, 4> k_random = {"vpc", "vhdx", "vdi", "vmdk"};
  if (std::find(k_random.begin(), k_random.end(), format) == k_random.end()) return;
  fix(file, format, {"", epoch, name});
  fix(file, format, {digests_of(file, {HashKind::sha256}).front(), epoch, name});
}

}  // namespace hearth::builder
