#include "pxe/boot/client.hpp"

#include <array>

#include "base/hex.hpp"
#include "base/text.hpp"

namespace hearth::pxe {

std::string arch_name(std::uint16_t arch) {
  const auto name = [arch]() -> std::string_view {
    switch (arch) {
      case 0: return "BIOS";
      case 6: return "UEFI IA32";
      case 7:
      case 9: return "UEFI x64";
      case 10: return "UEFI ARM32";
      case 11: return "UEFI ARM64";
      case 15: return "UEFI IA32 HTTP";
      case 16: return "UEFI x64 HTTP";
      case 19: return "UEFI ARM64 HTTP";
      case 20: return "BIOS HTTP";
      default: return "unknown";
    }
  }();
  return cat(name, " (arch ", arch, ')');
}

std::string uuid_text(std::string_view option) {
  if (option.size() != 17 || option[0] != 0) return {};
  constexpr std::array<std::size_t, 16> order{4, 3, 2, 1, 6, 5, 8, 7, 9, 10, 11, 12, 13, 14, 15, 16};
  std::string out;
  for (std::size_t at = 0; at < order.size(); ++at) {
    if (at == 4 || at == 6 || at == 8 || at == 10) out.push_back('-');
    out += to_hex(option.substr(order[at], 1));
  }
  return out;
}

}  // namespace hearth::pxe
