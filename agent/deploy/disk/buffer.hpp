// The blocks that an image's bytes travel in between threads, and to the disk.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>
#include <span>
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

}  // namespace hearth::agent::deploy
