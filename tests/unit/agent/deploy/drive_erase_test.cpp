#include "agent/deploy/drive_erase.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::agent::deploy {
namespace {

constexpr unsigned k_supported = 1;
constexpr unsigned k_enabled = 2;
constexpr unsigned k_locked = 4;
constexpr unsigned k_frozen = 8;
constexpr unsigned k_enhanced = 32;

/// A drive that does as the standards say; it notes what it was told.
class SimulatedDrive : public DriveCommands {
 public:
  unsigned security = k_supported;
  std::string password = std::string(512, 0);  ///< the one that is set while security is enabled
  int refused = 0;                             ///< this command fails
  bool stays_protected = false;
  std::string controller = std::string(4096, 0);
  std::string space = std::string(4096, 0);
  std::string spaces = std::string("\x03", 1) + std::string(4095, 0);
  std::string states = std::string(1, 0);  ///< of sanitizing, one an answer; the last one stays
  std::string after = "\x02\x02\x01";      ///< once it has begun
  std::vector<std::string> told;

  [[nodiscard]] std::string ata_identify() override {
    if (refused == 0xec) throw Error(ErrorKind::io, "no ATA");
    std::string block(k_ata_block, 0);
    block[256] = static_cast<char>(security);
    return block;
  }
  void ata(std::uint8_t command, const std::string& block, std::chrono::seconds) override {
    told.push_back(cat(int{command}, block.empty() || block[0] == 0 ? "" : "+"));
    const bool mine = block.empty() || block.substr(2, 32) == password.substr(2, 32);
    const bool allowed = (security & k_frozen) == 0 && mine && (command != 0xf6 || (security & k_locked) == 0);
    if (command == refused || !allowed) throw Error(ErrorKind::io, cat("command ", int{command}, " refused"));
    if (command == 0xf1) security |= k_enabled;
    if (command == 0xf2) security &= ~k_locked;
    if (command == 0xf6 || (command == 0xf4 && !stays_protected)) security &= ~(k_enabled | k_locked);
  }
  [[nodiscard]] std::string nvme_identify(std::uint32_t number) override { return number == 0 ? controller : space; }
  [[nodiscard]] std::uint32_t nvme_space() override { return 3; }
  [[nodiscard]] std::string nvme_spaces() override { return spaces; }
  void nvme_format(std::uint32_t number, std::uint32_t word, std::chrono::seconds) override {
    told.push_back(cat("format ", number, " ", word));
    if (refused == 0x80) throw Error(ErrorKind::io, "format refused");
  }
  void nvme_sanitize(std::uint32_t word) override {
    told.push_back(cat("sanitize ", word));
    if (refused == 0x84) throw Error(ErrorKind::io, "sanitize refused");
    states = after;
  }
  [[nodiscard]] std::string nvme_sanitize_status() override {
    std::string page(512, 0);
    page[2] = states.front();
    if (states.size() > 1) states.erase(0, 1);
    return page;
  }
};

class DriveEraseTest : public testing::Test {
 protected:
  bool erase(const DriveErase& wish = {}) {
    return erase_by_drive(disk_, drive_, wish, clock_, [this](const std::string& text) { said_ += cat(text, "\n"); });
  }
  /// Why it did not erase itself.
  std::string refusal(const DriveErase& wish = {}) {
    try {
      erase(wish);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }
  void be_nvme(int features, int can_format = 2) {
    disk_ = {.name = "/dev/nvme0n1", .transport = "nvme"};
    drive_.controller[256] = static_cast<char>(can_format);
    drive_.controller[524] = static_cast<char>(features);
  }

  Disk disk_{.name = "/dev/sda", .vendor = "ATA", .transport = "sata"};
  SimulatedDrive drive_;
  fakes::ManualClock clock_;
  std::string said_;
};

using Told = std::vector<std::string>;

TEST_F(DriveEraseTest, AnAtaDriveErasesItself) {
  EXPECT_TRUE(erase());
  EXPECT_EQ(drive_.told, (Told{"241", "243", "244"}));
  EXPECT_EQ(drive_.security & k_enabled, 0U);
}

TEST_F(DriveEraseTest, TheEnhancedEraseIsPreferred) {
  drive_.security |= k_enhanced;
  EXPECT_TRUE(erase());
  EXPECT_EQ(drive_.told.back(), "244+");
  EXPECT_NE(said_.find("enhanced"), std::string::npos);
}

TEST_F(DriveEraseTest, AFrozenDriveIsAnErrorThatSaysSo) {
  drive_.security |= k_frozen;
  EXPECT_NE(refusal().find("/dev/sda: the firmware has frozen"), std::string::npos);
  EXPECT_EQ(drive_.told, Told{});
  EXPECT_FALSE(erase({.or_zeros = true}));
  EXPECT_NE(said_.find("frozen"), std::string::npos);
}

TEST_F(DriveEraseTest, WhatCanNotOrShallNotEraseItselfIsTold) {
  EXPECT_FALSE(erase({.ata = false}));
  EXPECT_NE(said_.find("shall not"), std::string::npos);
  drive_.security = 0;
  EXPECT_FALSE(erase());
  EXPECT_NE(said_.find("no ATA security"), std::string::npos);
  drive_.refused = 0xec;
  EXPECT_FALSE(erase());
  EXPECT_NE(said_.find("no ATA:"), std::string::npos);
  EXPECT_EQ(drive_.told, Told{});
}

TEST_F(DriveEraseTest, TheProtectionOfAnEraseThatWasCutShortIsTakenAway) {
  drive_.security |= k_enabled | k_locked;
  EXPECT_TRUE(erase());
  EXPECT_EQ(drive_.told, (Told{"242", "246", "241", "243", "244"}));
}

TEST_F(DriveEraseTest, AForeignPasswordIsAnError) {
  drive_.security |= k_enabled | k_locked;
  drive_.password.replace(2, 6, "secret");
  EXPECT_NE(refusal().find("a password that is not ours"), std::string::npos);
  EXPECT_EQ(drive_.told, Told{"242"});
}

TEST_F(DriveEraseTest, AnEraseThatFailsLeavesNoPassword) {
  drive_.refused = 0xf4;
  EXPECT_EQ(refusal(), "command 244 refused");
  EXPECT_EQ(drive_.security & k_enabled, 0U);
}

TEST_F(DriveEraseTest, ADriveThatLiesIsFoundOut) {
  drive_.stays_protected = true;
  EXPECT_NE(refusal().find("still protected"), std::string::npos);
}

TEST_F(DriveEraseTest, AnNvmeDriveGetsANewKeyOrIsErased) {
  be_nvme(0);
  EXPECT_TRUE(erase());
  be_nvme(4);
  drive_.space[26] = 0x31;  // the 17th format, metadata at the end of each block
  drive_.space[29] = 0x09;  // protection of type 1, in front of the metadata
  EXPECT_TRUE(erase());
  EXPECT_EQ(drive_.told,
            (Told{"format 3 512", cat("format 3 ", 1U | 1U << 4U | 1U << 5U | 1U << 8U | 2U << 9U | 1U << 12U)}));
}

TEST_F(DriveEraseTest, AnNvmeDriveThatFailsIsAnErrorUnlessZerosWillDo) {
  be_nvme(0, 0);
  EXPECT_NE(refusal().find("neither Format NVM nor Sanitize"), std::string::npos);
  EXPECT_FALSE(erase({.nvme = false}));
  be_nvme(0);
  drive_.refused = 0x80;
  EXPECT_EQ(refusal(), "format refused");
  EXPECT_FALSE(erase({.or_zeros = true}));
  EXPECT_NE(said_.find("format refused; going on with zeros"), std::string::npos);
}

TEST_F(DriveEraseTest, AnNvmeDriveWithoutFormatSanitizesByItsBestMeans) {
  for (const auto& [can, told] :
       {std::pair{7, "sanitize 4"}, std::pair{6, "sanitize 2"}, std::pair{4, "sanitize 19"}}) {
    be_nvme(0, 0);
    drive_.told.clear();
    drive_.controller[328] = static_cast<char>(can);
    drive_.states = std::string("\x01", 1);
    const MonotonicTime began = clock_.now();
    EXPECT_TRUE(erase());
    EXPECT_EQ(drive_.told, Told{told});
    EXPECT_EQ(clock_.now() - began, std::chrono::seconds(10)) << "it is waited for";
  }
}

TEST_F(DriveEraseTest, SanitizingThatWasBegunBeforeIsWaitedFor) {
  be_nvme(0, 0);
  drive_.controller[328] = 1;
  drive_.states = "\x02\x02\x02\x04";
  EXPECT_TRUE(erase());
  EXPECT_EQ(drive_.told, Told{});
  EXPECT_NE(said_.find("still erasing itself"), std::string::npos);
}

TEST_F(DriveEraseTest, ADriveThatRefusesToFormatMaySanitize) {
  be_nvme(0);
  drive_.controller[328] = 2;
  drive_.refused = 0x80;
  EXPECT_TRUE(erase());
  EXPECT_EQ(drive_.told.back(), "sanitize 2");
  EXPECT_NE(said_.find("format refused; sanitizing instead"), std::string::npos);
}

TEST_F(DriveEraseTest, SanitizingThatFailsOrNeverEndsIsAnError) {
  be_nvme(0, 0);
  drive_.controller[328] = 1;
  drive_.after = "\x02\x03";
  EXPECT_NE(refusal().find("sanitizing has failed"), std::string::npos);
  drive_.states = drive_.after = "\x02";
  EXPECT_NE(refusal().find("not ended in two days"), std::string::npos);
  drive_.refused = 0x84;
  drive_.states = "\x01";
  EXPECT_EQ(refusal(), "sanitize refused");
}

TEST_F(DriveEraseTest, SanitizingSparesTheOtherDisksOfADrive) {
  be_nvme(0, 0);
  drive_.controller[328] = 1;
  drive_.spaces[4] = 5;
  EXPECT_NE(refusal().find("it has others"), std::string::npos);
  EXPECT_EQ(drive_.told, Told{});
}

TEST_F(DriveEraseTest, FormattingSparesTheOtherDisksOfADrive) {
  for (const int features : {1, 2, 6}) {
    be_nvme(features);
    drive_.told.clear();
    drive_.spaces[4] = 5;
    EXPECT_NE(refusal().find("it has others"), std::string::npos) << features;
    EXPECT_EQ(drive_.told, Told{});
    drive_.spaces[4] = 0;
    EXPECT_TRUE(erase()) << "it is alone";
  }
  be_nvme(4);
  drive_.spaces[4] = 5;
  EXPECT_TRUE(erase()) << "each namespace is formatted by itself";
}

TEST_F(DriveEraseTest, OtherDisksAreNotAsked) {
  disk_ = {.name = "/dev/vda", .transport = "virtio"};
  EXPECT_FALSE(erase());
  EXPECT_EQ(said_, "");
}

TEST(DriveErase, TheWishIsTheConductors) {
  const DriveErase none = drive_erase_of(Json::object());
  EXPECT_TRUE(none.ata && none.nvme && !none.or_zeros);
  const DriveErase some = drive_erase_of({{"driver_internal_info",
                                           {{"agent_enable_ata_secure_erase", false},
                                            {"agent_enable_nvme_secure_erase", "no"},
                                            {"agent_continue_if_ata_erase_failed", true}}}});
  EXPECT_TRUE(!some.ata && some.nvme && some.or_zeros);
}

}  // namespace
}  // namespace hearth::agent::deploy
