#include "agent/deploy/boot/efi_variables.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr const char* k_global = "8be4df61-93ca-11d2-aa0d-00e098032b8c";  // EFI_GLOBAL_VARIABLE
constexpr std::uint32_t k_attributes = 7;  // non-volatile, for boot services, at run time
constexpr std::uint32_t k_active = 1;

void put_utf16(std::string& out, std::string_view ascii) {
  for (const char c : ascii) {
    out.push_back(c);
    out.push_back(0);
  }
  out.append(2, 0);
}

std::string ascii_until_nul(std::string_view utf16) {
  std::string text;
  for (std::size_t at = 0; at + 1 < utf16.size() && (utf16[at] != 0 || utf16[at + 1] != 0); at += 2) {
    text.push_back(utf16[at + 1] == 0 ? utf16[at] : '?');
  }
  return text;
}

std::string boot_entry_name(std::uint16_t number) {
  std::string name = "Boot";
  for (int shift = 12; shift >= 0; shift -= 4) name.push_back("0123456789ABCDEF"[(number >> shift) & 15]);
  return name;
}

std::optional<std::uint16_t> boot_entry_number(std::string_view file) {
  if (file.size() < 9 || file.rfind("Boot", 0) != 0 || file[8] != '-') return std::nullopt;
  std::uint16_t number = 0;
  for (const char c : file.substr(4, 4)) {
    const std::size_t digit = std::string_view("0123456789ABCDEF").find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    number = static_cast<std::uint16_t>(number << 4U | digit);
  }
  return number;
}

/// efivarfs protects its files against `rm -rf` by the immutable flag.
void make_mutable(const Fd& file) {
  int flags = 0;
  if (::ioctl(file.get(), FS_IOC_GETFLAGS, &flags) != 0 || (flags & FS_IMMUTABLE_FL) == 0) return;
  flags &= ~FS_IMMUTABLE_FL;
  ::ioctl(file.get(), FS_IOC_SETFLAGS, &flags);
}

}  // namespace

std::string encode_load_option(const LoadOption& option) {
  std::string hard_drive("\x04\x01\x2a\x00", 4);  // media device path, hard drive, 42 bytes
  append_le(hard_drive, option.partition);
  append_le(hard_drive, option.first);
  append_le(hard_drive, option.sectors);
  hard_drive.append(option.partition_id.begin(), option.partition_id.end());
  hard_drive.append("\x02\x02", 2);  // GPT, identified by GUID
  std::string name;
  put_utf16(name, option.path);
  std::string file("\x04\x04", 2);  // media device path, file path
  append_le(file, static_cast<std::uint16_t>(name.size() + 4));
  file += name;
  const std::string end("\x7f\xff\x04\x00", 4);
  std::string value;
  append_le(value, k_active);
  append_le(value, static_cast<std::uint16_t>(hard_drive.size() + file.size() + end.size()));
  put_utf16(value, option.label);
  return value + hard_drive + file + end;
}

std::optional<std::string> label_of_load_option(std::string_view value) {
  if (value.size() < 8) return std::nullopt;
  return ascii_until_nul(value.substr(6));
}

std::vector<CsvEntry> parse_boot_csv(std::string_view bytes) {
  if (bytes.substr(0, 2) == "\xff\xfe") bytes.remove_prefix(2);
  std::string text;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) text.push_back(bytes[at + 1] == 0 ? bytes[at] : '?');
  std::vector<CsvEntry> entries;
  for (const std::string& line : split_lines(text)) {
    const std::vector<std::string> fields = split(trim(line), ',');
    if (fields.size() >= 2 && !fields[0].empty() && fields[0].find('\\') == std::string::npos) {
      entries.push_back({fields[0], fields[1]});
    }
  }
  return entries;
}

std::string EfiVariables::path_of(const std::string& name) const { return cat(directory_, "/", name, "-", k_global); }

/// The value without its attributes.
std::optional<std::string> EfiVariables::read(const std::string& name) const {
  const std::optional<std::string> bytes = RealFileSystem().read(path_of(name));
  return bytes && bytes->size() >= 4 ? std::optional(bytes->substr(4)) : std::nullopt;
}

void EfiVariables::write(const std::string& name, const std::string& value) {
  if (RealFileSystem().status(path_of(name))) make_mutable(Fd::open(path_of(name), O_RDONLY));
  std::string bytes;
  append_le(bytes, k_attributes);
  const Fd file = Fd::open(path_of(name), O_WRONLY | O_CREAT, 0644);
  const std::string all = bytes + value;  // the firmware takes a variable in one piece
  if (::write(file.get(), all.data(), all.size()) != static_cast<ssize_t>(all.size())) {
    throw Error::from_errno("writing the firmware's variable", name);
  }
}

void EfiVariables::remove(const std::string& name) {
  make_mutable(Fd::open(path_of(name), O_RDONLY));
  if (::unlink(path_of(name).c_str()) != 0) throw Error::from_errno("removing the firmware's variable", name);
}

std::vector<std::uint16_t> EfiVariables::boot_order() const {
  const std::string value = read("BootOrder").value_or("");
  std::vector<std::uint16_t> order;
  for (std::size_t at = 0; at + 1 < value.size(); at += 2) {
    order.push_back(static_cast<std::uint16_t>(static_cast<unsigned char>(value[at]) |
                                               static_cast<unsigned char>(value[at + 1]) << 8U));
  }
  return order;
}

std::vector<std::uint16_t> EfiVariables::entries_labelled(const std::string& label,
                                                          std::vector<std::uint16_t>& used) const {
  std::vector<std::uint16_t> same;
  for (const std::string& file : RealFileSystem().list(directory_)) {
    const std::optional<std::uint16_t> number = boot_entry_number(file);
    if (!number) continue;
    const std::optional<std::string> value = read(boot_entry_name(*number));
    const bool named = value && label_of_load_option(*value) == label;
    (named ? same : used).push_back(*number);
  }
  return same;
}

std::string EfiVariables::put_first(const LoadOption& option) {
  if (!RealFileSystem().status(directory_) || RealFileSystem().list(directory_).empty()) {
    throw Error(ErrorKind::unsupported,
                "this machine was not started by UEFI, or its firmware's variables are not there")
        .hint("Boot the deploy ramdisk by UEFI, or set the node's boot mode to bios.");
  }
  std::vector<std::uint16_t> used;
  const std::vector<std::uint16_t> same = entries_labelled(option.label, used);
  for (const std::uint16_t number : same) remove(boot_entry_name(number));
  std::uint16_t number = 0;
  while (std::find(used.begin(), used.end(), number) != used.end()) ++number;
  write(boot_entry_name(number), encode_load_option(option));
  std::string order;
  append_le(order, number);
  for (const std::uint16_t other : boot_order()) {
    const bool gone = other == number || std::find(same.begin(), same.end(), other) != same.end();
    if (!gone) append_le(order, other);
  }
  write("BootOrder", order);
  return boot_entry_name(number);
}

}  // namespace hearth::agent::deploy
