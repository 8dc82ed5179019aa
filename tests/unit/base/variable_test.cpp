#include "base/variable.hpp"

#include <gtest/gtest.h>

namespace hearth {
namespace {

TEST(Variable, OneThatIsSetToNothingIsSet) {
  const Environment environment = {{"A", "a"}, {"EMPTY", ""}};
  EXPECT_EQ(variable(environment, "A", "else"), "a");
  EXPECT_EQ(variable(environment, "EMPTY", "else"), "");
  EXPECT_EQ(variable(environment, "B", "else"), "else");
  EXPECT_EQ(variable(environment, "B"), "");
}

}  // namespace
}  // namespace hearth
