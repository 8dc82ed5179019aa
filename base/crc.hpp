// Cyclic redundancy checks of 32 bits.
#pragma once

#include <cstdint>
#include <string_view>

namespace hearth {

/// The one of Ethernet and zlib, by which GPTs are sealed.
[[nodiscard]] std::uint32_t crc32_of(std::string_view bytes);

/// CRC-32C (Castagnoli; RFC 3720, appendix B.4), by which btrfs, XFS, thin pools and VHDX seal their blocks.
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes);

}  // namespace hearth
