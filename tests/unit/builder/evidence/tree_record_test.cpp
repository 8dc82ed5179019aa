#include "builder/evidence/tree_record.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"

namespace hearth::builder::evidence {
namespace {

constexpr std::int64_t k_ms = 1000000;

TEST(TreeRecord, FindsTheStepByTheTimeOfTheLastChange) {
  const std::vector<StepSpan> steps = {{"a", 100 * k_ms}, {"b", 200 * k_ms}};
  EXPECT_EQ(step_at(steps, 0), "before the first step");
  EXPECT_EQ(step_at(steps, 150 * k_ms), "a");
  EXPECT_EQ(step_at(steps, 199 * k_ms), "a");
  EXPECT_EQ(step_at(steps, 200 * k_ms), "b");
  EXPECT_EQ(step_at(steps, 900 * k_ms), "b");
}

class TreeRecordTest : public testing::Test {
 protected:
  std::string record() { return record_tree(dir_.path(), {{"step", 0}}); }
  TreeDifference difference(const std::string& before) {
    return first_difference(before, record()).value_or(TreeDifference{"none", "", ""});
  }
  TempDir dir_ = TempDir::create("/tmp", "hearth-test-");
};

TEST_F(TreeRecordTest, HasALineForEachEntrySortedByPath) {
  RealFileSystem().write(dir_.path() / "b", "x", {.mode = 0640});
  fs::create_directory(dir_.path() / "a");
  fs::create_symlink("../b", dir_.path() / "a/l\tink");
  const std::string text = record();
  EXPECT_THAT(text, testing::StartsWith("/a\td"));
  EXPECT_THAT(text, testing::HasSubstr("/a/l\\tink\tl"));
  EXPECT_THAT(text, testing::HasSubstr("\t../b\tstep\n/b\t-0640\t"));
}

TEST_F(TreeRecordTest, NamesTheFirstEntryThatDiffers) {
  RealFileSystem().write(dir_.path() / "a", "x", {.mode = 0644});
  RealFileSystem().write(dir_.path() / "b", "x", {.mode = 0644});
  const std::string before = record();
  EXPECT_EQ(difference(before).path, "none");
  RealFileSystem().write(dir_.path() / "b", "y", {.mode = 0644});
  EXPECT_EQ(difference(before).path, "/b");
  EXPECT_EQ(difference(before).what, "contents");
  EXPECT_EQ(difference(before).step, "step");
  ASSERT_EQ(::chmod((dir_.path() / "a").c_str(), 0600), 0);
  EXPECT_EQ(difference(before).path, "/a");
  EXPECT_EQ(difference(before).what, "mode (0644 and 0600)");
  fs::remove(dir_.path() / "a");
  EXPECT_EQ(difference(before).what, "it is only in the first");
  RealFileSystem().write(dir_.path() / "0", "", {});
  EXPECT_EQ(difference(before).path, "/0");
  EXPECT_EQ(difference(before).what, "it is only in the second");
}

TEST(TreeRecord, TheFilesAreReadBackWithTheirSteps) {
  const std::map<std::string, WrittenFile> files = written_files(
      "/a\\tb\\\\n\t-0644\t0:0\t12\tabc\tinstall.d/10-a\n/d\td0755\t0:0\t0\t-\tinstall.d/10-a\n/torn\t-0644\n");
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files.begin()->first, "a\tb\\n");
  EXPECT_EQ(files.begin()->second.step, "install.d/10-a");
  EXPECT_EQ(files.begin()->second.size, 12U);
}

TEST(TreeRecord, WhatIsNoRecordIsToldWithItsLine) {
  const std::string good = "/a\t-0644\t0:0\t3\tsum\troot.d/1\n";
  const auto told = [](const std::string& record) {
    try {
      require_tree_record(record, "web.d/tree.tsv");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(told(good), "");
  EXPECT_EQ(told(""), "web.d/tree.tsv:1: it is empty; it is not as the build wrote it");
  EXPECT_THAT(told(good + "rubbish\n"), testing::HasSubstr("tree.tsv:2: 1 columns in place of 6"));
  EXPECT_THAT(told(good.substr(1)), testing::HasSubstr("tree.tsv:1: no path"));
  EXPECT_THAT(told(good + "/b\t-0644\t0:0\tmany\tsum\ts\n"), testing::HasSubstr("tree.tsv:2: 'many' is no size"));
  EXPECT_THAT(told(good + "/b\tzz\t0:0\t1\tsum\ts\n"), testing::HasSubstr("tree.tsv:2: 'zz' is no kind and mode"));
  EXPECT_THAT(told(good + good.substr(0, good.size() - 1)), testing::HasSubstr("tree.tsv:2: the line has no end"));
}

}  // namespace
}  // namespace hearth::builder::evidence
