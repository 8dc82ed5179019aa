#include "pxe/tftp/burst_buffer.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "pxe/tftp/packet.hpp"

namespace hearth::pxe::tftp {

std::span<const char> BurstBuffer::fill(std::uint64_t owner, const Content& content, std::uint32_t block_size,
                                        const Burst& burst) {
  check(burst.first > 0 && burst.count > 0, "blocks are counted from 1", "first", burst.first, "count", burst.count);
  const std::size_t slot = k_data_head + block_size;
  if (holds(owner, burst)) {
    const std::size_t begin = (burst.first - held_.first) * slot;
    return std::span<const char>(bytes_).subspan(begin, std::min(burst.count * slot, size_ - begin));
  }
  holder_ = 0;
  if (bytes_.size() < burst.count * slot) bytes_.resize(burst.count * slot);
  // One read for the whole burst, to the end of the room; the blocks then move to their places from the front.
  const std::uint64_t offset = (burst.first - 1) * block_size;
  const std::size_t wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(burst.count * block_size, content.size() - offset));
  char* const data = bytes_.data() + burst.count * k_data_head;
  if (content.read(offset, {data, wanted}) != wanted) return {};
  for (std::size_t at = 0; at < burst.count; ++at) {
    char* const place = bytes_.data() + at * slot;
    const std::size_t begin = std::min(at * block_size, wanted);
    const std::size_t size = std::min<std::size_t>(block_size, wanted - begin);
    if (place + k_data_head != data + begin) std::memmove(place + k_data_head, data + begin, size);
    write_data_head(place, static_cast<std::uint16_t>(burst.first + at));
  }
  holder_ = owner;
  held_ = burst;
  size_ = wanted + burst.count * k_data_head;
  return {bytes_.data(), size_};
}

}  // namespace hearth::pxe::tftp
