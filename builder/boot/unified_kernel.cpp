#include "builder/boot/unified_kernel.hpp"

#include <algorithm>

#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/tree_reader.hpp"
#include "base/text.hpp"
#include "builder/boot/boot_tree.hpp"

namespace hearth::builder {

namespace {

// Offsets in the optional header of PE32+, and of what stands before it.
constexpr std::size_t k_pe_pointer = 0x3c;
constexpr std::size_t k_coff = 4;  // behind "PE\0\0"
constexpr std::size_t k_section_count = k_coff + 2;
constexpr std::size_t k_symbols = k_coff + 8;
constexpr std::size_t k_optional_size = k_coff + 16;
constexpr std::size_t k_optional = k_coff + 20;
constexpr std::size_t k_magic = k_optional;
constexpr std::size_t k_section_alignment = k_optional + 32;
constexpr std::size_t k_file_alignment = k_optional + 36;
constexpr std::size_t k_image_size = k_optional + 56;
constexpr std::size_t k_headers_size = k_optional + 60;
constexpr std::size_t k_certificates = k_optional + 112 + 4 * 8;
constexpr std::uint32_t k_pe32_plus = 0x20b;
constexpr std::size_t k_section_header = 40;
constexpr std::uint32_t k_page = 4096;
constexpr std::uint32_t k_data_to_read = 0x40000040;  // initialized data, readable

/// A number of the stub; throws where the stub ends before it.
std::uint32_t stub_number(const std::string& bytes, std::size_t at, std::size_t count) {
  if (at + count > bytes.size()) throw Error(ErrorKind::input, "the UEFI stub is cut short");
  return static_cast<std::uint32_t>(get_le(bytes, at, count));
}

std::uint32_t rounded(std::size_t size, std::uint32_t to) {
  const std::size_t up = (size + to - 1) / to * to;
  if (up > UINT32_MAX / 2) throw Error(ErrorKind::input, "kernel and ramdisk are too large for one UEFI program");
  return static_cast<std::uint32_t>(up);
}

/// Where in the stub things are.
struct Pe {
  explicit Pe(const std::string& bytes) : at(stub_number(bytes, k_pe_pointer, 4)) {
    if (bytes.substr(0, 2) != "MZ" || stub_number(bytes, at, 4) != 0x4550U ||
        stub_number(bytes, at + k_magic, 2) != k_pe32_plus) {
      throw Error(ErrorKind::input, "the UEFI stub is no 64-bit PE program");
    }
    if (stub_number(bytes, at + k_certificates, 4) != 0) throw Error(ErrorKind::input, "the UEFI stub is signed");
    count = stub_number(bytes, at + k_section_count, 2);
    table = at + k_optional + stub_number(bytes, at + k_optional_size, 2);
    section_alignment = std::max(stub_number(bytes, at + k_section_alignment, 4), k_page);
    file_alignment = stub_number(bytes, at + k_file_alignment, 4);
    if (file_alignment == 0) throw Error(ErrorKind::input, "the UEFI stub is damaged");
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::size_t header = table + i * k_section_header;
      end = std::max(end, stub_number(bytes, header + 12, 4) + stub_number(bytes, header + 8, 4));
      stored_end = std::max(stored_end, stub_number(bytes, header + 20, 4) + stub_number(bytes, header + 16, 4));
    }
  }
  std::size_t at;
  std::size_t table = 0;  ///< of section headers
  std::uint32_t count = 0;
  std::uint32_t section_alignment = 0;
  std::uint32_t file_alignment = 0;
  std::uint32_t end = 0;         ///< of the last section in memory
  std::uint32_t stored_end = 0;  ///< in the file: behind it are symbols for debuggers
};

}  // namespace

std::string with_sections(std::string stub, const std::vector<PeSection>& sections) {
  const Pe pe(stub);
  const std::size_t headers_end = pe.table + (pe.count + sections.size()) * k_section_header;
  if (headers_end > stub_number(stub, pe.at + k_headers_size, 4)) {
    throw Error(ErrorKind::input, "the UEFI stub has no room for further section headers");
  }
  stub.resize(std::min<std::size_t>(stub.size(), pe.stored_end));
  put_le(stub, pe.at + k_symbols, 0, 4);
  put_le(stub, pe.at + k_symbols + 4, 0, 4);
  std::uint32_t address = rounded(pe.end, pe.section_alignment);
  std::size_t header = pe.table + pe.count * k_section_header;
  for (const auto& [name, contents] : sections) {
    stub.resize(rounded(stub.size(), pe.file_alignment));
    const auto begin = static_cast<std::uint32_t>(stub.size());
    const std::uint32_t stored = rounded(contents.size(), pe.file_alignment);
    stub.replace(header, 8, cat(name, std::string(8 - name.size(), '\0')));
    put_le(stub, header + 8, static_cast<std::uint32_t>(contents.size()), 4);
    put_le(stub, header + 12, address, 4);
    put_le(stub, header + 16, stored, 4);
    put_le(stub, header + 20, begin, 4);
    put_le(stub, header + 24, 0, 4);
    put_le(stub, header + 28, 0, 4);
    put_le(stub, header + 32, 0, 4);
    put_le(stub, header + 36, k_data_to_read, 4);
    stub += contents;
    stub.resize(begin + stored);
    address = rounded(address + contents.size(), pe.section_alignment);
    header += k_section_header;
  }
  put_le(stub, pe.at + k_section_count, static_cast<std::uint32_t>(pe.count + sections.size()), 2);
  put_le(stub, pe.at + k_image_size, address, 4);
  return stub;
}

std::string unified_kernel_of(const fs::path& tree, const DiskLayout& layout, const BootOptions& options) {
  const KernelBytes kernel = read_kernel(tree, layout);
  const std::string release = TreeReader(tree).read("/usr/lib/os-release").value_or("ID=linux\nNAME=Linux\n");
  std::vector<PeSection> sections = {
      {".osrel", release}, {".cmdline", full_command_line(layout, options)}, {".uname", kernel.version}};
  if (!kernel.initrd.empty()) sections.emplace_back(".initrd", kernel.initrd);
  sections.emplace_back(".linux", kernel.kernel);
  return with_sections(read_loader_file(tree, options.systemd_files / "linuxx64.efi.stub", "systemd-boot-efi"),
                       sections);
}

}  // namespace hearth::builder
