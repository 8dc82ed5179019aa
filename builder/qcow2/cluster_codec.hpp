// Compression of single clusters. Each is compressed for itself, so the result does not depend on threads or order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "builder/qcow2/disk_format.hpp"

namespace hearth::builder::qcow2 {

enum class Compression {
  none,
  fast,  ///< deflate by ISA-L: every QEMU can read it
  best,  ///< deflate by libdeflate, slower and smaller
  zstd,  ///< needs QEMU 5.1 or later
};

/// By its name: none, fast, best or zstd. Throws Error(usage) for another.
[[nodiscard]] Compression parse_compression(std::string_view name);

/// What the header has to say for it.
[[nodiscard]] CompressionType type_of(Compression compression);

/// Not for use by two threads at once.
class ClusterCompressor {
 public:
  virtual ~ClusterCompressor() = default;
  /// Compresses `cluster` into `out` and returns the length; 0 when the result would not fit into `out`.
  [[nodiscard]] virtual std::size_t compress(std::span<const std::uint8_t> cluster, std::span<std::uint8_t> out) = 0;
};

[[nodiscard]] std::unique_ptr<ClusterCompressor> make_compressor(Compression compression);

/// Whether all bytes are zero.
[[nodiscard]] bool all_zero(std::span<const std::uint8_t> bytes);

}  // namespace hearth::builder::qcow2
