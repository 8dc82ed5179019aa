#include "metadata/compile/files.hpp"

#include <gtest/gtest.h>

namespace hearth::metadata {
namespace {

TEST(Files, are_named_relative_to_the_file_that_names_them) {
  EXPECT_EQ(relative_to("dir/top.yaml", "../other/x.yaml"), "other/x.yaml");
  EXPECT_EQ(relative_to("top.yaml", "x.yaml"), "x.yaml");
  EXPECT_EQ(relative_to("dir/top.yaml", "/abs.yaml"), "/abs.yaml");
  EXPECT_EQ(relative_to("file:///d/top.yaml", "x.sh"), "file:///d/x.sh");
}

TEST(MapFiles, takes_a_key_before_a_relative_name) {
  MapFiles files({{"n.yaml", "root"}, {"dir/m.yaml", "inner"}});
  EXPECT_EQ(files.resolve("dir/top.yaml", "n.yaml"), "n.yaml");
  EXPECT_EQ(files.resolve("dir/top.yaml", "m.yaml"), "dir/m.yaml");
  EXPECT_FALSE(files.read("nope"));
}

}  // namespace
}  // namespace hearth::metadata
