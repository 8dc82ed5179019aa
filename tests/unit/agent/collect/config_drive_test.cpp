#include "agent/collect/config_drive.hpp"

#include <gmock/gmock.h>

#include "tests/unit/agent/collect/source_fixture.hpp"

namespace hearth::agent {
namespace {

TEST(ConfigDriveDeviceTest, TheFirstFittingBlockIsTaken) {
  EXPECT_EQ(config_drive_device("DEVNAME=/dev/sda1\nLABEL=root\nTYPE=ext4\n\n"
                                "DEVNAME=/dev/sdb\nLABEL=config-2\nTYPE=ext4\n\n"
                                "DEVNAME=/dev/disk\\ 1\nLABEL=config-2\nTYPE=vfat\n"),
            "/dev/disk 1");
  EXPECT_EQ(config_drive_device(""), std::nullopt);
}

TEST(MountPointTest, OctalEscapesAreUndone) {
  EXPECT_EQ(mount_point_of("/dev/sr0", "x /y z\n/dev/sr0 /a\\040b iso9660 ro 0 0\n"), "/a b");
  EXPECT_EQ(mount_point_of("/dev/sr1", "/dev/sr0 /a iso9660 ro 0 0\n"), std::nullopt);
}

class ConfigDriveTest : public SourceFixture {
 protected:
  std::optional<Json> read() {
    const Settings settings({}, {}, {});
    return config_drive_metadata({settings, files_, runner_, http_, clock_, log_, once_, tokens_, messages_, 0});
  }
};

TEST_F(ConfigDriveTest, AnUnmountedDriveIsMountedReadOnlyAndUnmountedAgain) {
  runner_.on("blkid", 0, "DEVNAME=/dev/sr0\nLABEL=config-2\nTYPE=iso9660\n");
  runner_.on("mount", [this](const Command& command) {
    files_.put(command.argv.at(2) + "/ec2/latest/meta-data.json", R"({"a": "b"})");
    return CommandResult{Exited{0}, "", ""};
  });
  runner_.on("umount", 0);
  EXPECT_EQ(read(), (Json{{"a", "b"}}));
  EXPECT_EQ(runner_.ran.at(1).argv.at(3), "-o");
  EXPECT_EQ(runner_.ran.at(1).argv.at(4), "ro");
  EXPECT_EQ(runner_.ran.at(2).argv.at(0), "umount");
}

TEST_F(ConfigDriveTest, AFailedMountIsAWarning) {
  runner_.on("blkid", 0, "DEVNAME=/dev/sr0\nLABEL=config-2\nTYPE=iso9660\n");
  runner_.on("mount", 32);
  EXPECT_EQ(read(), std::nullopt);
  EXPECT_EQ(log_.lines.size(), 1U);
}

TEST_F(ConfigDriveTest, AMissingBlkidIsToldOnce) {
  (void)read();
  (void)read();
  EXPECT_THAT(log_.lines, testing::ElementsAre(testing::StartsWith("ERROR"), testing::StartsWith("DEBUG")));
}

}  // namespace
}  // namespace hearth::agent
