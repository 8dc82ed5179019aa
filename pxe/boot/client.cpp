#include "pxe/boot/client.hpp"

#include "base/hex.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"

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
  return option.size() == 17 && option[0] == 0 ? guid_text(option.substr(1)) : std::string();
}

}  // namespace hearth::pxe
