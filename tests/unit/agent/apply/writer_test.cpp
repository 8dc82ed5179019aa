#include "agent/apply/writer.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/fakes/memory_file_system.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::agent {
namespace {

class WriterTest : public testing::Test {
 protected:
  std::vector<FileChange> plan(const std::vector<RenderedFile>& rendered) {
    return plan_changes(rendered, "/o", files_);
  }
  void apply(const std::vector<RenderedFile>& rendered) {
    const auto write = [this](const std::vector<FileToWrite>& files) {
      for (const FileToWrite& file : files) files_.write(file.path, file.data, file.attributes);
    };
    apply_changes(plan(rendered), files_, write, log_);
  }
  fakes::MemoryFileSystem files_;
  fakes::MemoryLogger log_;
};

TEST_F(WriterTest, ANewFileGetsItsParentsAndDefaultMode) {
  apply({{"a/b", "x", {}}});
  EXPECT_EQ(files_.files.at("/o/a/b").data, "x");
  EXPECT_EQ(files_.files.at("/o/a/b").attributes.mode, 0644U);
  EXPECT_TRUE(log_.holds("INFO writing /o/a/b"));
}

TEST_F(WriterTest, ModeAndOwnerAreKeptUnlessControlled) {
  files_.put("/o/a", "old", 0640);
  files_.files.at("/o/a").attributes.uid = 7;
  apply({{"a", "new", {.gid = 9}}});
  const FileAttributes& attributes = files_.files.at("/o/a").attributes;
  EXPECT_EQ(attributes.mode, 0640U);
  EXPECT_EQ(attributes.uid, 7U);
  EXPECT_EQ(attributes.gid, 9U);
}

TEST_F(WriterTest, WhatIsAsItShouldBeIsLeftAlone) {
  files_.put("/o/a", "same");
  files_.fail_write_after(0);
  EXPECT_NO_THROW(apply({{"a", "same", {}}}));
  EXPECT_EQ(plan({{"a", "same", {.mode = 0600}}}).at(0).kind, FileChange::Kind::write);
}

TEST_F(WriterTest, AFullDiskKeepsTheOldFile) {
  files_.put("/o/a", "old");
  files_.fail_write_after(0);
  EXPECT_THROW(apply({{"a", "new", {}}}), Error);
  EXPECT_EQ(files_.files.at("/o/a").data, "old");
}

TEST_F(WriterTest, AnEmptyFileThatMayNotBeIsRemovedOrNotMade) {
  files_.put("/o/a", "old");
  apply({{"a", "", {.allow_empty = false}}, {"b", "", {.allow_empty = false}}, {"c", "", {}}});
  EXPECT_EQ(files_.files.count("/o/a"), 0U);
  EXPECT_EQ(files_.files.count("/o/b"), 0U);
  EXPECT_EQ(files_.files.count("/o/c"), 1U);
  EXPECT_TRUE(log_.holds("deleting /o/a"));
  EXPECT_TRUE(log_.holds("not creating empty /o/b"));
}

TEST_F(WriterTest, ADirectoryInTheWayStopsEverythingBeforeTheFirstWrite) {
  files_.make_directories("/o/b", 0755);
  EXPECT_THROW(apply({{"a", "x", {}}, {"b", "x", {}}}), Error);
  EXPECT_TRUE(files_.files.empty());
}

TEST_F(WriterTest, ThePlanIsShownAsADiff) {
  files_.put("/o/a", "1\n", 0644);
  EXPECT_EQ(describe_changes(plan({{"a", "2\n", {.mode = 0600}}, {"n", "x\n", {}}})),
            "# /o/a: mode 0644 -> 0600\n--- /o/a\n+++ /o/a\n@@ -1 +1 @@\n-1\n+2\n--- /dev/null\n+++ /o/n\n@@ -0,0 +1 "
            "@@\n+x\n");
}

}  // namespace
}  // namespace hearth::agent
