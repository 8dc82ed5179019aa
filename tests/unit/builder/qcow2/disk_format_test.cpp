#include "builder/qcow2/disk_format.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace hearth::builder::qcow2 {
namespace {

TEST(Qcow2FormatTest, TheHeaderIsVersion3BigEndianWithItsLength) {
  const std::string bytes = header_bytes({.virtual_size = 0x123456, .l1_offset = 0x30000, .l1_entries = 7});
  EXPECT_EQ(bytes.substr(0, 8), std::string("QFI\xfb\0\0\0\3", 8));
  EXPECT_EQ(bytes.substr(24, 8), std::string("\0\0\0\0\0\x12\x34\x56", 8));
  EXPECT_EQ(bytes.substr(36, 4), std::string("\0\0\0\7", 4));
  EXPECT_EQ(bytes.substr(40, 8), std::string("\0\0\0\0\0\3\0\0", 8));
  EXPECT_EQ(bytes.substr(100, 4), std::string("\0\0\0\x70", 4));
}

TEST(Qcow2FormatTest, ZstdIsAnIncompatibleFeatureSoThatOldReadersRefuseIt) {
  const std::string zstd = header_bytes({.compression = CompressionType::zstd});
  EXPECT_EQ(zstd[79], '\x08');
  EXPECT_EQ(zstd[104], '\1');
  const std::string deflate = header_bytes({});
  EXPECT_EQ(deflate[79], '\0');
  EXPECT_EQ(deflate[104], '\0');
}

TEST(Qcow2FormatTest, TheBackingFileStandsBehindTheExtensions) {
  const std::string bytes = header_bytes({.backing_file = "base.qcow2", .backing_format = "qcow2"});
  const auto offset = static_cast<unsigned char>(bytes[15]);
  EXPECT_EQ(bytes.substr(offset), "base.qcow2");
  EXPECT_EQ(bytes.substr(112, 13), std::string("\xe2\x79\x2a\xca\0\0\0\5qcow2", 13));
  EXPECT_THROW((void)header_bytes({.backing_file = std::string(1024, 'x')}), Error);
}

TEST(Qcow2FormatTest, ACompressedEntryCountsTheFurtherSectorsThatItTouches) {
  const std::uint64_t flag = std::uint64_t{1} << 62U;
  EXPECT_EQ(compressed_entry(0x10000, 512), flag | 0x10000);
  EXPECT_EQ(compressed_entry(0x10001, 512), flag | std::uint64_t{1} << 54U | 0x10001);
  EXPECT_EQ(compressed_entry(0x101ff, 1026), flag | std::uint64_t{3} << 54U | 0x101ff);
}

TEST(Qcow2FormatTest, TablesAreFilledUpToWholeClusters) {
  EXPECT_EQ(table_bytes({1, 2}).size(), k_cluster);
  EXPECT_EQ(table_bytes({1, 2}).substr(0, 16), std::string("\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2", 16));
  EXPECT_TRUE(table_bytes({}).empty());
  const std::uint16_t counts[] = {1, 0x203};
  EXPECT_EQ(refcount_bytes(counts, 2).substr(0, 5), std::string("\0\1\2\3\0", 5));
}

}  // namespace
}  // namespace hearth::builder::qcow2
