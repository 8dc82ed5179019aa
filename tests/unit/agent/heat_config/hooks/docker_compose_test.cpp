#include "base/error.hpp"
#include "tests/unit/agent/heat_config/hooks/hook_fixture.hpp"

namespace hearth::agent {
namespace {

constexpr const char* k_project = "/var/lib/heat-config/heat-config-docker-compose/web";

TEST_F(HookTest, TheProjectIsBroughtUpWithItsEnvironmentFiles) {
  runner_.on("docker-compose", 0, "up");
  EXPECT_EQ(run("docker-compose", R"({"name": "web", "config": {"a": {"env_file": ["./x.env", "other"]}},
      "inputs": [{"name": "env_files", "value": "[{'file_name': './x.env', 'content': u'K=\\'v\\'\\n'}]"}]})"),
            R"({"deploy_stdout": "up", "deploy_stderr": "", "deploy_status_code": 0})");
  EXPECT_EQ(command(0), "docker-compose up -d --no-build");
  EXPECT_EQ(runner_.ran.at(0).cwd.string(), k_project);
  EXPECT_EQ(data(cat(k_project, "/./x.env")), "K='v'\n");
  EXPECT_EQ(mode(cat(k_project, "/./x.env")), 0600U);
}

TEST_F(HookTest, ServicesOfTheNewFormatHaveEnvironmentFilesToo) {
  runner_.on("docker-compose", 0);
  (void)run("docker-compose", R"({"name": "web", "config": "version: '3'\nservices:\n  a:\n    env_file: e\n",
      "inputs": [{"name": "env_files", "value": [{"file_name": "e", "content": "X=1"}]}]})");
  EXPECT_EQ(data(cat(k_project, "/e")), "X=1");
}

TEST_F(HookTest, DeletionOfAComposeProjectIsDoneAtOnce) {
  EXPECT_EQ(run("docker-compose", R"({"name": "web", "config": {"a": {}},
                                      "inputs": [{"name": "deploy_action", "value": "DELETE"}]})"),
            R"({"deploy_stdout": "", "deploy_stderr": "", "deploy_status_code": 0})");
}

TEST_F(HookTest, AProjectNameThatLeavesTheDirectoryIsAnError) {
  EXPECT_THROW((void)run("docker-compose", R"({"name": "../x", "config": {"a": {}}})"), Error);
}

}  // namespace
}  // namespace hearth::agent
