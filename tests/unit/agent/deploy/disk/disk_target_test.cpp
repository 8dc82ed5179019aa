#include "agent/deploy/disk/disk_target.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/lossy_disk.hpp"

namespace hearth::agent::deploy {
namespace {

constexpr std::size_t k_size = DiskTarget::k_held * 5 / 4;

class DiskTargetTest : public testing::Test {
 protected:
  DiskTargetTest() { RealFileSystem().write(disk_, std::string(k_size, 'o'), {}); }
  /// An image of the letter n, first of all what lies behind the held mebibyte.
  void write_image() {
    DiskTarget target(disk_.string());
    target.begin(k_size);
    const std::string piece(65536, 'n');
    for (std::size_t at = k_size; at > 0; at -= piece.size()) target.write(at - piece.size(), piece);
    target.commit();
  }
  TempDir directory_ = TempDir::create("/tmp", "hearth-test-");
  fs::path disk_ = directory_.path() / "disk";
};

TEST_F(DiskTargetTest, HoldsTheImageInTheEnd) {
  write_image();
  EXPECT_EQ(read_file(disk_), std::string(k_size, 'n'));
}

TEST_F(DiskTargetTest, HasNeitherTheOldBootSectorNorTheNewOneBeforeAllIsWritten) {
  DiskTarget target(disk_.string());
  target.begin(k_size);
  target.write(0, std::string(4096, 'n'));
  target.write(DiskTarget::k_held, std::string(4096, 'n'));
  const std::string seen = read_file(disk_);
  EXPECT_EQ(seen.substr(0, DiskTarget::k_held), std::string(DiskTarget::k_held, '\0'));
  EXPECT_EQ(seen.substr(DiskTarget::k_held + 4096), std::string(k_size - DiskTarget::k_held - 4096, '\0'))
      << "a GPT's copy";
}

TEST_F(DiskTargetTest, RefusesAnImageThatIsLarger) {
  DiskTarget target(disk_.string());
  EXPECT_THROW(target.begin(k_size + 1), Error);
  EXPECT_EQ(read_file(disk_), std::string(k_size, 'o')) << "and touches nothing";
}

/// Whether the machine would start what is on the disk: something is in its first sector.
bool starts(const std::string& disk) { return disk[0] != '\0' || disk[511] != '\0'; }

TEST_F(DiskTargetTest, AMachineWhosePowerIsCutStartsTheOldSystemOrAllOfTheNewOne) {
  fakes::LossyDisk lossy(directory_.path());
  write_image();
  lossy.promise("written");
  const std::size_t cuts = lossy.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    const std::string found = read_file(disk_);
    ASSERT_EQ(found.size(), k_size);
    const bool has_new = found.find('n', DiskTarget::k_held) != std::string::npos;
    const bool is_new = found.find_first_not_of('n', DiskTarget::k_held) == std::string::npos;
    EXPECT_TRUE(cut.promised.empty() || found == std::string(k_size, 'n'));
    // Between the two wipes a system that was whole may have lost the tail of its disk; nothing new is there then.
    EXPECT_TRUE(!starts(found) || (found[0] == 'n' ? is_new : !has_new));
  });
  EXPECT_GT(cuts, 10U);
}

}  // namespace
}  // namespace hearth::agent::deploy
