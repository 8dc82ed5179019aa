#include "base/debian_version.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace hearth {
namespace {

/// Judged by dpkg --compare-versions.
TEST(DebianVersion, OrdersAsDpkgDoes) {
  const std::vector<const char*> ascending = {"0~~a-1",        "0~",        "0",    "0-1",     "1.0~rc1", "1.0",
                                              "1.0-0+deb12u1", "1.0-1",     "1.0a", "1.0+b1",  "1.1",     "1.2-1",
                                              "1.2-1.1",       "1.2.1-0.1", "1.10", "1:0.1-1", "1:0.1-2", "2:0"};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      const int order = compare_debian_versions(ascending[i], ascending[j]);
      EXPECT_EQ(order < 0, i < j) << ascending[i] << " " << ascending[j];
      EXPECT_EQ(order > 0, i > j) << ascending[i] << " " << ascending[j];
    }
  }
  EXPECT_EQ(compare_debian_versions("1.02", "1.2"), 0);
  EXPECT_EQ(compare_debian_versions("0:1.2", "1.2"), 0);
  EXPECT_LT(compare_debian_versions("1:9", "10:1"), 0);
}

}  // namespace
}  // namespace hearth
