// The peers are mke2fs, sfdisk and debugfs: a disk is made with the first two, and read back.
#include "builder/boot/kernel_extract.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;

TEST(ChooseBootFiles, TheNewestKernelWithTheRamdiskOfItsVersion) {
  EXPECT_EQ(choose_boot_files({"vmlinuz-6.1.0-9", "vmlinuz-6.1.0-10", "initrd.img-6.1.0-9", "initrd.img-6.1.0-10"}),
            (BootFiles{"vmlinuz-6.1.0-10", "initrd.img-6.1.0-10"}));
  EXPECT_EQ(choose_boot_files({"vmlinuz-5-generic", "vmlinuz-6-lowlatency", "initrd.img-5-generic"}),
            (BootFiles{"vmlinuz-5-generic", "initrd.img-5-generic"}));
  EXPECT_EQ(choose_boot_files({"vmlinuz-7.debug", "vmlinuz-6", "initramfs-6.img"}),
            (BootFiles{"vmlinuz-6", "initramfs-6.img"}));
}

TEST(ChooseBootFiles, NothingWithoutEither) {
  EXPECT_EQ(choose_boot_files({"vmlinuz-6", "config-6"}), std::nullopt);
  EXPECT_EQ(choose_boot_files({"initrd.img-6"}), std::nullopt);
}

TEST(ParseSfdiskStarts, StartsAreInBytesAndTheWholeDiskComesFirst) {
  EXPECT_THAT(parse_sfdisk_starts(R"({"partitiontable": {"sectorsize": 4096, "partitions": [{"start": 256}]}})"),
              ElementsAre(0U, 1048576U));
  EXPECT_THAT(parse_sfdisk_starts("no table"), ElementsAre(0U));
}

class ExtractKernelTest : public DiskFixture {
 protected:
  void SetUp() override {
    files_.make_directories(tree_ / "boot", 0755);
    files_.write(tree_ / "boot/vmlinuz-6.1", "the kernel", {.mode = 0600});
    files_.write(tree_ / "boot/initrd.img-6.1", "the ramdisk", {.mode = 0600});
  }
  void make_ext4(const std::string& options, const fs::path& image) {
    tool({"mke2fs", "-q", "-F", "-t", "ext4", "-d", tree_.string(), "-E", options, image.string(), "8M"});
  }
  fs::path tree_ = work_.path() / "tree";
  fs::path image_ = work_.path() / "image";
  KernelOutput output_{work_.path() / "out-vmlinuz", work_.path() / "out-initrd"};
};

TEST_F(ExtractKernelTest, FromAFileSystemImage) {
  make_ext4("offset=0", image_);
  extract_kernel(image_, output_, runner_);
  EXPECT_EQ(read_file(output_.kernel), "the kernel");
  EXPECT_EQ(read_file(output_.ramdisk), "the ramdisk");
  EXPECT_EQ(files_.status(output_.kernel)->mode, 0644U);
}

TEST_F(ExtractKernelTest, FromAPartitionedQcow2) {
  const fs::path raw = work_.path() / "raw";
  tool({"truncate", "-s", "16M", raw.string()});
  run_checked(runner_, {.argv = {"sfdisk", "-q", raw.string()}, .input = "label: gpt\nstart=2048\n"});
  make_ext4("offset=1048576", raw);
  tool({"qemu-img", "convert", "-O", "qcow2", raw.string(), image_.string()});
  extract_kernel(image_, output_, runner_);
  EXPECT_EQ(read_file(output_.kernel), "the kernel");
}

TEST_F(ExtractKernelTest, AnImageWithoutAKernelIsAnError) {
  fs::remove(tree_ / "boot/vmlinuz-6.1");
  make_ext4("offset=0", image_);
  EXPECT_THROW(extract_kernel(image_, output_, runner_), Error);
  EXPECT_FALSE(fs::exists(output_.kernel));
}

}  // namespace
}  // namespace hearth::builder
