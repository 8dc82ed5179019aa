#include "metadata/compile/output_directory.hpp"

#include <boost/filesystem/directory.hpp>

#include <gtest/gtest.h>

namespace hearth::metadata {
namespace {

TEST(OutputDirectory, appears_as_a_whole_and_replaces_an_older_one) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "output-");
  const fs::path target = work.path() / "out";
  {
    OutputDirectory first(target);
    first.write("a/b.json", "1");
    EXPECT_FALSE(fs::exists(target));
    first.commit();
  }
  EXPECT_EQ(read_file(target / "a/b.json"), "1");
  {
    OutputDirectory second(target);
    second.write("c.json", "2");
    second.commit();
  }
  EXPECT_FALSE(fs::exists(target / "a"));
  EXPECT_EQ(read_file(target / "c.json"), "2");
  EXPECT_EQ(std::distance(fs::directory_iterator(work.path()), fs::directory_iterator()), 1);
}

TEST(OutputDirectory, leaves_nothing_behind_when_it_is_not_committed) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "output-");
  { OutputDirectory(work.path() / "out").write("a", "1"); }
  EXPECT_TRUE(fs::is_empty(work.path()));
}

}  // namespace
}  // namespace hearth::metadata
