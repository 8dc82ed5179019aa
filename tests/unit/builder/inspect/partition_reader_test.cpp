#include "builder/inspect/partition_reader.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"
#include "builder/disk/layout/block_config.hpp"
#include "builder/disk/layout/partition_table.hpp"

namespace hearth::builder {
namespace {

constexpr std::uint64_t k_mebibyte = 1024 * 1024;

/// A disk of these bytes with what the writer makes of a layout.
std::string disk_of(const std::string& label, const std::string& partitions, std::uint32_t sector) {
  const std::string text =
      cat("- local_loop: {name: image0, block_size: ", sector, "}\n- partitioning: {base: image0, label: ", label,
          ", partitions: [", partitions, "]}\n");
  const DiskLayout layout = assign_ids(parse_block_config(text, "t", {}).value_or_throw(), "seed");
  std::string disk(64 * k_mebibyte, '\0');
  for (const DiskPiece& piece : partition_table(layout, place(layout, disk.size()))) {
    disk.replace(piece.offset, piece.bytes.size(), piece.bytes);
  }
  return disk;
}

ReadBytes reader(const std::string& disk) {
  return [&disk](std::uint64_t offset, std::size_t count) {
    return offset >= disk.size() ? std::string() : disk.substr(offset, count);
  };
}

TEST(PartitionReaderTest, AGptIsReadWithSectorsOfEitherSize) {
  for (const std::uint32_t sector : {512U, 4096U}) {
    const std::string disk = disk_of("gpt", "{name: ESP, type: EF00, size: 8MiB}, {name: root, size: 100%}", sector);
    const FoundTable table = read_partition_table(reader(disk));
    EXPECT_EQ(table.table, PartitionTable::gpt);
    EXPECT_EQ(table.sector_size, sector);
    ASSERT_EQ(table.partitions.size(), 2U);
    EXPECT_EQ(table.partitions[0].type, k_esp_type);
    EXPECT_EQ(table.partitions[0].name, "ESP");
    EXPECT_EQ(table.partitions[1].extent, (Extent{9 * k_mebibyte, 54 * k_mebibyte}));
    EXPECT_FALSE(table.boot_code);
  }
}

TEST(PartitionReaderTest, NamesAreShownAsTheyAreButForControlCharacters) {
  const std::string name =
      "Gr\xc3\xb6\xc3\x9f"
      "e \xe2\x82\xac \xf0\x9d\x84\x9e";
  const std::string disk =
      disk_of("gpt", cat("{name: '", name, "', size: 8MiB}, {name: \"a\\e[2Jb\", size: 100%}"), 512);
  const FoundTable table = read_partition_table(reader(disk));
  ASSERT_EQ(table.partitions.size(), 2U);
  EXPECT_EQ(table.partitions[0].name, name);
  EXPECT_EQ(table.partitions[1].name, "a?[2Jb");
}

TEST(PartitionReaderTest, AnMbrIsReadWithItsLogicalPartitions) {
  const std::string disk = disk_of(
      "mbr", "{name: a, size: 8MiB, flags: [primary, boot]}, {name: b, size: 8MiB}, {name: c, size: 8MiB}", 512);
  const FoundTable table = read_partition_table(reader(disk));
  EXPECT_EQ(table.table, PartitionTable::mbr);
  std::vector<std::uint32_t> numbers;
  for (const FoundPartition& each : table.partitions) numbers.push_back(each.number);
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{1, 2, 5, 6}));
  EXPECT_TRUE(table.partitions[0].boot);
  EXPECT_EQ(table.partitions[2].extent, (Extent{10 * k_mebibyte, 8 * k_mebibyte}));
  EXPECT_EQ(table.partitions[1].type, "0f");
}

TEST(PartitionReaderTest, NonsenseGivesNoTableAndNeverLoops) {
  const std::string zeros(2 * k_mebibyte, '\0');
  EXPECT_EQ(read_partition_table(reader(zeros)).table, PartitionTable::none);
  std::string disk = disk_of("mbr", "{name: a, size: 8MiB, flags: [primary]}, {name: b, size: 8MiB}", 512);
  const std::uint64_t link = 9 * k_mebibyte;  // the link sector, made to point at itself
  disk.replace(link + 0x1be + 16 + 4, 1, "\x05");
  disk.replace(link + 0x1be + 16 + 8, 4, std::string(4, '\0'));
  disk.replace(link + 0x1be + 16 + 12, 4, std::string("\1\0\0\0", 4));
  EXPECT_LE(read_partition_table(reader(disk)).partitions.size(), 140U);
  std::string gpt = disk_of("gpt", "{name: a, size: 8MiB}", 512);
  gpt.replace(512 + 80, 8, "\xff\xff\xff\xff\xff\xff\xff\xff");
  EXPECT_EQ(read_partition_table(reader(gpt)).table, PartitionTable::mbr) << "what protects it is all that is left";
}

TEST(PartitionReaderTest, SignaturesAreRecognisedByTheirMagicNumbers) {
  const auto type_of = [](std::size_t at, const std::string& mark) {
    std::string disk(128 * 1024, '\0');
    disk.replace(at, mark.size(), mark);
    return read_signature(reader(disk), {0, disk.size()}).type;
  };
  EXPECT_EQ(type_of(0, "XFSB"), "xfs");
  EXPECT_EQ(type_of(1080, "\x53\xef"), "ext2");
  EXPECT_EQ(type_of(4086, "SWAPSPACE2"), "swap");
  EXPECT_EQ(type_of(65536 + 64, "_BHRfS_M"), "btrfs");
  EXPECT_EQ(type_of(32768, "\1CD001"), "iso9660");
  EXPECT_EQ(type_of(0, "hsqs"), "squashfs");
  EXPECT_EQ(type_of(1024, "\xe2\xe1\xf5\xe0"), "erofs");
  EXPECT_EQ(type_of(0, std::string("LUKS\xba\xbe\0\2", 8)), "crypto_LUKS");
  EXPECT_EQ(type_of(4096, "\xfc\x4e\x2b\xa9"), "linux_raid_member");
  EXPECT_EQ(type_of(512, cat("LABELONE", std::string(16, 'x'), "LVM2 001")), "LVM2_member");
  EXPECT_EQ(type_of(0, "nothing"), "");
}

}  // namespace
}  // namespace hearth::builder
