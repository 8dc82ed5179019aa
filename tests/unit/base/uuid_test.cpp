#include "base/uuid.hpp"

#include <gtest/gtest.h>

#include "base/hex.hpp"

namespace hearth {
namespace {

const std::string k_one_to_sixteen = "01020304-0506-0708-090a-0b0c0d0e0f10";

TEST(Uuid, BytesAndTextStandForEachOther) {
  EXPECT_EQ(uuid_text(from_hex("0102030405060708090a0b0c0d0e0f10")), k_one_to_sixteen);
  EXPECT_EQ(to_hex(uuid_bytes(k_one_to_sixteen)), "0102030405060708090a0b0c0d0e0f10");
  EXPECT_EQ(uuid_text("short"), "");
}

TEST(Uuid, AGuidHasItsFirstThreeNumbersTheOtherWayRound) {
  EXPECT_EQ(guid_text(from_hex("0403020106050807090a0b0c0d0e0f10")), k_one_to_sixteen);
  EXPECT_EQ(to_hex(guid_bytes(k_one_to_sixteen)), "0403020106050807090a0b0c0d0e0f10");
  EXPECT_EQ(guid_bytes("21686148-6449-6E6F-744E-656564454649"), "Hah!IdontNeedEFI");
  EXPECT_EQ(guid_text("short"), "");
}

TEST(Uuid, OneIsKnownByItsDashesAndDigits) {
  EXPECT_TRUE(is_uuid(k_one_to_sixteen));
  EXPECT_TRUE(is_uuid("CE9937BE-D2F9-4D1B-B3AE-016C128ED6AF"));
  EXPECT_FALSE(is_uuid("ce9937bed2f94d1bb3ae016c128ed6af"));
  EXPECT_FALSE(is_uuid("ce9937be-d2f9-4d1b-b3ae-016c128ed6ag"));
  EXPECT_FALSE(is_uuid("ce9937bed-2f9-4d1b-b3ae-016c128ed6af"));
}

TEST(Uuid, OneIsReadWithDashesAndWithout) {
  EXPECT_EQ(parse_uuid("CE9937BED2F94D1BB3AE016C128ED6AF"), "ce9937be-d2f9-4d1b-b3ae-016c128ed6af");
  EXPECT_EQ(parse_uuid("CE9937BE-d2f9-4d1b-b3ae-016c128ed6af"), "ce9937be-d2f9-4d1b-b3ae-016c128ed6af");
  EXPECT_FALSE(parse_uuid("----ce9937bed2f94d1bb3ae016c128ed6af"));
  EXPECT_FALSE(parse_uuid("web1"));
}

}  // namespace
}  // namespace hearth
