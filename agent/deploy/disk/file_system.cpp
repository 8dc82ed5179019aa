#include "agent/deploy/disk/file_system.hpp"

#include <cstdint>

#include "base/byte_order.hpp"
#include "base/hex.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::size_t k_page = 4096;

/// A volume number, which stands there with its lowest byte first.
std::string fat_text(std::string_view bytes) {
  const std::string turned(bytes.rbegin(), bytes.rend());
  return to_upper(to_hex(turned)).insert(4, "-");
}

}  // namespace

std::optional<FoundFileSystem> find_file_system(std::string_view head) {
  const auto has = [head](std::size_t at, std::string_view text) {
    return head.size() >= at + text.size() && head.substr(at, text.size()) == text;
  };
  if (has(0, "XFSB") && head.size() >= 48) return FoundFileSystem{"xfs", uuid_text(head.substr(32, 16))};
  if (has(1024 + 56, "\x53\xef") && head.size() >= 1024 + 120)
    return FoundFileSystem{"ext4", uuid_text(head.substr(1024 + 104, 16))};
  if (has(65536 + 64, "_BHRfS_M")) return FoundFileSystem{"btrfs", uuid_text(head.substr(65536 + 32, 16))};
  if (has(510, "\x55\xaa") && has(82, "FAT32")) return FoundFileSystem{"vfat", fat_text(head.substr(67, 4))};
  if (has(510, "\x55\xaa") && has(54, "FAT")) return FoundFileSystem{"vfat", fat_text(head.substr(39, 4))};
  return std::nullopt;
}

std::string swap_header(std::uint64_t bytes, std::string_view uuid, std::string_view label) {
  std::string page(k_page, 0);
  put_le(page, 1024, 1, 4);                   // version
  put_le(page, 1028, bytes / k_page - 1, 4);  // the last page
  page.replace(1036, 16, uuid.substr(0, 16));
  page.replace(1052, label.size(), label);
  page.replace(k_page - 10, 10, "SWAPSPACE2");
  return page;
}

}  // namespace hearth::agent::deploy
