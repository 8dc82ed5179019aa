#include "agent/apply/diff.hpp"

#include <gtest/gtest.h>

namespace hearth::agent {
namespace {

TEST(Diff, EqualTextsHaveNone) { EXPECT_EQ(unified_diff("a\n", "a\n", "x", "y"), ""); }

TEST(Diff, AChangedLineComesWithItsContext) {
  EXPECT_EQ(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nX\n6\n7\n8\n9\n", "x", "y"),
            "--- x\n+++ y\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n");
}

TEST(Diff, FarChangesAreSeparateHunks) {
  std::string before;
  for (int i = 0; i < 20; ++i) before += std::to_string(i) + "\n";
  const std::string diff = unified_diff(before, "new\n" + before + "end\n", "x", "y");
  EXPECT_NE(diff.find("@@ -1,3 +1,4 @@\n+new\n 0\n"), std::string::npos) << diff;
  EXPECT_NE(diff.find("@@ -18,3 +19,4 @@\n 17\n 18\n 19\n+end\n"), std::string::npos) << diff;
}

TEST(Diff, NewFilesAndMissingNewlines) {
  EXPECT_EQ(unified_diff("", "a", "/dev/null", "y"),
            "--- /dev/null\n+++ y\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n");
  EXPECT_EQ(unified_diff("a", "a\n", "x", "y"), "--- x\n+++ y\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

}  // namespace
}  // namespace hearth::agent
