#include "agent/apply/metadata.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/python_json.hpp"
#include "tests/fakes/memory_file_system.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::agent {
namespace {

class MetadataTest : public testing::Test {
 protected:
  std::vector<std::string> found(const MetadataChoice& choice, const Environment& env = {}) {
    return metadata_files(choice, env, files_, log_);
  }
  fakes::MemoryFileSystem files_;
  fakes::MemoryLogger log_;
};

using Names = std::vector<std::string>;

TEST_F(MetadataTest, TheCommandLineWinsOverTheEnvironmentAndThatOverTheList) {
  files_.put(std::string(k_os_config_files), R"(["list"])");
  EXPECT_EQ(found({.files = {"given"}}, {{"OS_CONFIG_FILES", "env"}}), Names{"given"});
  EXPECT_EQ(found({}, {{"OS_CONFIG_FILES", "a:b"}}), (Names{"a", "b"}));
  EXPECT_EQ(found({}), Names{"list"});
  EXPECT_TRUE(log_.lines.empty());
}

TEST_F(MetadataTest, TheOldListIsTriedWithAWarning) {
  files_.put(std::string(k_old_os_config_files), R"(["old"])");
  EXPECT_EQ(found({}), Names{"old"});
  EXPECT_TRUE(log_.holds("DEPRECATED: falling back to /var/run/os-collect-config/os_config_files.json"));
  EXPECT_EQ(found({.list_file = "/other"}), Names{});
}

TEST_F(MetadataTest, AListThatIsNoneIsAnError) {
  files_.put("/l", "{}");
  EXPECT_THROW((void)found({.list_file = "/l"}), Error);
  files_.put("/l", "[1]");
  EXPECT_THROW((void)found({.list_file = "/l"}), Error);
}

TEST_F(MetadataTest, DocumentsMergeDeepAndListsReplace) {
  files_.put("/1", R"({"a": {"x": 1, "l": [1, 2]}, "s": "one"})");
  files_.put("/2", R"({"a": {"l": [3]}, "s": {"k": 1}})");
  files_.put("/3", "[\"ignored\"]");
  const MergedMetadata metadata = MergedMetadata::read({"", "/1", "/missing", "/3", "/2"}, files_);
  EXPECT_EQ(python_json(*metadata.member("a")), R"({"x": 1, "l": [3]})");
  EXPECT_EQ(metadata.member("b"), nullptr);
  EXPECT_EQ(python_json(metadata.value()), R"({"a": {"x": 1, "l": [3]}, "s": {"k": 1}})");
}

TEST_F(MetadataTest, ARepeatedKeyCountsByItsLastValueOverTheDocumentsBefore) {
  files_.put("/1", R"({"a": {"x": 1}, "b": 1})");
  files_.put("/2", R"({"a": {"y": 2}, "a": {"z": 3}, "\u0062": {"c": 1}})");
  EXPECT_EQ(python_json(MergedMetadata::read({"/1", "/2"}, files_).value()),
            R"({"a": {"x": 1, "z": 3}, "b": {"c": 1}})");
}

TEST_F(MetadataTest, MembersStayWhereTheyAreWhenTheMetadataMove) {
  files_.put("/1", R"({"a": 1})");
  MergedMetadata metadata;
  metadata = MergedMetadata::read({"/1"}, files_);
  const Json* const a = metadata.member("a");
  const MergedMetadata moved = std::move(metadata);
  EXPECT_EQ(*a, 1);
  EXPECT_EQ(moved.member("a"), a);
  EXPECT_EQ(python_json(moved.value()), R"({"a": 1})");
}

TEST_F(MetadataTest, AFaultIsFoundInAMemberThatNobodyAsksFor) {
  for (const char* bad : {R"({"a": [1, {"b": tru}]})", R"({"a": "\x"})", "{\"a\": \"\n\"}", R"({"a": 1} 2)",
                          R"(["a", )", R"({"a": 01})"}) {
    files_.put("/1", bad);
    EXPECT_THROW((void)MergedMetadata::read({"/1"}, files_), Error) << bad;
  }
}

TEST_F(MetadataTest, ABadDocumentIsNamedWithItsPlace) {
  files_.put("/1", "{\n\"a\" 1}");
  try {
    (void)MergedMetadata::read({"/1"}, files_);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "Could not parse metadata file: /1");
    EXPECT_NE(error.story().find("/1:2:5:"), std::string::npos);
  }
}

TEST_F(MetadataTest, TheSubhashMustBeAnObject) {
  const Json document = {{"a", {{"b", {{"c", 1}}}}}, {"s", "x"}};
  const JsonRoot root(document);
  EXPECT_EQ(metadata_below(root, "a.b"), Json({{"c", 1}}));
  for (const char* key : {"s", "z", "a.b.c", "s.x", ""}) EXPECT_THROW((void)metadata_below(root, key), Error) << key;
}

}  // namespace
}  // namespace hearth::agent
