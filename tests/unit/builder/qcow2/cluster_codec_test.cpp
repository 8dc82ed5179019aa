#include "builder/qcow2/cluster_codec.hpp"

#include <gmock/gmock.h>
#include <zlib.h>

#include <algorithm>
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

TEST(ClusterCodecTest, EqualClustersComeOutEqualWhereverTheCompressorLies) {
  // ISA-L enters position 2 under a hash of the stream's address: seen where the bytes there have this hash and come
  // again.
  Buffer data(1100);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>((i * 2654435761U) >> 13U);
  const std::unique_ptr<ClusterCompressor> one = make_compressor(Compression::fast);
  const std::unique_ptr<ClusterCompressor> other = make_compressor(Compression::fast);
  Buffer room_of_one(k_cluster);
  Buffer room_of_other(k_cluster);
  for (unsigned i = 0; i < (1U << 16U); ++i) {
    data[2] = static_cast<std::uint8_t>(i);
    data[3] = static_cast<std::uint8_t>(i >> 8U);
    std::copy_n(data.begin() + 2, 8, data.begin() + 1002);
    const std::size_t length = one->compress(data, room_of_one);
    ASSERT_EQ(other->compress(data, room_of_other), length) << i;
    ASSERT_TRUE(std::equal(room_of_one.begin(), room_of_one.begin() + static_cast<std::ptrdiff_t>(length),
                           room_of_other.begin()))
        << i;
  }
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

TEST(ClusterCodecTest, RepetitionsFarApartAreFound) {
  // They lie 20,000 bytes apart, beyond the window of 4 KiB that QEMU announces to zlib.
  const Buffer cluster = text_cluster();
  Buffer room(k_cluster);
  for (const Compression kind : {Compression::fast, Compression::best}) {
    EXPECT_LT(make_compressor(kind)->compress(cluster, room), k_cluster / 3);
  }
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
