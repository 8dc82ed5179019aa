#include "agent/cfn/rpm_version.hpp"

#include <gtest/gtest.h>

namespace hearth::agent {
namespace {

TEST(RpmVersionTest, VersionsAreOrderedAsRpmDoes) {
  for (const auto& [older, newer] : std::vector<std::pair<const char*, const char*>>{{"2.0", "2.2"},
                                                                                     {"2.9", "2.10"},
                                                                                     {"2.2", "2.2-1.fc16"},
                                                                                     {"1.0~rc1", "1.0"},
                                                                                     {"1.a", "1.1"},
                                                                                     {"1.a", "1.b"},
                                                                                     {"1", "1.0"},
                                                                                     {"", "0"}}) {
    EXPECT_LT(compare_rpm_versions(older, newer), 0) << older << " " << newer;
    EXPECT_GT(compare_rpm_versions(newer, older), 0) << older << " " << newer;
  }
  EXPECT_EQ(compare_rpm_versions("1.01", "1_1"), 0);
}

TEST(RpmVersionTest, TheNewestIsFound) {
  EXPECT_EQ(newest_rpm_version({"2.0", "2.2.22-1.fc16", "2.2"}), "2.2.22-1.fc16");
  EXPECT_EQ(newest_rpm_version({}), "");
}

}  // namespace
}  // namespace hearth::agent
