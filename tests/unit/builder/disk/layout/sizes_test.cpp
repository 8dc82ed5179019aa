#include "builder/disk/layout/sizes.hpp"

#include <gtest/gtest.h>

namespace hearth::builder {
namespace {

TEST(SizesTest, BinaryUnitsCountBy1024AndOthersBy1000) {
  EXPECT_EQ(parse_size("8MiB"), 8U * 1024 * 1024);
  EXPECT_EQ(parse_size("3G"), 3'000'000'000U);
  EXPECT_EQ(parse_size("3GB"), 3'000'000'000U);
  EXPECT_EQ(parse_size("1TiB"), 1024ULL * 1024 * 1024 * 1024);
  EXPECT_EQ(parse_size("512"), 512U);
  EXPECT_EQ(parse_size("512B"), 512U);
}

TEST(SizesTest, DecimalsAndOneBlankAreAllowed) {
  EXPECT_EQ(parse_size("1.5 KiB"), 1536U);
  EXPECT_EQ(parse_size(" 2 K "), 2000U);
  EXPECT_FALSE(parse_size("2  K"));
}

TEST(SizesTest, CaseMattersAndNonsenseIsRefused) {
  for (const char* text : {"", "8mib", "MiB", "-1", "1e3", "8 MiB x", "1.2.3", "0x10", "99999999999999999999TiB"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(SizesTest, APercentageIsAShareUpToAll) {
  EXPECT_EQ(parse_size_spec("100%"), SizeSpec(Percent{100}));
  EXPECT_EQ(parse_size_spec("12.5%"), SizeSpec(Percent{12.5}));
  EXPECT_EQ(parse_size_spec("4KiB"), SizeSpec(std::uint64_t{4096}));
  EXPECT_FALSE(parse_size_spec("0%"));
  EXPECT_FALSE(parse_size_spec("101%"));
  EXPECT_FALSE(parse_size_spec("5MiB%"));
}

}  // namespace
}  // namespace hearth::builder
