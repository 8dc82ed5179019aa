#include "bootstrap/node/capabilities.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap {
namespace {

TEST(Capabilities, whatIsNearAKnownOneIsDoubtedAndOnesOwnIsNot) {
  EXPECT_EQ(capability_doubt("boot_mod", "bios"), "nothing reads a capability boot_mod; did you mean boot_mode?");
  EXPECT_EQ(capability_doubt("Secure_Boot", "true"),
            "nothing reads a capability Secure_Boot; did you mean secure_boot?");
  EXPECT_EQ(capability_doubt("boot_mode", "ufei"),
            "the capability boot_mode is bios, uefi, not ufei; did you mean uefi?");
  EXPECT_EQ(capability_doubt("boot_mode", "legacy"), "the capability boot_mode is bios, uefi, not legacy");
  for (const auto& [name, value] : {std::pair("boot_mode", "uefi"), std::pair("boot_mode", ""), std::pair("gpu", "2"),
                                    std::pair("profile", "anything"), std::pair("cpu_vt", "true")})
    EXPECT_EQ(capability_doubt(name, value), "") << name;
}

TEST(Capabilities, allOfATextAreLookedAt) {
  EXPECT_EQ(capability_doubts("boot_mod:bios, uefi,gpu:2,,profile:x"),
            (std::vector<std::string>{"nothing reads a capability boot_mod; did you mean boot_mode?",
                                      "'uefi' is no KEY:VALUE"}));
  EXPECT_TRUE(capability_doubts("").empty());
}

}  // namespace
}  // namespace hearth::bootstrap
