#include "agent/deploy/hardware/drive_commands.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth::agent::deploy {
namespace {

using Words = std::array<std::uint8_t, 16>;

TEST(DriveCommands, AtaGoesThroughScsi) {
  EXPECT_EQ(pass_through_words(0xec, AtaData::from_drive),
            (Words{0x85, 8, 0x0e, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xec}));
  EXPECT_EQ(pass_through_words(0xf1, AtaData::to_drive), (Words{0x85, 10, 6, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xf1}));
  EXPECT_EQ(pass_through_words(0xf3, AtaData::none), (Words{0x85, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf3}));
}

TEST(DriveCommands, WhatIsNoDriveRefuses) {
  const Fd fd = Fd::open("/dev/null", O_RDWR);
  RealDrive drive(fd, "/dev/null");
  EXPECT_THROW((void)drive.ata_identify(), Error);
  EXPECT_THROW(drive.ata(0xf3, "", std::chrono::seconds(1)), Error);
  EXPECT_THROW((void)drive.nvme_identify(0), Error);
  EXPECT_THROW((void)drive.nvme_space(), Error);
  EXPECT_THROW((void)drive.nvme_spaces(), Error);
  EXPECT_THROW(drive.nvme_sanitize(4), Error);
  EXPECT_THROW((void)drive.nvme_sanitize_status(), Error);
  EXPECT_THROW(drive.nvme_format(1, 0, std::chrono::seconds(1)), Error);
}

}  // namespace
}  // namespace hearth::agent::deploy
