// Who asks by DHCP: firmware of which kind, or iPXE, or an operating system (RFC 4578; UEFI 2.10 section 24.7 for
// HTTPClient).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pxe/net/address.hpp"

namespace hearth::pxe {

struct Client {
  enum class Kind { other, pxe, http, ipxe };
  Mac mac;
  Kind kind = Kind::other;
  std::uint16_t arch = 0;  ///< option 93; 0 = BIOS
  std::string uuid;        ///< as dmidecode prints it; empty = not told
  std::string circuit;     ///< option 82.1
  [[nodiscard]] bool is_bios() const { return arch == 0; }
};

/// "UEFI x64 (arch 7)".
[[nodiscard]] std::string arch_name(std::uint16_t arch);
/// Option 97 as text: the first three fields come with their low byte first (SMBIOS 2.6). Empty when it is none.
[[nodiscard]] std::string uuid_text(std::string_view option);

}  // namespace hearth::pxe
