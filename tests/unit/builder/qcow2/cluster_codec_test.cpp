#include "builder/qcow2/cluster_codec.hpp"

#include <gmock/gmock.h>
#include <zlib.h>

#include <vector>

#include "base/error.hpp"

namespace hearth::builder::qcow2 {
namespace {

using Buffer = std::vector<std::uint8_t>;

/// Words over and over, the same ones far apart: something to find in a window larger than 4 KiB.
Buffer text_cluster() {
  Buffer cluster(k_cluster);
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < cluster.size(); ++i) {
    state = state * 1103515245U + 12345U;
    cluster[i] = i < 20000 ? static_cast<std::uint8_t>('a' + (state >> 16U) % 20U) : cluster[i - 20000];
  }
  return cluster;
}

Buffer noise_cluster() {
  Buffer cluster(k_cluster);
  std::uint64_t state = 88172645463325252U;
  for (std::uint8_t& byte : cluster) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    byte = static_cast<std::uint8_t>(state);
  }
  return cluster;
}

/// As QEMU does it: one call of zlib's inflate with the window that it announces.
Buffer inflate_cluster(std::span<const std::uint8_t> compressed) {
  Buffer out(k_cluster);
  z_stream stream{};
  stream.next_in = const_cast<Bytef*>(compressed.data());
  stream.avail_in = static_cast<uInt>(compressed.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(::inflateInit2(&stream, -12), Z_OK);
  EXPECT_EQ(::inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.avail_out, 0U);
  ::inflateEnd(&stream);
  return out;
}

TEST(ClusterCodecTest, ZlibReadsWhatBothKindsOfDeflateWrite) {
  const Buffer cluster = text_cluster();
  Buffer room(k_cluster);
  for (const Compression kind : {Compression::fast, Compression::best}) {
    const std::size_t length = make_compressor(kind)->compress(cluster, room);
    ASSERT_GT(length, 0U);
    EXPECT_EQ(inflate_cluster(std::span(room).first(length)), cluster);
  }
}

TEST(ClusterCodecTest, FastDeflateNeverReachesFurtherBackThanQemusWindow) {
  // All repetitions lie 20,000 bytes apart: with a window of 4 KiB they can't be found.
  const Buffer cluster = text_cluster();
  Buffer room(k_cluster);
  const std::size_t near = make_compressor(Compression::fast)->compress(cluster, room);
  const std::size_t far = make_compressor(Compression::best)->compress(cluster, room);
  EXPECT_GT(near, k_cluster / 2);
  EXPECT_LT(far, k_cluster / 4);
}

TEST(ClusterCodecTest, WhatDoesNotGetSmallerIsLeftAsItIs) {
  Buffer room(k_cluster - 1);
  for (const Compression kind : {Compression::none, Compression::fast, Compression::best, Compression::zstd}) {
    EXPECT_EQ(make_compressor(kind)->compress(noise_cluster(), room), 0U);
  }
}

TEST(ClusterCodecTest, ACompressorCanBeUsedAgainAfterItFailed) {
  Buffer room(k_cluster - 1);
  for (const Compression kind : {Compression::fast, Compression::best, Compression::zstd}) {
    const auto compressor = make_compressor(kind);
    const std::size_t first = compressor->compress(text_cluster(), room);
    EXPECT_EQ(compressor->compress(noise_cluster(), room), 0U);
    EXPECT_EQ(compressor->compress(text_cluster(), room), first);
  }
}

TEST(ClusterCodecTest, AnUnknownCompressionIsAUsageError) {
  EXPECT_EQ(parse_compression("best"), Compression::best);
  EXPECT_THROW((void)parse_compression("gzip"), Error);
}

TEST(ClusterCodecTest, ZerosAreSeenUpToTheLastByte) {
  Buffer cluster(k_cluster);
  EXPECT_TRUE(all_zero(cluster));
  cluster.back() = 1;
  EXPECT_FALSE(all_zero(cluster));
}

}  // namespace
}  // namespace hearth::builder::qcow2
