#include "agent/heat_config/hooks/tools.hpp"

#include "base/error.hpp"
#include "tests/unit/agent/heat_config/hooks/hook_fixture.hpp"

namespace hearth::agent {
namespace {

Json json(const std::string& text) { return parse_python_json(text, "test").value_or_throw(); }

TEST(HookToolsTest, AnIdMayNotLeadOutOfItsDirectory) {
  EXPECT_EQ(checked_id(json(R"({"id": "a-1"})")), "a-1");
  EXPECT_THROW((void)checked_id(json(R"({"id": "../x"})")), Error);
  EXPECT_THROW((void)checked_id(json("{}")), Error);
  EXPECT_THROW((void)checked_name(json(R"({"name": "a/b"})")), Error);
}

TEST(HookToolsTest, NullOptionsAreNone) {
  EXPECT_EQ(option(json(R"({"options": null})"), "a"), nullptr);
  EXPECT_EQ(option_text(json(R"({"options": {"a": [1]}})"), "a"), "[1]");
}

TEST_F(HookTest, FoldersAreMadeWhereTheVariablesSay) {
  env_["HEAT_DOCKER_CMD_WORKING"] = "/w";
  const HookFolders folders = make_folders("docker-cmd", {files_, runner_, log_, env_});
  EXPECT_EQ(folders.working.string(), "/w");
  EXPECT_EQ(folders.outputs.string(), "/var/run/heat-config/heat-config-docker-cmd");
  EXPECT_EQ(files_.directories.count("/w"), 1U);
}

TEST_F(HookTest, OutputsWithASlashInTheirNameAreNotRead) {
  files_.put("/o/i.a", "\xff", 0600);
  files_.put("/o/i./x", "secret", 0600);
  Json answer = Json::object();
  add_outputs(answer, json(R"({"outputs": [{"name": "a"}, {"name": "/x"}, {"name": "none"}]})"), "/o/i", files_);
  EXPECT_EQ(python_json(answer), R"({"a": "\ufffd"})");
}

}  // namespace
}  // namespace hearth::agent
