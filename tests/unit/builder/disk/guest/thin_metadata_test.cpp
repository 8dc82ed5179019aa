#include "builder/disk/guest/thin_metadata.hpp"

#include <gmock/gmock.h>

#include "base/byte_order.hpp"
#include "base/crc.hpp"
#include "tests/unit/builder/disk/disk_fixture.hpp"
#include "tests/unit/builder/disk/layout/lvm_head.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

constexpr const char* k_text =
    "vg {\nid = \"x\"\nextent_size = 8192\nphysical_volumes {\n\npv0 {\nid = \"first\"\npe_start = 2048\n}\npv1 {\nid "
    "= "
    "\"second\"\npe_start = 4096\n}\n}\nlogical_volumes {\n\npool {\nsegment_count = 1\n\nsegment1 {\nextent_count = "
    "3\ntype = \"thin-pool\"\nmetadata = \"pool_tmeta\"\npool = \"pool_tdata\"\n}\n}\npool_tmeta {\nsegment_count = "
    "1\n\nsegment1 {\nextent_count = 2\t# 8 Megabytes\ntype = \"striped\"\nstripe_count = 1\n\nstripes = [\n\"pv0\", "
    "7\n]\n}\n}\n}\n}\n";

TEST(ThinMetadataTest, APoolsMetadataIsFoundOnThePhysicalVolumeThatHasIt) {
  const std::string head = head_with(k_text, 512);
  EXPECT_EQ(thin_metadata_places(head, "first"), (std::vector<Extent>{{k_mib + 7 * 4 * k_mib, 8 * k_mib}}));
  EXPECT_TRUE(thin_metadata_places(head, "second").empty());
  EXPECT_TRUE(thin_metadata_places(head_with(replace_all(k_text, "thin-pool", "linear"), 512), "first").empty());
  EXPECT_THROW((void)thin_metadata_places("no label", "first"), Error);
}

/// Writes what thin_restore 1.x does at times: noise where a node has no entry, under a right checksum.
class NoisyRestore final : public CommandRunner {
 public:
  explicit NoisyRestore(CommandRunner& real) : real_(real) {}
  CommandResult run(const Command& command) override {
    CommandResult result = real_.run(command);
    if (command.argv[0] == "thin_restore") make_noise(command.argv.back());
    return result;
  }
  int nodes = 0;

 private:
  static std::uint32_t sum(std::string_view node) { return ~crc32c(node.substr(4)) ^ 121107U; }
  void make_noise(const fs::path& file) {
    std::string bytes = read_file(file);
    for (std::size_t at = 0; at < bytes.size(); at += 4096) {
      std::string block = bytes.substr(at, 4096);
      if (get_le(block, 0, 4) != sum(block)) continue;
      ++nodes;
      block.replace(4095, 1, "o");  // behind all values
      if (get_le(block, 16, 4) < get_le(block, 20, 4)) block.replace(32 + 8 * get_le(block, 16, 4), 1, "o");  // a key
      put_le(block, 0, sum(block), 4);
      bytes.replace(at, 4096, block);
    }
    RealFileSystem().write(file, bytes, {});
  }
  CommandRunner& real_;
};

class ThinPoolTest : public DiskFixture {
 protected:
  /// A disk with a physical volume at 1 MiB that holds the group above.
  fs::path make_disk() {
    fs::path disk = work_.path() / "disk";
    files_.write(disk, std::string(k_mib, '\0') + head_with(k_text, 512), {});
    fs::resize_file(disk, 60 * k_mib);
    return disk;
  }
  /// The same maps, written with the blocks that `moves` pools before them took.
  std::string metadata(int moves) {
    const fs::path text = work_.path() / "text";
    const fs::path file = work_.path() / "metadata";
    files_.write(file, std::string(8 * k_mib, '\0'), {});
    files_.write(
        text,
        "<superblock uuid=\"\" time=\"0\" transaction=\"1\" data_block_size=\"128\" nr_data_blocks=\"192\">\n"
        "<device dev_id=\"1\" mapped_blocks=\"5\" transaction=\"0\" creation_time=\"0\" snap_time=\"0\">\n"
        "<range_mapping origin_begin=\"0\" data_begin=\"0\" length=\"5\" time=\"0\"/>\n</device>\n</superblock>\n",
        {});
    run_checked(runner_, {.argv = {"thin_restore", "-q", "-i", text.string(), "-o", file.string()},
                          .env = maker_environment(0)});
    std::string bytes = read_file(file);
    if (moves > 0) bytes.replace(6 * k_mib, 100, std::string(100, 'o'));  // leftovers of an older step
    return bytes;
  }
};

TEST_F(ThinPoolTest, MetadataOfEqualMapsIsTheSameBytesAfterwards) {
  if (!find_program("thin_restore", maker_environment(0))) GTEST_SKIP() << "thin-provisioning-tools is not installed";
  DiskLayout layout;
  layout.partitions = {{.name = "p"}};
  layout.volumes.physical = {{.name = "pv", .base = "p", .uuid = "first"}};
  layout.volumes.logical = {{.name = "pool", .group = "vg", .kind = LogicalVolume::Kind::thin_pool}};
  Placement placement;
  placement.partitions = {{k_mib, 59 * k_mib}};
  std::vector<std::string> results;
  for (const int moves : {0, 1}) {
    const fs::path disk = make_disk();
    std::string bytes = read_file(disk);
    bytes.replace(k_mib + k_mib + 28 * k_mib, 8 * k_mib, metadata(moves));
    files_.write(disk, bytes, {});
    NoisyRestore noisy(runner_);
    settle_thin_pools(disk, layout, placement, work_.path(), moves > 0 ? noisy : static_cast<CommandRunner&>(runner_),
                      [](std::string_view) {});
    EXPECT_EQ(noisy.nodes > 0, moves > 0);
    results.push_back(read_file(disk));
  }
  EXPECT_TRUE(results[0] == results[1]);
  const std::string settled = results[0].substr(30 * k_mib, 8 * k_mib);
  files_.write(work_.path() / "settled", settled, {});
  EXPECT_THAT(tool({"thin_check", (work_.path() / "settled").string()}), HasSubstr("exit code 0"));
  EXPECT_THAT(tool({"thin_dump", (work_.path() / "settled").string()}),
              HasSubstr("<range_mapping origin_begin=\"0\" data_begin=\"0\" length=\"5\" time=\"0\"/>"));
}

}  // namespace
}  // namespace hearth::builder
