#include "builder/disk/direct_maker.hpp"

#include <gmock/gmock.h>

#include "builder/disk/layout/block_config.hpp"
#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* k_config =
    "- local_loop: {name: image0}\n"
    "- partitioning:\n"
    "    base: image0\n"
    "    label: gpt\n"
    "    partitions:\n"
    "      - {name: esp, type: EF00, size: 40MiB, mkfs: {type: vfat, label: ESP, mount: {mount_point: /boot/efi}}}\n"
    "      - {name: boot, size: 16MiB, mkfs: {type: ext2, mount: {mount_point: /boot}}}\n"
    "      - {name: swap, type: '8200', size: 8MiB, mkfs: {type: swap, mount: {mount_point: swap, fstab: {}}}}\n"
    "      - {name: var, size: 16MiB, mkfs: {type: ext4, mount: {mount_point: /var}}}\n"
    "      - name: root\n"
    "        size: 100%\n"
    "        mkfs: {mount: {mount_point: /, fstab: {fsck-passno: 1}}}\n";

class DirectMakerTest : public DiskFixture {
 protected:
  DiskLayout layout_ = assign_ids(parse_block_config(k_config, "test", {}).value_or_throw(), "seed");
  Placement placement_ = place(layout_, 160 * k_mib);

  /// Makes a disk from a fresh tree in `parent`; false where this machine can't.
  bool make(const fs::path& parent, const fs::path& raw) {
    const fs::path tree = parent / "tree";
    make_tree(tree);
    prepare_tree(tree, layout_, k_epoch);
    const int code = privately([&] {
      make_disk(tree, layout_, placement_, raw, {.scratch = parent, .epoch = k_epoch}, runner_);
      return 0;
    });
    EXPECT_TRUE(code == 0 || code == 77) << code;
    return code == 0;
  }

  fs::path part(const fs::path& raw, const std::string& mount_point) {
    return cut(raw, placement_.of(*layout_.mounted_at(mount_point)), replace_all(cat("part", mount_point), "/", "-"));
  }
  std::string ls(const fs::path& part, const std::string& directory) {
    return tool({"debugfs", "-R", cat("ls -p ", directory), part.string()});
  }
};

TEST_F(DirectMakerTest, EveryFileGoesIntoTheFileSystemThatHoldsIt) {
  const fs::path raw = work_.path() / "raw";
  if (!make(work_.path(), raw)) GTEST_SKIP() << "no mount namespace of its own for a user here";
  const fs::path root = part(raw, "/");
  EXPECT_THAT(ls(root, "/"), HasSubstr("/var/"));
  EXPECT_THAT(ls(root, "/var"), Not(HasSubstr("log")));
  EXPECT_THAT(ls(root, "/boot"), Not(HasSubstr("kernel")));
  EXPECT_THAT(ls(part(raw, "/var"), "/log"), HasSubstr("messages"));
  EXPECT_THAT(ls(part(raw, "/boot"), "/"), HasSubstr("kernel"));
  EXPECT_THAT(ls(part(raw, "/boot"), "/efi"), Not(HasSubstr("EFI")));
  EXPECT_THAT(tool({"mdir", "-b", "-/", "-i", part(raw, "/boot/efi").string(), "::"}), HasSubstr("long name.efi"));
  EXPECT_THAT(tool({"debugfs", "-R", "cat /etc/fstab", root.string()}),
              HasSubstr(cat("UUID=", layout_.mounted_at("/")->uuid,
                            " / ext4 defaults 0 1\nUUID=", layout_.mounted_at("none")->uuid, " none swap sw 0 0\n")));
}

TEST_F(DirectMakerTest, EveryFileSystemAndTheTableAreSound) {
  const fs::path raw = work_.path() / "raw";
  if (!make(work_.path(), raw)) GTEST_SKIP() << "no mount namespace of its own for a user here";
  for (const char* point : {"/", "/boot", "/var"}) {
    EXPECT_THAT(tool({"e2fsck", "-fn", part(raw, point).string()}), HasSubstr("exit code 0")) << point;
  }
  EXPECT_THAT(tool({"fsck.vfat", "-n", part(raw, "/boot/efi").string()}), HasSubstr("exit code 0"));
  EXPECT_THAT(tool({"sgdisk", "--verify", raw.string()}), HasSubstr("No problems found"));
}

TEST_F(DirectMakerTest, EqualTreesOnDifferentFileSystemsGiveEqualBytes) {
  const TempDir other = TempDir::create(fs::is_directory("/dev/shm") ? "/dev/shm" : fs::temp_directory_path(), "disk-");
  const fs::path raw = work_.path() / "raw";
  if (!make(work_.path(), raw)) GTEST_SKIP() << "no mount namespace of its own for a user here";
  ASSERT_TRUE(make(other.path(), other.path() / "raw"));
  EXPECT_THAT(tool({"cmp", raw.string(), (other.path() / "raw").string()}), testing::Eq("exit code 0"));
}

TEST_F(DirectMakerTest, WhatIsLeftOutIsFoundInTheTree) {
  const fs::path raw = work_.path() / "raw";
  if (!make(work_.path(), raw)) GTEST_SKIP() << "no mount namespace of its own for a user here";
  const fs::path sparse = work_.path() / "sparse";
  const fs::path whole = work_.path() / "whole";
  ASSERT_EQ(privately([&] {
              std::vector<FilePiece> left_out;
              make_disk(work_.path() / "tree", layout_, placement_, sparse, {.scratch = work_.path(), .epoch = k_epoch},
                        runner_, &left_out);
              std::string bytes(placement_.disk_bytes, '\xee');
              const qcow2::RawDisk disk(sparse, left_out);
              disk.read(0, {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
              files_.write(whole, bytes, {});
              return left_out.empty() ? 1 : 0;
            }),
            0);
  EXPECT_THAT(tool({"cmp", raw.string(), whole.string()}), testing::Eq("exit code 0"));
  EXPECT_THAT(tool({"cmp", raw.string(), sparse.string()}), HasSubstr("differ"));
}

TEST_F(DirectMakerTest, MissingMountPointsAreCreated) {
  const fs::path tree = work_.path() / "tree";
  files_.make_directories(tree, 0755);
  prepare_tree(tree, layout_, k_epoch);
  EXPECT_TRUE(fs::is_directory(tree / "boot/efi"));
  EXPECT_EQ(fs::last_write_time(tree / "boot/efi"), k_epoch);
}

TEST_F(DirectMakerTest, ALayoutForAnotherMakerIsRefusedBeforeAnythingIsWritten) {
  layout_.beyond_direct = {"logical volumes"};
  EXPECT_THROW(make_disk("/", layout_, placement_, work_.path() / "raw", {.scratch = work_.path()}, runner_), Error);
  EXPECT_FALSE(fs::exists(work_.path() / "raw"));
}

}  // namespace
}  // namespace hearth::builder
