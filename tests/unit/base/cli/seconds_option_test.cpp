#include "base/cli/seconds_option.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace hearth::cli {
namespace {

std::uint64_t read_as_seconds(const std::string& text) {
  Arguments arguments;
  arguments.add("timeout", text);
  return seconds(arguments, "timeout", 7);
}

TEST(SecondsOption, HasUnitsAsPeopleWriteThem) {
  EXPECT_EQ(seconds({}, "timeout", 7), 7U);
  EXPECT_EQ(read_as_seconds("90"), 90U);
  EXPECT_EQ(read_as_seconds("90s"), 90U);
  EXPECT_EQ(read_as_seconds("5m"), 300U);
  EXPECT_EQ(read_as_seconds("5 min"), 300U);
  EXPECT_EQ(read_as_seconds("2h"), 7200U);
}

TEST(SecondsOption, WhatIsNoTimeIsRefusedWithTheUnits) {
  for (const char* bad : {"", "m", "5x", "-5m", "0", "0m", "1.5h", "9999999999d", "99999999999999999999s"}) {
    try {
      EXPECT_EQ(read_as_seconds(bad), 0U) << "not refused: " << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_THAT(error.story(),
                  testing::HasSubstr("is not a whole number of seconds from 1 to 1000000000\n  With a unit: "))
          << bad;
    }
  }
}

}  // namespace
}  // namespace hearth::cli
