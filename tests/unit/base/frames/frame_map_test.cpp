#include "base/frames/frame_map.hpp"

#include <gtest/gtest.h>

#include "base/hex.hpp"

namespace hearth::frames {
namespace {

constexpr std::uint64_t k_mib = 1U << 20U;

Head head(std::uint32_t frames) { return {.disk_size = 10 * k_mib + 512, .frame_count = frames, .is_signed = true}; }

TEST(FrameMap, WhatIsWrittenIsRead) {
  const std::vector<Frame> frames = {{0, 100, hash_of("a")}, {10, 512, hash_of("b")}};
  EXPECT_EQ(parse_head(encode_head(head(2)), "f").value_or_throw(), head(2));
  EXPECT_EQ(parse_map(head(2), encode_map(frames), "f").value_or_throw(), frames);
  EXPECT_EQ(head(2).data_offset(), 64U + 80U + 64U);
  EXPECT_EQ(head(2).bytes_of(10), 512U) << "the last block is short";
}

TEST(FrameMap, TheHashIsHalfOfBlake2b) {
  const FrameHash hash = hash_of("abc");  // RFC 7693, appendix A
  EXPECT_EQ(to_hex({reinterpret_cast<const char*>(hash.data()), hash.size()}),
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1");
}

TEST(FrameMap, HeadsThatCannotBeAreRefused) {
  const std::string good = encode_head(head(2));
  for (const auto& [at, byte] :
       std::vector<std::pair<std::size_t, char>>{{0, 'x'}, {16, 1}, {23, 1}, {24, 2}, {26, 9}, {40, 1}, {15, 127}}) {
    std::string bad = good;
    bad[at] = byte;
    EXPECT_FALSE(parse_head(bad, "f")) << at;
  }
  EXPECT_FALSE(parse_head(good.substr(0, 63), "f"));
}

TEST(FrameMap, MapsThatCannotBeAreRefused) {
  const auto read = [](const std::vector<Frame>& frames) { return parse_map(head(2), encode_map(frames), "f").ok(); };
  EXPECT_TRUE(read({{0, 1, {}}, {1, 1, {}}}));
  EXPECT_FALSE(read({{1, 1, {}}, {1, 1, {}}})) << "twice the same block";
  EXPECT_FALSE(read({{0, 1, {}}, {11, 1, {}}})) << "behind the end of the disk";
  EXPECT_FALSE(read({{0, 0, {}}, {1, 1, {}}})) << "empty";
  EXPECT_FALSE(read({{0, 1, {}}, {10, 513, {}}})) << "longer than its block";
  EXPECT_FALSE(read({{0, 1, {}}})) << "cut off";
}

}  // namespace
}  // namespace hearth::frames
