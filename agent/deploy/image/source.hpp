// Where an image's bytes come from, and the blocks that they travel in between threads.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hearth::agent::deploy {

/// Memory as O_DIRECT wants it.
class Buffer {
 public:
  static constexpr std::size_t k_alignment = 4096;

  explicit Buffer(std::size_t capacity)
      : bytes_(static_cast<char*>(
            std::aligned_alloc(k_alignment, (capacity + k_alignment - 1) / k_alignment * k_alignment))),
        capacity_(capacity) {
    if (!bytes_) throw std::bad_alloc();
  }
  [[nodiscard]] std::span<char> room() { return {bytes_.get(), capacity_}; }
  [[nodiscard]] std::string_view text() const { return {bytes_.get(), used}; }

  std::size_t used = 0;  ///< bytes from the front that hold something

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }  // NOLINT(cppcoreguidelines-no-malloc): aligned_alloc
  };
  std::unique_ptr<char, Free> bytes_;
  std::size_t capacity_;
};

/// A piece of the image's file that several threads read.
using Block = std::shared_ptr<const Buffer>;

constexpr std::size_t k_block = std::size_t{1} << 20U;

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
