#include "agent/deploy/image/qcow2_map.hpp"

#include <gtest/gtest.h>

namespace hearth::agent::deploy {
namespace {

void put(std::string& bytes, std::size_t at, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i)
    bytes[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> (8 * (size - 1 - i)));
}

std::string header() {
  std::string bytes(k_qcow2_header_bytes, 0);
  bytes.replace(0, 4, "QFI\xfb");
  put(bytes, 4, 3, 4);
  put(bytes, 20, 16, 4);
  put(bytes, 24, 10 << 20, 8);
  put(bytes, 36, 1, 4);
  put(bytes, 40, 0x30000, 8);
  return bytes;
}

std::string with(std::size_t at, std::uint64_t value, int size) {
  std::string bytes = header();
  put(bytes, at, value, size);
  return bytes;
}

TEST(Qcow2Map, AHeaderTellsSizeAndTables) {
  const Qcow2Header read = parse_qcow2_header(header(), "i").value_or_throw();
  EXPECT_EQ(read.disk_size, 10U << 20U);
  EXPECT_EQ(read.cluster(), 65536U);
  EXPECT_EQ(read.l1_offset, 0x30000U);
  EXPECT_FALSE(read.zstd);
}

TEST(Qcow2Map, ImagesThatPointOutsideOrCannotBeReadAreRefused) {
  const std::vector<std::pair<std::string, const char*>> cases = {
      {with(8, 100, 8), "backing file"},
      {with(32, 2, 4), "encrypted"},
      {with(72, 4, 8), "data in another file"},
      {with(72, 16, 8), "extended L2"},
      {with(72, 1 << 20, 8), "not known"},
      {with(4, 4, 4), "version 4"},
      {with(20, 40, 4), "cluster size"},
      {with(24, std::uint64_t{1} << 40U, 8), "does not fit"},
      {with(0, 0, 4), "no qcow2"},
      {header().substr(0, 50), "no qcow2"}};
  for (const auto& [bytes, words] : cases) {
    const auto result = parse_qcow2_header(bytes, "i");
    ASSERT_FALSE(result) << words;
    EXPECT_NE(result.error().text().find(words), std::string::npos) << result.error().text();
  }
}

TEST(Qcow2Map, EntriesBecomeExtentsButForHolesAndZeros) {
  const Qcow2Header read = parse_qcow2_header(header(), "i").value_or_throw();
  std::string table(65536, 0);
  put(table, 0, 0x8000000000050000, 8);  // plain
  put(table, 8, 1, 8);                   // reads as zeros
  put(table, 24, (std::uint64_t{1} << 62U) | (std::uint64_t{2} << 54U) | 0x60010,
      8);                           // three sectors, not from their start
  put(table, 8 * 200, 0x70000, 8);  // behind the end of the disk
  std::vector<Extent> extents;
  parse_l2(read, 0, table, extents);
  ASSERT_EQ(extents.size(), 2U);
  EXPECT_EQ(extents[0].offset, 0x50000U);
  EXPECT_EQ(extents[0].stored, 65536U);
  EXPECT_EQ(extents[1].cluster, 3U);
  EXPECT_EQ(extents[1].offset, 0x60010U);
  EXPECT_EQ(extents[1].stored, 3 * 512 - 0x10U);
  EXPECT_TRUE(extents[1].compressed);
}

}  // namespace
}  // namespace hearth::agent::deploy
