#include "agent/collect/sources.hpp"

#include <gmock/gmock.h>

#include "tests/unit/agent/collect/source_fixture.hpp"

namespace hearth::agent {
namespace {

using testing::Contains;

const std::string k_local_source_config = "[local]\npath=/l/a\npath=/l/b\n";

class LocalSourceTest : public SourceFixture {};

TEST_F(LocalSourceTest, FilesOfAllDirectoriesComeSortedByName) {
  files_.put("/l/a/z.json", "1");
  files_.put("/l/a/B", "[]");
  files_.put("/l/b/a", "{\"k\": null}");
  files_.put("/l/b/.hidden", "broken");
  files_.make_directories("/l/b/sub", 0755);
  EXPECT_THAT(
      documents(collect_local, k_local_source_config),
      testing::ElementsAre(Collected{"B", Json::array()}, Collected{"a", {{"k", nullptr}}}, Collected{"z.json", 1}));
}

TEST_F(LocalSourceTest, AMissingDirectoryIsSkippedWithAWarning) {
  files_.put("/l/b/a", "1");
  EXPECT_EQ(documents(collect_local, k_local_source_config).size(), 1U);
  EXPECT_THAT(log_.lines, Contains("WARNING /l/a not found. Skipping"));
}

TEST_F(LocalSourceTest, NothingAtAllIsAnEmptyListAndNoError) {
  files_.make_directories("/l/a", 0755);
  files_.make_directories("/l/b", 0755);
  EXPECT_TRUE(documents(collect_local, k_local_source_config).empty());
  EXPECT_THAT(log_.lines, Contains("INFO No local metadata found (['/l/a', '/l/b'])"));
}

TEST_F(LocalSourceTest, AFileThatOthersMayWriteMakesTheSourceUnavailable) {
  files_.put("/l/a/x", "1", 0666);
  EXPECT_TRUE(is_unavailable(collect(collect_local, k_local_source_config)));
  EXPECT_THAT(log_.lines, Contains("ERROR /l/a/x is world writable. This is a security risk."));
}

TEST_F(LocalSourceTest, AGroupWritableFileIsFine) {
  files_.put("/l/a/x", "1", 0664);
  EXPECT_EQ(documents(collect_local, k_local_source_config).size(), 1U);
}

TEST_F(LocalSourceTest, ADirectoryOfAnotherUserMakesTheSourceUnavailable) {
  files_.put("/l/a/x", "1");
  const Settings settings(parse_ini(k_local_source_config, "t").value_or_throw(), {}, {});
  EXPECT_TRUE(
      is_unavailable(collect_local({settings, files_, runner_, http_, clock_, log_, once_, tokens_, messages_, 1000})));
  EXPECT_THAT(log_.lines, Contains("ERROR /l/a is owned by another user. This is a security risk."));
}

TEST_F(LocalSourceTest, InvalidJsonMakesTheSourceUnavailable) {
  files_.put("/l/a/x", "{");
  EXPECT_TRUE(is_unavailable(collect(collect_local, k_local_source_config)));
  EXPECT_THAT(log_.lines, Contains(testing::StartsWith("ERROR /l/a/x is not valid JSON (")));
}

TEST_F(LocalSourceTest, AFileInPlaceOfTheDirectoryIsSkipped) {
  files_.put("/l/a", "1");
  files_.put("/l/b/x", "1");
  EXPECT_EQ(documents(collect_local, k_local_source_config).size(), 1U);
}

}  // namespace
}  // namespace hearth::agent
