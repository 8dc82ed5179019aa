#pragma once

#include <cstdint>
#include <string_view>

namespace hearth::builder {

/// CRC-32C (Castagnoli; RFC 3720, appendix B.4), by which btrfs, XFS, thin pools and VHDX seal their blocks.
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes);

}  // namespace hearth::builder
