// The head of a physical volume as lvm2 writes it, with a text of the test's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/byte_order.hpp"

namespace hearth::builder {

inline constexpr std::size_t k_area = 4096;
inline constexpr std::size_t k_head = 65536;

/// lvm2's calc_crc(), a bit at a time.
inline std::uint32_t peer_checksum(std::string_view bytes) {
  std::uint32_t sum = 0xf597a6cf;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1U ^ ((sum & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return sum;
}

/// A head with that text at `offset` of its area, in pieces where the area ends, and older text around it.
inline std::string head_with(const std::string& text, std::size_t offset) {
  std::string head(k_head, '\0');
  head.replace(512, 8, "LABELONE");
  put_le(head, 512 + 8, 1, 8);
  put_le(head, 512 + 20, 32, 4);
  head.replace(512 + 24, 8, "LVM2 001");
  head.replace(544, 32, std::string(32, 'p'));
  put_le(head, 584, k_head, 8);  // the data area, to the end
  put_le(head, 616, k_area, 8);
  put_le(head, 624, k_head - k_area, 8);
  const std::size_t size = k_head - k_area;
  for (std::size_t i = k_area + 512; i < k_head; ++i) head[i] = static_cast<char>('a' + offset % 7);
  const std::string whole = text + '\0';
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const std::size_t at = offset + i < size ? offset + i : 512 + (offset + i - size);
    head[k_area + at] = whole[i];
  }
  head.replace(k_area + 4, 16, " LVM2 x[5A%r0N*>");
  put_le(head, k_area + 20, 1, 4);
  put_le(head, k_area + 24, k_area, 8);
  put_le(head, k_area + 32, size, 8);
  put_le(head, k_area + 40, offset, 8);
  put_le(head, k_area + 48, whole.size(), 8);
  put_le(head, k_area + 56, peer_checksum(whole), 4);
  put_le(head, k_area, peer_checksum(std::string_view(head).substr(k_area + 4, 508)), 4);
  return head;
}

}  // namespace hearth::builder
