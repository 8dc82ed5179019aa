#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include "base/unicode_printable.hpp"

namespace hearth {
namespace {

TEST(Utf8, EveryCodePointSurvivesARoundTrip) {
  for (char32_t value = 0; value <= 0x10ffff; ++value) {
    if (value >= 0xd800 && value <= 0xdfff) continue;
    std::string bytes;
    append_utf8(bytes, value);
    const DecodedCharacter back = decode_utf8(bytes);
    ASSERT_TRUE(back.valid) << std::hex << static_cast<std::uint32_t>(value);
    ASSERT_EQ(back.value, value);
    ASSERT_EQ(back.length, bytes.size());
  }
}

TEST(Utf8, SurrogatesAndOverlongFormsAreInvalid) {
  for (const char* bytes : {"\xed\xa0\x80", "\xc0\x80", "\xe0\x80\x80", "\xf4\x90\x80\x80", "\x80", "\xff"}) {
    EXPECT_FALSE(is_valid_utf8(bytes)) << testing::PrintToString(bytes);
  }
}

TEST(Utf8, AnInvalidSequenceIsReplacedByOneMarkPerMaximalPrefix) {
  EXPECT_EQ(replace_invalid_utf8("a\xe2\x82z"), "a\xef\xbf\xbdz");
  EXPECT_EQ(replace_invalid_utf8("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(replace_invalid_utf8("\xf0\x9f\x98"), "\xef\xbf\xbd");
}

TEST(UnicodePrintable, ControlFormatAndPrivateCharactersAreNot) {
  EXPECT_TRUE(is_printable('a'));
  EXPECT_TRUE(is_printable(0xe9));
  EXPECT_TRUE(is_printable(0x1f600));
  for (const unsigned value : {0x7fU, 0xa0U, 0xadU, 0x200bU, 0x2028U, 0xe000U, 0xfeffU, 0x10ffffU}) {
    EXPECT_FALSE(is_printable(value)) << value;
  }
}

}  // namespace
}  // namespace hearth
