// Big-endian numbers inside a block of bytes. What lies beyond the block reads as zero and is not written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hearth::builder {

[[nodiscard]] inline std::uint64_t get_be(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count && at + i < bytes.size(); ++i) {
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

inline void put_be(std::string& bytes, std::size_t at, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count && at + i < bytes.size(); ++i) {
    bytes[at + i] = static_cast<char>((value >> (8 * (count - 1 - i))) & 0xffU);
  }
}

}  // namespace hearth::builder
