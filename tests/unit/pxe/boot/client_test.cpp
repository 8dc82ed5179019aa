#include "pxe/boot/client.hpp"

#include <gtest/gtest.h>

namespace hearth::pxe {
namespace {

using namespace std::string_literals;

TEST(BootClient, UuidsAreSpelledAsTheMachineItselfSpellsThem) {
  EXPECT_EQ(uuid_text("\0\x78\x56\x34\x12\x34\x12\x34\x12\x12\x34\x12\x34\x56\x78\x9a\xbc"s),
            "12345678-1234-1234-1234-123456789abc");
  EXPECT_EQ(uuid_text("short"), "");
  EXPECT_EQ(uuid_text(std::string(17, '\1')), "");
}

TEST(BootClient, OddArchitecturesHaveANameToo) {
  EXPECT_EQ(arch_name(7), "UEFI x64 (arch 7)");
  EXPECT_EQ(arch_name(999), "unknown (arch 999)");
}

}  // namespace
}  // namespace hearth::pxe
