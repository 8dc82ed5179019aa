// The terms of a transfer, negotiated from the options of a request: blksize (RFC 2348), timeout and tsize (RFC 2349),
// windowsize (RFC 7440).
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "pxe/tftp/packet.hpp"

namespace hearth::pxe::tftp {

struct Limits {
  std::uint32_t block_size = 65464;        ///< most that is agreed to
  std::uint32_t window_bytes = 64 * 1024;  ///< window times blksize: what any receiver's buffer holds
  std::size_t transfers = 4096;            ///< at once, in all
  std::size_t transfers_per_client = 64;   ///< at once, for one address
};

struct Terms {
  std::uint32_t block_size = 512;
  std::uint32_t window = 1;
  std::optional<std::uint8_t> timeout_s;
  Options accepted;  ///< what the OACK says; empty = no OACK, DATA 1 at once
};

/// An option that is unknown, malformed or out of its range is left out, never a reason to refuse the transfer. `size`
/// is told when the client asked for it.
[[nodiscard]] Terms negotiate(const Options& asked, std::uint64_t size, const Limits& limits);

}  // namespace hearth::pxe::tftp
