#include "builder/packages/packed_text.hpp"

#include <gtest/gtest.h>

namespace hearth::builder {
namespace {

/// `printf 'Package: a\n' | gzip -n`
constexpr std::string_view k_gzip(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x0b\x48\x4c\xce\x4e\x4c\x4f\xb5\x52\x48\xe4\x02\x00\x59\x6f\x79\x97\x0b"
    "\x00"
    "\x00\x00",
    31);

/// `printf '' | xz`
constexpr std::string_view k_empty_xz(
    "\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x00\x00\x00\x00\x1c\xdf\x44\x21\x1f\xb6\xf3\x7d\x01\x00\x00"
    "\x00\x00\x04\x59\x5a",
    32);

TEST(PackedText, PlainAndPackedTextsAreUnpacked) {
  EXPECT_EQ(unpacked_text(k_empty_xz), "");
  EXPECT_EQ(unpacked_text("Package: a\n"), "Package: a\n");
  EXPECT_EQ(unpacked_text(""), "");
  EXPECT_EQ(unpacked_text(k_gzip), "Package: a\n");
}

TEST(PackedText, WhatIsDamagedOrTooLongIsNone) {
  EXPECT_EQ(unpacked_text(k_gzip.substr(0, 20)), std::nullopt);
  EXPECT_EQ(unpacked_text(k_gzip, 10), std::nullopt);
  EXPECT_EQ(unpacked_text("Package: a\n", 11), "Package: a\n");
}

}  // namespace
}  // namespace hearth::builder
