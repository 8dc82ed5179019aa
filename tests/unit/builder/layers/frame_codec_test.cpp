#include "builder/layers/frame_codec.hpp"

#include <gmock/gmock.h>
#include <isa-l.h>
#include <lz4frame.h>

#include <string>

#include "base/error.hpp"

namespace hearth::builder {
namespace {

/// Text that packs well, behind bytes that don't.
std::string mixture(std::size_t noise, std::size_t text) {
  std::string bytes;
  std::uint64_t state = 42;
  for (std::size_t i = 0; i < noise; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    bytes += static_cast<char>(state >> 56U);
  }
  return bytes + std::string(text, 't');
}

/// With a right checksum behind it.
std::string sealed(std::string frame) {
  const std::uint64_t sum = ::crc64_ecma_refl(0, reinterpret_cast<const unsigned char*>(frame.data()), frame.size());
  return frame.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

TEST(FrameCodec, WhatWasPackedIsUnpacked) {
  FrameCodec packing;
  FrameCodec unpacking;
  for (const auto& [noise, text] :
       {std::pair<std::size_t, std::size_t>{0, 0}, {1, 0}, {3000, 10}, {5U << 20U, 6U << 20U}}) {
    const std::string bytes = mixture(noise, text);
    const std::string frame(packing.pack(bytes));
    EXPECT_LE(frame.size(), noise + text / 100 + 1000);
    EXPECT_TRUE(unpacking.unpack(frame) == bytes) << noise;
  }
}

TEST(FrameCodec, DamageIsNoticedAndTheCodecGoesOn) {
  FrameCodec codec;
  const std::string bytes = mixture(1000, 100'000);
  const std::string frame(codec.pack(bytes));
  std::vector<std::string> damaged = {"", "x", frame.substr(0, frame.size() - 1), frame + "x", frame.substr(1)};
  for (std::size_t at = 0; at < frame.size(); at += 7) {
    damaged.push_back(frame);
    damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ 0x10);
  }
  for (const std::string& each : damaged) {
    EXPECT_THROW((void)codec.unpack(each), Error);
    EXPECT_TRUE(codec.unpack(frame) == bytes);
  }
}

TEST(FrameCodec, WhatIsNoWholeFrameIsRefusedThoughItsChecksumIsRight) {
  FrameCodec codec;
  const std::string bytes = mixture(1000, 100'000);
  std::string frame(codec.pack(bytes));
  frame.resize(frame.size() - sizeof(std::uint64_t));
  ASSERT_TRUE(codec.unpack(sealed(frame)) == bytes);
  std::vector<std::string> wrong = {"", "no frame of LZ4", frame + "x", frame + frame};
  for (std::size_t length = 1; length < frame.size(); length += 5) wrong.push_back(frame.substr(0, length));
  for (const std::string& each : wrong) EXPECT_THROW((void)codec.unpack(sealed(each)), Error) << each.size();
  EXPECT_TRUE(codec.unpack(sealed(frame)) == bytes);
}

TEST(FrameCodec, AFrameThatClaimsMoreThanAFileMayHoldIsRefusedBeforeMemoryIsTaken) {
  LZ4F_cctx* context = nullptr;
  ASSERT_EQ(::LZ4F_createCompressionContext(&context, LZ4F_VERSION), 0U);
  LZ4F_preferences_t claim{};
  claim.frameInfo.contentSize = std::uint64_t{1} << 44U;
  std::string frame(LZ4F_HEADER_SIZE_MAX, '\0');
  frame.resize(::LZ4F_compressBegin(context, frame.data(), frame.size(), &claim));
  ::LZ4F_freeCompressionContext(context);
  FrameCodec codec;
  EXPECT_THROW((void)codec.unpack(sealed(frame)), Error);
}

}  // namespace
}  // namespace hearth::builder
