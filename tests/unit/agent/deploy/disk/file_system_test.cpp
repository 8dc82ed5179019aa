#include "agent/deploy/disk/file_system.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "agent/deploy/disk/mkfs.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent::deploy {
namespace {

struct Maker {
  TempDir work = TempDir::create("/tmp", "file-system.");
  SystemClock clock;
  RealRunner runner{clock};
  std::string path = (work.path() / "disk").string();

  /// What blkid says of the file.
  std::string blkid(const char* tag) {
    std::string text = run_checked(runner, Command{.argv = {"/sbin/blkid", "-p", "-o", "value", "-s", tag, path}});
    return text.substr(0, text.find('\n'));
  }
  [[nodiscard]] std::string head() const {
    std::string bytes(k_file_system_head, 0);
    std::ifstream(path, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return bytes;
  }
  std::string make(std::vector<std::string> argv) {
    RealFileSystem().remove(path);
    run_checked(runner, Command{.argv = {"truncate", "-s", "320M", path}});
    Environment env = current_environment();
    env["PATH"] += ":/sbin:/usr/sbin";
    argv.push_back(path);
    run_checked(runner, Command{.argv = std::move(argv), .env = env});
    return head();
  }
};

TEST(FileSystemHead, FileSystemsAreKnownByWhatTheirOwnProgramsMadeAndBlkidSays) {
  Maker maker;
  const std::vector<std::pair<std::vector<std::string>, std::string>> makers = {
      {{"mke2fs", "-q", "-t", "ext4"}, "ext4"},
      {{"mke2fs", "-q", "-t", "ext2"}, "ext4"},
      {{"mkfs.xfs", "-q"}, "xfs"},
      {{"mkfs.btrfs", "-q"}, "btrfs"},
      {{"mkfs.vfat", "-F", "16"}, "vfat"},
      {{"mkfs.vfat", "-F", "32"}, "vfat"}};
  for (const auto& [argv, type] : makers) {
    if (!find_program(argv[0], {{"PATH", "/sbin:/usr/sbin:/bin:/usr/bin"}})) continue;
    const auto found = find_file_system(maker.make(argv));
    ASSERT_TRUE(found) << argv[0];
    EXPECT_EQ(found->type, type);
    EXPECT_EQ(found->uuid, maker.blkid("UUID")) << type;
  }
  EXPECT_FALSE(find_file_system(""));
  EXPECT_FALSE(find_file_system(std::string(k_file_system_head, 0)));
}

TEST(FileSystemHead, SwapIsAsMkswapMakesIt) {
  Maker maker;
  maker.make({"mkswap"});
  std::string ours =
      swap_header(320U << 20U, "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10", "swap1");
  std::string theirs = maker.head().substr(0, 4096);
  theirs.replace(1036, 32, ours.substr(1036, 32));  // uuid and label
  EXPECT_TRUE(ours == theirs);
  RealFileSystem().write(maker.path, ours + std::string((1U << 20U), 0), {});
  EXPECT_EQ(maker.blkid("TYPE"), "swap");
  EXPECT_EQ(maker.blkid("UUID"), "01020304-0506-0708-090a-0b0c0d0e0f10");
  EXPECT_EQ(maker.blkid("LABEL"), "swap1");
}

TEST(Mkfs, ATypeIsAProgramAndNothingElse) {
  EXPECT_EQ(mkfs_command("vfat", "/dev/a1", "l").argv, (std::vector<std::string>{"mkfs.vfat", "-n", "l", "/dev/a1"}));
  EXPECT_EQ(mkfs_command("ext3", "/dev/a1", "l").argv.at(4), "ext3");
  EXPECT_EQ(mkfs_command("xfs", "/dev/a1", "l").argv.at(0), "mkfs.xfs");
  for (const char* bad : {"", "../x", "ext4 -x", "EXT4"})
    EXPECT_THROW(static_cast<void>(mkfs_command(bad, "/dev/a1", "l")), Error) << bad;
}

}  // namespace
}  // namespace hearth::agent::deploy
