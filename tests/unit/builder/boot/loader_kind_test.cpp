#include "builder/boot/loader_kind.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace hearth::builder {
namespace {

TEST(LoaderKindTest, EachNameIsKnownAndAnotherIsRefusedWithTheNearest) {
  EXPECT_EQ(parse_loader("grub"), LoaderKind::grub);
  EXPECT_EQ(parse_loader("grub-signed"), LoaderKind::signed_grub);
  EXPECT_EQ(parse_loader("systemd-boot"), LoaderKind::systemd_boot);
  EXPECT_EQ(parse_loader("uki"), LoaderKind::unified);
  try {
    (void)parse_loader("systemd-bot");
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(),
                testing::HasSubstr("DIB_BOOTLOADER: unknown value systemd-bot, did you mean systemd-boot?"));
  }
}

TEST(LoaderKindTest, TheRootHasThreeNames) {
  EXPECT_EQ(parse_root_name("uuid"), RootName::uuid);
  EXPECT_EQ(parse_root_name("partuuid"), RootName::partuuid);
  EXPECT_EQ(parse_root_name("label"), RootName::label);
  EXPECT_THROW((void)parse_root_name("device"), Error);
}

}  // namespace
}  // namespace hearth::builder
