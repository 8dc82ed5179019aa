#include "base/frames/frame_map.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/byte_order.hpp"
#include "base/crypto.hpp"
#include "base/hex.hpp"
#include "base/text.hpp"

namespace hearth::frames {

namespace {

constexpr std::uint8_t k_zstd = 1;     // how frames are compressed
constexpr std::uint8_t k_blake2b = 1;  // how they are hashed
constexpr std::uint8_t k_ed25519 = 1;  // how the root is signed
constexpr std::uint64_t k_largest_map = std::uint64_t{1} << 30U;

ParseError problem(std::string_view source, std::string what) { return {std::string(source), {}, std::move(what)}; }

std::uint64_t blocks_of(const Head& head) { return (head.disk_size + head.block_size - 1) / head.block_size; }

}  // namespace

FrameHash hash_of(std::string_view bytes) {
  const Blake2bDigest digest = blake2b(bytes);
  FrameHash hash{};
  std::copy_n(digest.begin(), hash.size(), hash.begin());
  return hash;
}

std::uint32_t Head::bytes_of(std::uint32_t block) const {
  const std::uint64_t begin = std::uint64_t{block} * block_size;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(block_size, disk_size - begin));
}

std::string encode_head(const Head& head) {
  std::string out(k_magic);
  append_le(out, head.disk_size);
  append_le(out, head.block_size);
  append_le(out, head.frame_count);
  append_le(out, k_zstd);
  append_le(out, k_blake2b);
  append_le(out, head.is_signed ? k_ed25519 : std::uint8_t{0});
  out.resize(k_head_bytes);
  return out;
}

std::string encode_map(const std::vector<Frame>& frames) {
  std::string out;
  out.reserve(frames.size() * k_entry_bytes);
  for (const Frame& frame : frames) {
    append_le(out, frame.block);
    append_le(out, frame.stored);
    out.append(frame.hash.begin(), frame.hash.end());
  }
  return out;
}

Result<Head> parse_head(std::string_view bytes, std::string_view source) {
  if (bytes.size() < k_head_bytes || bytes.substr(0, k_magic.size()) != k_magic) {
    return problem(source, "this is no frames file");
  }
  Head head{.disk_size = get_le<std::uint64_t>(bytes, 8),
            .block_size = get_le<std::uint32_t>(bytes, 16),
            .frame_count = get_le<std::uint32_t>(bytes, 20),
            .is_signed = bytes[26] != 0};
  const bool known = static_cast<std::uint8_t>(bytes[24]) == k_zstd &&
                     static_cast<std::uint8_t>(bytes[25]) == k_blake2b &&
                     static_cast<std::uint8_t>(bytes[26]) <= k_ed25519;
  const bool reserved = std::any_of(bytes.begin() + 27, bytes.begin() + k_head_bytes, [](char c) { return c != 0; });
  if (!known || reserved) return problem(source, "the frames file was made by a newer Hearth");
  if (!std::has_single_bit(head.block_size) || head.block_size < k_smallest_block ||
      head.block_size > k_largest_block) {
    return problem(source, cat("a block size of ", head.block_size, " is not allowed"));
  }
  const bool too_large =
      head.disk_size > (std::uint64_t{1} << 31U) * head.block_size || head.map_bytes() > k_largest_map;
  if (too_large || head.frame_count > blocks_of(head))
    return problem(source, "the sizes in its head contradict each other");
  return head;
}

Result<std::vector<Frame>> parse_map(const Head& head, std::string_view bytes, std::string_view source) {
  if (bytes.size() != head.map_bytes()) return problem(source, "the map is cut off");
  std::vector<Frame> frames(head.frame_count);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::string_view entry = bytes.substr(i * k_entry_bytes, k_entry_bytes);
    Frame& frame = frames[i];
    frame.block = get_le<std::uint32_t>(entry, 0);
    frame.stored = get_le<std::uint32_t>(entry, 4);
    std::memcpy(frame.hash.data(), entry.data() + 8, frame.hash.size());
    const bool ascends = i == 0 || frame.block > frames[i - 1].block;
    if (!ascends || frame.block >= blocks_of(head)) return problem(source, cat("frame ", i, " is out of order"));
    if (frame.stored == 0 || frame.stored > head.bytes_of(frame.block)) {
      return problem(source, cat("frame ", i, " has a length that can't be"));
    }
  }
  return frames;
}

std::string root_of(std::string_view head_and_map) {
  const FrameHash hash = hash_of(head_and_map);
  return to_hex({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

}  // namespace hearth::frames
