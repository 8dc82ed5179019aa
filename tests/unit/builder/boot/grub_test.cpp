#include "builder/boot/grub.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/disk/layout/block_config.hpp"
#include "source_directory.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

DiskLayout layout_of(const std::string& name) {
  const std::string path = cat(HEARTH_SOURCE_DIR "/elements/block-device-", name, "/block-device-default.yaml");
  return assign_ids(parse_block_config(read_file(path), path, {}).value_or_throw(), "seed");
}

/// A grub-mkimage that writes `bytes` bytes of 'c' and notes the script it was given.
CommandResult fake_mkimage(const Command& command, std::size_t bytes, std::string& script) {
  for (std::size_t i = 0; i + 1 < command.argv.size(); ++i) {
    if (command.argv[i] == "-c") script = read_file(command.argv[i + 1]);
    if (command.argv[i] == "-o") RealFileSystem().write(command.argv[i + 1], std::string(bytes, 'c'), {});
  }
  return {Exited{0}, "", ""};
}

class GrubTest : public testing::Test {
 protected:
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "grub-");
  fs::path tree_ = work_.path() / "tree";
  RealFileSystem files_;
  fakes::ScriptedRunner runner_;
  std::string script_;
  BootOptions options_{.grub_files = work_.path() / "grub", .epoch = 1000};

  void SetUp() override {
    files_.make_directories(tree_ / "boot", 0755);
    files_.write(tree_ / "boot/vmlinuz-6.1", "k", {});
    files_.make_directories(options_.grub_files / "i386-pc", 0755);
    files_.write(options_.grub_files / "i386-pc/boot.img", cat(std::string(510, 'b'), "\x55\xaa"), {});
    use_core(1500);
  }
  void use_core(std::size_t bytes) {
    runner_.on("grub-mkimage", [this, bytes](const Command& command) { return fake_mkimage(command, bytes, script_); });
  }
  void write_files(const DiskLayout& layout) {
    GrubCores cores = GrubCores::start(firmware_of(layout), layout, options_, work_.path(), runner_);
    write_boot_files(tree_, layout, options_, cores);
  }
  std::string disk_after(const DiskLayout& layout, const Placement& placement) {
    const fs::path raw = work_.path() / "raw";
    files_.write(raw, std::string(2048, 't'), {});
    fs::resize_file(raw, placement.disk_bytes);
    GrubCores cores = GrubCores::start(firmware_of(layout), layout, options_, work_.path(), runner_);
    install_bios_boot(raw, layout, placement, options_, cores);
    return read_file(raw);
  }
};

TEST_F(GrubTest, EachLayoutKnowsItsFirmware) {
  EXPECT_EQ(firmware_of(layout_of("mbr")), (Firmware{true, false}));
  EXPECT_EQ(firmware_of(layout_of("gpt")), (Firmware{true, false}));
  EXPECT_EQ(firmware_of(layout_of("efi")), (Firmware{true, true}));
  EXPECT_EQ(firmware_of(DiskLayout{}), (Firmware{false, false}));
  DiskLayout large = layout_of("efi");
  large.sector_size = 4096;
  EXPECT_EQ(firmware_of(large), (Firmware{false, true}));
}

TEST_F(GrubTest, TheTreeGetsMenuAndLoader) {
  const DiskLayout layout = layout_of("efi");
  write_files(layout);
  EXPECT_THAT(read_file(tree_ / "boot/grub/grub.cfg"), HasSubstr("linux /boot/vmlinuz-6.1 root=UUID="));
  EXPECT_EQ(read_file(tree_ / "boot/efi/EFI/BOOT/BOOTX64.EFI").size(), 1500U);
  EXPECT_EQ(fs::last_write_time(tree_ / "boot/efi/EFI/BOOT/BOOTX64.EFI"), 1000);
  EXPECT_EQ(script_, cat("search.fs_uuid ", layout.mounted_at("/")->uuid, " root\nset prefix=($root)/boot/grub\n"));
}

TEST_F(GrubTest, ADiskWithoutPartitionsGetsNoLoader) {
  const DiskLayout layout = assign_ids(parse_block_config(builtin_block_config(), "", {}).value_or_throw(), "seed");
  write_files(layout);
  EXPECT_FALSE(fs::exists(tree_ / "boot/grub"));
  EXPECT_TRUE(runner_.ran.empty());
}

TEST_F(GrubTest, OnGptTheCoreLiesInTheBiosBootPartition) {
  const DiskLayout layout = layout_of("gpt");
  const std::string disk = disk_after(layout, place(layout, 32U << 20U));
  EXPECT_EQ(disk.substr(1U << 20U, 100), std::string(100, 'c'));
  EXPECT_EQ(disk.substr(0x5c, 4), std::string("\0\x08\0\0", 4));
  EXPECT_EQ(disk.substr(0x1b8, 512 - 0x1b8), std::string(512 - 0x1b8, 't')) << "the partition table must stay";
}

TEST_F(GrubTest, OnMbrTheCoreLiesBehindTheBootSector) {
  const DiskLayout layout = layout_of("mbr");
  const std::string disk = disk_after(layout, place(layout, 32U << 20U));
  EXPECT_EQ(disk.substr(512, 100), std::string(100, 'c'));
  EXPECT_EQ(disk.substr(0x5c, 4), std::string("\x01\0\0\0", 4));
}

TEST_F(GrubTest, ACoreThatDoesNotFitIsAnErrorAndNothingIsWritten) {
  DiskLayout layout = layout_of("mbr");
  layout.align = 32 * 512;
  use_core(20000);
  EXPECT_THROW((void)disk_after(layout, place(layout, 32U << 20U)), Error);
  EXPECT_EQ(read_file(work_.path() / "raw").substr(0, 2048), std::string(2048, 't'));
}

TEST_F(GrubTest, MissingFilesAreNamedWithTheirPackage) {
  const Environment env = {{"PATH", work_.path().string()}};
  const auto story = [&](const Firmware& firmware, const BootOptions& options) {
    try {
      require_grub(firmware, options, env);
    } catch (const Error& error) {
      return error.story();
    }
    return std::string("all there");
  };
  EXPECT_THAT(story({true, false}, options_), HasSubstr("apt-get install grub-common"));
  files_.write(work_.path() / "grub-mkimage", "", {.mode = 0755});
  EXPECT_EQ(story({true, false}, options_), "all there");
  EXPECT_THAT(story({true, true}, options_), HasSubstr("apt-get install grub-efi-amd64-bin"));
  EXPECT_THAT(story({true, false}, {.grub_files = "/nowhere"}), HasSubstr("apt-get install grub-pc-bin"));
}

}  // namespace
}  // namespace hearth::builder
