// The peers are the tools that everybody reads such tables with: sfdisk and sgdisk.
#include "builder/disk/layout/partition_table.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "builder/disk/file_system_maker.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t k_partition_table_mib = 1024 * 1024;

class PartitionTableTest : public testing::Test {
 protected:
  SystemClock clock_;
  RealRunner runner_{clock_};
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "table-");
  fs::path disk_ = work_.path() / "disk";

  void write(const DiskLayout& layout, std::uint64_t bytes) {
    const Fd file = Fd::open(disk_.string(), O_CREAT | O_WRONLY);
    ASSERT_EQ(::ftruncate(file.get(), static_cast<off_t>(bytes)), 0);
    for (const DiskPiece& piece : partition_table(layout, place(layout, bytes))) {
      ASSERT_EQ(::pwrite(file.get(), piece.bytes.data(), piece.bytes.size(), static_cast<off_t>(piece.offset)),
                static_cast<ssize_t>(piece.bytes.size()));
    }
  }

  std::string tool(std::vector<std::string> argv) {
    argv.push_back(disk_.string());
    const CommandResult result = runner_.run(Command{.argv = argv, .env = maker_environment(0), .merge_err = true});
    return cat(result.out, describe(result.status));
  }
};

DiskLayout gpt() {
  DiskLayout layout;
  layout.table = PartitionTable::gpt;
  layout.partitions = {{.name = "ESP", .size = 8 * k_partition_table_mib, .type = std::string(k_esp_type)},
                       {.name = "two words", .size = Percent{100}, .type = "0FC63DAF-8483-4772-8E79-3D69D8477DE4"}};
  return assign_ids(layout, "seed");
}

TEST_F(PartitionTableTest, SgdiskFindsNothingWrongWithAGpt) {
  write(gpt(), 64 * k_partition_table_mib);
  EXPECT_THAT(tool({"sgdisk", "--verify"}), HasSubstr("No problems found"));
  const std::string dump = tool({"sfdisk", "--dump"});
  EXPECT_THAT(dump, HasSubstr(cat("label-id: ", gpt().disk_id)));
  EXPECT_THAT(dump, HasSubstr(cat("start=        2048, size=       16384, type=", k_esp_type,
                                  ", uuid=", gpt().partitions[0].guid, ", name=\"ESP\"")));
  EXPECT_THAT(dump, HasSubstr("name=\"two words\""));
}

TEST_F(PartitionTableTest, NamesAreUtf16OfWhichAWholeCharacterIsTheLast) {
  DiskLayout layout = gpt();
  layout.partitions[1].name = "Größe €";
  write(layout, 64 * k_partition_table_mib);
  EXPECT_THAT(tool({"sgdisk", "--info=2"}), HasSubstr("Partition name: 'Größe €'"));
  std::string sixteen;
  for (int i = 0; i < 35; ++i) sixteen += "x";
  layout.partitions[1].name = sixteen + "\xf0\x9d\x84\x9e";  // U+1D11E takes two units, and one is left
  write(layout, 64 * k_partition_table_mib);
  EXPECT_THAT(tool({"sgdisk", "--info=2"}), HasSubstr(cat("Partition name: '", sixteen, "'")));
}

TEST_F(PartitionTableTest, AGptOfLargeSectorsIsReadWithLargeSectors) {
  DiskLayout layout = gpt();
  layout.sector_size = 4096;
  write(layout, 64 * k_partition_table_mib);
  const std::string shown = tool({"fdisk", "-b", "4096", "-o", "Start,Sectors,Type", "-l"});
  EXPECT_THAT(shown, HasSubstr("  256    2048 EFI System"));
  EXPECT_THAT(shown, testing::Not(HasSubstr("corrupt")));
}

TEST_F(PartitionTableTest, SfdiskReadsTheChainOfLogicalPartitions) {
  DiskLayout layout;
  layout.table = PartitionTable::mbr;
  for (int i = 0; i < 10; ++i) {
    layout.partitions.push_back({.name = cat("p", i),
                                 .size = 10 * k_partition_table_mib,
                                 .type = i == 4 ? "82" : "83",
                                 .boot = i == 0,
                                 .primary = i < 3});
  }
  layout = assign_ids(layout, "seed");
  write(layout, 1024 * k_partition_table_mib);
  const std::string dump = tool({"sfdisk", "--dump"});
  EXPECT_THAT(dump, HasSubstr(cat("label-id: 0x", layout.disk_id)));
  EXPECT_THAT(dump, HasSubstr("disk1 : start=        2048, size=       20480, type=83, bootable"));
  EXPECT_THAT(dump, HasSubstr("disk4 : start=       63488, size=     2033664, type=f"));
  EXPECT_THAT(dump, HasSubstr("disk5 : start=       65536, size=       20480, type=83"));
  EXPECT_THAT(dump, HasSubstr("disk6 : start=       88064, size=       20480, type=82"));
  EXPECT_THAT(dump, HasSubstr("disk11 : start=      200704, size=       20480, type=83"));
  EXPECT_THAT(tool({"sfdisk", "--verify"}), HasSubstr("No errors detected"));
}

TEST_F(PartitionTableTest, ALayoutWithoutTableWritesNothing) {
  EXPECT_TRUE(partition_table(DiskLayout{}, Placement{.disk_bytes = k_partition_table_mib}).empty());
}

}  // namespace
}  // namespace hearth::builder
