// Numbers inside blocks of bytes, in either order. What lies beyond the block reads as zero and is not written.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hearth {

/// The number that `count` bytes from `at` on are, the lowest first.
[[nodiscard]] inline std::uint64_t get_le(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count && at + i < bytes.size(); ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return value;
}

inline void put_le(std::string& bytes, std::size_t at, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count && at + i < bytes.size(); ++i) {
    bytes[at + i] = static_cast<char>((value >> (8 * i)) & 0xffU);
  }
}

/// As get_le(), the highest first.
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

/// The number as `count` bytes of its own.
[[nodiscard]] inline std::string big_endian(std::uint64_t value, std::size_t count) {
  std::string bytes(count, '\0');
  put_be(bytes, 0, value, count);
  return bytes;
}

// The same for numbers of a known size.
template <std::unsigned_integral Number>
[[nodiscard]] Number get_le(std::string_view bytes, std::size_t at) {
  return static_cast<Number>(get_le(bytes, at, sizeof(Number)));
}

template <std::unsigned_integral Number>
void put_le(std::string& bytes, std::size_t at, Number value) {
  put_le(bytes, at, value, sizeof(Number));
}

template <std::unsigned_integral Number>
void append_le(std::string& out, Number value) {
  out.resize(out.size() + sizeof(Number));
  put_le(out, out.size() - sizeof(Number), value, sizeof(Number));
}

template <std::unsigned_integral Number>
[[nodiscard]] Number get_be(std::string_view bytes, std::size_t at) {
  return static_cast<Number>(get_be(bytes, at, sizeof(Number)));
}

}  // namespace hearth
