#include "builder/boot/boot_settings.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;

TEST(BootSettingsTest, WithoutVariablesTheDefaultsAreUpstreams) {
  const BootOptions options = boot_settings({}, 5);
  EXPECT_EQ(options.timeout, 5);
  EXPECT_THAT(options.consoles, ElementsAre("tty0", "ttyS0,115200"));
  EXPECT_EQ(options.loader, LoaderKind::grub);
  EXPECT_EQ(options.root, RootName::uuid);
  EXPECT_EQ(options.epoch, 5);
}

TEST(BootSettingsTest, EveryVariableIsTaken) {
  const BootOptions options = boot_settings({{"DIB_GRUB_TIMEOUT", "0"},
                                             {"DIB_BOOTLOADER_VIRTUAL_TERMINAL", "tty1"},
                                             {"DIB_BOOTLOADER_USE_SERIAL_CONSOLE", "False"},
                                             {"DIB_BOOTLOADER_DEFAULT_CMDLINE", "quiet"},
                                             {"DIB_BOOTLOADER", "uki"},
                                             {"DIB_BOOTLOADER_ROOT", "label"}},
                                            0);
  EXPECT_EQ(options.timeout, 0);
  EXPECT_THAT(options.consoles, ElementsAre("tty1"));
  EXPECT_EQ(options.extra_command_line, "quiet");
  EXPECT_EQ(options.loader, LoaderKind::unified);
  EXPECT_EQ(options.root, RootName::label);
}

TEST(BootSettingsTest, AnUnknownLoaderIsRefused) {
  EXPECT_THROW((void)boot_settings({{"DIB_BOOTLOADER", "lilo"}}, 0), Error);
}

}  // namespace
}  // namespace hearth::builder
