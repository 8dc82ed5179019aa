// Where an image's bytes come from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "agent/deploy/disk/buffer.hpp"

namespace hearth::agent::deploy {

/// The file of an image, from front to back; parts of it out of order where the server can do that.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// The next bytes, at least one; 0 at the end. Throws Error.
  [[nodiscard]] virtual std::size_t read(std::span<char> into) = 0;
  /// Bytes of the whole file; nothing when the server does not tell.
  [[nodiscard]] virtual std::optional<std::uint64_t> size() const = 0;
  /// `length` bytes from `offset` on; nothing when the server gives whole files only. Does not move read().
  [[nodiscard]] virtual std::optional<std::string> piece(std::uint64_t offset, std::uint64_t length) = 0;
};

}  // namespace hearth::agent::deploy
