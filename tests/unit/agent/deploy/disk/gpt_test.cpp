#include "agent/deploy/disk/gpt.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent::deploy {
namespace {

/// A disk as sfdisk makes it, of 16 MiB, with an ESP and a Linux partition up to 9 MiB. The second copy of the table is
/// where the disk ended then.
std::string sfdisk_disk(const TempDir& work) {
  const std::string path = (work.path() / "disk").string();
  RealFileSystem().write(path, std::string(16U << 20U, 0), {});
  const SystemClock clock;
  RealRunner runner(clock);
  run_checked(runner,
              Command{.argv = {"/sbin/sfdisk", "-q", path},
                      .input = "label: gpt\nstart=2048, size=2048, type=uefi\nstart=4096, size=14336, type=linux\n"});
  return read_file(path);
}

TEST(Gpt, ATableThatSfdiskMadeIsReadAndGrows) {
  const TempDir work = TempDir::create("/tmp", "gpt.");
  std::string disk = sfdisk_disk(work);
  auto gpt = Gpt::parse(disk, 512);
  ASSERT_TRUE(gpt);
  ASSERT_EQ(gpt->entries().size(), 2U);
  EXPECT_EQ(gpt->entries()[0].type, k_esp_type);
  EXPECT_EQ(gpt->entries()[0].first, 2048U);
  EXPECT_EQ(gpt->entries()[1].last, 18431U);

  disk.resize(64U << 20U);
  gpt->grow(disk.size() / 512);
  const auto added = gpt->add_last((8U << 20U) / 512, 2048, k_linux_type,
                                   parse_guid("01020304-0506-0708-090a-0b0c0d0e0f10"), "config-2");
  ASSERT_TRUE(added);
  EXPECT_EQ(added->number, 3U);
  EXPECT_EQ(added->first % 2048, 0U);
  const Gpt::Image image = gpt->encode();
  disk.replace(512, image.primary.size(), image.primary);
  disk.replace(image.backup_sector * 512, image.backup.size(), image.backup);
  EXPECT_EQ(image.backup_sector * 512 + image.backup.size(), disk.size());
  const auto again = Gpt::parse(disk, 512);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->entries()[2].name, "config-2");
  EXPECT_EQ(guid_text(again->entries()[2].id), "01020304-0506-0708-090a-0b0c0d0e0f10");

  RealFileSystem().write(work.path() / "grown", disk, {});
  const SystemClock clock;
  RealRunner runner(clock);
  const CommandResult judged =
      runner.run(Command{.argv = {"/sbin/sfdisk", "--verify", (work.path() / "grown").string()}, .merge_err = true});
  EXPECT_TRUE(succeeded(judged.status)) << judged.out;
  EXPECT_EQ(judged.out.find("corrupt"), std::string::npos) << judged.out;
}

TEST(Gpt, ABrokenTableIsNone) {
  const TempDir work = TempDir::create("/tmp", "gpt.");
  std::string disk = sfdisk_disk(work);
  disk[1024 + 40] ^= 1;
  EXPECT_FALSE(Gpt::parse(disk, 512));
  EXPECT_FALSE(Gpt::parse(std::string(1U << 20U, 0), 512));
}

TEST(Gpt, NoPartitionIsPutOverAnother) {
  const TempDir work = TempDir::create("/tmp", "gpt.");
  auto gpt = Gpt::parse(sfdisk_disk(work), 512);
  EXPECT_FALSE(gpt->add_last((8U << 20U) / 512, 2048, k_linux_type, k_linux_type, "config-2"));
}

TEST(Mbr, APartitionTakesTheFirstFreePlace) {
  std::string sector(512, 0);
  sector[510] = '\x55';
  sector[511] = '\xaa';
  for (int i = 1; i <= 4; ++i) sector = *add_to_mbr(sector, {0, 0x83, 2048U * static_cast<unsigned>(i), 2048});
  EXPECT_EQ(parse_mbr(sector).size(), 4U);
  EXPECT_EQ(parse_mbr(sector)[3].first, 8192U);
  EXPECT_FALSE(add_to_mbr(sector, {0, 0x83, 1, 1}));
  EXPECT_TRUE(parse_mbr(std::string(512, 0)).empty());
}

}  // namespace
}  // namespace hearth::agent::deploy
