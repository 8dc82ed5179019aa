#include "builder/disk/layout/lvm_metadata.hpp"

#include <boost/crc.hpp>
#include <vector>

#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/disk/layout/layout.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_lvm_metadata_sector = 512;
constexpr std::size_t k_label_sectors = 4;  // the label is in one of the first four
constexpr std::size_t k_area_header = 512;
constexpr std::size_t k_area_entry = 16;  // of a list: offset, size
// Of the area's header: checksum, magic, version, start, size, locations.
constexpr std::size_t k_area_start = 24;
constexpr std::size_t k_area_size = 32;
constexpr std::size_t k_location = 40;  // offset, size, checksum, flags
constexpr std::size_t k_location_size = 24;
constexpr std::string_view k_area_magic = " LVM2 x[5A%r0N*>";

[[noreturn]] void not_lvm(std::string_view what) {
  throw Error(ErrorKind::input, cat("this is no LVM physical volume: ", what));
}

/// LVM's checksum: CRC-32 from a start of its own, not inverted at the end.
std::uint32_t lvm_checksum(std::string_view bytes) {
  boost::crc_optimal<32, 0x04C11DB7, 0xF365E9AF, 0, true, true> crc;  // the start is 0xf597a6cf, reflected
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

/// Of the area's header, without the field that it is written to.
std::uint32_t area_checksum(std::string_view head, std::size_t begin) {
  return lvm_checksum(head.substr(begin + 4, k_area_header - 4));
}

/// Where the label's lists of areas begin: data areas, an empty one, metadata areas, an empty one.
std::size_t area_lists(std::string_view head) {
  for (std::size_t sector = 0; sector < k_label_sectors && (sector + 1) * k_lvm_metadata_sector <= head.size();
       ++sector) {
    const std::size_t label = sector * k_lvm_metadata_sector;
    if (head.substr(label, 8) != "LABELONE") continue;
    const std::size_t lists = label + get_le(head, label + 20, 4) + 32 + 8;  // behind the volume's id and size
    if (lists + 2 * k_area_entry <= (sector + 1) * k_lvm_metadata_sector) return lists;
  }
  not_lvm("it has no label");
}

std::size_t metadata_begin(std::string_view head) {
  std::size_t at = area_lists(head);
  const std::size_t end = (at / k_lvm_metadata_sector + 1) * k_lvm_metadata_sector;
  while (at + 2 * k_area_entry < end && get_le(head, at, 8) != 0) at += k_area_entry;
  return get_le(head, at + k_area_entry, 8);
}

/// The newest text, which may go round the end of its area.
std::string current_text(std::string_view head, std::size_t begin, std::uint64_t size) {
  const std::uint64_t offset = get_le(head, begin + k_location, 8);
  const std::uint64_t length = get_le(head, begin + k_location + 8, 8);
  if (offset < k_area_header || offset >= size || length == 0 || length > size) not_lvm("it holds no group");
  std::string text(head.substr(begin + offset, std::min(length, size - offset)));
  if (text.size() < length) text += head.substr(begin + k_area_header, length - text.size());
  return text;
}

std::string name_of_section(std::string_view line) {
  return std::string(trim(line.substr(0, line.size() - 1)));  // without the brace
}

/// One line of the text with what is not the same every time replaced; `path` are the sections around it.
std::string fixed_line(std::string_view line, const std::vector<std::string>& path, std::string_view seed,
                       std::int64_t epoch) {
  const std::string_view name = line.substr(0, line.find(' '));
  const bool physical = path.size() > 1 && path[1] == "physical_volumes";
  if (name == "id" && !physical) return cat("id = \"", lvm_id(seed, join(path, " ")), "\"");
  if (name == "device" && physical) return "device = \"[unknown]\"";  // a hint: the name in the machine that made it
  if (name == "creation_time") return cat("creation_time = ", epoch);
  if (name == "creation_host") return "creation_host = \"hearth\"";
  if (name == "description") return "description = \"\"";
  return std::string(line);
}

}  // namespace

std::string lvm_id(std::string_view seed, std::string_view purpose) {
  std::string id = replace_all(derived_uuid(seed, purpose), "-", "");
  for (const std::size_t at : {26U, 22U, 18U, 14U, 10U, 6U}) id.insert(at, "-");
  return id;
}

std::string fixed_lvm_text(std::string_view text, std::string_view seed, std::int64_t epoch) {
  std::string out;
  std::vector<std::string> path;
  for (const std::string& whole : split_lines(text)) {
    const std::string_view line = trim(std::string_view(whole).substr(0, whole.find('#')));
    if (line.empty()) continue;
    if (line == "}" && !path.empty()) path.pop_back();
    out += cat(fixed_line(line, path, seed, epoch), "\n");
    if (line.ends_with('{')) path.push_back(name_of_section(line));
  }
  return out;
}

namespace {

/// The size of the metadata area at `begin`, whose header is checked.
std::uint64_t area_size(std::string_view head, std::size_t begin) {
  const std::uint64_t size = get_le(head, begin + k_area_size, 8);
  if (begin > head.size() || size > head.size() - begin) not_lvm("its metadata area is not where it says");
  if (head.substr(begin + 4, k_area_magic.size()) != k_area_magic) not_lvm("its metadata area is of another kind");
  if (get_le(head, begin + k_area_start, 8) != begin) not_lvm("its metadata area is not where it says");
  if (get_le(head, begin, 4) != area_checksum(head, begin)) not_lvm("the checksum of its metadata area is wrong");
  return size;
}

}  // namespace

std::string lvm_text(std::string_view head) {
  const std::size_t begin = metadata_begin(head);
  std::string text = current_text(head, begin, area_size(head, begin));
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

std::uint64_t lvm_data_begin(std::string_view head) {
  const std::uint64_t begin = get_le(head, area_lists(head), 8);
  if (begin == 0) not_lvm("it has no room for data");
  return begin;
}

std::string fixed_lvm_head(std::string head, std::string_view seed, std::int64_t epoch) {
  const std::size_t begin = metadata_begin(head);
  const std::uint64_t size = area_size(head, begin);
  std::string text = fixed_lvm_text(lvm_text(head), seed, epoch);
  text.push_back('\0');
  if (text.size() + k_area_header > size) not_lvm("its metadata area is too small");
  head.replace(begin + k_area_header, size - k_area_header, size - k_area_header, '\0');
  head.replace(begin + k_area_header, text.size(), text);
  put_le(head, begin + k_location, k_area_header, 8);
  put_le(head, begin + k_location + 8, text.size(), 8);
  put_le(head, begin + k_location + 16, lvm_checksum(text), 4);
  put_le(head, begin + k_location + 20, 0, 4);
  const std::size_t next = begin + k_location + k_location_size;  // no further one: nothing was begun
  head.replace(next, begin + k_area_header - next, begin + k_area_header - next, '\0');
  put_le(head, begin, area_checksum(head, begin), 4);
  return head;
}

}  // namespace hearth::builder
