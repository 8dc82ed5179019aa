#include "base/run_parts.hpp"

#include <gtest/gtest.h>

namespace hearth {
namespace {

std::vector<std::string> sorted(std::vector<std::string> names) {
  sort_run_parts(names);
  return names;
}

// The orders below were printed by upstream's dib-run-parts.
TEST(RunParts, OrdersByLeadingNumberThenBytes) {
  EXPECT_EQ(sorted({"10-ten", "50-link", "abc", "9-nine", "10-aaa", "05-five"}),
            (std::vector<std::string>{"abc", "05-five", "9-nine", "10-aaa", "10-ten", "50-link"}));
  EXPECT_EQ(
      sorted({"99-last", "10a", "10-a", "10-A", "010-z", "3_k", "2-b", "02-c", "b", "_x", "A"}),
      (std::vector<std::string>{"A", "_x", "b", "02-c", "2-b", "3_k", "010-z", "10-A", "10-a", "10a", "99-last"}));
}

TEST(RunParts, NumbersLongerThanAnyIntegerTypeCompareExactly) {
  EXPECT_EQ(
      sorted({"100000000000000000000000000000001-b", "100000000000000000000000000000000-c", "-7-a"}),
      (std::vector<std::string>{"-7-a", "100000000000000000000000000000000-c", "100000000000000000000000000000001-b"}));
}

TEST(RunParts, NamesWithDotsAreHooksOfNobodyButEnvironmentFiles) {
  EXPECT_TRUE(is_run_parts_name("10-install_it"));
  EXPECT_FALSE(is_run_parts_name("10-install.sh"));
  EXPECT_FALSE(is_run_parts_name(""));
  EXPECT_TRUE(is_environment_file_name("10-vars.bash"));
  EXPECT_FALSE(is_environment_file_name("10 vars"));
}

}  // namespace
}  // namespace hearth
