#include "agent/deploy/disk/layout.hpp"

#include <gtest/gtest.h>

#include "agent/deploy/disk/gpt.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {
namespace {

constexpr std::uint64_t k_gib = std::uint64_t{1} << 30U;

std::string shown(const PartLayout& layout) {
  std::string text;
  for (const PlannedPart& part : layout.parts) {
    text += cat(part.number, ":", static_cast<int>(part.part), "@", part.first * layout.sector >> 20U, "+",
                part.sectors * layout.sector >> 20U, " ");
  }
  return text;
}

TEST(Layout, PartitionsLieInIronicsOrderWithTheRootFileSystemLast) {
  const PartitionWish all{.root_mib = 1000, .swap_mib = 100, .ephemeral_mib = 200};
  PartitionWish uefi = all;
  uefi.uefi = true;
  PartitionWish gpt = all;
  gpt.gpt = true;
  EXPECT_EQ(shown(plan_parts(all, 4 * k_gib, 512, true)), "1:2@1+200 2:3@201+100 3:4@301+1000 ");
  EXPECT_EQ(shown(plan_parts(uefi, 4 * k_gib, 512, true)), "1:0@1+200 2:2@201+200 3:3@401+100 4:4@501+1000 ");
  EXPECT_EQ(shown(plan_parts(gpt, 4 * k_gib, 4096, true)), "1:1@1+1 2:2@2+200 3:3@202+100 4:4@302+1000 ");
  EXPECT_TRUE(plan_parts(uefi, 4 * k_gib, 512, true).gpt);
  EXPECT_EQ(shown(plan_parts({.root_mib = 10}, k_gib, 512, false)), "1:4@1+10 ");
}

TEST(Layout, ADiskThatIsTooSmallIsRefusedWithWhatIsNeeded) {
  const PartitionWish wish{.root_mib = 1000};
  EXPECT_NO_THROW(static_cast<void>(plan_parts(wish, 1001ULL << 20U, 512, false)));
  EXPECT_THROW(static_cast<void>(plan_parts(wish, 1001ULL << 20U, 512, true)), Error) << "no room for the config drive";
  try {
    static_cast<void>(plan_parts(wish, 1000ULL << 20U, 512, false));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("it has 1000 MiB, the partitions need 1001 (root 1000,"),
              std::string::npos);
  }
  const PartitionWish huge{.root_mib = 3ULL << 20U};
  EXPECT_THROW(static_cast<void>(plan_parts(huge, 4096 * k_gib, 512, false)), Error) << "more than msdos can say";
}

/// What sfdisk sees in a table that was written to a disk of 2 GiB.
std::string seen_by_sfdisk(const PartitionWish& wish) {
  const TempDir work = TempDir::create("/tmp", "layout.");
  const std::string path = (work.path() / "disk").string();
  const PartLayout layout = plan_parts(wish, 2 * k_gib, 512, false);
  const TableBytes table = encode_parts(layout, random_hex);
  const SystemClock clock;
  RealRunner runner(clock);
  RealFileSystem().write(path, table.front, {});
  run_checked(runner, Command{.argv = {"truncate", "-s", std::to_string(2 * k_gib), path}});
  if (!table.back.empty()) {
    run_checked(runner,
                Command{.argv = {"dd", "of=" + path, "conv=notrunc", "status=none", cat("seek=", table.back_sector)},
                        .input = table.back});
  }
  const CommandResult verdict = runner.run(Command{.argv = {"/sbin/sfdisk", "--verify", path}, .merge_err = true});
  return cat(run_checked(runner, Command{.argv = {"/sbin/sfdisk", "--dump", path}}), verdict.out);
}

TEST(Layout, SfdiskReadsTheTablesAndFindsNoFault) {
  const std::string gpt = seen_by_sfdisk({.root_mib = 500, .swap_mib = 100, .uefi = true});
  for (const char* part :
       {"label: gpt", "size=      409600, type=C12A7328-F81F-11D2-BA4B-00A0C93EC93B", "name=\"efi-part\"",
        "type=0657FD6D-A4AB-43C4-84E5-0933C84B4F4F", "name=\"root\"", "No errors detected"}) {
    EXPECT_NE(gpt.find(part), std::string::npos) << part << "\n" << gpt;
  }
  const std::string grub = seen_by_sfdisk({.root_mib = 500, .gpt = true});
  EXPECT_NE(grub.find("type=21686148-6449-6E6F-744E-656564454649"), std::string::npos) << grub;
  const std::string dos = seen_by_sfdisk({.root_mib = 500, .swap_mib = 100, .ephemeral_mib = 50});
  for (const char* part :
       {"label: dos", "type=82", "start=      309248, size=     1024000, type=83, bootable", "No errors"})
    EXPECT_NE(dos.find(part), std::string::npos) << part << "\n" << dos;
  EXPECT_EQ(dos.find("label-id: 0x00000000"), std::string::npos);
}

}  // namespace
}  // namespace hearth::agent::deploy
