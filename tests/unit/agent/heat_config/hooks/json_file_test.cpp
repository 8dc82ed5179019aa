#include "base/error.hpp"
#include "tests/unit/agent/heat_config/hooks/hook_fixture.hpp"

namespace hearth::agent {
namespace {

TEST_F(HookTest, EachValueIsAFile) {
  EXPECT_EQ(run("json-file", R"({"config": {"/a/b.json": {"z": [], "a": "é"}, "/c": null}})"),
            R"({"deploy_stdout": "", "deploy_stderr": "", "deploy_status_code": 0})");
  EXPECT_EQ(data("/a/b.json"), "{\n    \"a\": \"\\u00e9\",\n    \"z\": []\n}");
  EXPECT_EQ(mode("/a/b.json"), 0644U);
  EXPECT_EQ(data("/c"), "null");
}

TEST_F(HookTest, AnExistingFileKeepsItsMode) {
  files_.put("/a", "old", 0600);
  (void)run("json-file", R"({"config": {"/a": 1}})");
  EXPECT_EQ(mode("/a"), 0600U);
}

TEST_F(HookTest, ARelativePathIsAnError) {
  EXPECT_THROW((void)run("json-file", R"({"config": {"b.json": 1}})"), Error);
  EXPECT_THROW((void)run("json-file", R"({"config": []})"), Error);
}

}  // namespace
}  // namespace hearth::agent
